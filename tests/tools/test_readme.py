"""The texts for people name files, tests, commands and variables that exist.

That the tables are in step is tested with what writes them.
"""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from course_utils.seq2seq import Translator
from tools import readme_picture

ROOT = Path(__file__).resolve().parents[2]
TEXTS = ("README.md", "CONTRIBUTING.md", "tests/README.md", "data/README.md")
README = (ROOT / "README.md").read_text(encoding="utf-8")

texts = pytest.mark.parametrize("name", TEXTS)


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


@texts
def test_named_files_and_tests_exist(name):
    """Paths between backticks are seen from the text's folder, or from the top."""
    folder, missing = (ROOT / name).parent, []
    for named in re.findall(r"`([\w./-]+/[\w.-]*(?:::\w+)?)`", read(name)):
        path, _, test = named.partition("::")
        places = folder, ROOT, ROOT / "course_utils"
        made = path.startswith(("build/", ".venv/", "tfds/"))
        if not (made or any((place / path).exists() for place in places)):
            missing.append(named)
        if test and f"def {test}(" not in (folder / path).read_text(encoding="utf-8"):
            missing.append(named)
    assert missing == []


def test_the_layout_names_folders_that_exist():
    layout = re.search(r"```text\n(.*?)```", README, re.DOTALL).group(1)
    names = re.findall(r"^(\w+)/", layout, re.MULTILINE)
    assert names and all((ROOT / name).is_dir() for name in names)


def test_commands_exist():
    makefile = read("Makefile")
    phony = re.search(r"^\.PHONY: ((?:.*\\\n)*.*)$", makefile, re.MULTILINE)[1]
    # `make` stands at the start of a line of commands or after a backtick
    named = [set(re.findall(r"(?:^|`)make ([a-z-]+)", read(n), re.M)) for n in TEXTS]
    assert {"run", "test", "install", "lesson"} <= named[0]
    assert set().union(*named) <= set(phony.split())
    proofs = re.findall(r"tests/\S+\.py", makefile)
    assert len(proofs) >= 9 and all((ROOT / name).is_file() for name in proofs)


@texts
def test_variables_are_read_by_the_course(name):
    source = read("course_utils/kit/environment.py")
    for variable in set(re.findall(r"COURSE_[A-Z_]+", read(name))):
        assert f'"{variable}"' in source, variable


def test_the_translator_s_figures_are_those_of_its_card():
    facts = json.loads(read("models/en_es.json"))
    assert f"BLEU {facts['bleu']} on sentences" in README
    assert f"{facts['train_hours']}\nhours of training" in README


def test_the_picture_shows_what_the_translator_attends_to():
    translator = Translator.load(ROOT / "models/en_es.keras")
    source, target, weights = readme_picture.cross_attention(translator)
    assert weights.shape == (len(target), len(source))
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-5)
    text = readme_picture.description(source, target, weights)
    assert f"![{text}]({readme_picture.PICTURE})" in README
    figure = readme_picture.draw(source, target, weights)
    words = [text.get_text() for text in figure.axes[0].texts]
    assert {*source, *target} <= set(words)
