"""Write the skeleton of a lesson: `make new-lesson N=17 NAME=my_question`, or

    python -m tools.new_lesson 17 my_question

It writes the lesson, its solution notebook, its checks, their answers and their tests.
They keep the contract as they are; CONTRIBUTING says what follows. Existing files are
never touched.
"""

import argparse
import os
import re
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools import extract_answers, publish, runner, texts

ROOT = Path(__file__).resolve().parents[1]
SETUP_CALL = """import course_utils

course = course_utils.setup(seed=0)"""
CHECKED = {"tags": ["nbval-check-output"]}
FOLDED = {"jupyter": {"source_hidden": True}, "tags": ["hide-input"]}

OPENING = """# {number} {title}

{run_line}

Open with what should surprise the learner: an example, a result, a picture, within a
hundred words. **Which question does this lesson answer?**"""

AIMS = """## What you will be able to do

- say in one line what the learner can do afterwards.

**You need:** basic Keras, and lesson 00.

**Time:** about {minutes} minutes to read, about 10 for the exercises, less than one for
the computer.

## Before you start

Choose an answer first, then open the options: each is explained.

**1. How much is two times 21?**

<details><summary>a) 42</summary>Right. 21 and 21.</details>
<details><summary>b) 41</summary>No. An odd number is never twice another one.</details>
<details><summary>c) 24</summary>No. The digits have changed places.</details>"""

STORY = """## 1 The first step

One goal and one limit in a line. Then something that the learner does, and what
happened, in at most three sentences: the cell below writes *42*<!-- out -->."""

DOUBTS = """## What this doesn't show

At most six lines, and nothing that a cheap run would settle."""

EXERCISES = """## Exercises

### 1. **Build**: twice a number

Return twice the number.

<details><summary>Hint 1</summary>Add it to itself.</details>
<details><summary>Hint 2</summary>Or multiply it by 2.</details>"""

ENDING = """## After the lesson

**1. And two times 0?**

<details><summary>a) 2</summary>No. Nothing, twice, stays nothing.</details>
<details><summary>b) 0</summary>Right. Nothing, twice.</details>

**What holds:** five sentences with results.

**Sources:** the papers."""

RECORD = "## For the record"

STUB = '''def double(number):
    """Return twice the number."""
    raise NotImplementedError


checks.double(double);'''

ANSWER = """def double(number):
    return 2 * number


answer = checks.double(double)"""

CHECKS = '''"""Checks of the exercises of lesson {number}."""

from course_utils.kit.checks.answers import lesson_{number} as answers
from course_utils.kit.checks.compare import Case, compare


def double(function):
    """Check exercise 1, build: twice a number."""
    cases = [Case((2,)), Case((-1.5,)), Case((0,))]
    return compare(function, answers.double, cases, "the number and itself again")
'''

TESTS = '''"""Exercises of lesson {number}: right answers pass, mistakes do not."""

from exercise_battery import accepts, agrees, rejects

from course_utils.kit.checks import lesson_{number} as checks
from course_utils.kit.checks.answers import lesson_{number} as answers


def double_adds_two(number):
    return number + 2


def test_double_rejects():
    rejects(checks.double, double_adds_two, "the number and itself again")


def test_double_accepts():
    accepts(checks.double, answers.double)
    accepts(checks.double, lambda number: number + number)


def test_double_by_hand():
    agrees(answers.double, (21,), 42)
'''


