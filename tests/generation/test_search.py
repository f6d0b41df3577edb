"""Greedy search, sampling and beam search: what they share; what beams find.

Most tests search a table whose right answer follows from going through every sequence.
"""

import gc
import math
import re
import weakref

import layer_battery as lb
import numpy as np
import pytest
import search_models as models
from keras import ops
from search_models import A, B, TableModel, penalty, strip

from course_utils.generation import graphs
from course_utils.generation.beam_search import all_beams, beam_search
from course_utils.generation.fast_search import fast_beam_search, fast_greedy_search
from course_utils.generation.search import greedy_search, sample_search
from course_utils.text.vectorizers import END, PAD, START, pad


def beams_of_two(model, source, max_length):
    tokens, _ = beam_search(model, source, max_length, beam_width=2)
    return tokens


def fast_beams_of_two(model, source, max_length):
    tokens, _ = fast_beam_search(model, source, max_length, beam_width=2)
    return tokens


BEAMS = [beams_of_two, fast_beams_of_two]
SEARCHES = [greedy_search, fast_greedy_search, sample_search, *BEAMS]
each_search = pytest.mark.parametrize("search", SEARCHES)


@each_search
@pytest.mark.parametrize("length", [1, 5])
def test_search_keeps_max_length(length, search):
    model = TableModel(models.random_tables(2, seed=3, never=(PAD, START, END)))
    tokens = search(model, np.array([[0], [1]]), length)
    assert tokens.shape == (2, length) and tokens.all()


def test_search_with_a_max_length_for_each_sentence():
    """The result is that of searching each sentence alone with its limit."""
    model = TableModel(models.random_tables(3, seed=5))
    source, limits = np.array([[0], [1], [2], [1]]), [2, 7, 4, 3]
    greedy = greedy_search(model, source, limits)
    beams, scores = beam_search(model, source, limits, 3)
    assert greedy.shape == beams.shape == (4, 7)
    for i, limit in enumerate(limits):
        own = source[i : i + 1], limit
        assert strip(greedy[i]) == strip(greedy_search(model, *own)[0])
        alone, score = beam_search(model, *own, 3)
        assert strip(beams[i]) == strip(alone[0])
        assert score[0] == pytest.approx(scores[i], abs=1e-5)


@each_search
def test_search_stops_when_every_sentence_has_ended(search):
    two_words = models.table_of({(): {A: 1.0}, (A,): {B: 1.0}})
    model = TableModel([models.END_AT_ONCE, two_words])
    tokens = search(model, np.zeros((2, 3)), 50)
    assert tokens.shape == (2, 50)
    assert [strip(row) for row in tokens] == [[END], [END]]
    ended_at_once = int(model.steps.value)
    tokens = search(model, np.array([[0], [1], [0]]), 50)
    assert [strip(row) for row in tokens] == [[END], [A, B, END], [END]]
    assert ended_at_once <= (3 if search in BEAMS else 1)
    assert int(model.steps.value) - ended_at_once <= 5


def test_search_compiles_one_graph_for_all_shapes():
    model = TableModel(models.random_tables(2, seed=0))
    for rows, columns, max_length in [(1, 1, 3), (4, 2, 5), (4, 7, 5), (2, 3, 9)]:
        greedy_search(model, np.ones((rows, columns), dtype="int64"), max_length)
    assert model.traces == 1
    for rows, columns, beam_width in [(1, 1, 2), (4, 2, 2), (4, 7, 2), (2, 3, 2)]:
        beam_search(model, np.ones((rows, columns)), 4, beam_width, rows / 2)
    assert model.traces == 2
    beam_search(model, np.ones((1, 1)), 4, 3)
    assert model.traces == 3


def test_search_compiles_a_graph_for_each_model():
    first, second = TableModel([models.GARDEN_PATH]), TableModel([models.END_AT_ONCE])
    assert strip(greedy_search(first, np.zeros((1, 1)), 3)[0])[0] == A
    assert strip(greedy_search(second, np.zeros((1, 1)), 3)[0]) == [END]
    assert first.traces == second.traces == 1


def uncached_greedy(model, source, max_length):
    """Run the whole model again for every token."""
    tokens = np.full((len(source), 1), START, dtype="int32")
    for _ in range(max_length):
        logits = ops.convert_to_numpy(model((source, tokens)))[:, -1]
        new = np.where(np.isin(tokens[:, -1], (END, PAD)), PAD, logits.argmax(-1))
        tokens = np.concatenate([tokens, new[:, None].astype("int32")], axis=1)
    return tokens[:, 1:]


def test_greedy_search_equals_running_the_whole_model(translation_model, sources):
    written = greedy_search(translation_model, pad(sources), 10)
    slow = uncached_greedy(translation_model, pad(sources), 10)
    np.testing.assert_array_equal(written, slow)
    models.check_padding_after_end(written)
    assert len(np.unique(written, axis=0)) > 2  # else the test would show little


def test_search_in_a_batch_equals_one_sentence_at_a_time(translation_model, sources):
    greedy = greedy_search(translation_model, pad(sources), 10)
    beams, scores = beam_search(translation_model, pad(sources), 10)
    ended = (greedy == END).any(axis=1)
    assert ended.any() or translation_model.cache_axis is None
    for i, source in enumerate(sources):
        alone = translation_model, pad([source]), 10
        np.testing.assert_array_equal(greedy_search(*alone)[0], greedy[i])
        tokens, score = beam_search(*alone)
        np.testing.assert_array_equal(tokens[0], beams[i])
        assert score[0] == pytest.approx(scores[i], abs=1e-3)


