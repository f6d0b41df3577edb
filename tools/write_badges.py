"""Write the repository's address into the notebooks and the README.

In a notebook it stands in the Colab badge and in the cell that installs the package, in
the README behind `git clone`.

    python -m tools.write_badges [--check]

The address is `[project.urls] Repository` in pyproject.toml. With --check nothing is
written, and the exit status tells whether all of them are in step with it.
"""

import json
import re
import sys
import tomllib
from pathlib import Path

from course_utils.files import atomic_write

ROOT = Path(__file__).resolve().parents[1]
BRANCH = "main"

_BADGE = re.compile(
    r"^\[!\[[^\]]*\]\([^)]*colab-badge\.svg\)\]\([^)]*\)$", re.MULTILINE
)
_INSTALL = re.compile(r"git\+https://[^\s\"'@]+")
_CLONE = re.compile(r"^git clone \S+\ncd \S+$", re.MULTILINE)


def repository(root=ROOT):
    """Return the public address of the course, without a slash at the end."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return settings["project"]["urls"]["Repository"].rstrip("/")


def badge(address, path):
    """Return the badge that opens a notebook in Colab.

    Args:
        address: the repository's address on GitHub.
        path: the notebook's path in the repository, with forward slashes.
    """
    place = address.removeprefix("https://github.com/")
    return (
        "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
        f"(https://colab.research.google.com/github/{place}/blob/{BRANCH}/{path})"
    )


def with_badge(text, line):
    """Return a notebook's first text with its badge: replaced, or below the title."""
    if _BADGE.search(text):
        return _BADGE.sub(lambda match: line, text, count=1)
    title, _, rest = text.partition("\n")
    return f"{title}\n\n{line}\n\n{rest.lstrip()}".rstrip()


def updated(notebook, address, path):
    """Return a copy of a notebook (plain JSON) with the address in its places."""
    notebook = json.loads(json.dumps(notebook))
    texts = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    if texts:
        source = with_badge("".join(texts[0]["source"]), badge(address, path))
        texts[0]["source"] = source.splitlines(keepends=True)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            source = _INSTALL.sub(lambda match: f"git+{address}", source)
            cell["source"] = source.splitlines(keepends=True)
    return notebook


def with_clone(text, address):
    """Return the README with the address behind `git clone`, and its folder."""
    folder = address.rpartition("/")[2]
    return _CLONE.sub(lambda match: f"git clone {address}\ncd {folder}", text)


def as_text(notebook):
    """Return the notebook as nbformat writes it."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main(arguments, root=ROOT):
    """Write or check the README and every notebook; return the exit status."""
    address, stale = repository(root), []
    for path in sorted((root / "notebooks").rglob("*.ipynb")):
        if ".ipynb_checkpoints" in path.parts:
            continue
        before = json.loads(path.read_text(encoding="utf-8"))
        place = path.relative_to(root).as_posix()
        after = updated(before, address, place)
        if _same(before, after):
            continue
        stale.append(place)
        if "--check" not in arguments:
            with atomic_write(path) as handle:
                handle.write(as_text(after))
    readme = root / "README.md"
    before = readme.read_text(encoding="utf-8")
    after = with_clone(before, address)
    if before != after:
        stale.append("README.md")
        if "--check" not in arguments:
            with atomic_write(readme) as handle:
                handle.write(after)
    verb = "out of step, run `make badges`" if "--check" in arguments else "written"
    for place in stale:
        print(f"{place}: {verb}")
    return int(bool(stale) and "--check" in arguments)


def _same(one, other):
    """Compare notebooks, whether a cell's source is a string or a list of lines."""

    def sources(notebook):
        return ["".join(cell["source"]) for cell in notebook["cells"]]

    return sources(one) == sources(other)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
