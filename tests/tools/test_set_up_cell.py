"""The first cell of a lesson: where it finds the course, and what it says otherwise."""

import importlib.machinery
import importlib.util
import sys
import types

import pytest
from IPython.core.interactiveshell import InteractiveShell

from tools import publish

WHEEL = "course_utils-1.2-py3-none-any.whl"
FIND_SPEC = importlib.util.find_spec
COPY = publish.Release("", "1.2", "")
PUBLIC = publish.branch_release("someone/attention", "main", "1.2")


class Machine:
    """What a set-up cell meets: is the package there, and what pip and people do."""

    def __init__(self):
        self.has_package = False
        self.pip_works = True
        self.chosen = None  # the wheel that somebody uploads
        self.installed = []
        self.asked = 0

    def find_spec(self, name, package=None):
        if name != "course_utils":
            return FIND_SPEC(name, package)
        found = importlib.machinery.ModuleSpec(name, None)
        return found if self.has_package else None

    def pip(self, line):
        self.installed.append(line.removeprefix("install -q "))
        self.has_package = self.pip_works

    def upload(self):
        self.asked += 1
        return {self.chosen: b""} if self.chosen else {}


@pytest.fixture
def machine(monkeypatch, tmp_path):
    found = Machine()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", found.find_spec)
    return found


@pytest.fixture
def colab(machine, monkeypatch):
    """The machine, which is one of Colab's."""
    module = types.ModuleType("google.colab")
    module.files = types.SimpleNamespace(upload=machine.upload)
    monkeypatch.setitem(sys.modules, "google.colab", module)
    return machine


def run(machine, release):
    """Run the cell as a notebook does; return what it raised, as one sentence."""
    shell = InteractiveShell()
    shell.register_magic_function(machine.pip, magic_name="pip")
    result = shell.run_cell(publish.set_up(release))
    assert result.error_before_exec is None
    error = result.error_in_exec
    if error is None:
        return ""
    assert isinstance(error, ModuleNotFoundError)
    return str(error)


@pytest.mark.parametrize("release", [COPY, PUBLIC])
def test_nothing_happens_where_the_package_is(colab, release):
    colab.has_package = True
    assert run(colab, release) == ""
    assert colab.installed == [] and colab.asked == 0


def test_elsewhere_it_says_how_to_install(machine, tmp_path):
    (tmp_path / WHEEL).touch()
    said = run(machine, COPY)
    assert "`make install`" in said and "\n" not in said
    assert machine.installed == []


def test_in_colab_it_takes_the_wheel_in_the_folder(colab, tmp_path):
    (tmp_path / WHEEL).touch()
    assert run(colab, COPY) == ""
    assert colab.installed == [f'"{WHEEL}[colab]"'] and colab.asked == 0


def test_in_colab_it_asks_for_the_wheel(colab):
    colab.chosen = WHEEL
    assert run(colab, COPY) == ""
    assert colab.installed == [f'"{WHEEL}[colab]"'] and colab.asked == 1


def test_nobody_chooses_a_wheel(colab, capsys):
    assert "upload the wheel" in run(colab, COPY)
    assert colab.installed == []


@pytest.mark.parametrize("works, said", [(True, ""), (False, "could not be installed")])
def test_with_an_address_it_installs_from_there(machine, works, said):
    machine.pip_works = works
    sentence = run(machine, PUBLIC)
    assert said in sentence and bool(said) == bool(sentence)
    archive = "https://github.com/someone/attention/archive/refs/heads/main.zip"
    assert machine.installed == [f'"course_utils[colab] @ {archive}"']


@pytest.mark.parametrize("release", [COPY, PUBLIC])
@pytest.mark.parametrize("old", [COPY, PUBLIC])
def test_a_cell_is_found_and_replaced_whole(old, release):
    rest = "import course_utils\n\ncourse = course_utils.setup(seed=0)\nimport glob"
    found = publish.SET_UP.match(publish.set_up(old) + rest)
    assert found[0] == publish.set_up(old)
    text = publish.SET_UP.sub(lambda match: publish.set_up(release), found.string)
    assert text == publish.set_up(release) + rest
    assert publish.SET_UP.match("import glob\n\nimport course_utils\n") is None
