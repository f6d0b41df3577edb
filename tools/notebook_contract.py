"""The rules that every notebook of the course keeps, checked without running it.

    python -m tools.notebook_contract [NOTEBOOK ...]

prints one line for each broken rule. The tests run the same rules.
"""

import copy
import functools
import re
import sys
from pathlib import Path

import nbformat

from course_utils.kit import results
from tools import bound_numbers, cells, lesson_form, lessons, publish, runner, texts

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"

CHECK = "nbval-check-output"  # the tag of a cell whose output nbval compares

HEADINGS = (
    "What you will be able to do",
    "Before you start",
    "Exercises",
    "After the lesson",
)

# What nbval understands, and what was meant to be so: as a tag, or as a comment.
_MARKER = re.compile(
    r"[\w-]*n[bv]{2}al[\w-]*|[\w-]*check[_-]?output[\w-]*|pytest.validate[\w-]*"
    r"|raises.exception",
    re.IGNORECASE,
)
# Up to the next empty line, Markdown takes what begins with a tag as HTML.
_HTML = re.compile(
    r"^ {0,3}</?(?:details|div|p|table|summary)\b.*?(?=\n\s*\n|\Z)", re.M | re.S
)
_CODE = re.compile(r"^```.*?^```|<code>.*?</code>", re.M | re.S)
_MARKDOWN = re.compile(r"`[^`\n]+`|(?<![\w*])\*+[^\s*][^*\n]*\*|\]\([^)\s]+\)")


def violations(notebook, solution=False, records=None):
    """Return what a notebook breaks, as one sentence each.

    Args:
        notebook: an nbformat notebook.
        solution: whether it is a worked solution, which has no headings of its own
            and may be stored from a run with the bundled data.
        records: name to stored result of all notebooks; None: its own ones.
    """
    found = _format(notebook)
    if found:  # the other rules rely on it
        return found
    of_a_cell = [_error, _markers, _outputs]
    found += [*_run(notebook), *_setup(notebook), *_run_line(notebook)]
    if not solution:
        found += [*_headings(notebook), *_checked(notebook), *_bounds(notebook)]
        found += _stored_run(notebook)
    for kind, rules in ("code", of_a_cell), ("markdown", [_html]):
        for position, cell in cells.of_kind(notebook, kind):
            for rule in rules:
                found += [f"cell {position} {sentence}" for sentence in rule(cell)]
    if records is None:
        records = {one["name"]: one for one in results.collect(notebook)}
    return [*found, *bound_numbers.violations(notebook, records)]


def check_file(path):
    """Return the violations of one notebook file."""
    path = Path(path)
    # nbformat.read would mend repeated ids on the way
    notebook = nbformat.reader.reads(path.read_text(encoding="utf-8"))
    solution = "solutions" in path.parts
    found = violations(notebook, solution, _records())
    if not solution and lessons.key(path) not in lesson_form.NOT_YET_REWRITTEN:
        found += lesson_form.violations(notebook)
    return found


@functools.cache
def _records():
    of_solutions = bound_numbers.stored_records(NOTEBOOKS / "solutions")
    return of_solutions | bound_numbers.stored_records(NOTEBOOKS)


def all_notebooks():
    """Return every notebook of the course, wherever it lies below notebooks/."""
    return texts.source_files(NOTEBOOKS, "*.ipynb")


def _format(notebook):
    if (notebook.nbformat, notebook.nbformat_minor) < (4, 5):
        return ["the format is older than 4.5, so cells have no ids"]
    found = []
    if len({cell.get("id") for cell in notebook.cells}) < len(notebook.cells):
        found.append("two cells have the same id, or none")
    try:
        nbformat.validate(copy.deepcopy(notebook))  # it repairs what it is given
    except nbformat.ValidationError as error:
        found.append(f"not a valid notebook: {error.message}")
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        found.append("the kernelspec is not python3")
    return found


def _run(notebook):
    """Outputs come from one run from top to bottom."""
    code = cells.of_kind(notebook, "code")
    for expected, (position, cell) in enumerate(code, start=1):
        if cell.execution_count != expected:
            yield (
                f"cell {position} has the execution count {cell.execution_count}, "
                f"but {expected} in a run from top to bottom"
            )
            break


# --- rules for one cell: sentences that follow "cell 7" ------------------------------


def _error(cell):
    if any(output.output_type == "error" for output in cell.outputs):
        yield "stores an error"


