"""Run the lessons in order, each in a fresh kernel, and report on them.

    python -m tools.runner [--lesson 05] [--data full] [--store | --jobs 2]

With `--jobs 2`, two lessons run at a time and share the cores. It is faster, because
much of a lesson uses one core only. What a lesson says about its own speed is worth
little then, so the option doesn't go together with `--store`.

`--store` writes each lesson that passed back over its notebook, with data mode,
versions, hardware and minutes in the notebook's metadata. The worked solutions are
stored with `--notebooks notebooks/solutions --store`.

Executed notebooks, a page per lesson and the report land in build/. A lesson that
fails is reported with the cell and the error, and the others still run.
"""

import argparse
import concurrent.futures
import dataclasses
import datetime
import os
import re
import sys
import time
from pathlib import Path

import nbformat

from course_utils.kit import environment, results
from tools import bound_numbers, lessons, report, texts
from tools.notebook_kernel import KERNELSPEC, end_kernels, execute, share_cores

ROOT = Path(__file__).resolve().parents[1]
CELL_TIMEOUT = {"sample": 900, "full": 7200}

# A directory of one machine, as it may slip into an output. Web addresses and
# ratios are no paths: what stands before the slash decides.
_ABSOLUTE_PATH = re.compile(
    r"(?<![\w.~$/}-])/(?:root|home|Users|work|tmp|usr|opt|content|var|mnt)/[\w.+-]+"
    r"|\b[A-Z]:\\\w+"
)
_FORBIDDEN = {  # what no stored output may show
    "prints the machine's own path": _ABSOLUTE_PATH,
    "stores a warning:": re.compile(r"\b[A-Z]\w*Warning\b|^WARNING\b", re.MULTILINE),
    "stores a memory address:": re.compile(r"\bat 0x[0-9a-f]{6,}"),  # never the same
}


@dataclasses.dataclass
class Outcome:
    """What running one lesson gave; a row of the report."""

    lesson: str
    title: str
    status: str = "passed"
    minutes: float = 0.0
    peak_memory_gb: float | None = None
    cell: int | None = None
    error: str = ""
    results: list = dataclasses.field(default_factory=list)
    slower: list = dataclasses.field(default_factory=list)


def find_lessons(folder, wanted=""):
    """Return the notebooks of a folder in order.

    Args:
        folder: directory with `NN_name.ipynb` files, and `further/` beside them.
        wanted: one lesson: its number, such as "05", or the name of a further lesson;
            "" for all of them.

    Raises:
        ValueError: there is no such lesson.
    """
    if wanted:
        return [lessons.path_of(wanted, Path(folder))]
    found = lessons.find(Path(folder))
    if not found:
        raise ValueError(f"There is no lesson in {folder}.")
    return found


def run_lesson(path, mode, timeout, progress=lambda position, cells: None):
    """Run one lesson and return its `Outcome` and the executed notebook."""
    notebook = nbformat.read(path, as_version=4)
    outcome = Outcome(lesson=path.stem, title=report.title(notebook) or path.stem)
    start = time.perf_counter()
    done = execute(notebook, path.parent, mode, timeout, progress)
    outcome.status, cell, outcome.error, outcome.peak_memory_gb = done
    outcome.minutes = round((time.perf_counter() - start) / 60, 2)
    if cell is not None:
        outcome.cell = cell + 1
        first = next(iter(notebook.cells[cell].source.strip().splitlines()), "")
        outcome.error = f"{outcome.error} (the cell begins with: {first})"
    outcome.results = results.collect(notebook)
    failed = [payload for payload in outcome.results if results.failed(payload)]
    if outcome.status == "passed" and failed:
        outcome.status = "failed"
        outcome.error = "; ".join(results.missed(payload) for payload in failed)
    stored_on = notebook.metadata.get("course", {}).get("hardware", "its own machine")
    outcome.slower = list(slower_than_stored(outcome.results, stored_on))
    _clean(notebook)
    notebook.metadata["course"] = circumstances(mode, outcome.minutes)
    return outcome, notebook


def circumstances(mode, minutes):
    """Return with what, where, when and how long lessons have run."""
    return {
        "data_mode": mode,
        "versions": environment.versions(),
        "hardware": environment.hardware(),
        "date": datetime.date.today().isoformat(),
        "minutes": round(minutes, 2),
    }


def slower_than_stored(payloads, stored_on):
    """Yield a comparison for each time that missed what the stored run was asked for.

    Args:
        payloads: list of results.
        stored_on: the machine of the stored run.
    """
    for payload in payloads:
        if results.passed(payload) is False and results.depends_on_clock(payload):
            value = f"{results.format_value(payload['value'])} {payload['unit']}"
            yield (
                f"{payload['name']} is {value.strip()} here; the stored run on "
                f"{stored_on} was asked for {results.bounds(payload, ' and ')}"
            )


def forbidden_output(cell):
    """Yield what a cell shows and no stored output may, as ends of a sentence."""
    for text in output_texts(cell):
        for what, pattern in _FORBIDDEN.items():
            yield from (f"{what} {found}" for found in pattern.findall(text))


def output_texts(cell):
    """Return every text that a cell's outputs show: streams, data, tracebacks."""
    found = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        shown = [data[kind] for kind in data if kind.startswith("text/")]
        shown += [output.get("text", ""), output.get("traceback", "")]
        found += ["".join(part) for part in shown if part]
    return found


