"""The rules that every notebook of the course keeps, checked without running it.

    python -m tools.notebook_contract [NOTEBOOK ...]

prints one line for each broken rule. The tests run the same rules.
"""

import copy
import functools
import re
import statistics
import sys
from pathlib import Path

import nbformat

from course_utils import results
from tools import bound_numbers, publish, runner, texts
from tools.bounded_times import bounded_times
from tools.misleading_plots import misleading_plots

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"

CHECK = "# NBVAL_CHECK_OUTPUT"

# Lessons whose run on real data is still to come. Their outputs are those of a run
# with the embedded data, and their first text cell has to say so.
AWAITING_FULL_RUN = frozenset()
# Lessons whose outputs stay those of a run with the embedded data, because the full
# mode fetches published weights. Their first text cell says so, too.
EMBEDDED_FOR_GOOD = frozenset({"15_pretrained_models.ipynb"})
# Lessons that are still to be rewritten, whose plots are those of the first edition.
TO_BE_REDRAWN = frozenset({"07", "11", "14", "16", "18"})
AWAITING_NOTE = "**Stored outputs:** from a run with the embedded data"

HEADINGS = (
    "What you will be able to do",
    "Before you start",
    "Exercises",
    "After the lesson",
)
LONGEST_CELL = 40
MEDIAN_CELL = 7

_MARKER = re.compile(
    r"\w*NBVAL[\w-]*|\w*CHECK_?OUTPUT\w*|PYTEST_VALIDATE_\w*", re.IGNORECASE
)
_WARNING = re.compile(r"\b[A-Z]\w*Warning\b|^WARNING\b", re.MULTILINE)
_ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}")  # differs in every run
# Up to the next empty line, Markdown takes what begins with a tag as HTML.
_HTML = re.compile(
    r"^ {0,3}</?(?:details|div|p|table|summary)\b.*?(?=\n\s*\n|\Z)", re.M | re.S
)
_CODE = re.compile(r"^```.*?^```|<code>.*?</code>", re.M | re.S)
_MARKDOWN = re.compile(r"`[^`\n]+`|(?<![\w*])\*+[^\s*][^*\n]*\*|\]\([^)\s]+\)")


def violations(notebook, name, solution=False, records=None):
    """Return what a notebook breaks, as one sentence each.

    Args:
        notebook: an nbformat notebook.
        name: its file name, for the lists above.
        solution: whether it is a worked solution, which has no headings of its own
            and may be stored from a run with the embedded data.
        records: name to stored result of all lessons; None: its own ones.
    """
    found = _format(notebook)
    if found:  # the other rules rely on it
        return found
    found += [*_run(notebook), *_markers(notebook), *_outputs(notebook)]
    found += [*_setup(notebook), *_run_line(notebook), *_html(notebook)]
    if not solution:
        found += [*_lengths(notebook), *_headings(notebook), *_checked(notebook)]
        found += [*_bounds(notebook), *_plots(notebook, name)]
    found += _stored_run(notebook, name, solution)
    if records is None:
        records = {one["name"]: one for one in results.collect(notebook)}
    return [*found, *bound_numbers.violations(notebook, records)]


def check_file(path):
    """Return the violations of one notebook file."""
    path = Path(path)
    # nbformat.read would mend repeated ids on the way
    notebook = nbformat.reader.reads(path.read_text(encoding="utf-8"))
    solution = path.parent.name == "solutions"
    return violations(notebook, path.name, solution, _records())


@functools.cache
def _records():
    return bound_numbers.stored_records(NOTEBOOKS)


def all_notebooks():
    """Return every notebook of the course, wherever it lies below notebooks/."""
    return texts.written_by_people(NOTEBOOKS, "*.ipynb")


def _code_cells(notebook):
    """Yield (position, cell) for each code cell; positions count all cells from 1."""
    for position, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "code":
            yield position, cell


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
    """Outputs come from one run from top to bottom, without an error."""
    for expected, (position, cell) in enumerate(_code_cells(notebook), start=1):
        if cell.execution_count != expected:
            yield (
                f"cell {position} has the execution count {cell.execution_count}, "
                f"but {expected} in a run from top to bottom"
            )
            break
    for position, cell in _code_cells(notebook):
        if any(output.output_type == "error" for output in cell.outputs):
            yield f"cell {position} stores an error"


def _markers(notebook):
    """nbval ignores a marker that it doesn't know, so a misspelt one checks nothing."""
    for position, cell in _code_cells(notebook):
        lines = cell.source.splitlines() or [""]
        tags = [tag for tag in cell.metadata.get("tags", []) if _is_nbval_tag(tag)]
        if tags:
            yield f"cell {position} has the tag {tags[0]!r}; use a comment instead"
        for number, line in enumerate(lines):
            for marker in _MARKER.findall(line):
                if line != CHECK:
                    yield (
                        f"cell {position} has an unknown or misplaced marker "
                        f"{marker}: {line.strip()!r}"
                    )
                elif number:
                    yield f"cell {position}: {marker} must be the first line"
        if lines[0] == CHECK and not cell.outputs:
            yield f"cell {position} is checked, but stores no output to compare"
        if lines[0] == CHECK and lines[-1].rstrip().endswith(";"):
            yield (
                f"cell {position} is checked and ends with ';', which doesn't hide a "
                "value from nbval; give the value a name"
            )
        if lines[0] == CHECK and cell.execution_count is None:
            yield f"cell {position} is checked, but was never run"
        if lines[0] == CHECK and cell.outputs and not _comparable(cell):
            yield f"cell {position} is checked, but only has images, never compared"
        shown = results.collect({"cells": [cell]})
        if lines[0] == CHECK and any(map(results.depends_on_clock, shown)):
            yield f"cell {position} is checked, but shows a time, which nobody repeats"


