"""Colab's versions suit the course, and `make test-colab` asks for Colab's Python."""

import re
import sys
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PINS = ROOT / "tests/requirements-colab.txt"


def test_pins_keep_their_packages_and_get_colabs_versions(make, tmp_path):
    pins, freeze = tmp_path / "pins.txt", tmp_path / "colab.txt"
    pins.write_text("keras==3.12.0\nml-dtypes==0.5.0\n")
    other = "tensorflow_metadata==1.21.0\nkeras-hub==0.26.0\nx @ file:///x\n"
    freeze.write_text(f"keras==3.13.2\nml_dtypes==0.6.0\n{other}")
    done = make("colab-pins", f"COLAB_PINS={pins}", f"FREEZE={freeze}")
    assert done.returncode == 0, done.stderr
    assert pins.read_text() == "keras==3.13.2\nml_dtypes==0.6.0\n"


def test_the_requirements_allow_colabs_versions():
    pinned = dict(re.findall(r"(.+)==(.+)", PINS.read_text(encoding="utf-8")))
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line and line[0] != "#"]
    shared = [one for one in wanted if one.name in pinned]
    assert {"tensorflow", "keras", "keras-hub"} <= {one.name for one in shared}
    for one in shared:
        assert one.specifier.contains(pinned[one.name]), one


def test_another_python_is_refused_in_one_sentence(make):
    done = make("test-colab", f"PYTHON={sys.executable}", "COLAB_PYTHON=2.7")
    assert done.returncode != 0 and done.stdout == ""
    assert "Colab has Python 2.7, but this is Python 3." in done.stderr
