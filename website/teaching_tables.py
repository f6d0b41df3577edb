"""Write the tables of website/teaching.md from the lessons and website/teaching.toml.

    python website/teaching_tables.py [--check]

With --check nothing is written, and the exit status tells whether the page is in step.
"""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from course_site import lessons  # noqa: E402

from tools.texts import keep_in_step, replace_between  # noqa: E402

PAGE = "website/teaching.md"
FACTS = "website/teaching.toml"


def updated(text, stored, facts):
    """Return the page's text with all its tables written again.

    Args:
        text: the page in Markdown.
        stored: list of `Lesson`.
        facts: what teaching.toml says.
    """
    tables = {
        "goals": goals_table(stored),
        "plans": plans(facts["plans"], stored),
        "sessions": sessions_table(facts["sessions"], stored),
        "misconceptions": misconceptions_table(facts["misconceptions"], stored),
        "discussion": discussion(facts["discussion"], stored),
    }
    for name, table in tables.items():
        text = replace_between(text, name, table)
    return text


def goals_table(stored):
    """Return what each lesson teaches, and what it takes."""
    lines = [
        "| Lesson | Learners can | Reading | Exercises | Computing (min) |",
        "|---|---|---|---:|---:|",
    ]
    for one in stored:
        goals = "; ".join(goal.replace("|", "\\|") for goal in one.goals)
        row = [_link(one), goals, one.reading, one.exercises, one.minutes]
        lines.append(f"| {' | '.join(map(str, row))} |")
    return "\n".join(lines)


def plans(facts, stored):
    """Return each plan as a heading and a table with a row for each week."""
    by_number = {one.number: one for one in stored}
    parts = []
    for plan in facts:
        lines = [
            f"### {plan['name']}",
            "",
            f"For {plan['audience']}.",
            "",
            "| Week | Lessons | Meeting | At home | Computing (min) |",
            "|---:|---|---|---|---:|",
        ]
        for number, week in enumerate(plan["weeks"], start=1):
            here = [by_number[n] for n in week["lessons"] if n in by_number]
            links = ", ".join(_link(one, one.number) for one in here)
            minutes = lessons.whole(sum(one.course.get("minutes", 0) for one in here))
            row = [
                number,
                links,
                week["meeting"],
                week["home"],
                minutes if here else "",
            ]
            lines.append(f"| {' | '.join(map(str, row))} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def sessions_table(facts, stored):
    """Return single meetings with the minutes of their parts."""
    by_number = {one.number: one for one in stored}
    lines = ["| Session | Lesson | Plan (minutes) |", "|---:|---|---|"]
    here = [fact for fact in facts if fact["lesson"] in by_number]
    for number, fact in enumerate(here, start=1):
        part = f", {fact['part']}" if "part" in fact else ""
        link = _link(by_number[fact["lesson"]]) + part
        lines.append(f"| {number} | {link} | {fact['plan']} |")
    return "\n".join(lines)


def misconceptions_table(facts, stored):
    """Return each misconception with the cell that dispels it.

    Raises:
        ValueError: the cell is not there, or not the only one.
    """
    by_number = {one.number: one for one in stored}
    lines = ['| "…" | Lesson | Section | Cell |', "|---|---|---|---:|"]
    for fact in facts:
        if fact["lesson"] in by_number:
            one = by_number[fact["lesson"]]
            try:
                cell, section = lessons.find_cell(one.notebook, fact["cell"])
            except ValueError as error:
                raise ValueError(f"{FACTS}, {fact['says']!r}: {error}") from error
            place = f"[{section}](../{one.path}#{lessons.slug(section)})"
            lines.append(f"| {fact['says']} | {_link(one)} | {place} | {cell} |")
    return "\n".join(lines)


def discussion(facts, stored):
    """Return the questions of each lesson as lists."""
    return "\n".join(
        f"- **{_link(one)}**\n" + "\n".join(f"  - {text}" for text in facts[one.number])
        for one in stored
        if one.number in facts
    )


def read_facts(root=ROOT):
    """Return what teaching.toml says."""
    return tomllib.loads((root / FACTS).read_text(encoding="utf-8"))


def main(arguments, root=ROOT):
    """Write or check the page; return the exit status."""
    before = (root / PAGE).read_text(encoding="utf-8")
    after = updated(before, lessons.read(root), read_facts(root))
    check = "--check" in arguments
    return keep_in_step({root / PAGE: after}, root, check, "make tables")


def _link(lesson, text=None):
    return f"[{text or lesson.title}](../{lesson.path})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
