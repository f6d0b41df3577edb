"""Which lesson builds a name of the package: the table in course_utils/README.md.

`make tables` writes it, from the definitions in the package and in the lessons.
"""

import ast
import json
from pathlib import Path

from tools import cells, lessons

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "course_utils"
README = PACKAGE / "README.md"
KIT = "kit"
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


def public_names(tree):
    """Return the public functions and classes that a module defines at its top."""
    names = [node.name for node in tree.body if isinstance(node, DEFINITIONS)]
    return [name for name in names if not name.startswith("_")]


def package_names(package=PACKAGE):
    """Return the public names of the learner's rooms: module to names."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package)
        if place.parts[0] == KIT or path.name == "__main__.py":
            continue
        names = public_names(ast.parse(path.read_text(encoding="utf-8")))
        if names:
            found[place.as_posix()] = names
    return found


def first_lessons(paths):
    """Return the path of the first lesson that defines each name.

    Args:
        paths: of notebooks, in the order in which they are read.
    """
    found = {}
    for path in paths:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for _, tree, _ in cells.code(notebook):
            for name in public_names(tree):
                found.setdefault(name, path)
    return found


def is_common_word(name):
    """Tell whether a name is one word, such as "load", which lessons use for others."""
    return name.islower() and "_" not in name


def table():
    """Return the table: each name that a lesson builds and the package holds."""
    lines = ["| Built in | Name | Stands in |", "|---|---|---|"]
    modules = {}
    for module, names in package_names().items():
        for name in names:
            modules[name] = module
    shown = None
    for name, path in first_lessons(lessons.find()).items():
        if name not in modules or is_common_word(name):
            continue
        place = path.relative_to(ROOT).as_posix()
        lesson = "" if path == shown else f"[{path.stem.replace('_', ' ')}](../{place})"
        shown = path
        module = modules[name]
        lines.append(f"| {lesson} | `{name}` | [{module}]({module}) |")
    return "\n".join(lines)
