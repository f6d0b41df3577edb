"""Slides of a lesson from the lesson's own cells, so that the two can't drift apart.

Which cell becomes which slide follows from the cells: a heading begins a new column of
slides, long texts are cut between paragraphs, a code cell stands on its own slide. The
set-up cell, exercises and the ending are left out: they are for the notebook.
"""

import json
import re

import nbformat
from nbconvert import SlidesExporter
from nbformat.v4 import new_markdown_cell

from course_site import lessons
from tools import publish

LONGEST = 700  # characters of a text on one slide
LEFT_OUT = ("Exercises", "After the lesson")

_HEADING = re.compile(r"^(#{1,3}) (.*)$", re.MULTILINE)
_SETUP = "course_utils.setup("


def deck(notebook):
    """Return a notebook whose cells say which slide they are.

    Args:
        notebook: a stored lesson as plain JSON; it isn't changed.
    """
    slides = nbformat.reads(json.dumps(notebook), as_version=4)
    cells, slides.cells = slides.cells, []
    skipping = False
    for cell in cells:
        if cell.cell_type == "code":
            if not skipping and _SETUP not in cell.source:
                cell.source = lessons.without_mark(cell.source)
                _describe(cell)
                slides.cells.append(_slide(cell, "subslide"))
            continue
        for piece in _pieces(cell.source):
            heading = _HEADING.match(piece)
            if heading and len(heading[1]) < 3:
                skipping = heading[2].strip() in LEFT_OUT
            if not skipping:
                kind = "slide" if heading and len(heading[1]) < 3 else "subslide"
                slides.cells.append(_slide(new_markdown_cell(piece), kind))
    slides.metadata["title"] = lessons.report.title(notebook)
    return slides


def page(notebook, templates, reveal, mathjax):
    """Return the slides of a lesson as one HTML page.

    Args:
        notebook: a stored lesson as plain JSON.
        templates: folder with the template "course".
        reveal: address of reveal.js from the page.
        mathjax: address of MathJax's script from the page.
    """
    exporter = SlidesExporter(
        template_name="course",
        extra_template_basedirs=[str(templates)],
        reveal_url_prefix=reveal,
        reveal_theme="white",
        mathjax_url=mathjax,
    )
    text, _ = exporter.from_notebook_node(deck(notebook))
    return text


def _describe(cell):
    """Give each picture the text that is printed below it as its alternative."""
    for output, text in lessons.pictures(cell):
        output.metadata["image/png"] = {"alt": text}
        output.data.pop("image/svg+xml", None)  # it would be shown without its text


def _slide(cell, kind):
    cell.metadata = nbformat.from_dict({"slideshow": {"slide_type": kind}})
    return cell


def _pieces(source):
    """Yield the parts of a text: each begins at a heading, or fits on a slide."""
    source = publish.RUN_LINE.sub("", source)
    starts = [found.start() for found in _HEADING.finditer(source)]
    cuts = sorted({0, *starts, len(source)})
    for start, end in zip(cuts, cuts[1:], strict=False):
        piece = ""
        for block in re.split(r"\n{2,}", source[start:end].strip()):
            if piece and len(piece) + len(block) > LONGEST:
                yield piece
                piece = ""
            piece = f"{piece}\n\n{block}".strip()
        if piece:
            yield piece
