"""Imports run one way and never in a circle."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LEVELS = "course_utils", "tools", "benchmarks", "website"  # each may use those before


def sources(*folders):
    """Return the Python files below folders: path from the root to text."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "node_modules" not in path.parts
    }


def imported(text, lazy=True):
    """Return the names of modules that a text imports, those in functions if asked."""
    tree = ast.parse(text)
    found = set()
    for node in ast.walk(tree) if lazy else tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{a.name}" for a in node.names} | {node.module}
    return found


@pytest.mark.parametrize("level", LEVELS)
def test_nothing_imports_upward(level):
    above = set(LEVELS[LEVELS.index(level) + 1 :]) | {"tests", "course_site"}
    if level == "website":
        above = {"tests"}
    for path, text in sources(level).items():
        assert not {name.split(".")[0] for name in imported(text)} & above, path


def module_name(path):
    """Return the name under which a file of course_utils is imported."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def module_graph(lazy=False):
    """Return module → modules of course_utils that it imports, `lazy` as `imported`."""
    texts = {module_name(p): text for p, text in sources("course_utils").items()}
    graph = {}
    for name, text in texts.items():
        modules = imported(text, lazy) & set(texts)
        # Importing a module imports its room, too: that is no second import.
        rooms = {module.rpartition(".")[0] for module in modules}
        graph[name] = modules - rooms - {name}
    return graph


# What everybody may use of the kit: where data lie, how files are read and written.
KIT_FOR_ALL = {"course_utils.kit.environment", "course_utils.kit.files"}
# The command shows a translation in the viewer; a table of costs reads stored results.
KIT_FOR_ONE = {
    "course_utils.__main__": {"course_utils.kit.plots.viewer"},
    "course_utils.scaling.trainings": {"course_utils.kit.results"},
}


def test_what_lessons_build_needs_little_of_the_kit():
    for name, modules in module_graph(lazy=True).items():
        if not name.startswith("course_utils.kit"):
            of_the_kit = {one for one in modules if one.startswith("course_utils.kit")}
            assert of_the_kit <= KIT_FOR_ALL | KIT_FOR_ONE.get(name, set()), name


def test_only_notebooks_use_the_checks_of_exercises():
    checks = "course_utils.kit.checks"
    for name, modules in module_graph(lazy=True).items():
        if not name.startswith(checks):
            assert not [one for one in modules if one.startswith(checks)], name


def circles(graph):
    """Return the nodes of a graph that can be reached from themselves."""

    def reached(start):
        seen, waiting = set(), list(graph[start])
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                waiting += graph[node]
        return seen

    return sorted(node for node in graph if node in reached(node))


def test_a_circle_is_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["b", "c"]


def room_of(module):
    """Return the room of a module: the kit's rooms count one by one."""
    parts = module.split(".")[1:]
    if parts[:1] == ["kit"]:
        return ".".join(parts[:2])
    return parts[0] if parts else ""


def test_neither_modules_nor_rooms_need_each_other():
    graph = module_graph()
    assert len(graph) > 50
    assert circles(graph) == []
    rooms = {}
    for name, modules in graph.items():
        if name in ("course_utils", "course_utils.__main__"):
            continue
        needed = rooms.setdefault(room_of(name), set())
        needed.update(room_of(module) for module in modules)
        needed.discard(room_of(name))
    assert len(rooms) > 15
    rooms[""] = set()
    assert circles(rooms) == []
