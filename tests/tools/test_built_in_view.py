"""A lesson takes from the package what was built and proved before."""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

import course_utils
from tools import built_in_view

NAMES = built_in_view.TABLE["built"]["13"]
DEFINED = "\n".join(f"class {name}: pass" for name in NAMES)
EQUAL = "from course_utils import language_models as package\n"
EQUAL += "\n".join(f"assert package.{name}() == {name}()" for name in NAMES)


UNPROVED = "cell 3 takes MiniGPT, but doesn't prove it equal"


def broken(*sources, lesson="13"):
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    return list(built_in_view.violations(notebook, lesson))


def test_a_lesson_that_builds_and_proves_is_good():
    before = (
        "import course_utils\nfrom course_utils.kit import plots, results\n"
        "from course_utils.kit.checks import lesson_13 as checks\n"
        "from course_utils.layers import PositionalEmbedding\n"
        "from course_utils.text import PAD\ncourse = course_utils.setup()\n"
    )
    assert broken(before, DEFINED, EQUAL) == []
    pairs = ", ".join(f"package.{name}(), {name}()" for name in NAMES)
    compared = f"from course_utils import language_models as package\nallclose({pairs})"
    assert broken(before, DEFINED, f"# NBVAL_CHECK_OUTPUT\n{compared}") == []
    assert broken(before, DEFINED, compared) != []  # nothing compares what it prints
    promise = "from course_utils.seq2seq import Translator"
    assert broken(promise, lesson="00") == []


@pytest.mark.parametrize(
    "sources, sentence",
    [
        (["from course_utils.text import no_such"], "1 takes no_such, which no lesson"),
        (["from course_utils import layers\nlayers.New()"], "1 takes New, which no"),
        (["from course_utils.bert import BertEncoder"], "BertEncoder, which lesson 14"),
        ([EQUAL, DEFINED], "cell 1 takes NgramModel before this lesson builds it"),
        ([DEFINED, EQUAL, "package.MiniGPT(3)"], UNPROVED),
        ([EQUAL], "MiniGPT is not defined, but this lesson has to build it"),
        ([DEFINED], "no cell shows that CausalBlock equals the package's"),
    ],
)
def test_what_a_lesson_breaks_is_named(sources, sentence):
    assert any(sentence in found for found in broken(*sources))


def test_the_table_names_what_the_package_has():
    code = "\n".join(
        path.read_text("utf-8")
        for path in (built_in_view.NOTEBOOKS.parent / "course_utils").rglob("*.py")
    )
    defined = set(re.findall(r"^(?:class|def) (\w+)", code, re.MULTILINE))
    assert set(built_in_view.BUILT_IN) - defined == set()
    assert course_utils.setup.__name__ in built_in_view.PLUMBING


def test_lessons_build_in_view(capsys):
    assert built_in_view.main([]) == 0, capsys.readouterr().out
    path = next(built_in_view.NOTEBOOKS.glob("16_*.ipynb"))
    too_early = list(built_in_view.violations(nbformat.read(path, as_version=4), "04"))
    assert any("which lesson 05 builds" in sentence for sentence in too_early)