def lesson_cells(number, title, run_line, set_up):
    """Return the cells of a lesson's skeleton."""
    facts = {"number": number, "title": title, "run_line": run_line, "minutes": 5}
    imports = (
        "from course_utils.kit import results\n"
        f"from course_utils.kit.checks import lesson_{number} as checks"
    )
    record = f'results.record_all({{"lesson_{number}.double.of_21": double_of_21}})'
    return [
        new_markdown_cell(OPENING.format(**facts)),
        new_code_cell(set_up, metadata=FOLDED),
        new_code_cell(imports, metadata=FOLDED),
        new_markdown_cell(AIMS.format(**facts)),
        new_markdown_cell(STORY),
        new_code_cell("double_of_21 = 2 * 21\ndouble_of_21", metadata=CHECKED),
        new_markdown_cell(DOUBTS),
        new_markdown_cell(EXERCISES),
        new_code_cell(STUB),
        new_markdown_cell(ENDING),
        new_markdown_cell(RECORD),
        new_code_cell(record, metadata=FOLDED),
    ]


def solution_cells(number, title, run_line, set_up):
    """Return the cells of the solution notebook."""
    opening = (
        f"# {number} {title}: solutions\n\n{run_line}\n\n"
        "Another answer may be as good, and the check decides."
    )
    return [
        new_markdown_cell(opening),
        new_code_cell(set_up, metadata=FOLDED),
        new_code_cell(f"from course_utils.kit.checks import lesson_{number} as checks"),
        new_markdown_cell("## 1. Build: twice a number\n\nSay why in two sentences."),
        new_code_cell(ANSWER, metadata=CHECKED),
    ]


def new_files(number, name):
    """Return the skeleton: path in the repository to its text or notebook.

    Args:
        number: of the lesson, such as "17".
        name: of the lesson in lower case, with underscores.

    Raises:
        ValueError: they don't look so.
    """
    if not re.fullmatch(r"\d\d", number):
        raise ValueError(f"N is {number!r}; it must have two digits, such as 17.")
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise ValueError(
            f"NAME is {name!r}; use lower-case words with underscores, such as "
            "my_question."
        )
    title = name.replace("_", " ").capitalize()
    release = publish.read(ROOT)
    lesson = f"notebooks/{number}_{name}.ipynb"
    solution = f"notebooks/solutions/{number}_{name}.ipynb"
    set_up = publish.set_up(release) + SETUP_CALL
    return {
        lesson: notebook(
            lesson_cells(number, title, publish.run_line(release, lesson), set_up)
        ),
        solution: notebook(
            solution_cells(number, title, publish.run_line(release, solution), set_up)
        ),
        f"course_utils/kit/checks/lesson_{number}.py": CHECKS.format(number=number),
        f"tests/kit/checks/test_lesson_{number}.py": TESTS.format(number=number),
    }


def notebook(cells):
    """Return a notebook of the cells, with ids that don't change from run to run."""
    for position, cell in enumerate(cells):
        cell["id"] = f"cell-{position}"
    metadata = {"kernelspec": runner.KERNELSPEC, "language_info": {"name": "python"}}
    return new_notebook(cells=cells, metadata=metadata)


def write(files, root=ROOT):
    """Write the skeleton's files.

    Raises:
        ValueError: one of them is there already; nothing is written then.
    """
    for place in files:
        if (root / place).exists():
            raise ValueError(f"{place} is there already; choose another N or NAME.")
    for place, content in files.items():
        text = content if isinstance(content, str) else nbformat.writes(content)
        texts.write(root / place, text)
        print(f"{place}: written")


def store_runs(files, root=ROOT):
    """Run the skeleton's notebooks and store their outputs; return what failed."""
    os.environ["COURSE_DATA"] = "full"  # they read no data
    failures = []
    for place in files:
        if not place.endswith(".ipynb"):
            continue
        outcome, executed = runner.run_lesson(root / place, "full", timeout=600)
        problem = outcome.error or runner.store(executed, root / place)
        if problem:
            failures.append(f"{place}: {problem}")
    return failures


def main(arguments=None):
    """Write the skeleton and store its first run; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("number", help="of the lesson, such as 17")
    parser.add_argument("name", help="such as my_question")
    options = parser.parse_args(arguments)
    try:
        files = new_files(options.number, options.name)
        write(files)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    extract_answers.main([])
    failures = store_runs(files)
    texts.print_all(failures)
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
