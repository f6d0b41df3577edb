"""Write the course's public address into every file that names it.

    make publish REPOSITORY=owner/name [VERSION=v1.0]
    python -m tools.publish [--check]

pyproject.toml holds the address, the version, and where the files of this version lie:
below the version's tag, or below a branch while there is no VERSION. From there they
go to the line below each notebook's title, to the cell that finds the package, to the
README and to CITATION.cff; the site reads them when it is built. While there is no
address, nothing points to the web: the files say how to work in a copy of the course.

On GitHub, `.github/workflows/publish.yml` calls this program with its repository, so
that a copy or a fork points to itself. The program needs no package but the course's
own, so that the workflow installs nothing.

With --check nothing is written, and the exit status tells whether all files are in
step.
"""

import argparse
import datetime
import json
import re
import sys
import tomllib
import typing
from pathlib import Path

from tools import texts

ROOT = Path(__file__).resolve().parents[1]
HOST = "https://github.com/"

_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]*[A-Za-z0-9_-]")
_TAG = re.compile(r"v(0|[1-9]\d*)(\.(0|[1-9]\d*)){1,2}")
_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")

TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
# How the line below a notebook's title begins while there is no address.
RUN_IT = "**Run it**"
RUN_LINE = re.compile(
    rf"^(?:\[!\[[^\]]*\]\([^)]*colab-badge\.svg\)\]\([^)]*\)|{re.escape(RUN_IT)}.*)$",
    re.MULTILINE,
)
# The beginning of the set-up cell, up to the line that imports the package.
SET_UP = re.compile(
    r"\Aimport (?:glob|importlib\.util)\n(?:.*\n)*?"
    r'if importlib\.util\.find_spec\("course_utils"\) is None(?:.*\n)*?'
    r"(?=import course_utils$)",
    re.MULTILINE,
)
_START = re.compile(r"^```bash\n(?:git clone \S+\ncd \S+\n)?(?=make run)", re.M)


class Release(typing.NamedTuple):
    """Where the course is public, and its version.

    Attributes:
        address: such as "https://github.com/owner/name"; "" while it isn't public.
        version: such as "1.0".
        pin: the branch or the tag that holds the files, such as "main" or "v1.0".
    """

    address: str
    version: str
    pin: str

    @property
    def name(self):
        """The folder that `git clone` makes."""
        return self.address.rpartition("/")[2]

    @property
    def files(self):
        """The address below which the files lie, as they are."""
        return f"{self.address}/raw/{self.pin}"

    @property
    def archive(self):
        """The address of all files in one, which pip can install."""
        kind = "tags" if _TAG.fullmatch(self.pin) else "heads"
        return f"{self.address}/archive/refs/{kind}/{self.pin}.zip"

    def page_of(self, path):
        """Return the address of a file's page."""
        return f"{self.address}/blob/{self.pin}/{path}"


def read(root=ROOT):
    """Return the `Release` that pyproject.toml names."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    address = project["urls"].get("Repository", "")
    _, _, pin = project["urls"].get("Files", "").partition("/raw/")
    return Release(address, project["version"], pin or f"v{project['version']}")


def version_release(repository, tag):
    """Return the `Release` of a repository's version.

    Raises:
        ValueError: they don't look like "owner/name" and "v1.0".
    """
    _check_repository(repository)
    if not _TAG.fullmatch(tag):
        raise ValueError(f"VERSION is {tag!r}, but it must look like v1.0 or v1.0.2.")
    return Release(HOST + repository, tag.removeprefix("v"), tag)


def branch_release(repository, branch, version):
    """Return the `Release` of a repository's branch, whose version is known.

    Raises:
        ValueError: they don't look like "owner/name" and "main".
    """
    _check_repository(repository)
    if not _BRANCH.fullmatch(branch):
        raise ValueError(f"BRANCH is {branch!r}, but it must be a name such as main.")
    return Release(HOST + repository, version, branch)


def _check_repository(repository):
    if not _REPOSITORY.fullmatch(repository):
        raise ValueError(
            f"REPOSITORY is {repository!r}, but it must be owner/name, as in "
            f"{HOST}owner/name."
        )


def run_line(release, path):
    """Return the line below a notebook's title: how to run it.

    Args:
        release: a `Release`.
        path: the notebook's path in the repository, with forward slashes.
    """
    if not release.address:
        return TEXTS["run_it_in_a_copy"]
    page = release.page_of(path).removeprefix(HOST)
    return (
        "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
        f"(https://colab.research.google.com/github/{page})"
    )


def with_run_line(text, line):
    """Return a notebook's first text with its line: replaced, or below the title."""
    if RUN_LINE.search(text):
        return RUN_LINE.sub(lambda match: line, text, count=1)
    title, _, rest = text.partition("\n")
    return f"{title}\n\n{line}\n\n{rest.lstrip()}".rstrip()


