"""The exercises' right answers, from the solution notebooks into the package.

    python -m tools.extract_answers [--check]

writes `course_utils/kit/checks/answers/lesson_NN.txt`, which the checks run (in
Colab there is no notebook beside the package); with --check it names files that are
out of step. A further lesson has its name in the place of `lesson_NN`.

How an exercise is added:
1. Write its answer in `notebooks/solutions/NN_….ipynb`: a function of its own, then
   `answer = checks.NAME(FUNCTION)` in the same cell. Run this tool.
2. Write the check NAME, its cases and hints, in `course_utils/kit/checks/lesson_NN.py`;
   a table of cases stands in `cases.toml` beside it.
3. Write wrong answers and a value by hand in `tests/kit/checks/test_lesson_NN.py`.
"""

import ast
import json
import symtable
import sys

from tools import cells, lessons, texts
from tools.lessons import ROOT, SOLUTIONS

ANSWERS = ROOT / "course_utils" / "kit" / "checks" / "answers"

HEADER = """\
# The right answers of a lesson: stop reading if you want to find them yourself.
# Generated from notebooks/solutions/{name} by
# `python -m tools.extract_answers`; change the notebook, not this file.

"""


def read_exercises(path):
    """Return the exercises of a solution notebook.

    Args:
        path: the notebook. A cell defines a function and calls `checks.NAME(FUNCTION)`.

    Returns:
        The functions' names by the check's name, a list each (the first answer is
        the one that the check runs), and a Python text that defines all of them with
        the functions and imports that they need.
    """
    definitions, called = {}, {}
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for _, tree, source in cells.code(notebook):
        for node in tree.body:
            definitions |= _definitions(node, source)
        for function, call, _ in cells.calls(tree):
            owner, _, check = function.rpartition(".")
            if owner == "checks":
                called.setdefault(check, []).append(call.args[0].id)
    needed, waiting = set(), [name for names in called.values() for name in names]
    while waiting:
        name = waiting.pop()
        if name in definitions and name not in needed:
            needed.add(name)
            waiting += _global_names(symtable.symtable(definitions[name], "", "exec"))
    texts = [text for name, text in definitions.items() if name in needed]
    imports = [text for text in texts if not text.startswith("def ")]
    functions = [f"\n\n{text}" for text in texts if text.startswith("def ")]
    return called, "\n".join([*imports, *functions]) + "\n"


def _global_names(table):
    """Return the names that functions look up outside of themselves."""
    names = [symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()]
    return names + sum(map(_global_names, table.get_children()), [])


def _definitions(node, source):
    """Return the text of each import and function that a statement defines, by name."""
    if isinstance(node, ast.FunctionDef):
        lines = source.splitlines()[node.lineno - 1 : node.end_lineno]
        return {node.name: "\n".join(lines)}
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        return {}
    texts = {}
    for alias in node.names:
        one = type(node)(**vars(node) | {"names": [alias]})
        texts[alias.asname or alias.name] = ast.unparse(one)
    return texts


def answer_files():
    """Return the text of each file of answers, by its path; None if it has to go."""
    files = dict.fromkeys(ANSWERS.glob("*.txt"))
    for path in lessons.find(SOLUTIONS):
        name = path.relative_to(SOLUTIONS).as_posix()
        text = HEADER.format(name=name) + read_exercises(path)[1]
        files[ANSWERS / f"{lessons.checks_of(lessons.key(path))}.txt"] = text
    return files


def main(arguments):
    """Write the answers, or with --check name those that are out of step."""
    command = "python -m tools.extract_answers"
    return texts.keep_in_step(answer_files(), ROOT, "--check" in arguments, command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
