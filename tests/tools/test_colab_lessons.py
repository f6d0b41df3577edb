"""Colab's versions suit the course, and `make test-colab` asks for Colab's Python."""

import re

import pytest
from packaging.requirements import Requirement

from tools import colab_constraints, colab_lessons

PINS = colab_lessons.ROOT / "tests/requirements-colab.txt"


def test_constraints_are_the_pinned_packages_that_matter():
    text = "keras==3.13.2\nml_dtypes==0.6.0\ntensorflow_metadata==1.21.0\nx @ file:///x"
    assert colab_constraints.constraints(text) == "keras==3.13.2\nml_dtypes==0.6.0\n"
    stored = PINS.read_text(encoding="utf-8")
    assert colab_constraints.constraints(stored) == stored
    assert len(stored.splitlines()) == len(colab_constraints.MATTER)


def test_the_requirements_allow_colabs_versions():
    pinned = dict(re.findall(r"(.+)==(.+)", PINS.read_text(encoding="utf-8")))
    lines = (colab_lessons.ROOT / "requirements.txt").read_text("utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line and line[0] != "#"]
    shared = [one for one in wanted if one.name in pinned]
    assert {"tensorflow", "keras", "keras-hub"} <= {one.name for one in shared}
    for one in shared:
        assert one.specifier.contains(pinned[one.name]), one


def test_another_python_is_refused_in_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr(colab_lessons, "PYTHON", (2, 7))
    with pytest.raises(SystemExit):
        colab_lessons.main([])
    assert "Colab has Python 2.7, but this is 3." in capsys.readouterr().err
