"""Write the README's tables and notebooks/results.md from the stored outputs.

    python -m tools.readme_tables [--check]

The tables stand between markers: the core between `<!-- lessons:begin -->` and
`<!-- lessons:end -->`, then `further` and the main `results`. The package's README has
a table of names (`tools/package_table.py`), and a lesson may have one of the core's
`minutes`. With --check nothing is written, and the exit status tells whether the files
are in step.
"""

import copy
import json
import re
import sys
import tomllib
from pathlib import Path

from course_utils.kit import results
from tools import cells, lesson_times, package_table, report, texts
from tools.lessons import find, is_further, key

ROOT = Path(__file__).resolve().parents[1]
ALL_RESULTS = "notebooks/results.md"
PACKAGE_README = "course_utils/README.md"

MINUTES = "minutes"  # the markers of the table in a lesson

PAGE_HEAD = Path(__file__).with_name("results_head.md").read_text("utf-8")

# The figures that the README shows, in words. A missed bound is shown in any case.
MAIN_RESULTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def lessons_table(lessons):
    """Return a table of lessons, with the minutes to read and to compute.

    Args:
        lessons: list of (path in the repository, notebook as plain JSON).
    """
    lines = ["| Lesson | You will be able to | Read | Compute |", "|---|---|---:|---:|"]
    for path, notebook in lessons:
        link = f"[{report.title(notebook) or Path(path).stem}]({path})"
        lines.append(f"| {link} | {first_aim(notebook)} | {_minutes(notebook)} |")
    return "\n".join(lines)


def minutes_table(core):
    """Return the table of the core's minutes, with their sum, for a lesson.

    Args:
        core: list of (path from the lesson's folder, notebook as plain JSON).
    """
    lines = ["| Lesson | Read | Compute |", "|---|---:|---:|"]
    reading = 0
    computing = 0
    for path, notebook in core:
        name = report.title(notebook) or Path(path).stem
        lines.append(f"| [{name}]({path}) | {_minutes(notebook)} |")
        reading += lesson_times.lesson_minutes(notebook)
        computing += notebook["metadata"].get("course", {}).get("minutes", 0)
    hours = f"{reading / 60:.0f} h | {computing / 60:.0f} h"
    lines.append(f"| **all** | {hours} |")
    return "\n".join(lines)


def with_minutes(lessons):
    """Return the lessons, those with the markers with the core's minutes as they are.

    Twice, for a table's own length counts in its lesson's minutes.
    """
    lessons = copy.deepcopy(lessons)
    for _ in range(2):
        core = [(Path(path).name, one) for path, one in lessons if not is_further(path)]
        table = minutes_table(core)
        for _, notebook in lessons:
            for cell in notebook["cells"]:
                source = "".join(cell["source"])
                if f"<!-- {MINUTES}:begin -->" in source:
                    new = texts.replace_between(source, MINUTES, table)
                    cell["source"] = new.splitlines(keepends=True)
    return lessons


def main_results_table(lessons):
    """Return the table of the main figures, and of every bound that was missed."""
    lines = ["| Lesson | Measured | Value | Asked for |", "|---|---|---:|---|"]
    shown = set()
    for path, payload in figures(lessons):
        name = payload["name"]
        if name not in MAIN_RESULTS and results.passed(payload) is not False:
            continue
        words = MAIN_RESULTS.get(name, f"`{name}`")
        lines.append(f"| {_link(path)} | {words} | {_shown(payload)} |")
        shown.add(path)
    return "\n".join(
        [*lines, "", *run_notes(one for one in lessons if one[0] in shown)]
    )


def results_table(lessons):
    """Return the table of all figures, with when and where they were measured."""
    lines = ["| Lesson | Figure | Value | Bound |", "|---|---|---:|---|"]
    for path, payload in figures(lessons):
        lines.append(f"| {_link(path)} | `{payload['name']}` | {_shown(payload)} |")
    return "\n".join([*lines, "", *run_notes(lessons)])


