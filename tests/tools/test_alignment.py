"""Bahdanau's order, which only lesson 03 and its evidence have."""

import numpy as np
import pytest

from benchmarks import alignment


def test_steps_in_bahdanaus_order_give_what_one_call_gives():
    options = {"decoder": "attention", "attention": {"score": "additive"}}
    model = alignment.Bahdanau(9, 8, 4, 6, bidirectional=True, **options)
    model.build()
    source, tokens = np.array([[4, 5, 6, 0], [7, 8, 4, 5]]), np.array([[2, 4, 5]] * 2)
    expected, encoded = model((source, tokens)), model.encode_for_steps(source)
    cache = model.empty_cache(2, 3)
    for t in range(3):
        logits, cache = model.step(tokens[:, t], t, cache, encoded)
        assert np.array(logits) == pytest.approx(np.array(expected)[:, t], abs=1e-5)
    links = alignment.links_of(model, [[4, 5, 6]], [[4, 5]])
    assert [j for _, j in sorted(links[0], key=lambda link: link[1])] == [0, 1]