def store(notebook, path):
    """Write an executed notebook over the lesson, or say why it must not be.

    Returns:
        "" when it was stored, else one sentence.
    """
    for position, cell in enumerate(notebook["cells"], start=1):
        for what in forbidden_output(cell):
            return f"not stored: cell {position} {what}"
    texts.write(path, nbformat.writes(notebook))
    return ""


def main(arguments=None):
    """Run the lessons as the command line asks; return the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.jobs < 1:
        parser.error(f"--jobs is {options.jobs}; expected at least 1.")
    if options.jobs > 1 and options.store:
        parser.error("--store needs --jobs 1: lessons that share the cores are slower.")
    os.environ["COURSE_DATA"] = options.data
    try:
        chosen = find_lessons(options.notebooks, options.lesson)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if options.jobs > 1:
        share_cores(options.jobs)
    print(
        f"{len(chosen)} lesson(s) with {environment.DATA_MODES[options.data]} "
        f"on {environment.hardware()}"
    )
    outcomes, start = {}, time.perf_counter()
    try:
        _run_lessons(chosen, options, outcomes)
    except KeyboardInterrupt:
        print("\nInterrupted; the report holds the lessons that were complete.")
        return 130
    finally:
        minutes = (time.perf_counter() - start) / 60
        outcomes = [outcomes[position] for position in sorted(outcomes)]
        _write_report(outcomes, minutes, options)
    failed = [outcome for outcome in outcomes if outcome.status != "passed"]
    done = len(outcomes) - len(failed)
    print(
        f"{done} of {len(outcomes)} passed in {minutes:.1f} min; "
        f"report: {options.output / 'report.html'}"
    )
    return 1 if failed else 0


def _run_lessons(paths, options, outcomes):
    """Run the lessons in threads, and add each outcome at its position when it ends.

    An interrupt reaches this thread only: the kernels are ended here, and lessons that
    were not complete leave nothing behind.
    """
    timeout = options.timeout or CELL_TIMEOUT[options.data]
    labels = [f"[{i}/{len(paths)}] {p.stem}" for i, p in enumerate(paths, start=1)]

    def run(path, label):
        progress = _progress(label, live=options.jobs == 1 and sys.stdout.isatty())
        return run_lesson(path, options.data, timeout, progress)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = []
        for path, label in zip(paths, labels, strict=True):
            futures.append(pool.submit(run, path, label))
        try:
            for future in concurrent.futures.as_completed(futures):
                position = futures.index(future)
                outcome, notebook = future.result()
                _keep(outcome, notebook, paths[position], options)
                outcomes[position] = outcome
                _print_outcome(outcome, labels[position])
        except BaseException:
            for future in futures:
                future.cancel()
            end_kernels()
            raise


def _keep(outcome, notebook, path, options):
    """Write a lesson's notebook and page, and store it where this was asked for."""
    place = path.relative_to(options.notebooks)
    texts.write(options.output / "notebooks" / place, nbformat.writes(notebook))
    page = report.lesson_page(notebook, outcome.title)
    texts.write(options.output / "html" / f"{path.stem}.html", page)
    if options.store and outcome.status == "passed":
        if note := store(notebook, path):
            outcome.status, outcome.error = "failed", note
        for sentence in bound_numbers.update(options.notebooks):
            print(f"read again: {sentence}", flush=True)


def _print_outcome(outcome, label):
    """Print a lesson's line, and what went wrong."""
    start = "\r" if sys.stdout.isatty() else ""
    line = f"{start}{label}: {outcome.status}, {outcome.minutes:.1f} min"
    print(f"{line:<60}", flush=True)
    if outcome.error:
        place = f"cell {outcome.cell}: " if outcome.cell else ""
        print(f"    {place}{outcome.error}", flush=True)
    for comparison in outcome.slower:
        print(f"    {comparison}", flush=True)


def _write_report(outcomes, minutes, options):
    """Write build/report.json and build/report.html."""
    facts = circumstances(options.data, minutes)
    facts["lessons"] = [dataclasses.asdict(outcome) for outcome in outcomes]
    texts.write_json(options.output / "report.json", facts)
    texts.write(options.output / "report.html", report.as_html(facts))


def _progress(label, live):
    """Return a function that shows the cell at work, if the line can be renewed."""
    if not live:
        print(f"{label} ...", flush=True)

    def show(position, cells):
        if live:
            print(f"\r{label}: cell {position} of {cells} ...", end="", flush=True)

    return show


def _clean(notebook):
    """Remove what changes from run to run: timings, widgets, kernel details."""
    count = 0
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code" and cell.execution_count is not None:
            count += 1
            cell.execution_count = count
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = count
    notebook.metadata.pop("widgets", None)
    notebook.metadata["kernelspec"] = dict(KERNELSPEC)
    notebook.metadata["language_info"] = {"name": "python"}


def _parser():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--lesson", default="", metavar="NN", help="one lesson, such as 05")
    add("--data", choices=sorted(environment.DATA_MODES), default="sample")
    add("--output", type=Path, default=Path("build"), help="where results go")
    add("--notebooks", type=Path, default=ROOT / "notebooks", help="lessons' folder")
    add("--timeout", type=float, help="seconds that one cell may take")
    add("--jobs", type=int, default=1, metavar="N", help="lessons at a time")
    add("--store", action="store_true", help="write passed lessons over notebooks")
    return parser


if __name__ == "__main__":
    sys.exit(main())
