"""Run lessons as Colab runs them: `make test-colab PYTHON=python3.13`, or

    build/colab/bin/python -m tools.colab 00 04 05

The environment in `build/colab` has Colab's Python and versions, and lacks what Colab
lacks. A lesson gets a folder outside of the checkout and a fresh environment on top of
that one, where `google.colab` is a stand-in. Its own first cell finds the course, in
one of three ways:

- the wheel lies in the folder;
- the wheel is chosen at the prompt for uploads;
- the course is public, at an address that this machine serves.

Then the lesson runs with the bundled data. All lessons run in the first way, the first
one in each way. Nothing of Colab's own is tried: website/colab.md says so.
"""

import contextlib
import functools
import http.server
import importlib.metadata
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from tools import lessons, publish

ROOT = Path(__file__).resolve().parents[1]
WAYS = "folder", "upload", "address"
REPOSITORY = "someone/course"
BRANCH = "main"
MODEL = "models/en_es.keras"  # of lessons 00 and 04
SOURCES = "course_utils", "notebooks"
FILES = "pyproject.toml", "LICENSE", "README.md", "CITATION.cff", MODEL
# What the course must find in Colab and leave as it is.
COLABS_OWN = {"tensorflow", "keras", "keras-hub", "numpy", "protobuf", "ipython"}

UPLOAD = '''
"""A stand-in for Colab's: somebody chooses the wheel."""

import shutil


def upload():
    shutil.copy({wheel!r}, ".")
    return {{{name!r}: b""}}
'''
CELL_SECONDS = 900
PIP = "-m", "pip", "--quiet", "--disable-pip-version-check"


def call(*command, **options):
    """Run a command; its failure ends the program."""
    subprocess.run([str(part) for part in command], check=True, **options)


def copy_course(folder, address):
    """Copy the course into a folder, with an address or with ""."""
    ignored = shutil.ignore_patterns("__pycache__", "node_modules", "parallel")
    for name in SOURCES:
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in FILES:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    project = folder / "pyproject.toml"
    release = publish.Release(address, publish.read(folder).version, BRANCH)
    project.write_text(publish.project_text(project.read_text("utf-8"), release))
    with contextlib.redirect_stdout(None):
        publish.main([], root=folder)
    return folder


def build_wheel(course, folder):
    """Build the wheel of a copy of the course; return its path."""
    call(sys.executable, *PIP, "wheel", "--no-deps", "--wheel-dir", folder, course)
    (wheel,) = folder.glob("*.whl")
    return wheel


def fresh_environment(folder, wheel):
    """Make an environment on top of this one, with the stand-in; return its Python."""
    call(sys.executable, "-m", "venv", folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    (below,) = Path(sys.prefix).glob("lib/python*/site-packages")
    stand_in = packages / "google" / "colab"
    stand_in.mkdir(parents=True)
    (stand_in / "__init__.py").touch()
    (stand_in / "files.py").write_text(UPLOAD.format(wheel=str(wheel), name=wheel.name))
    # A kernel in Colab has imported the package before the first cell.
    (packages / "colab.pth").write_text(f"{below}\nimport google.colab\n")
    return folder / "bin" / "python"


def installed(environment):
    """Return the names of what an environment has of its own."""
    packages = map(str, environment.glob("lib/python*/site-packages"))
    found = importlib.metadata.distributions(path=list(packages))
    return {one.name.lower().replace("_", "-") for one in found}


@contextlib.contextmanager
def served(folder):
    """Serve a folder from this machine; yield the address."""
    handler = functools.partial(QuietHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """A handler that writes no log."""

    def log_message(self, *arguments):
        pass


def publish_at(address, course, folder):
    """Lay out a copy of the course as its address serves it."""
    site = folder / REPOSITORY
    archive = publish.Release(address, "", BRANCH).archive.removeprefix(address)
    packed = site / archive.strip("/")
    packed.parent.mkdir(parents=True)
    shutil.make_archive(packed.with_suffix(""), "zip", course.parent, course.name)
    model = site / "raw" / BRANCH / MODEL
    model.parent.mkdir(parents=True)
    shutil.copy(course / MODEL, model)


def run_lessons(way, numbers, course, wheel, folder):
    """Run lessons whose first cell finds the course in one way."""
    folder.mkdir()
    python = fresh_environment(folder / "environment", wheel)
    place = folder / "content"  # the working folder, as in Colab
    place.mkdir()
    for number in numbers:
        shutil.copy(lessons.path_of(number, course / "notebooks"), place)
    if way == "folder":
        shutil.copy(wheel, place)
    if way != "address":
        shutil.copy(course / MODEL, place)
    variables = dict(COURSE_DATA="sample", COURSE_DATA_DIR=str(folder / "data"))
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval-lax"]
    command += ["--nbval-current-env", "--nbval-cell-timeout", CELL_SECONDS, "."]
    call(*command, cwd=place, env=os.environ | variables | {"PYTHONPATH": ""})
    new = installed(folder / "environment")
    print("The first cell installed", ", ".join(sorted(new - {"pip"})), flush=True)
    assert "course-utils" in new
    replaced = sorted(new & COLABS_OWN)
    assert not replaced, f"the first cell replaced {', '.join(replaced)}"


def main(numbers):
    """Run the lessons of some numbers; return the exit status."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "site").mkdir()
        copy = copy_course(folder / "copy" / "course-main", "")
        wheel = build_wheel(copy, folder)
        with served(folder / "site") as server:
            address = f"{server}/{REPOSITORY}"
            public = copy_course(folder / "public" / "course-main", address)
            publish_at(address, public, folder / "site")
            for way in WAYS:
                chosen = numbers if way == "folder" else numbers[:1]
                course = public if way == "address" else copy
                print(f"{way}: lessons {', '.join(chosen)}", flush=True)
                run_lessons(way, chosen, course, wheel, folder / way)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
