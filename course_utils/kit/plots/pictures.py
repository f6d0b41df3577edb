"""The course's drawings of mechanisms, each with a text alternative, and live pages.

The files in `drawings/` and `pages/` come from `make drawings`; nothing is drawn here.
"""

import base64
import re
from pathlib import Path
from xml.etree import ElementTree

from course_utils.kit import files
from course_utils.kit.plots import figures, viewer

FOLDER = Path(__file__).parent / "drawings"
PAGES = FOLDER.with_name("pages")
HEAD = re.compile(r'data-height="(\d+)".*<title>(.*)</title>', re.DOTALL)
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


def live(name, beside):
    """Show a page on which to try something, and below it a drawing of the same.

    The page is one document that asks nothing of any network. The drawing stays where
    a notebook's pages aren't shown, as on GitHub, and a sentence says where to find it.

    Args:
        name: of the page: "attention", "positions", "pairs" or "bleu".
        beside: name of the drawing.
    Raises:
        ValueError: there is no page or no drawing of this name.

    Example:
        >>> live("bleu", "bleu-ngrams")
        Figure: How BLEU counts. The reference is "the boat is on a lake", ...
        Live page: "BLEU, run by run". Where it isn't shown here, open ...
    """
    known = sorted(path.stem for path in PAGES.glob("*.html"))
    if name not in known:
        raise ValueError(f"There is no live page {name!r}, only {', '.join(known)}.")
    document = (PAGES / f"{name}.html").read_text(encoding="utf-8")
    height, title = HEAD.search(document).groups()
    if figures.in_notebook():
        from IPython.display import display

        page = viewer.iframe(document, height, title)
        display({"text/html": page, "text/plain": f"Live page: {title}"}, raw=True)
    drawing(beside)
    *_, owner, repository = f"/{files.public_address()[0]}".split("/")
    site = f"https://{owner}.github.io/{repository}/" if repository else ""
    where = f"{site}live/{name}.html" + " of the course's site" * (not site)
    print(f'Live page: "{title}". Where it isn\'t shown here, open {where}.')
