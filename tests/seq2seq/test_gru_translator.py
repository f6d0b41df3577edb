"""The plain translator of lesson 03 equals the general one, in steps and padded."""

import keras
import numpy as np
import pytest

from course_utils.datasets import phrasebook
from course_utils.seq2seq import RecurrentSeq2Seq, exact_matches, gru_translator
from course_utils.seq2seq.gru_translator import (
    AttentionTranslator,
    NoHandoverTranslator,
    PhrasebookTranslator,
    dot_attention,
    new_translator,
)

V, E, U = 12, 4, 6
SOURCE = np.array([[5, 6, 7, 8], [9, 10, 0, 0]])
TARGET = np.array([[2, 4, 6], [2, 11, 5]])
KINDS = [PhrasebookTranslator, AttentionTranslator, NoHandoverTranslator]


@pytest.fixture(params=KINDS)
def model(request):
    return new_translator(request.param, V, E, U)


def general_twin(model):
    """Return the general model with the same parameters."""
    options = {"bidirectional": True}
    if isinstance(model, AttentionTranslator):
        options |= {"decoder": "attention", "attention": {"score": "dot"}}
    twin = RecurrentSeq2Seq(V, 40, E, U, **options)
    twin.build()
    parts = ["source_embedding", "target_embedding", "encoder", "decoder"]
    parts += ["output_dense"]
    if isinstance(model, AttentionTranslator):
        parts.append("combine")
    for part in parts:
        getattr(twin, part).set_weights(getattr(model, part).get_weights())
    return twin


@pytest.mark.parametrize("kind", [PhrasebookTranslator, AttentionTranslator])
def test_it_equals_the_general_model(kind):
    model = new_translator(kind, V, E, U)
    twin = general_twin(model)
    expected = twin((SOURCE, TARGET))
    np.testing.assert_allclose(model((SOURCE, TARGET)), expected, atol=1e-5)
    sides = [[5, 6, 7], [9, 8]], [[4, 6], [7]]
    right, written = gru_translator.right_sentences(model, *sides)
    expected_right, expected_written = exact_matches(twin, *sides)
    assert np.array_equal(right, expected_right)
    assert np.array_equal(written, expected_written)


def test_step_by_step_equals_all_at_once(model):
    encoded = model.encode(SOURCE)
    all_at_once, weights, _ = model.decode(TARGET, encoded[1], encoded)
    state = encoded[1]
    for t in range(TARGET.shape[1]):
        logits, step_weights, state = model.decode(TARGET[:, t : t + 1], state, encoded)
        np.testing.assert_allclose(logits[:, 0], all_at_once[:, t], atol=1e-5)
        if weights is not None:
            np.testing.assert_allclose(step_weights[:, 0], weights[:, t], atol=1e-5)


def test_padding_changes_nothing(model):
    padded = np.pad(SOURCE, ((0, 0), (0, 3)))
    expected = model((SOURCE, TARGET))
    np.testing.assert_allclose(model((padded, TARGET)), expected, atol=1e-5)


def test_without_the_handover_the_decoder_begins_with_zeros():
    model = new_translator(NoHandoverTranslator, V, E, U)
    assert not np.any(model.encode(SOURCE)[1])


def test_dot_attention_equals_a_loop_and_keras():
    rng = np.random.default_rng(0)
    query = rng.normal(size=(2, 3, U)).astype("float32")
    value = rng.normal(size=(2, 5, U)).astype("float32")
    mask = np.arange(5) < np.array([[5], [3]])
    context, weights = dot_attention(query, value, mask)
    for b in range(2):
        real = value[b, mask[b]]
        for t in range(3):
            powers = np.exp(real @ query[b, t])
            by_hand = powers / powers.sum() @ real
            np.testing.assert_allclose(context[b, t], by_hand, atol=1e-5)
    np.testing.assert_allclose(np.sum(weights, axis=-1), 1, atol=1e-5)
    assert not np.any(np.array(weights)[1, :, 3:])
    theirs = keras.layers.Attention()([query, value], mask=[None, mask])
    np.testing.assert_allclose(context, theirs, atol=1e-5)


def test_words_get_ids_after_the_special_tokens():
    rows = phrasebook.alignments("train")[:50]
    index = gru_translator.word_index(rows)
    assert sorted(index.values()) == list(range(len(index)))
    assert index["[end]"] == 3
    (source, *_), (target, *_) = gru_translator.word_ids(rows, index)
    names = list(index)
    assert [names[number] for number in source] == rows[0][0]
    assert [names[number] for number in target] == rows[0][1]


def test_a_tiny_translator_learns_to_reverse():
    rng = np.random.default_rng(0)
    sources = rng.integers(4, V, size=(200, 3)).tolist()
    targets = [row[::-1] for row in sources]
    model = new_translator(AttentionTranslator, V, 16, 32)
    gru_translator.train_gru_translator(model, (sources, targets), updates=150)
    right, _ = gru_translator.right_sentences(model, sources[:50], targets[:50])
    assert right.mean() > 0.9
    maps = gru_translator.word_maps(model, sources[:5], targets[:5])
    assert [weights.shape for weights in maps] == [(3, 3)] * 5
