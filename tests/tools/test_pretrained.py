"""The program of lesson 15's evidence: its arms, and what it takes from the lesson."""

import ast
import json
from pathlib import Path

from benchmarks import pretrained
from tools import cells

SOURCE = Path(pretrained.__file__).read_text("utf-8")
(NOTEBOOK,) = (Path(__file__).parents[2] / "notebooks").glob("15_*.ipynb")


def test_every_arm_has_a_function_and_its_trial_comes_first():
    seen = []
    for arm, settings in pretrained.ARMS.items():
        assert callable(getattr(pretrained, settings["kind"]))
        if settings["kind"] == "trained":
            assert f"trial_{arm.rpartition('_')[0]}" in seen
            assert settings["labels"] in pretrained.PASSES
        seen.append(arm)
    assert seen.index("recipe_long") < seen.index("teacher")


def test_what_it_takes_from_the_lesson_is_there():
    defined = set(pretrained.NAMES)
    for _, tree, _ in cells.code(json.loads(NOTEBOOK.read_text("utf-8"))):
        defined |= {node.name for node in tree.body if hasattr(node, "name")}
    tree, taken = ast.parse(SOURCE), set()
    for node in ast.walk(tree):
        own = isinstance(node, ast.Subscript) and ast.unparse(node.value) == "lesson"
        if own and isinstance(node.slice, ast.Constant):
            (defined if isinstance(node.ctx, ast.Store) else taken).add(
                node.slice.value
            )
    assert len(taken) > 15
    assert taken <= defined


def test_the_best_is_that_of_the_largest_value(monkeypatch):
    rows = [{"name": f"pretrained.trial_x.{n}", "value": v} for n, v in ("1a", "2b")]
    monkeypatch.setattr(pretrained.evidence, "read", lambda path: {"rows": rows})
    assert pretrained.best("pretrained.trial_x.") == "2"
