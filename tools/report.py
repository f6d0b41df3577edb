"""The pages that a run of the lessons leaves behind: one report, one page a lesson."""

import html
import re
import string
from pathlib import Path

from course_utils import results
from tools import cells

_PAGE = string.Template(Path(__file__).with_suffix(".html").read_text("utf-8"))


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
    lessons = facts["lessons"]
    failed = sum(lesson["status"] != "passed" for lesson in lessons)
    checked = [  # a slower machine is no failure, so times don't count
        not results.failed(payload)
        for lesson in lessons
        for payload in lesson["results"]
        if results.passed(payload) is not None and not results.depends_on_clock(payload)
    ]
    versions = " · ".join(f"{k} {v}" for k, v in facts["versions"].items())
    summary = (
        f"{len(lessons) - failed} of {len(lessons)} lessons passed in "
        f"{facts['minutes']:.1f} minutes; {sum(checked)} of {len(checked)} checked "
        "figures reached their bound."
    )
    return _PAGE.substitute(
        {name: _escape(facts[name]) for name in ("data_mode", "date", "hardware")},
        versions=_escape(versions),
        summary=_escape(summary),
        lessons=_table(
            ("Lesson", "Status", "Minutes", "Peak memory (GB)"),
            [_lesson_row(lesson) for lesson in lessons],
            numbers=(2, 3),
        ),
        figures=_table(
            ("Lesson", "Figure", "Value", "Unit", "Check"),
            [row for lesson in lessons for row in _result_rows(lesson)],
            numbers=(2,),
        ),
    )


def _lesson_row(lesson):
    name = lesson["lesson"]
    link = f'<a href="html/{_escape(name)}.html">{_escape(lesson["title"])}</a>'
    status = _escape(lesson["status"])
    if lesson["status"] != "passed":
        place = f"cell {lesson['cell']}: " if lesson["cell"] else ""
        status = (
            f'<span class="failed">{status}</span><br>'
            f"<code>{_escape(place + lesson['error'])}</code>"
        )
    status = "<br>".join([status, *map(_escape, lesson["slower"])])
    memory = lesson["peak_memory_gb"]
    shown = "" if memory is None else f"{memory:.2f}"
    return link, status, f"{lesson['minutes']:.1f}", shown


def _result_rows(lesson):
    for payload in lesson["results"]:
        yield (
            _escape(lesson["lesson"]),
            f"<code>{_escape(payload['name'])}</code>",
            results.format_value(payload["value"]),
            _escape(payload.get("unit", "")),
            _check(payload),
        )


def _check(payload):
    """Return a result's bounds and what became of them; "" without bounds."""
    if results.passed(payload) is None:
        return ""
    if results.failed(payload):
        return f'{results.bounds(payload)}: <span class="failed">missed</span>'
    if results.passed(payload):
        return f"{results.bounds(payload)}: reached"
    return f"{results.bounds(payload)}: missed here; machines differ in speed"


def _table(heads, rows, numbers=()):
    """Return an HTML table; cells are HTML, and `numbers` are columns set right."""

    def cells(tag, row):
        parts = []
        for column, content in enumerate(row):
            mark = ' class="number"' if column in numbers else ""
            parts.append(f"<{tag}{mark}>{content}</{tag}>")
        return "<tr>" + "".join(parts) + "</tr>"

    lines = [cells("th", heads), *(cells("td", row) for row in rows)]
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def _escape(text):
    return html.escape(str(text))
