"""The public address: nothing points to the web without it, all is pinned with it."""

import json
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

import course_utils
from tools import lesson_times, publish

# What would lead to a repository that serves this course.
TO_A_REPOSITORY = re.compile(
    r"colab\.research\.google\.com/github|colab-badge\.svg\)|git\+https?:"
    r"|pip install .*http|git clone http|repository-code|raw/main"
    r"|github\.com/keras-attention-course"
)
FILES = "README.md", "CITATION.cff", "pyproject.toml", "models/README.md"
ADDRESS = "https://github.com/someone/attention"
# How it is called, the pin, and what pip installs.
RELEASES = {
    "a version": (["someone/attention", "v1.2"], "v1.2", "refs/tags/v1.2.zip"),
    "a branch": (["someone/attention"], "main", "refs/heads/main.zip"),
}


@pytest.fixture
def course(tmp_path):
    """A copy of every file that may name the address, which isn't set."""
    # The lessons may be running beside this test and save models and programs.
    ignored = shutil.ignore_patterns(
        *("__pycache__", "node_modules", "*.png", "*.keras", "*.h5", "tmp*", ".*"),
        *("*.npz", "parallel"),
    )
    for folder in ("notebooks", "website", "course_utils"):
        shutil.copytree(publish.ROOT / folder, tmp_path / folder, ignore=ignored)
    (tmp_path / "models").mkdir()
    for name in FILES:
        shutil.copy(publish.ROOT / name, tmp_path / name)
    project = tmp_path / "pyproject.toml"
    unset = publish.Release("", publish.read(tmp_path).version, "")
    project.write_text(publish.project_text(project.read_text(), unset))
    assert publish.main([], root=tmp_path) == 0
    return tmp_path


def texts(root):
    """Return every text below a folder: path to content."""
    files = [one for one in root.rglob("*") if one.is_file()]
    return {one.relative_to(root).as_posix(): one.read_text("utf-8") for one in files}


def test_this_copy_is_in_step_with_its_setting(capsys):
    assert publish.main(["--check"]) == 0, capsys.readouterr().out


def test_without_an_address_nothing_leads_to_a_repository(course):
    for name, text in texts(course).items():
        assert not TO_A_REPOSITORY.search(text), name


@pytest.mark.parametrize("arguments, pin, archive", RELEASES.values(), ids=RELEASES)
def test_with_an_address_everything_is_pinned_once(
    course, capsys, arguments, pin, archive
):
    before = texts(course)
    version = pin.removeprefix("v") if pin == "v1.2" else publish.read(course).version
    assert publish.main(arguments, root=course) == 0
    after = texts(course)
    capsys.readouterr()
    assert publish.main(arguments, root=course) == 0
    assert publish.main(["--check"], root=course) == 0
    assert capsys.readouterr().out == "" and texts(course) == after
    changed = {name for name in after if after[name] != before[name]}
    notebooks = {name for name in after if name.endswith(".ipynb")}
    assert changed == notebooks | {"README.md", "CITATION.cff", "pyproject.toml"}
    other = "v1.2" if pin == "main" else "main"
    for name in notebooks:
        assert f"github/someone/attention/blob/{pin}/{name})" in after[name]
        assert f"course_utils[colab] @ {ADDRESS}/archive/{archive}" in after[name]
        assert not re.search(f"attention/(blob|raw)/{other}|make wheel", after[name])
    assert f"git clone {ADDRESS}\ncd attention\n" in after["README.md"]
    assert f'repository-code: "{ADDRESS}"' in after["CITATION.cff"]
    assert f"version: {version}\n" in after["CITATION.cff"]
    project = tomllib.loads(after["pyproject.toml"])["project"]
    assert (project["version"], project["urls"]["Repository"]) == (version, ADDRESS)
    assert project["urls"]["Files"] == f"{ADDRESS}/raw/{pin}"
    release = publish.read(course)
    assert (release.address, release.version, release.pin) == (ADDRESS, version, pin)


