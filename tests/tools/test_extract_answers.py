"""The answers in the package are those of the solution notebooks."""

import pytest

from tools import extract_answers


def test_the_stored_answers_are_those_of_the_notebooks():
    assert extract_answers.main(["--check"]) == 0


@pytest.fixture
def one_notebook(make_notebook, write_notebook, tmp_path, monkeypatch):
    """A solution notebook in a folder of its own, and an empty folder of answers."""
    sources = [
        "import numpy as np, math\nif True:\n    %pip install x\nmath = math",
        "def half(x):\n    return math.floor(x / 2)\n\n\ndef unused():\n    return np",
        "def answer_2(math):  # a comment\n    return half(math)  # (B,)\n\n\n"
        "checks.halved(answer_2)\nprint(unused(), answer_2(3))",
        "answer = checks.halved(half)",
    ]
    path = write_notebook(make_notebook(sources), "solutions/03_tiny.ipynb")
    monkeypatch.setattr(extract_answers, "ROOT", tmp_path)
    monkeypatch.setattr(extract_answers, "SOLUTIONS", path.parent)
    monkeypatch.setattr(extract_answers, "ANSWERS", tmp_path)
    (tmp_path / "__init__.py").touch()
    return path


def test_an_answer_comes_with_what_it_needs_and_nothing_else(one_notebook):
    checks, text = extract_answers.read_exercises(one_notebook)
    assert checks == {"halved": ["answer_2", "half"]}
    assert text == (
        "import math\n\n\ndef half(x):\n    return math.floor(x / 2)\n\n\n"
        "def answer_2(math):  # a comment\n    return half(math)  # (B,)\n"
    )


def test_what_is_out_of_step_is_named_and_written(one_notebook, tmp_path, capsys):
    (tmp_path / "lesson_99.py").write_text("left over")
    assert extract_answers.main(["--check"]) == 1
    assert "lesson_03.py is out of step" in capsys.readouterr().out
    assert extract_answers.main([]) == 0
    assert [path.name for path in tmp_path.glob("l*.py")] == ["lesson_03.py"]
    assert "solutions/03_tiny.ipynb" in (tmp_path / "lesson_03.py").read_text()
    assert extract_answers.main(["--check"]) == 0
