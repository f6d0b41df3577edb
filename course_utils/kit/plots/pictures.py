"""The course's drawings of mechanisms, each with a text alternative, and live pages.

The files in `drawings/` and `pages/` come from `make drawings`; nothing is drawn here.
"""

import base64
import re
from pathlib import Path

from course_utils.kit import files
from course_utils.kit.plots import figures, viewer

FOLDER = Path(__file__).parent / "drawings"
PAGES = FOLDER.with_name("pages")
HEAD = re.compile(r'data-height="(\d+)".*<title>(.*)</title>', re.DOTALL)
METADATA = {"image/png": {"width": 499}}  # of a drawing in a notebook, in pixels


def drawing(name):
    """Show a drawing in a notebook, and folded below it what is to be seen.

    Outside of a notebook only the text is printed.

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
    if figures.in_notebook():
        from IPython.display import display

        display(forms(name), raw=True, metadata=METADATA)
    figures.show_text(description(name))


def forms(name):
    """Return a drawing in the forms that a notebook stores."""
    png = base64.b64encode((FOLDER / f"{name}.png").read_bytes()).decode()
    return {"image/png": png, "text/plain": name}


def description(name):
    """Return a drawing's text alternative, which its PNG holds."""
    from PIL import Image  # it comes with Matplotlib

    with Image.open(FOLDER / f"{name}.png") as picture:
        return picture.text["Description"]


def demo(name, fallback):
    """Show a page on which to try something, and below it a drawing of the same.

    The page is one document that asks nothing of any network. The drawing stays where
    a notebook's pages aren't shown, as on GitHub, and a sentence says where to find it.

    Args:
        name: of the page: "attention", "positions", "pairs" or "bleu".
        fallback: name of the drawing.
    Raises:
        ValueError: there is no page or no drawing of this name.

    Example:
        >>> demo("bleu", "bleu-ngrams")
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
    drawing(fallback)
    address, _ = files.public_address()
    if address:
        owner, repository = address.split("/")[-2:]
        where = f"https://{owner}.github.io/{repository}/live/{name}.html"
    else:
        where = f"live/{name}.html of the course's site"
    print(f'Live page: "{title}". Where it isn\'t shown here, open {where}.')