def _markers(cell):
    """nbval ignores a tag that it doesn't know, so a misspelt one checks nothing."""
    for tag in cell.metadata.get("tags", []):
        if _MARKER.fullmatch(tag) and tag != CHECK:
            yield f"has the tag {tag!r}; nbval is told {CHECK!r} only"
    for line in re.findall("#.*", cell.source):
        if marker := _MARKER.search(line):
            yield f"has the comment {marker.group()}; give the cell the tag {CHECK!r}"
    if is_checked(cell):
        yield from _checks_nothing(cell)


def is_checked(cell):
    """Tell whether nbval compares a code cell's output with the stored one."""
    return CHECK in cell["metadata"].get("tags", [])


def _checks_nothing(cell):
    """What is compared was shown in a run, and every run shows the same."""
    if not cell.outputs:
        yield "is checked, but stores no output to compare"
    if cell.source.rstrip().endswith(";"):
        yield (
            "is checked and ends with ';', which doesn't hide a value from nbval; "
            "give the value a name"
        )
    if cell.execution_count is None:
        yield "is checked, but was never run"
    kinds = {kind for one in cell.outputs for kind in one.get("data", {"text": 1})}
    if cell.outputs and not kinds - {"image/png", "image/jpeg"}:
        yield "is checked, but only has images, never compared"
    if any(map(results.depends_on_clock, results.collect({"cells": [cell]}))):
        yield "is checked, but shows a time, which nobody repeats"


def _outputs(cell):
    yield from runner.forbidden_output(cell)
    shown = runner.output_texts(cell)
    kinds = [kind for output in cell.outputs for kind in output.get("data", {})]
    pictures = any(kind.startswith("image/") for kind in kinds)
    if pictures and not re.search("^Figure:", "\n".join(shown), re.MULTILINE):
        yield (
            "shows a figure without its text alternative "
            '(a line that begins with "Figure:")'
        )


def _html(cell):
    """Within HTML, Jupyter, Colab and GitHub show the marks of Markdown as they are."""
    for block in _HTML.findall(_CODE.sub("", cell.source)):
        for mark in _MARKDOWN.findall(block):
            yield (
                f"has Markdown within HTML, which isn't rendered: {mark}; "
                "write <code>, <em>, <strong> or <a> there"
            )


# --- rules for the whole notebook ----------------------------------------------------


def _setup(notebook):
    code = cells.of_kind(notebook, "code")
    if not any("course_utils.setup(" in cell.source for _, cell in code):
        yield "no cell calls course_utils.setup()"


def _run_line(notebook):
    """`tools.publish` keeps in step what is there; here we see that it is there."""
    _, first = next(cells.of_kind(notebook, "markdown"), (0, None))
    if first is None or not publish.RUN_LINE.search(first.source):
        yield "the first text cell doesn't say how to run it; call `make badges`"
    code = cells.of_kind(notebook, "code")
    if not any(publish.SET_UP.match(cell.source) for _, cell in code):
        yield "no cell begins with what to do where course_utils is missing"


def _headings(notebook):
    headings = re.findall(r"^#{1,6}\s+(.*)$", cells.markdown(notebook), re.MULTILINE)
    for wanted in HEADINGS:
        if not any(wanted.lower() in heading.lower() for heading in headings):
            yield f'there is no heading "{wanted}"'


def _checked(notebook):
    code = cells.of_kind(notebook, "code")
    if not any(is_checked(cell) for _, cell in code):
        yield f"no cell is checked; give at least one the tag {CHECK!r}"


def _bounds(notebook):
    """Stored figures keep their bounds.

    A time that the stored run missed is written down by the tables of results.
    """
    for payload in filter(results.failed, results.collect(notebook)):
        yield f"stores a missed bound: {results.missed(payload)}"


def _stored_run(notebook):
    course = notebook.metadata.get("course", {})
    missing = {"data_mode", "versions", "hardware", "date", "minutes"} - set(course)
    if missing:
        yield f"metadata.course lacks {', '.join(sorted(missing))}"
    elif (mode := course["data_mode"]) != "full":
        yield f"the stored outputs come from a run with COURSE_DATA={mode}, not full"


def main(arguments):
    """Print the violations of the named notebooks, or of all."""
    return texts.print_all(
        f"{path.name}: {sentence}"
        for path in map(Path, arguments or all_notebooks())
        for sentence in check_file(path)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
