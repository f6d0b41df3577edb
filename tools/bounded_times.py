"""The bounds that a lesson's code sets to times, found without running it.

A clock may fail nothing: what depends on it is recorded, or expected with `clock=True`.
"""

import ast

from course_utils import results
from tools import cells


def bounded_times(source):
    """Yield what is wrong with the times in a cell's code, as ends of a sentence.

    Example:
        >>> list(bounded_times("results.expect('demo.minutes', 7, at_most=6)"))
        ['sets bounds to demo.minutes; they need clock=True']
        >>> list(bounded_times("assert seconds < 9"))
        ['asserts a time: seconds < 9; use results.expect with clock=True']
    """
    tree, _ = cells.syntax(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and results.says_time(_words(node), ""):
            condition = ast.unparse(node.test)
            yield f"asserts a time: {condition}; use results.expect with clock=True"
    for function, call, keywords in cells.calls(tree):
        if function.endswith("results.expect"):
            name, unit = _text(call.args[0], tree), _text(keywords.get("unit"), tree)
            if results.says_time(name, unit) and "clock" not in keywords:
                yield f"sets bounds to {name}; they need clock=True"


def _text(node, tree):
    """Return a text as far as it stands in a cell: its variable parts are left out."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part, tree) for part in node.values)
    if isinstance(node, ast.Name):
        for other in ast.walk(tree):
            targets = getattr(other, "targets", [])
            if any(getattr(target, "id", None) == node.id for target in targets):
                return _text(other.value, tree)
    return ""


def _words(node):
    """Return the variables, attributes and keys that an expression reads."""
    parts = (
        getattr(part, "id", getattr(part, "attr", getattr(part, "value", "")))
        for part in ast.walk(node)
    )
    return "_".join(part for part in parts if isinstance(part, str))