def test_only_the_line_and_the_set_up_cell_change(course):
    for path in sorted(course.glob("notebooks/**/*.ipynb")):
        before = json.loads(path.read_text("utf-8"))["cells"]
        place = path.relative_to(course).as_posix()
        release = publish.version_release("someone/attention", "v1.2")
        text = publish.notebook_text(path.read_text("utf-8"), release, place)
        after = json.loads(text)["cells"]
        pairs = enumerate(zip(before, after, strict=True))
        changed = [number for number, (old, new) in pairs if old != new]
        assert len(changed) == 2 and changed[0] == 0, place
        cell = "".join(after[changed[1]]["source"])
        assert cell.startswith(publish.set_up(release) + "import course_utils\n")
        # So the README's tables stay as they are.
        minutes = [lesson_times.lesson_minutes({"cells": c}) for c in (before, after)]
        assert minutes[0] == minutes[1], place


def test_the_address_may_change_again(course):
    publish.main(["someone/attention", "v1.2"], root=course)
    first = texts(course)
    publish.main(["another/copy", "--branch", "trunk"], root=course)
    for name, text in texts(course).items():
        assert "someone/attention" not in text, name
    publish.main(["someone/attention", "v1.2"], root=course)
    assert texts(course) == first


def test_a_version_of_this_repository_is_not_taken_back(course, capsys):
    publish.main(["someone/attention", "v1.2"], root=course)
    before = texts(course)
    capsys.readouterr()
    assert publish.main(["someone/attention"], root=course) == 0
    assert texts(course) == before and capsys.readouterr().out == ""


def test_a_check_tells_what_is_out_of_step_and_changes_nothing(course, capsys):
    project = course / "pyproject.toml"
    public = publish.version_release("someone/attention", "v1.2")
    project.write_text(publish.project_text(project.read_text(), public))
    before = texts(course)
    assert publish.main(["--check"], root=course) == 1
    printed = capsys.readouterr().out
    assert "README.md" in printed and "notebooks/00_start_here.ipynb" in printed
    assert texts(course) == before


def test_it_needs_no_installed_package():
    """The workflow that publishes a repository installs nothing."""
    command = [sys.executable, "-S", "-m", "tools.publish", "--check"]
    done = subprocess.run(command, cwd=publish.ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


BAD_ADDRESSES = [
    (["", ""], "REPOSITORY is ''"),
    (["course", "v1.0"], "REPOSITORY is 'course'"),
    (["a/b/c", "v1.0"], "REPOSITORY is 'a/b/c'"),
    (["https://github.com/a/b", "v1.0"], "REPOSITORY is 'https"),
    (["a/b", "--branch", ""], "BRANCH is ''"),
    (["a/b", "--branch", "x y"], "BRANCH is 'x y'"),
    (["a/b", "1.0"], "VERSION is '1.0'"),
    (["a/b", "main"], "VERSION is 'main'"),
    (["a/b", "v01.0"], "VERSION is 'v01.0'"),
]


@pytest.mark.parametrize("arguments, sentence", BAD_ADDRESSES)
def test_bad_input_is_one_sentence(tmp_path, capsys, arguments, sentence):
    shutil.copy(publish.ROOT / "pyproject.toml", tmp_path)
    assert publish.main(arguments, root=tmp_path) == 2
    printed = capsys.readouterr().err
    assert sentence in printed and printed.count("\n") == 1


@pytest.mark.parametrize("text", ["# T\n\nText", "# T\n\n**Run it** so.\n\nText"])
def test_the_line_is_replaced_or_added_below_the_title(text):
    assert publish.with_run_line(text, "B") == "# T\n\nB\n\nText"


def test_numbers_in_outputs_stay_as_they_are_written():
    cell = {"cell_type": "markdown", "metadata": {}, "source": ["# T"]}
    cells = json.dumps([cell, {"cell_type": "raw", "x": 1}])
    text = f'{{"cells": {cells.replace("1}", "0.0000100}")}}}'
    written = publish.notebook_text(text, publish.Release("", "1.0", ""), "x.ipynb")
    assert '"x": 0.0000100\n' in written


def test_the_version_has_one_place():
    version = publish.read().version
    assert course_utils.__version__ == version
    citation = (publish.ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {version}\n" in citation
    changes = (publish.ROOT / "CHANGELOG.md").read_text()
    assert f"\n## {version}:" in changes