def set_up(release):
    """Return the lines of the set-up cell before those that import the package."""
    if not release.address:
        return TEXTS["set_up_in_a_copy"].format()
    return TEXTS["set_up_from_address"].format(archive=release.archive)


def notebook_text(text, release, path):
    """Return a notebook's JSON with the address in its two places.

    Numbers keep the way in which they are written, so that outputs stay as they are.
    """
    mark = "\ue000"
    notebook = json.loads(text, parse_float=lambda number: mark + number)
    first = next(c for c in notebook["cells"] if c["cell_type"] == "markdown")
    source = with_run_line("".join(first["source"]), run_line(release, path))
    first["source"] = source.splitlines(keepends=True)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            source = SET_UP.sub(lambda match: set_up(release), "".join(cell["source"]))
            cell["source"] = source.splitlines(keepends=True)
    written = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    return re.sub(f'"{mark}([^"]+)"', r"\1", written)


def readme_text(text, release):
    """Return the README with how to get the course, and how to open it in Colab."""
    clone = f"git clone {release.address}\ncd {release.name}\n"
    clone = clone if release.address else ""
    text = _START.sub(lambda match: f"```bash\n{clone}", text)
    colab = TEXTS["colab" if release.address else "colab_from_a_copy"]
    return texts.replace_between(text, "colab", colab)


def citation_text(text, release):
    """Return CITATION.cff with the address, if there is one, and the version."""
    text = re.sub(r"^repository-code: .*\n", "", text, flags=re.M)
    text = re.sub(r"^version: .*$", f"version: {release.version}", text, flags=re.M)
    if release.address:
        text = text.rstrip("\n") + f'\nrepository-code: "{release.address}"\n'
    return text


def project_text(text, release):
    """Return pyproject.toml with the address, the files' address and the version."""
    text = re.sub(r"^(?:Repository|Files) = .*\n", "", text, flags=re.M)
    text = re.sub(r"^version = .*$", f'version = "{release.version}"', text, flags=re.M)
    lines = ""
    if release.address:
        lines = f'Repository = "{release.address}"\nFiles = "{release.files}"\n'
    return text.replace("[project.urls]\n", f"[project.urls]\n{lines}")


def wanted(release, root=ROOT):
    """Return the text that each file with the address should hold, by its path."""
    readme, citation = root / "README.md", root / "CITATION.cff"
    found = {
        readme: readme_text(readme.read_text("utf-8"), release),
        citation: citation_text(citation.read_text("utf-8"), release),
    }
    for path in texts.source_files(root / "notebooks", "*.ipynb"):
        place = path.relative_to(root).as_posix()
        found[path] = notebook_text(path.read_text("utf-8"), release, place)
    return found


def main(arguments=None, root=ROOT):
    """Write or check all files; return the exit status."""
    parser = argparse.ArgumentParser(prog="tools.publish")
    parser.add_argument("repository", nargs="?", help="owner/name")
    parser.add_argument("tag", nargs="?", default="", help="such as v1.0")
    parser.add_argument("--branch", default="main", help="where there is no tag")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(arguments)
    if options.repository is not None:
        before = read(root)
        try:
            if options.tag:
                release = version_release(options.repository, options.tag)
            else:
                version = before.version
                release = branch_release(options.repository, options.branch, version)
        except ValueError as error:
            print(error, file=sys.stderr)
            return 2
        # A version of this repository isn't taken back by its branch.
        if options.tag or release.address != before.address:
            set_address(release, root)
    files = wanted(read(root), root)
    return texts.sync_files(files, root, options.check, "make badges")


def set_address(release, root):
    """Write a `Release` into pyproject.toml, and the day of a new version."""
    before = read(root)
    if release == before:
        return
    project, citation = root / "pyproject.toml", root / "CITATION.cff"
    texts.write(project, project_text(project.read_text(encoding="utf-8"), release))
    if _TAG.fullmatch(release.pin):
        text = citation.read_text(encoding="utf-8")
        today = f'date-released: "{datetime.date.today().isoformat()}"'
        texts.write(citation, re.sub(r"^date-released: .*$", today, text, flags=re.M))
    print(f"pyproject.toml: {release.address}, {release.pin}")


if __name__ == "__main__":
    sys.exit(main())
