"""The exercises' right answers, from the solution notebooks into the package.

    python -m tools.extract_answers [--check]

writes a module for each solution notebook into `course_utils/kit/checks/answers/`. The
checks import it, for in Colab there is no notebook beside the package. With --check it
names modules that are out of step.

How an exercise is added:
1. Write its answer in `notebooks/solutions/NN_….ipynb`: a function of its own, then
   `answer = checks.NAME(FUNCTION)` in the same cell. Run `make answers`.
2. Write the check NAME, its cases and hints, in `course_utils/kit/checks/lesson_NN.py`.
3. Write likely wrong answers, and a value by hand, in
   `tests/kit/checks/test_lesson_NN.py`.

A further lesson has its name in the place of `lesson_NN`, and of `NN` in the test's.
"""

import ast
import json
import subprocess
import symtable
import sys
from pathlib import Path

from tools import cells, lessons, texts

ROOT = Path(__file__).resolve().parents[1]
SOLUTIONS = ROOT / "notebooks" / "solutions"
ANSWERS = ROOT / "course_utils" / "kit" / "checks" / "answers"

HEADER = '''\
"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/{name}
"""

'''


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


def module_text(path):
    """Return the text of the module of a solution notebook."""
    name = path.relative_to(SOLUTIONS).as_posix()
    return formatted(HEADER.format(name=name) + read_exercises(path)[1])


def formatted(text):
    """Return a Python text with sorted imports, as ruff formats it."""
    ruff = [sys.executable, "-m", "ruff"]
    options = {"input": text, "capture_output": True, "text": True, "check": True}
    sort = [*ruff, "check", "--quiet", "--select", "I", "--fix", "-"]
    options["input"] = subprocess.run(sort, **options, cwd=ROOT).stdout
    layout = [*ruff, "format", "--quiet", "-"]
    return subprocess.run(layout, **options, cwd=ROOT).stdout


def answer_files():
    """Return the text of each module of answers, by its path; None if it has to go."""
    files = dict.fromkeys(ANSWERS.glob("*.py"))
    del files[ANSWERS / "__init__.py"]
    for path in lessons.find(SOLUTIONS):
        if read_exercises(path)[0]:  # a page may have no checked exercise
            name = lessons.checks_of(lessons.key(path))
            files[ANSWERS / f"{name}.py"] = module_text(path)
    return files


def main(arguments):
    """Write the answers, or with --check name those that are out of step."""
    command = "python -m tools.extract_answers"
    return texts.sync_files(answer_files(), ROOT, "--check" in arguments, command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
