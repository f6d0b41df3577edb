"""Run some lessons as Colab does: its Python and packages, the course from a wheel.

    python3.13 -m tools.colab_lessons [05 ...]      or: make test-colab

An environment of its own in build/colab gets requirements.txt with the versions of
tests/requirements-colab.txt, and the course as a wheel. The lessons run in a folder
outside of the checkout, with the embedded data, which the package makes there. The
trained translator is laid where the package would download it. Colab's hardware and its
own look aren't tried; website/gpu.md says so.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "build/colab"
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")
PYTHON = (3, 13)
LESSONS = ("00", "05", "09")
LAY_MODEL = """
import shutil, sys
from course_utils import models
from course_utils.environment import data_dir
assert models.__file__.startswith(sys.prefix), f"not from the wheel: {models.__file__}"
place = data_dir() / "models" / models.SHA256[:12] / models.NAME
place.parent.mkdir(parents=True)
shutil.copy(sys.argv[1], place)
"""


def environment_python(place=PLACE):
    """Return the Python of the environment with Colab's packages, made if needed."""
    python, stamp = place / "bin/python", place / ".installed"
    wanted = "".join(
        (ROOT / name).read_text(encoding="utf-8")
        for name in ("requirements.txt", "tests/requirements-colab.txt")
    )
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        print(f"Installing Colab's packages into {place} (some minutes, once) ...")
        venv.create(place, with_pip=True, clear=True)
        versions = ("-c", "tests/requirements-colab.txt")
        run(python, *PIP, "install", "-r", "requirements.txt", *versions)
        stamp.write_text(wanted, encoding="utf-8")
    return python


def install_wheel(python, folder):
    """Build the course's wheel in a folder and install it, as Colab would."""
    sources = folder / "sources"
    shutil.copytree(ROOT / "course_utils", sources / "course_utils")
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, sources)
    run(python, *PIP, "wheel", "--no-deps", "--wheel-dir", folder, sources)
    (wheel,) = folder.glob("*.whl")
    run(python, *PIP, "install", "--no-deps", "--force-reinstall", wheel)


def run_lessons(python, folder, numbers):
    """Run lessons in a folder of their own; return pytest's exit status."""
    lessons = folder / "lessons"
    lessons.mkdir()
    for number in numbers:
        (lesson,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
        shutil.copy(lesson, lessons)
    os.environ |= {"COURSE_DATA": "sample", "COURSE_DATA_DIR": str(folder / "data")}
    os.environ["PYTHONPATH"] = ""  # nothing of the checkout
    run(python, "-c", LAY_MODEL, ROOT / "models/en_es.keras", cwd=folder)
    options = ("--nbval-lax", "--nbval-current-env", "--nbval-cell-timeout", "900")
    pytest = ("-m", "pytest", "-q", "-p", "no:cacheprovider", *options)
    return run(python, *pytest, lessons, cwd=folder, check=False)


def run(*command, cwd=ROOT, check=True):
    """Run a command; return its exit status."""
    return subprocess.run([str(c) for c in command], cwd=cwd, check=check).returncode


def main(arguments=None):
    """Run the lessons; return 0 when all of them pass."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lessons", nargs="*", metavar="LESSON", default=LESSONS)
    numbers = parser.parse_args(arguments).lessons
    if sys.version_info[:2] != PYTHON:
        parser.error(
            f"Colab has Python {'.'.join(map(str, PYTHON))}, but this is "
            f"{sys.version.split()[0]}; name another one, for example: make test-colab "
            "PYTHON=python3.13"
        )
    python = environment_python()
    with tempfile.TemporaryDirectory() as folder:
        install_wheel(python, Path(folder))
        return run_lessons(python, Path(folder), numbers)


if __name__ == "__main__":
    sys.exit(main())
