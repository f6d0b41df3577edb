"""The code that a lesson shows is that of the package: the same name, the same code.

Compared are syntax trees: docstrings, comments and layout don't count. Decorators don't
either, because a class is registered with Keras under the package it stands in, so that
a lesson's and the package's can live side by side in one process.
"""

import ast
import json
from pathlib import Path

import pytest

from tools import cells

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"

# Exercises are left open, and helpers of one page may be called like a check of its
# exercise; so the names of the kit don't count.
PACKAGE = [
    path
    for path in sorted((ROOT / "course_utils").rglob("*.py"))
    if "kit" not in path.relative_to(ROOT).parts
]

# Lessons that show other code than the package under the same name: they are rewritten
# one after the other, and then leave this list, which ends empty.
NOT_YET_REWRITTEN = {
    "07_gru_translation",
    "08_transformer_translation",
    "09_decoding",
    "10_language_models",
    "11_bert_from_scratch",
    "12_fine_tuning_bert",
    "13_pretrained_models",
    "14_asking_a_language_model",
    "15_modern_transformer",
    "further/01_what_word_vectors_know",
    "further/02_bottleneck_measured",
    "further/03_attention_family",
    "further/04_what_attention_costs",
    "further/05_encoder_measured",
    "further/06_positions_measured",
    "further/06_which_model_when",
    "further/08_attention_on_images",
    "further/08_rnn_or_transformer",
    "further/08_what_attention_sees",
    "further/10_many_devices",
    "further/10_scaling_up",
    "further/13_distillation",
}


def without_docstrings(tree):
    """Return the text of a definition without docstrings and decorators."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.decorator_list = []
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:]
    return ast.unparse(tree)


def definitions(code):
    """Return the functions and classes at the top of a text: name to code."""
    found = {}
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = without_docstrings(node)
    return found


def package_definitions():
    """Return the codes that stand in the package under each name."""
    found = {}
    for path in PACKAGE:
        for name, code in definitions(path.read_text("utf-8")).items():
            found.setdefault(name, []).append(code)
    return found


def notebook_definitions(path):
    """Return the definitions of a notebook: name to code, the first one of a name."""
    found = {}
    for _, _, text in cells.code(json.loads(path.read_text("utf-8"))):
        for name, code in definitions(text).items():
            found.setdefault(name, code)
    return found


def other_code(path):
    """Return the names that the package knows, too, but with other code."""
    package = package_definitions()
    return sorted(
        name
        for name, code in notebook_definitions(path).items()
        if name in package and code not in package[name]
    )


def label(path):
    return path.relative_to(NOTEBOOKS).with_suffix("").as_posix()


def lessons():
    """Return the notebooks of lessons; solutions only show answers."""
    paths = sorted(NOTEBOOKS.rglob("*.ipynb"))
    return [path for path in paths if "solutions" not in path.parts]


@pytest.mark.parametrize("path", lessons(), ids=label)
def test_the_same_name_means_the_same_code(path):
    differing = other_code(path)
    if label(path) in NOT_YET_REWRITTEN:
        assert differing, f"{label(path)} agrees with the package: take it off the list"
    else:
        assert differing == []


def test_the_list_names_lessons_that_there_are():
    assert {label(path) for path in lessons()} >= NOT_YET_REWRITTEN


def test_other_code_is_seen_and_docstrings_are_not():
    plain = "def f(x):\n    return x\n"
    told = '@keras.register\ndef f(x):\n    """Do nothing."""\n    return x  # why\n'
    assert definitions(plain) == definitions(told)
    assert definitions(plain) != definitions("def f(x):\n    return -x\n")
