"""Evidence of lesson 03: it runs the lesson's own code, and nothing else of it."""

import numpy as np
import pytest

from benchmarks import alignment, lesson_code


@pytest.fixture(scope="module")
def lesson():
    found = lesson_code.definitions("03", "nats", "SCORES")
    found["V"] = 9
    return found


def test_only_what_is_asked_for_is_assigned(lesson):
    scores = {options["score"] for options in alignment.ARMS.values() if options}
    assert "models" not in lesson and scores == set(lesson["SCORES"])
    kinds = {*alignment.KINDS.values(), "AttentionTranslator", "uniform_attention"}
    assert kinds <= lesson.keys()


def test_places_travel_with_ids(lesson):
    trained = []
    lesson["train_model"] = lambda model, sides, *rest: trained.append(sides)
    rows = [(["a", "b"], ["x", "y"], [(1, 0)])]
    lesson["train_guided"](None, ([[4, 5]], [[6, 7]]), rows, 1)
    assert trained == [([[4, 5]], [[6 + 2 * 9, 7]])]


def test_without_a_choice_all_real_words_count_alike(lesson):
    query, value = np.ones((1, 2, 3), "float32"), np.eye(3, dtype="float32")[None]
    mask = np.array([[True, True, False]])
    context, weights = lesson["uniform_attention"](query, value, mask)
    assert np.array_equal(weights, [[[0.5, 0.5, 0]] * 2])
    assert np.array_equal(context, [[[0.5, 0.5, 0]] * 2])