def figures(lessons):
    """Yield the path of a lesson and a figure, for all figures."""
    for path, notebook in lessons:
        for payload in results.collect(notebook):
            yield path, payload


def run_notes(lessons):
    """Return one line for each kind of run: its lessons, dates, machine, versions."""
    runs = {}
    for path, notebook in lessons:
        if course := notebook["metadata"].get("course", {}):
            dated = f"{_name(path)} ({course['date']})"
            runs.setdefault(_run_text(course), []).append(dated)
    return [f"Lesson {', '.join(dated)}: {run}." for run, dated in runs.items()]


def results_page(lessons):
    """Return the text of notebooks/results.md, with links from that folder."""
    beside = [(path.removeprefix("notebooks/"), one) for path, one in lessons]
    return f"{PAGE_HEAD}\n{results_table(beside)}\n"


def package_readme(root):
    """Return the text of the package's README with its table of names."""
    text = (root / PACKAGE_README).read_text(encoding="utf-8")
    return texts.replace_between(text, "names", package_table.table())


def first_aim(notebook):
    """Return the first point under "What you will be able to do", on one line."""
    below = cells.markdown(notebook).partition("What you will be able to do")[2]
    if match := re.search(r"^\s*[-*]\s+((?:.+\n?)(?:^ {2,}\S.*\n?)*)", below, re.M):
        return " ".join(match.group(1).split()).rstrip(".;,").replace("|", "\\|")
    return ""


def updated(readme, lessons):
    """Return the README's text with its tables written again."""
    core = [(path, notebook) for path, notebook in lessons if not is_further(path)]
    further = [(path, notebook) for path, notebook in lessons if is_further(path)]
    readme = texts.replace_between(readme, "lessons", lessons_table(core))
    readme = texts.replace_between(readme, "further", lessons_table(further))
    return texts.replace_between(readme, "results", main_results_table(lessons))


def read_lessons(root=ROOT):
    """Return (path, notebook) of every lesson, in order."""
    return [
        (path.relative_to(root).as_posix(), json.loads(path.read_text("utf-8")))
        for path in find(root / "notebooks")
    ]


def main(arguments, root=ROOT):
    """Write or check README.md and notebooks/results.md; return the exit status."""
    readme = root / "README.md"
    stored = read_lessons(root)
    lessons = with_minutes(stored)
    wanted = {
        root / path: json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
        for (path, notebook), (_, before) in zip(lessons, stored, strict=True)
        if notebook != before
    }
    wanted |= {
        readme: updated(readme.read_text(encoding="utf-8"), lessons),
        root / ALL_RESULTS: results_page(lessons),
        root / PACKAGE_README: package_readme(root),
    }
    return texts.sync_files(wanted, root, "--check" in arguments, "make tables")


def _minutes(notebook):
    """Write the minutes to read and to compute as two cells."""
    course = notebook["metadata"].get("course", {})
    computing = f"{course['minutes']:.0f}" if "minutes" in course else ""
    computing = "< 1" if computing == "0" else computing
    return f"{lesson_times.lesson_minutes(notebook)} | {computing}"


def _name(path):
    """Return a lesson's number, or a further lesson's name in words."""
    return key(path).replace("_", " ")


def _link(path):
    return f"[{_name(path)}]({path})"


def _shown(payload):
    """Write a figure and its bounds as two cells; say so when it doesn't keep them."""
    value = f"{results.format_value(payload['value'])} {payload['unit']}".strip()
    missed = " (**not reached**)" if results.passed(payload) is False else ""
    return f"{value} | {results.bounds(payload)}{missed}"


def _run_text(course):
    versions = course["versions"]
    names = [name for name in ("TensorFlow", "Keras") if name in versions]
    software = ", ".join(f"{name} {versions[name]}" for name in names)
    return f"real data, {course['hardware']}, {software}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
