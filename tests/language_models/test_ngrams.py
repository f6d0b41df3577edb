"""N-grams: equal to a plain loop, probabilities that sum to 1, padding left out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.language_models.ngrams import NgramModel

V = 5
IDS = st.lists(st.integers(0, V - 1), min_size=4, max_size=30)
a_few = settings(max_examples=40, derandomize=True, deadline=None)


def plain(ids, history, following):
    """Return P(following | history) by counting again for each length of history."""
    shorter = plain(ids, history[1:], following) if history else 1 / V
    n = len(history)
    after = [ids[i + n] for i in range(len(ids) - n) if ids[i : i + n] == history]
    if not after:
        return shorter
    kinds = len(set(after))
    return (after.count(following) + kinds * shorter) / (len(after) + kinds)


@a_few
@given(IDS, st.integers(1, 4), st.lists(st.integers(1, V - 1), max_size=5))
def test_probabilities_equal_a_plain_loop_and_sum_to_one(ids, order, history):
    model = NgramModel(ids, V, order)
    found = model.probabilities(history)
    last = history[-(order - 1) :] if order > 1 else []
    right = [plain(ids, last, following) for following in range(V)]
    np.testing.assert_allclose(found, right, rtol=1e-12)
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert (found > 0).all()


def test_probabilities_ignore_what_stands_before_padding():
    model = NgramModel([1, 2, 3, 1, 2, 4, 3, 3], V, 3)
    np.testing.assert_array_equal(model.probabilities([0, 2]), model.probabilities([2]))
    np.testing.assert_array_equal(model.probabilities([2, 0]), model.probabilities([]))


@pytest.mark.parametrize("order", [1, 3, 8])
def test_log_probabilities_of_windows(order):
    rng = np.random.default_rng(0)
    model = NgramModel(rng.integers(1, V, 300), V, order)
    inputs, targets = rng.integers(1, V, (2, 2, 6))
    targets[0, :2] = targets[1, 5] = 0
    found = model.log_probabilities(inputs, targets)
    assert not found[targets == 0].any()
    for n, t in np.argwhere(targets):
        right = model.probabilities(inputs[n, : t + 1])[targets[n, t]]
        assert found[n, t] == pytest.approx(np.log(right))


def test_lower_order_equals_counting_anew():
    ids = np.random.default_rng(1).integers(1, V, 200)
    longest = NgramModel(ids, V, 4)
    for order in (1, 2, 4):
        models = longest.lower_order(order), NgramModel(ids, V, order)
        found, anew = (model.probabilities([2, 1, 3]) for model in models)
        np.testing.assert_array_equal(found, anew)
    assert longest.order == len(longest.tables) == 4  # it stays as it is
    for order in (0, 5):
        with pytest.raises(ValueError, match=f"order is {order}; it must be at least"):
            longest.lower_order(order)
