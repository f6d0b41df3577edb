"""Write the course's public address and version into every file that names them.

    make publish REPOSITORY=owner/name VERSION=v1.0
    python -m tools.publish [--check]

pyproject.toml holds both. From there they go to the line below each notebook's title,
to the cell that finds the package, to the README and to CITATION.cff; the site reads
them when it is built. While there is no address, nothing points to the web: the files
say how to work in a copy of the course. With --check nothing is written, and the exit
status tells whether all files are in step.
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

_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]*[A-Za-z0-9_]")
_TAG = re.compile(r"v(0|[1-9]\d*)(\.(0|[1-9]\d*)){1,2}")

TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
# How the line below a notebook's title begins while there is no address.
RUN_IT = "**Run it**"
RUN_LINE = re.compile(
    rf"^(?:\[!\[[^\]]*\]\([^)]*colab-badge\.svg\)\]\([^)]*\)|{re.escape(RUN_IT)}.*)$",
    re.MULTILINE,
)
# The beginning of the set-up cell, up to its first empty line after the question.
SET_UP = re.compile(
    r"^import importlib\.util\n\n"
    r'if importlib\.util\.find_spec\("course_utils"\) is None:.*?\n(?=\n)',
    re.DOTALL,
)
_START = re.compile(r"^```bash\n(?:git clone \S+\ncd \S+\n)?(?=make run)", re.M)


class Release(typing.NamedTuple):
    """Where the course is public, and its version.

    Attributes:
        address: such as "https://github.com/owner/name"; "" while it isn't public.
        version: such as "1.0".
    """

    address: str
    version: str

    @property
    def tag(self):
        """The name of the version in the repository."""
        return f"v{self.version}"

    @property
    def name(self):
        """The folder that `git clone` makes."""
        return self.address.rpartition("/")[2]

    def page_of(self, path):
        """Return the address of a file of this version."""
        return f"{self.address}/blob/{self.tag}/{path}"


def read(root=ROOT):
    """Return the `Release` that pyproject.toml names."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    return Release(project["urls"].get("Repository", ""), project["version"])


def release(repository, tag):
    """Return the `Release` of a repository and a tag.

    Raises:
        ValueError: they don't look like "owner/name" and "v1.0".
    """
    if not _REPOSITORY.fullmatch(repository):
        raise ValueError(
            f"REPOSITORY is {repository!r}, but it must be owner/name, as in "
            f"{HOST}owner/name."
        )
    if not _TAG.fullmatch(tag):
        raise ValueError(f"VERSION is {tag!r}, but it must look like v1.0 or v1.0.2.")
    return Release(HOST + repository, tag.removeprefix("v"))


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
    """Return the lines that tell what to do where the package is missing."""
    wheel = f"course_utils-{release.version}-py3-none-any.whl"
    end = TEXTS["set_up_from_address" if release.address else "set_up_in_a_copy"]
    end = end.format(address=release.address, tag=release.tag, wheel=wheel)
    return TEXTS["set_up_beginning"] + end


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
    """Return pyproject.toml with the address and the version."""
    text = re.sub(r"^Repository = .*\n", "", text, flags=re.M)
    text = re.sub(r"^version = .*$", f'version = "{release.version}"', text, flags=re.M)
    line = f'Repository = "{release.address}"\n' if release.address else ""
    return text.replace("[project.urls]\n", f"[project.urls]\n{line}")


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
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(arguments)
    if options.repository is not None:
        try:
            _set(release(options.repository, options.tag), root)
        except ValueError as error:
            print(error, file=sys.stderr)
            return 2
    files = wanted(read(root), root)
    return texts.sync_files(files, root, options.check, "make badges")


def _set(release, root):
    """Write a release into pyproject.toml, and the day of a new one for citations."""
    if release == read(root):
        return
    project, citation = root / "pyproject.toml", root / "CITATION.cff"
    texts.write(project, project_text(project.read_text(encoding="utf-8"), release))
    text = citation.read_text(encoding="utf-8")
    today = f'date-released: "{datetime.date.today().isoformat()}"'
    texts.write(citation, re.sub(r"^date-released: .*$", today, text, flags=re.M))
    print(f"pyproject.toml: {release.address}, {release.tag}")


if __name__ == "__main__":
    sys.exit(main())
