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


def _is_current(cell, name):
    path = pictures.FOLDER / f"{name}.png"
    if not path.is_file():
        return False
    stored = [
        output
        for output in cell.outputs
        if output.get("data", {}).get("text/plain") == name
    ]
    if len(stored) != 1 or "image/svg+xml" in stored[0].data:
        return False
    png = stored[0].data["image/png"].strip()
    text = figures.text_forms(pictures.description(name))["text/plain"]
    texts = "\n".join(_texts(cell))
    return png == pictures.forms(name)["image/png"] and text in texts


def _texts(cell):
    for output in cell.outputs:
        yield output.get("text", "")
        yield output.get("data", {}).get("text/plain", "")


def restore(notebook):
    """Put the package's drawings into a notebook; return the names of stale ones."""
    names = []
    for number, name in list(stale(notebook)):
        cell = notebook.cells[number]
        names.append(name)
        cell.outputs = list(_restored(cell.outputs, name))
    return names


def _restored(outputs, name):
    """Yield a cell's outputs with the drawing and its text as a run gives them."""
    picture_found = False
    text_found = False  # the drawing's text is the first one behind it
    for output in outputs:
        data = output.get("data", {})
        if data.get("text/plain") == name and not picture_found:
            picture_found = True
            yield from shown(name)
            continue
        if picture_found and not text_found:
            if data.get("text/plain", "").startswith("Figure: "):
                text_found = True
                continue
            if output.get("output_type") == "stream":
                lines = output.text.splitlines(keepends=True)
                told = [line for line in lines if line.startswith("Figure: ")]
                if told:
                    text_found = True
                    lines.remove(told[0])
                    if not lines:
                        continue
                    output = nbformat.v4.new_output(
                        "stream", name=output.name, text="".join(lines)
                    )
        yield output


def main(folder=NOTEBOOKS):
    """Restore the drawings of all notebooks, and say which were stale."""
    for path in sorted(folder.rglob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        names = restore(notebook)
        if names:
            nbformat.write(notebook, path)
            print(f"{path.relative_to(folder)}: {', '.join(names)}")
