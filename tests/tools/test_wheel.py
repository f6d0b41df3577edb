"""The package from its wheel alone, as in Colab: its data are there, nothing else is.

The wheel is installed into an empty folder beside the installed TensorFlow, and used
from a working directory outside of the checkout.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools import publish

ROOT = Path(__file__).resolve().parents[2]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
MADE = shutil.ignore_patterns("__pycache__", "*.egg-info")


def call(*command, **options):
    """Run a command and return what it printed; its errors fail the test."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy of what the wheel is made of, so that building leaves nothing behind."""
    folder = tmp_path_factory.mktemp("source")
    shutil.copytree(ROOT / "course_utils", folder / "course_utils", ignore=MADE)
    for name in ("pyproject.toml", "LICENSE", "README.md"):
        shutil.copy(ROOT / name, folder)
    return folder


def build(source, folder):
    """Build the wheel without a network and return its path."""
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-cache-dir"]
    call(*PIP, "wheel", *options, "--wheel-dir", str(folder), str(source))
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory):
    return build(source, tmp_path_factory.mktemp("wheel"))


def test_every_file_of_the_package_is_in_the_wheel_and_no_other(wheel, source):
    paths = (path for path in (source / "course_utils").rglob("*") if path.is_file())
    files = {path.relative_to(source).as_posix() for path in paths}
    files.discard("course_utils/README.md")  # for readers of the repository
    packed = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in packed if ".dist-info/" not in name} == files


USE = """
import course_utils, numpy as np
from course_utils import datasets, models
from course_utils.kit import results
from course_utils.kit.checks import answers, lesson_02, lesson_10
from course_utils.kit.checks.answers.lesson_10 import bits_of_words
from course_utils.kit.files import DataError
from course_utils.kit.plots import viewer
print(course_utils.__file__, answers.__file__)
lesson_10.bits_of_words(bits_of_words)
lesson_02.update_bias(lambda steps: steps)
page = viewer.page(["a"], ["b"], np.ones((1, 1, 1, 1)), alt="A map.")
print(page.lower().startswith("<!doctype html>"), "<script" in page)
texts, labels = datasets.reviews.load("test")
print(len(texts) == len(labels) == datasets.reviews.SIZES["test"])
print(course_utils.__version__)
try:
    models.load_translator()
except DataError as error:
    print(error)
"""


@pytest.mark.slow
def test_the_installed_package_opens_viewer_dataset_and_check(wheel, tmp_path):
    site, elsewhere = str(tmp_path / "site"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    options = ["--quiet", "--no-deps", "--no-index", "--target", site]
    call(*PIP, "install", *options, f"{wheel}[colab]")
    variables = dict(PYTHONPATH=site, COURSE_DATA_DIR=str(elsewhere / "data"))
    command, variables = [sys.executable, "-P", "-c", USE], os.environ | variables
    places, *said = call(*command, cwd=elsewhere, env=variables).splitlines()
    right, wrong, viewer, data, version, missing = said
    assert [site in place for place in places.split()] == [True] * 2
    assert right == "correct" and wrong.startswith("wrong: max difference")
    assert viewer == "True True" and data == "True"
    assert version == publish.read().version
    assert "no public address" in missing and "models/en_es.keras" in missing
    assert "beside the notebook" in missing


def test_a_published_wheel_knows_the_address_of_its_version(source, tmp_path):
    project = source / "pyproject.toml"
    before = project.read_text()
    public = publish.version_release("someone/attention", "v1.2")
    project.write_text(publish.project_text(before, public))
    try:
        wheel = build(source, tmp_path)
    finally:
        project.write_text(before)
    names = zipfile.ZipFile(wheel).read("course_utils-1.2.dist-info/METADATA").decode()
    assert f"Project-URL: Repository, {public.address}\n" in names
    assert f"Project-URL: Files, {public.address}/raw/v1.2\n" in names
    assert "Version: 1.2\n" in names
