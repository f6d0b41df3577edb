"""The program of the evidence of lessons 15 and 15b: what it takes from them."""

import ast
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import lesson_code, pretrained
from tools import cells

SOURCE = Path(pretrained.__file__).read_text("utf-8")
NOTEBOOKS = (Path(__file__).parents[2] / "notebooks").glob("15*_*.ipynb")


def test_every_arm_has_a_function_and_equal_tuning():
    arms = pretrained.ARMS.values()
    assert all(callable(getattr(pretrained, arm["kind"])) for arm in arms)
    tries = [arm["tries"] for arm in arms if "tries" in arm]
    assert {len(values) for values in [*tries, *pretrained.C.values()]} == {3}


def test_what_it_takes_from_the_lessons_is_there():
    defined = {*sum(pretrained.NAMES.values(), []), "encoder", "bert_pieces"}
    defined |= {"embedder", "writer", "writer_pieces", "step"}
    for path in NOTEBOOKS:
        for _, tree, _ in cells.code(json.loads(path.read_text("utf-8"))):
            defined |= {node.name for node in tree.body if hasattr(node, "name")}
    taken = {
        node.slice.value
        for node in ast.walk(ast.parse(SOURCE))
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "lesson"
    }
    assert len(taken) > 15 and taken <= defined


def test_seed_0_chooses_on_validation_and_others_follow(monkeypatch, tmp_path):
    scores = {1: (0.7, 0.9), 2: (0.8, 0.6), 3: (0.6, 1.0)}

    def learn(setting):
        return dict(zip(("validation", "test"), scores[setting], strict=True)).get

    monkeypatch.setattr(pretrained.answers, "HITS", tmp_path)
    found = pretrained.tried("a.b", 0, scores, learn)
    assert (found["a.b.setting"], found["a.b.test_accuracy"]) == (2, 0.6)
    rows = [{"name": "a.b.setting", "value": 3 - seed, "seed": seed} for seed in (1, 0)]
    monkeypatch.setattr(pretrained.evidence, "load", lambda name: rows)
    assert pretrained.tried("a.b", 1, scores, learn)["a.b.test_accuracy"] == 1.0
    scores = {1: (0.7, 0.1), 2: (0.8, 0.2), 4: (0.9, 0.3), 8: (0.85, 0.4)}
    found = pretrained.tried("a.b", 0, [1, 2, 4], learn)  # 8, beyond the end, is worse
    assert (found["a.b.setting"], found["a.b.test_accuracy"]) == (4, 0.3)
    scores[8] = 0.95, 0.4
    assert pretrained.tried("a.b", 0, [1, 2, 4], learn)["a.b.setting"] == 8


def test_arms_are_compared_review_by_review(monkeypatch, tmp_path):
    monkeypatch.setattr(pretrained.answers, "HITS", tmp_path)
    for seed, right in enumerate(([1, 1, 0, 1], [1, 1, 1, 0])):
        pretrained.answers.kept("a.one", seed, right)
    pretrained.answers.kept("a.other", 0, [0, 1, 0, 0])  # only with this seed
    found = pretrained.differences({}, "differences", 2, [("a.one", "a.other")])
    assert found["a.one.minus.other"] == 0.5
    assert found["a.one.minus.other.error"] == pytest.approx(np.sqrt(1 / 3) / 2)


def test_the_names_of_both_lessons_can_be_taken():
    given = {"course": SimpleNamespace(pick=lambda full, sample: full), "LENGTH": 128}
    for lesson, names in pretrained.NAMES.items():
        assert {*names} <= {*lesson_code.definitions(lesson, *names, **given)}


def test_examples_in_a_chat_are_turns_of_one_dialogue_each_ended():
    course = SimpleNamespace(pick=lambda full, sample: full)
    lesson = lesson_code.definitions("15b", *pretrained.NAMES["15b"], course=course)
    show, prompts = lesson["with_examples"], lesson["PROMPTS"]
    ask, end = f"<|im_start|>user\n{lesson['ASK']}\n\n", "<|im_end|>\n"
    said = f"{end}<|im_start|>assistant\n"
    right = f"{ask} A{said}Positive{end}{ask} B{said}Negative{end}{ask}"
    assert show([("A", 1), ("B", 0)], *prompts["chat"]) == lesson["SYSTEM"] + right
    bare = "Review: A\nSentiment: negative\n\nReview:"
    assert show([("A", 0)], *prompts["label"]) == bare