def _is_nbval_tag(tag):
    tag = tag.lower().replace("_", "-")
    return tag.startswith(("nbval", "pytest-validate")) or tag == "raises-exception"


def _comparable(cell):
    kinds = {
        kind for output in cell.outputs for kind in output.get("data", {"text": 1})
    }
    return bool(kinds - {"image/png", "image/jpeg"})


def _outputs(notebook):
    for position, path in runner.absolute_paths(notebook):
        yield f"cell {position} prints the machine's own path {path}"
    for position, cell in _code_cells(notebook):
        shown = runner.output_texts(cell)
        for text in shown:
            if match := _WARNING.search(text):
                yield f"cell {position} stores a warning: {match.group()}"
            if match := _ADDRESS.search(text):
                yield f"cell {position} stores a memory address: {match.group()}"
        pictures = any(
            kind.startswith("image/")
            for output in cell.outputs
            for kind in output.get("data", {})
        )
        described = any(
            line.startswith("Figure:") for text in shown for line in text.splitlines()
        )
        if pictures and not described:
            yield (
                f"cell {position} shows a figure without its text alternative "
                '(a line that begins with "Figure:")'
            )


def _setup(notebook):
    for _, cell in _code_cells(notebook):
        if "course_utils.setup(" in cell.source:
            return
    yield "no cell calls course_utils.setup()"


def _run_line(notebook):
    """`tools.publish` keeps in step what is there; here we see that it is there."""
    first = next((c for c in notebook.cells if c.cell_type == "markdown"), None)
    if first is None or not publish.RUN_LINE.search(first.source):
        yield "the first text cell doesn't say how to run it; call `make badges`"
    if not any(publish.SET_UP.match(cell.source) for _, cell in _code_cells(notebook)):
        yield "no cell begins with what to do where course_utils is missing"


def _html(notebook):
    """Within HTML, Jupyter, Colab and GitHub show the marks of Markdown as they are."""
    for position, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "markdown":
            continue
        for block in _HTML.findall(_CODE.sub("", cell.source)):
            for mark in _MARKDOWN.findall(block):
                yield (
                    f"cell {position} has Markdown within HTML, which isn't rendered: "
                    f"{mark}; write <code>, <em>, <strong> or <a> there"
                )


def _lengths(notebook):
    counts = []
    for position, cell in _code_cells(notebook):
        lines = [line for line in cell.source.splitlines() if line.strip()]
        counts.append(len(lines))
        defines_class = re.search(r"^class \w", cell.source, re.MULTILINE)
        if len(lines) > LONGEST_CELL and not defines_class:
            yield f"cell {position} has {len(lines)} lines; the limit is {LONGEST_CELL}"
    if counts and statistics.median(counts) > MEDIAN_CELL:
        yield (
            f"half of the code cells have more than {statistics.median(counts):g} "
            f"lines or just as many; the limit is {MEDIAN_CELL}"
        )


def _headings(notebook):
    text = "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")
    headings = re.findall(r"^#{1,6}\s+(.*)$", text, re.MULTILINE)
    for wanted in HEADINGS:
        if not any(wanted.lower() in heading.lower() for heading in headings):
            yield f'there is no heading "{wanted}"'


def _checked(notebook):
    cells = [cell for _, cell in _code_cells(notebook)]
    if not any(cell.source.splitlines()[:1] == [CHECK] for cell in cells):
        yield f"no cell is checked; mark at least one with {CHECK}"


def _bounds(notebook):
    """Stored figures keep their bounds, and no time can fail a run.

    A time that the stored run missed is written down by the tables of results.
    """
    for payload in filter(results.failed, results.collect(notebook)):
        yield f"stores a missed bound: {results.missed(payload)}"
    for position, cell in _code_cells(notebook):
        for sentence in bounded_times(cell.source):
            yield f"cell {position} {sentence}"


def _plots(notebook, name):
    """Plots don't mislead; the list of lessons to be redrawn has no other ones."""
    found = [
        f"cell {position} {sentence}"
        for position, cell in _code_cells(notebook)
        for sentence in misleading_plots(cell.source)
    ]
    if name[:2] not in TO_BE_REDRAWN:
        return found
    return [] if found else ["its plots don't mislead; take it off TO_BE_REDRAWN"]


def _stored_run(notebook, name, solution):
    course = notebook.metadata.get("course", {})
    missing = {"data_mode", "versions", "hardware", "date", "minutes"} - set(course)
    if solution:
        return
    if missing:
        yield f"metadata.course lacks {', '.join(sorted(missing))}"
        return
    mode = course["data_mode"]
    says_so = any(AWAITING_NOTE in cell.source for cell in notebook.cells[:1])
    if name in AWAITING_FULL_RUN | EMBEDDED_FOR_GOOD:
        if mode == "full":
            yield "it has a full run; take it off its list in notebook_contract.py"
        if not says_so:
            yield f'it has the embedded data, but does not say "{AWAITING_NOTE}"'
    elif mode != "full":
        yield f"the stored outputs come from a run with COURSE_DATA={mode}, not full"
    elif says_so:
        yield "it says that its outputs are from the embedded data, but they are not"


def main(arguments):
    """Print the violations of the named notebooks, or of all."""
    failed = False
    for path in map(Path, arguments or all_notebooks()):
        for sentence in check_file(path):
            failed = True
            print(f"{path.name}: {sentence}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