def test_search_in_bfloat16(sources):
    model = models.tiny_transformer(dtype="mixed_bfloat16")
    assert lb.dtype_of(model.empty_cache(1, 2)[0][0]) == "bfloat16"
    found = greedy_search(model, pad(sources), 6)
    assert found.shape == (8, 6)
    models.check_padding_after_end(found)
    drawn = sample_search(model, pad(sources), 6, top_k=5, top_p=0.9)
    assert drawn.shape == (8, 6) and not np.array_equal(drawn, found)
    models.check_padding_after_end(drawn)
    # Ties are common here; both take the first of them.
    np.testing.assert_array_equal(sample_search(model, pad(sources), 6, top_k=1), found)
    tokens, scores = beam_search(model, pad(sources), 6, 3)
    assert scores.dtype == "float32" and np.isfinite(scores).all()
    models.check_padding_after_end(tokens)


def test_search_uses_new_weights(sources):
    model = models.tiny_transformer()
    before = greedy_search(model, pad(sources), 6)
    model.set_weights([w[..., ::-1] for w in model.get_weights()])
    after = greedy_search(model, pad(sources), 6)
    assert not np.array_equal(before, after)
    np.testing.assert_array_equal(after, uncached_greedy(model, pad(sources), 6))


def test_search_keeps_no_model_alive(sources):
    # Entries aren't counted: the collector may take another test's model meanwhile.
    model = models.tiny_transformer()
    greedy_search(model, pad(sources[:2]), 3)
    step = next(iter(graphs._compiled[model].functions.values()))
    references = weakref.ref(model), weakref.ref(step)
    del model, step
    gc.collect()
    assert [reference() for reference in references] == [None, None]


# Beams: the best sequence, and its score


def test_beam_search_finds_what_greedy_search_misses():
    model, source = TableModel([models.GARDEN_PATH]), np.zeros((1, 1))
    tokens, scores = beam_search(model, source, 6, 2, length_penalty=0.0)
    assert strip(tokens[0]) == [B, END]
    np.testing.assert_allclose(scores, [math.log(0.4)], atol=1e-5)
    greedy = strip(greedy_search(model, source, 6)[0])
    assert greedy[0] == A
    assert model.log_prob(0, greedy) < scores[0] - 0.1


@pytest.mark.parametrize("length_penalty", [0.0, 1.0, 2.0])
def test_beam_search_with_all_beginnings_equals_exhaustive_search(length_penalty):
    """216 beams hold all beginnings; there are more of them than tokens."""
    model = TableModel(models.random_tables(3, seed=1))
    kinds = np.array([[2], [0], [1]])
    tokens, scores = beam_search(model, kinds, 4, 216, length_penalty)
    for row, score, kind in zip(tokens, scores, kinds[:, 0], strict=True):
        best_score, best = model.best(kind, 4, length_penalty)
        assert strip(row) == best
        assert score == pytest.approx(best_score, abs=1e-4)


@pytest.mark.parametrize("seed", range(2))
def test_beam_search_scores_are_those_of_the_returned_tokens(seed):
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


def test_beam_search_with_one_beam_is_greedy_search(translation_model, sources):
    tokens, _ = beam_search(translation_model, pad(sources), 10, beam_width=1)
    greedy = greedy_search(translation_model, pad(sources), 10)
    np.testing.assert_array_equal(tokens, greedy)


def test_beam_search_scores_are_log_probabilities(translation_model, sources):
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


def test_all_beams_is_sure_only_of_the_most_probable():
    """Where it dropped nothing more probable, exhaustive search finds no better."""
    sure = []
    for seed in range(12):
        model = TableModel(models.random_tables(2, seed))
        kinds = np.array([[0], [1]])
        for beam_width in (1, 2, 4):
            beams = all_beams(model, kinds, 4, beam_width)
            for kind, log_probs, dropped in zip(
                range(2), beams.log_probs, beams.best_dropped, strict=True
            ):
                best, _ = model.best(kind, 4, length_penalty=0.0)
                found = log_probs.max()
                assert found <= best + 1e-4
                assert max(found, dropped) >= best - 1e-4
                if found > dropped:
                    assert found == pytest.approx(best, abs=1e-4)
                sure.append(found > dropped)
    assert 0.1 < np.mean(sure) < 1


def test_all_beams_drops_nothing_where_all_beginnings_are_kept():
    model = TableModel(models.random_tables(1, seed=1))
    beams = all_beams(model, np.array([[0]]), 3, 216)
    assert beams.log_probs[0].max() > beams.best_dropped[0]


BAD_SOURCES = [
    ([3], 5, "source has shape (3,)"),
    ([1, 2, 3], 5, "source has shape (1, 2, 3)"),
    ([0, 4], 5, "source has shape (0, 4)"),
    ([2, 0], 5, "source has shape (2, 0)"),
    ([2, 3], 0, "max_length is 0"),
    ([2, 3], [4, 0], "max_length is 0"),
    ([2, 3], 4.5, "max_length is 4.5"),
    ([2, 3], [4, 4, 4], "max_length has shape (3,)"),
    ([2, 3], 21, "max_length is 21"),
    ([2, 21], 5, "the source has 21 columns"),
]


@pytest.mark.parametrize("search", [*SEARCHES, beam_search, fast_beam_search])
@pytest.mark.parametrize("shape, max_length, said", BAD_SOURCES)
def test_sources_and_lengths_that_cannot_be_are_refused(
    search, shape, max_length, said, transformer
):
    with pytest.raises(ValueError, match=re.escape(said)):
        search(transformer, np.ones(shape, "int32"), max_length)


def test_impossible_options_of_a_search_are_refused():
    source = np.zeros((1, 3))
    with pytest.raises(ValueError, match="temperature is 0;.*greedy_search"):
        sample_search(None, source, 5, 0)
    with pytest.raises(ValueError, match="beam_width is 0"):
        beam_search(None, source, 5, 0)
