"""The links inside the course: of the Markdown pages and of the notebooks' texts.

    python -m tools.internal_links

`make links` asks the addresses outside as well; Sphinx's own link checker does so.
"""

import json
import os
import re
import sys
from pathlib import Path

from tools import cells
from tools.texts import print_all, source_files

ROOT = Path(__file__).resolve().parents[1]
# Written only when the site is built, from the lessons (website/course_site/pages.py).
GENERATED = ("website/results.md",)

_LINK = re.compile(r"\]\(<?((?:[^()\s<>]|\([^()\s]*\))+)>?(?:\s+\"[^\"]*\")?\)")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`\n]+`")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
_ID = re.compile(r"<[^>]+\b(?:id|name)=\"([^\"]+)\"")


def texts(root=ROOT):
    """Return the texts that people read: path in the repository to Markdown."""
    found = {}
    for path in source_files(root, "*.md", "*.ipynb"):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            text = cells.markdown(json.loads(text))
        found[path.relative_to(root).as_posix()] = text
    return found


def links(pages):
    """Return (file, target) of every link in texts, without those in code."""
    found = []
    for file, text in pages.items():
        plain = _CODE.sub("", _FENCE.sub("", text))
        found += [(file, target) for target in _LINK.findall(plain)]
    return found


def anchors(text):
    """Return the anchors of a text: of its headings, as GitHub makes them, and ids.

    Example:
        >>> sorted(anchors("# The map\\n\\n## 1. What, then?\\n\\n## The map"))
        ['1-what-then', 'the-map', 'the-map-1']
    """
    found = set(_ID.findall(text))
    for heading in _HEADING.findall(_FENCE.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number = 1
        while (name := slug if number == 1 else f"{slug}-{number - 1}") in found:
            number += 1
        found.add(name)
    return found


def broken(pages, root=ROOT):
    """Return what is wrong with the links inside the course, as sentences."""
    for file, link in links(pages):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        path = (root / file).parent / target if target else root / file
        place = Path(os.path.relpath(path, root)).as_posix()
        if place in GENERATED:
            continue
        if not path.exists():
            yield f"{file}: {link} leads nowhere"
        elif anchor and place in pages and anchor not in anchors(pages[place]):
            yield f"{file}: {target or file} has no heading #{anchor}"


def main(root=ROOT):
    """Print the broken links; return the exit status."""
    return print_all(broken(texts(root), root))


if __name__ == "__main__":
    sys.exit(main())
