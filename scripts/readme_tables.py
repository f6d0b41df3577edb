"""Write the README's tables from the outputs stored in the lessons.

    python scripts/readme_tables.py [--check]

The table of lessons stands between `<!-- lessons:begin -->` and `<!-- lessons:end -->`,
the table of results between `<!-- results:begin -->` and `<!-- results:end -->`. With
--check nothing is written, and the exit status tells whether the README is in step.
"""

import json
import re
import sys
from pathlib import Path

from course_utils import report, results
from course_utils.files import atomic_write

ROOT = Path(__file__).resolve().parents[1]


def lessons_table(lessons):
    """Return the table of lessons.

    Args:
        lessons: list of (path in the repository, notebook as plain JSON).
    """
    lines = ["| Lesson | What you will be able to do | Minutes |", "|---|---|---:|"]
    for path, notebook in lessons:
        course = notebook["metadata"].get("course", {})
        minutes = f"{course['minutes']:.0f}" if "minutes" in course else ""
        minutes = "< 1" if minutes == "0" else minutes
        name = report.title(notebook) or Path(path).stem
        lines.append(f"| [{name}]({path}) | {first_aim(notebook)} | {minutes} |")
    return "\n".join(lines)


def results_table(lessons):
    """Return the table of recorded figures, with when and where they were measured."""
    lines = ["| Lesson | Figure | Value | Bound | Run |", "|---|---|---:|---|---|"]
    runs = {}
    for path, notebook in lessons:
        number = Path(path).name[:2]
        course = notebook["metadata"].get("course", {})
        mode = course.get("data_mode", "")
        for payload in results.collect(notebook):
            shown = f"{results.format_value(payload['value'])} {payload['unit']}"
            name = payload["name"]
            cells = f"[{number}]({path})", f"`{name}`", shown.strip(), _verdict(payload)
            lines.append(f"| {' | '.join((*cells, mode))} |")
        if course:
            runs.setdefault(_run_text(course), []).append(number)
    notes = [f"Lesson {', '.join(numbers)}: {run}." for run, numbers in runs.items()]
    return "\n".join([*lines, "", *notes])


def first_aim(notebook):
    """Return the first point under "What you will be able to do", on one line."""
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] != "markdown" or "What you will be able to do" not in text:
            continue
        _, _, below = text.partition("What you will be able to do")
        if match := re.search(r"^\s*[-*]\s+((?:.+\n?)(?:^ {2,}\S.*\n?)*)", below, re.M):
            return " ".join(match.group(1).split()).rstrip(".;,").replace("|", "\\|")
    return ""


def replace_between(text, name, content):
    """Return `text` with `content` between the markers called `name`.

    Raises:
        ValueError: the markers are missing.
    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"README.md needs the markers {begin} and {end} once each.")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{content}\n{end}{after}"


def updated(readme, lessons):
    """Return the README's text with both tables written again."""
    readme = replace_between(readme, "lessons", lessons_table(lessons))
    return replace_between(readme, "results", results_table(lessons))


def read_lessons(root=ROOT):
    """Return (path, notebook) of every lesson, in order."""
    return [
        (path.relative_to(root).as_posix(), json.loads(path.read_text("utf-8")))
        for path in sorted((root / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    ]


def main(arguments, root=ROOT):
    """Write or check README.md; return the exit status."""
    path = root / "README.md"
    before = path.read_text(encoding="utf-8")
    after = updated(before, read_lessons(root))
    if before == after:
        return 0
    if "--check" in arguments:
        print("README.md is out of step with the lessons, run `make tables`")
        return 1
    with atomic_write(path) as handle:
        handle.write(after)
    print("README.md: tables written")
    return 0


def _verdict(payload):
    """Write a figure's bounds, and say so when it doesn't keep them."""
    missed = results.passed(payload) is False
    return results.bounds(payload) + (" (**not reached**)" if missed else "")


def _run_text(course):
    versions = course["versions"]
    names = [name for name in ("TensorFlow", "Keras") if name in versions]
    software = ", ".join(f"{name} {versions[name]}" for name in names)
    data = "real data" if course["data_mode"] == "full" else "embedded data"
    return f"{data}, {course['hardware']}, {software}, {course['date']}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
