"""The code of a lesson: its evidence measures what the lesson builds in view."""

import ast
import json

from tools import cells, lessons

DEFINING = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef


def definitions(lesson, *assigned, **given):
    """Return what a lesson's code defines, by name; nothing else of it is run.

    Args:
        lesson: its number, such as "03", or the name of a further lesson.
        assigned: names that the lesson gives a value, which are wanted, too.
        given: values of names that these need.

    Returns:
        The functions' own global names: what is put in here, they see.
    """
    path = lessons.path_of(lesson)
    found = {"__name__": path.stem, **given}
    for _, tree, _ in cells.code(json.loads(path.read_text(encoding="utf-8"))):
        for node in tree.body:
            named = isinstance(node, ast.Assign) and ast.unparse(node.targets[0])
            if isinstance(node, DEFINING) or named in assigned:
                exec(compile(ast.Module([node], []), path.name, "exec"), found)
    return found


def run_until(lesson, cell):
    """Run a lesson's code before the cell with an id; return its names."""
    path, found = lessons.path_of(lesson), {"__name__": "lesson"}
    for one in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if one["id"] == cell:
            break
        if one["cell_type"] == "code":
            exec(compile("".join(one["source"]), one["id"], "exec"), found)
    return found
