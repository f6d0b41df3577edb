"""The house stays small and its imports run one way: the bounds of CONTRIBUTING.md."""

import ast
import io
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LAYOUT = ["COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENDMARKER"]
LEVELS = "course_utils", "tools", "benchmarks", "website"  # each may use those before


def sources(*folders):
    """Return the Python files below folders: path from the root to text."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "node_modules" not in path.parts
    }


def code_lines(text):
    """Count the lines that hold code: neither docstrings nor comments nor blank."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if tokenize.tok_name[token.type] not in LAYOUT:
            lines |= set(range(token.start[0], token.end[0] + 1))
    kinds = ast.Module, ast.ClassDef, ast.FunctionDef
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, kinds) and ast.get_docstring(node) is not None:
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def test_code_lines_are_those_of_code():
    text = '"""A module."""\n\nimport re  # why\n# why not\n\n\ndef f():\n'
    text += '    """Do it.\n\n    At length.\n    """\n    return """two\nlines"""\n'
    assert code_lines(text) == 4


@pytest.mark.parametrize("folders, most", [(LEVELS[:1], 7000), (LEVELS[1:3], 4500)])
def test_the_code_is_small(folders, most):
    counted = {p: code_lines(t) for p, t in sources(*folders).items()}
    assert sum(counted.values()) <= most


def test_the_tests_are_small_and_no_file_is_long():
    lines = {path: text.count("\n") for path, text in sources("tests").items()}
    assert sum(lines.values()) <= 14_000
    lengths = {p: text.count("\n") for p, text in sources(*LEVELS, "tests").items()}
    assert [p for p, n in lengths.items() if n > 330] == []
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120


def test_the_package_can_be_seen_whole():
    entries = {p.name for p in (ROOT / "course_utils").iterdir()} - {"__pycache__"}
    assert len(entries) <= 26, sorted(entries)


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


def module_graph():
    """Return module → modules of course_utils that it imports when it is imported."""
    texts = {
        path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): text
        for path, text in sources("course_utils").items()
    }
    graph = {}
    for name, text in texts.items():
        found = imported(text, lazy=False)
        # A room whose module is imported is no second import.
        rooms = {one.rpartition(".")[0] for one in found if one in texts}
        graph[name] = {one for one in found - rooms if one in texts} - {name}
    return graph


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


def test_neither_modules_nor_rooms_need_each_other():
    graph, rooms = module_graph(), {}
    assert len(graph) > 50
    assert circles(graph) == []
    for name, found in graph.items():
        room = name.split(".")[1:2]
        if room and room != ["__main__"]:
            others = {one.split(".")[1] for one in found if "." in one} - set(room)
            rooms.setdefault(room[0], set()).update(others)
    assert len(rooms) > 15
    assert circles(rooms) == []
