"""The course's drawings of mechanisms, each with a text alternative.

The files in `drawings/` are made by `make drawings`; nothing is drawn here.
"""

import base64
from pathlib import Path
from xml.etree import ElementTree

from course_utils.plots import figures

FOLDER = Path(__file__).parent / "drawings"
DESCRIPTION = "{http://purl.org/dc/elements/1.1/}description"
WIDTH = 499  # of a drawing in a notebook, in pixels of the page


def drawing(name):
    """Show a drawing in a notebook, and print below it what is to be seen.

    It is one output in two forms: SVG, and PNG for places that show no SVG, such as a
    notebook that isn't trusted yet. Outside of a notebook only the text is printed.

    Args:
        name: of the drawing, such as "heads".
    Raises:
        ValueError: there is no drawing of this name.

    Example:
        >>> drawing("attention-three-words")
        Figure: The word "bank" looks at the three words ... the new vector of "bank".
    """
    known = sorted(path.stem for path in FOLDER.glob("*.png"))
    if name not in known:
        raise ValueError(f"There is no drawing {name!r}, only {', '.join(known)}.")
    svg = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    if figures.in_notebook():
        from IPython.display import display

        png = base64.b64encode((FOLDER / f"{name}.png").read_bytes()).decode()
        forms = {"image/svg+xml": svg, "image/png": png, "text/plain": name}
        display(forms, raw=True, metadata={"image/png": {"width": WIDTH}})
    print(f"Figure: {ElementTree.fromstring(svg).findtext(f'.//{DESCRIPTION}')}")
