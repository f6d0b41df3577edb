"""Write the live pages: those of the site, and the small ones for the notebooks.

    python website/live_pages.py [--check]

Both are made of the same texts, styles and programs. `make site` writes the site's.
The command writes what is stored: in `course_utils/kit/plots/pages` each small page as
one file, with its style and program in it, and the table of learned positions that one
of them shows. With --check nothing is written; the exit status tells whether all are in
step.
"""

import argparse
import base64
import hashlib
import re
import string
import sys
import tomllib

from export_models import ROOT, TRANSLATOR, read

from tools import texts

LIVE = ROOT / "website/live"
PROGRAMS = ROOT / "website/static/live"
STORED = ROOT / "course_utils/kit/plots/pages"
HEADS = tomllib.loads((LIVE / "pages.toml").read_text("utf-8"))
SMALL = [name for name, head in HEADS.items() if "height" in head]
ROWS = 32  # positions that the page shows
IMPORT = re.compile(r'^import \{ .* \} from "\./(\w+)\.mjs";\n', re.MULTILINE)


def write_site(folder):
    """Write the site's pages: one frame, and what each has of its own."""
    folder.mkdir()
    for name, head in HEADS.items():
        text = _filled("live.html", **head, name=name, body=_body(name))
        (folder / f"{name}.html").write_text(text, encoding="utf-8")


def embedded(name):
    """Return a small page as one file that asks for nothing."""
    style = (PROGRAMS / "live.css").read_text("utf-8")
    parts = {"style": style, "script": "\n".join(program(name))}
    hashes = {f"{kind}_hash": _hash(text) for kind, text in parts.items()}
    head = {key: HEADS[name][key] for key in ("title", "height")}
    return _filled("embedded.html", **head, **parts, **hashes, body=_body(name))


def program(name, seen=None):
    """Yield a program's modules as parts of one, each once and after what it needs."""
    seen = set() if seen is None else seen
    seen.add(name)
    text = (PROGRAMS / f"{name}.mjs").read_text("utf-8")
    for other in IMPORT.findall(text):
        if other not in seen:
            yield from program(other, seen)
    text = re.sub(r"^export ", "", IMPORT.sub("", text), flags=re.MULTILINE)
    yield re.sub(r"^ */\*\*.*?\*/\n+", "", text, flags=re.MULTILINE | re.DOTALL)


def learned():
    """Return the program that holds the translator's first learned positions."""
    _, arrays = read(TRANSLATOR)
    table = arrays["embedding.position_embeddings"][:ROWS]
    width = table.shape[1]
    step = float(f"{abs(table).max() / 127:.3g}")
    rounded = base64.b64encode((table / step).round().astype("int8").tobytes())
    facts = {"width": width, "step": step, "rows": ROWS}
    return _filled("learned.mjs", **facts, rounded=rounded.decode())


def _filled(frame, **parts):
    text = (ROOT / f"website/templates/{frame}").read_text("utf-8")
    return string.Template(text).substitute(parts)


def _body(name):
    return (LIVE / f"{name}.html").read_text("utf-8")


def _hash(text):
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def main(arguments=None):
    """Write or check what is stored; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args(arguments).check
    table = {PROGRAMS / "learned.mjs": learned()}
    status = texts.sync_files(table, ROOT, check, "make drawings")
    pages = {STORED / f"{name}.html": embedded(name) for name in SMALL}
    return texts.sync_files(pages, ROOT, check, "make drawings") or status


if __name__ == "__main__":
    sys.exit(main())
