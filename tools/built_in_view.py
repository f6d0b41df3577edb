"""What a lesson takes from the package was built in a lesson before it.

    python -m tools.built_in_view [LESSON ...]

Each name of built_in_view.toml is defined in the code of one lesson, where a cell shows
that the package's twin gives the same numbers: a cell that uses the twin and asserts.
From the next lesson on the twin may be imported. Plumbing may be imported anywhere.
"""

import ast
import sys
import tomllib
from pathlib import Path

import nbformat

from tools import cells, texts

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
BUILT_IN = {name: lesson for lesson, names in TABLE["built"].items() for name in names}
PLUMBING_ROOMS, PLUMBING = TABLE["plumbing_rooms"], TABLE["plumbing"]
PROMISES = TABLE["promises"]  # name to the lessons that take it early, and say so


def violations(notebook, lesson):
    """Yield what a lesson takes or builds against the rule, as one sentence each.

    Args:
        notebook: an nbformat notebook.
        lesson: its number, such as "05".
    """
    trees = [(position, tree) for position, tree, _ in cells.code(notebook)]
    defined = {}
    for position, tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                defined.setdefault(node.name, position)
    shown = set()
    sure = {p for p, tree in trees if _asserts(tree)}
    # What a checked cell prints is compared with its stored output.
    sure |= {p for p, _, t in cells.code(notebook) if "NBVAL" in t and "allclose(" in t}
    for position, name in taken(trees):
        home = BUILT_IN.get(name)
        if name in PLUMBING or lesson in PROMISES.get(name, ()):
            continue
        if home is None:
            yield f"cell {position} takes {name}, which no lesson builds"
        elif home > lesson:
            yield f"cell {position} takes {name}, which lesson {home} builds"
        elif home == lesson and position < defined.get(name, position + 1):
            yield f"cell {position} takes {name} before this lesson builds it"
        elif home == lesson and position not in sure:
            yield f"cell {position} takes {name}, but doesn't prove it equal"
        elif home == lesson:
            shown.add(name)
    for name in (name for name, home in BUILT_IN.items() if home == lesson):
        if name not in defined:
            yield f"{name} is not defined, but this lesson has to build it"
        elif name not in shown:
            yield f"no cell shows that {name} equals the package's"


def taken(trees):
    """Yield (cell position, name) for what the code takes from the package.

    A name that is imported counts in the cell of its import; what is reached through a
    module counts where it is used. Modules of plumbing don't count.
    """
    modules = set()
    for position, tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and _is_ours(node.module):
                for alias in node.names:
                    path = f"{node.module}.{alias.name}"
                    if path.split(".")[1] in PLUMBING_ROOMS:
                        continue
                    if _is_module(path):
                        modules.add(alias.asname or alias.name)
                    else:
                        yield position, alias.name
            elif isinstance(node, ast.Import):
                ours = [alias for alias in node.names if _is_ours(alias.name)]
                modules |= {alias.asname or "course_utils" for alias in ours}
    for position, tree in trees:
        for node in ast.walk(tree):
            owner = getattr(node, "value", None)
            found = isinstance(node, ast.Attribute) and isinstance(owner, ast.Name)
            found = found and owner.id in modules
            if found and not _is_module(f"course_utils.{node.attr}"):
                yield position, node.attr


def _asserts(tree):
    """Tell whether code fails when two results differ."""
    return any(
        isinstance(node, ast.Assert)
        or (isinstance(node, ast.Attribute) and node.attr.startswith("assert_"))
        for node in ast.walk(tree)
    )


def _is_ours(module):
    return (module or "").split(".")[0] == "course_utils"


def _is_module(path):
    """Tell whether a dotted name of the package is a module, without running it."""
    folder = Path(__file__).resolve().parents[1].joinpath(*path.split("."))
    return folder.is_dir() or folder.with_suffix(".py").is_file()


def main(arguments):
    """Print the violations of the lessons that are named, or of all."""
    found = sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))
    paths = {path.name.partition("_")[0]: path for path in found}
    return texts.tell(
        f"{path.name}: {sentence}"
        for lesson, path in paths.items()
        if lesson in (arguments or paths)
        for sentence in violations(nbformat.read(path, as_version=4), lesson)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
