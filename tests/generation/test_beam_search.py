"""Beam search finds the best sequence, and scores it as the model does."""

import math

import numpy as np
import pytest
import search_models as models
from keras import ops
from search_models import A, B, TableModel, penalty, strip

from course_utils.generation.beam_search import beam_search
from course_utils.generation.search import greedy_search
from course_utils.text.vectorizers import END, PAD, START, pad


def test_beam_search_finds_what_greedy_search_misses():
    model, source = TableModel([models.GARDEN_PATH]), np.zeros((1, 1))
    tokens, scores = beam_search(model, source, 6, 2, length_penalty=0.0)
    assert strip(tokens[0]) == [B, END]
    np.testing.assert_allclose(scores, [math.log(0.4)], atol=1e-5)
    greedy = strip(greedy_search(model, source, 6)[0])
    assert greedy[0] == A
    assert model.log_prob(0, greedy) < scores[0] - 0.1


@pytest.mark.parametrize("length_penalty", [0.0, 1.0, 2.0])
def test_wide_beam_search_equals_exhaustive_search(length_penalty):
    """216 beams hold all beginnings; there are more of them than tokens."""
    model = TableModel(models.random_tables(3, seed=1))
    kinds = np.array([[2], [0], [1]])
    tokens, scores = beam_search(model, kinds, 4, 216, length_penalty)
    for row, score, kind in zip(tokens, scores, kinds[:, 0], strict=True):
        best_score, best = model.best(kind, 4, length_penalty)
        assert strip(row) == best
        assert score == pytest.approx(best_score, abs=1e-4)


@pytest.mark.parametrize("seed", range(2))
def test_scores_are_those_of_the_returned_tokens(seed):
    """So a finished beam's score never changes while other beams go on."""
    model = TableModel(models.random_tables(4, seed))
    kinds = np.array([[0], [1], [2], [3], [0]])
    for beam_width in (2, 5):
        tokens, scores = beam_search(model, kinds, 9, beam_width)
        models.check_padding_after_end(tokens)
        for row, score, kind in zip(tokens, scores, kinds[:, 0], strict=True):
            ids = strip(row)
            right = model.log_prob(kind, ids) / penalty(len(ids), 1.0)
            assert score == pytest.approx(right, abs=1e-4)
        assert np.array_equal(tokens[0], tokens[-1])


def test_one_beam_of_a_real_model_is_greedy_search(translation_model, sources):
    tokens, _ = beam_search(translation_model, pad(sources), 10, beam_width=1)
    greedy = greedy_search(translation_model, pad(sources), 10)
    np.testing.assert_array_equal(tokens, greedy)


def test_scores_are_log_probabilities_of_a_real_model(translation_model, sources):
    """The cache follows its beam: one teacher-forced call gives the same scores."""
    tokens, scores = beam_search(translation_model, pad(sources), 10, length_penalty=0)
    shifted = np.concatenate([np.full((len(tokens), 1), START), tokens[:, :-1]], axis=1)
    logits = translation_model((pad(sources), shifted.astype("int32")))
    log_probs = ops.convert_to_numpy(ops.log_softmax(logits))
    chosen = np.take_along_axis(log_probs, tokens[:, :, None], axis=-1)[..., 0]
    # An end counts, and so does padding that a beam chose without one.
    counted = ~np.isin(shifted, (END, PAD))
    right = (chosen * counted).sum(axis=1)
    np.testing.assert_allclose(scores, right, atol=1e-3)
