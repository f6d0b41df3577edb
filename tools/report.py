"""The pages that a run of the lessons leaves behind: one report, one page a lesson."""

import re
from pathlib import Path

from course_utils.kit import results
from tools import cells, texts

_PAGE = texts.template(Path(__file__).with_suffix(".html"), results=results)


def title(notebook):
    """Return the first heading of a notebook without its marks, "" if it has none."""
    heading = re.search(r"^# (.*)", cells.markdown(notebook), re.M)
    return heading[1].strip() if heading else ""


def lesson_page(notebook, name):
    """Return an executed notebook as one HTML page with its images inside.

    Args:
        notebook: an nbformat notebook.
        name: the page's title.
    """
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(embed_images=True)
    page, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": name}})
    return page


def as_html(facts):
    """Return the report as one HTML page without scripts or outside files.

    Args:
        facts: the dictionary of report.json: data_mode, date, hardware, versions,
            minutes, and lessons with their status, minutes, error and results.
    """
    checked = [  # a slower machine is no failure, so times don't count
        not results.failed(payload)
        for lesson in facts["lessons"]
        for payload in lesson["results"]
        if results.passed(payload) is not None and not results.depends_on_clock(payload)
    ]
    return _PAGE.render(facts, checked=checked)
