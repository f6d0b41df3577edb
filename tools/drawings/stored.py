"""The drawings that are stored in notebooks: find the stale ones, and restore them.

A cell that calls `plots.drawing(name)` or `plots.demo(page, name)` shows a file of the
package, without data and without chance. So what is stored can be compared with the
package, and be replaced by what a run of the cell would give.
"""

import re
from pathlib import Path

import nbformat

from course_utils.kit.plots import figures, pictures

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
CALL = re.compile(r'plots\.(?:drawing\(|demo\("[\w-]+", )"([\w-]+)"\)')


def shown(name):
    """Return the outputs of a cell that runs `plots.drawing(name)`."""
    text = figures.text_forms(pictures.description(name))
    return [
        nbformat.v4.new_output(
            "display_data", pictures.forms(name), metadata=pictures.METADATA
        ),
        nbformat.v4.new_output("display_data", text),
    ]


def stale(notebook):
    """Yield (cell's number, name) of each stored drawing that isn't the package's."""
    for number, cell in enumerate(notebook.cells):
        for name in CALL.findall(cell.source):
            if not _is_current(cell, name):
                yield number, name


def _pictures(outputs):
    """Return the outputs that are pictures."""
    return [output for output in outputs if "image/png" in output.get("data", {})]


def _texts(outputs):
    """Return the text alternatives, printed or folded, in their order."""
    texts = []
    for output in outputs:
        plain = output.get("text", "") or output.get("data", {}).get("text/plain", "")
        texts += [line for line in plain.splitlines() if line.startswith("Figure: ")]
    return texts


def _is_current(cell, name):
    if not (pictures.FOLDER / f"{name}.png").is_file():
        return False
    shown_pictures = _pictures(cell.outputs)
    names = [picture.data["text/plain"] for picture in shown_pictures]
    texts = _texts(cell.outputs)
    if names.count(name) != 1 or len(texts) != len(names):
        return False
    number = names.index(name)
    picture, text = shown(name)
    stored = shown_pictures[number].data
    if set(stored) != set(picture.data):  # an SVG beside it, say
        return False
    if stored["image/png"].strip() != picture.data["image/png"]:
        return False
    return texts[number] == text.data["text/plain"]


def restore(notebook):
    """Put the package's drawings into a notebook; return the names of stale ones."""
    names = []
    for number, name in list(stale(notebook)):
        cell = notebook.cells[number]
        names.append(name)
        cell.outputs = list(_restored(cell.outputs, name))
    return names


def _restored(outputs, name):
    """Yield a cell's outputs with the drawing and its text as a run gives them.

    Jupyter may join printed texts, so a picture's old text may stand before it: the
    first text of a cell belongs to its first picture, and so on.
    """
    names = [picture.data["text/plain"] for picture in _pictures(outputs)]
    number = names.index(name)
    texts = 0  # passed so far
    for output in outputs:
        data = output.get("data", {})
        if "image/png" in data and data["text/plain"] == name:
            yield from shown(name)
        elif data.get("text/plain", "").startswith("Figure: "):
            if texts != number:
                yield output
            texts += 1
        elif output.output_type == "stream":
            kept = []
            for line in output.text.splitlines(keepends=True):
                is_text = line.startswith("Figure: ")
                if not is_text or texts != number:
                    kept.append(line)
                if is_text:
                    texts += 1
            if kept:
                text = "".join(kept)
                yield nbformat.v4.new_output("stream", name=output.name, text=text)
        else:
            yield output


def main(folder=NOTEBOOKS):
    """Restore the drawings of all notebooks, and say which were stale."""
    for path in sorted(folder.rglob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        names = restore(notebook)
        if names:
            nbformat.write(notebook, path)
            print(f"{path.relative_to(folder)}: {', '.join(names)}")
