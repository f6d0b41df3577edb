"""Mini GPT and LSTM: equal to references, causal, the same step by step, scored."""

import re

import keras
import layer_battery as lb
import numpy as np
import pytest
from keras import ops
from tiny_language_models import MAKERS, D, F, H, V, both_models, make_gpt, make_lstm

from course_utils import language_models as lm
from course_utils.text.vectorizers import START
from course_utils.training import MaskedCrossEntropy

kind, model, _ = lb.kinds_of_models(MAKERS, lambda kind: MAKERS[kind]())


def test_models_see_no_later_token(model):
    lb.check_no_peeking(model, lb.padded_ids([8, 8], vocab_size=V))


def test_padding_changes_no_real_token(model):
    ids = lb.padded_ids([3, 6, 1], vocab_size=V)
    expected = lb.to_numpy(model(ids))[ids != 0]
    longer = lb.to_numpy(model(lb.lengthen(ids, 5)))[:, :6]
    np.testing.assert_allclose(longer[ids != 0], expected, atol=1e-5)
    alone = lb.to_numpy(model(ids[:1, :3]))
    np.testing.assert_allclose(alone[0], expected[:3], atol=1e-5)
    assert np.isfinite(longer).all()


def test_steps_equal_one_call(model):
    ids = lb.padded_ids([9, 9, 9], vocab_size=V, seed=1)
    expected = lb.to_numpy(model(ids))
    cache = model.empty_cache(3, 11)
    for t in range(9):
        logits, cache = model.step(ops.convert_to_tensor(ids[:, t]), t, cache)
        np.testing.assert_allclose(logits, expected[:, t], **lb.TOLERANCE)


def test_mini_gpt_is_its_parts():
    """Embedding, blocks, norm, and the embedding matrix again, in a plain loop."""
    gpt = make_gpt()
    ids = lb.padded_ids([7], vocab_size=V)
    tokens, positions = gpt.embedding.get_weights()
    x = (tokens[ids] * np.sqrt(D) + positions[:7]).astype("float32")
    for block in gpt.blocks:
        x = block(x)
    expected = lb.to_numpy(gpt.norm(x)) @ tokens.T
    np.testing.assert_allclose(gpt(ids), expected, rtol=1e-4, atol=1e-4)
    assert not any("predict" in weight.path for weight in gpt.weights)


def test_positions_begin_as_waves_and_are_learned():
    gpt = lm.MiniGPT(V, 16, D, F, H, 1)
    gpt.build()
    table = gpt.embedding.position_embeddings.embeddings
    waves = lb.to_numpy(table)
    assert waves[0].tolist() == [0, 1] * (D // 2)
    np.testing.assert_allclose(waves[3, :2], [np.sin(3), np.cos(3)], atol=1e-6)
    assert any(weight is table for weight in gpt.trainable_weights)


def test_attention_of_all_blocks():
    gpt = make_gpt()
    weights = lb.to_numpy(gpt.attention(lb.padded_ids([5, 5], vocab_size=V)))
    assert weights.shape == (2, 2, H, 5, 5)
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-5)
    assert (weights[..., np.tri(5) == 0] == 0).all()


IMPOSSIBLE_MODELS = [
    ("MiniGPT", [12, 8, 10, 16, 4], "embed_dim (10) must be divisible"),
    ("MiniGPT", [12, 8, 8, 16, 2, 0], "MiniGPT: num_layers is 0"),
    ("MiniGPT", [0, 8], "vocab_size is 0"),
    ("CharacterLSTM", [12, 6, -1], "CharacterLSTM: units is -1"),
    ("CharacterLSTM", [12, 6, 8, 0], "CharacterLSTM: num_layers is 0"),
    (
        "NgramModel",
        [[1, 2], 65536, 4],
        "4 ids from a vocabulary of 65536 don't fit into 63 bits",
    ),
    ("NgramModel", [[1, 2], 5, 3], "there are 2 ids; an order of 3"),
    ("NgramModel", [[1, 5], 5, 1], "ids go from 1 to 5, but vocab_size is 5"),
    ("NgramModel", [[-1, 2], 5, 1], "ids go from -1"),
    ("NgramModel", [[1, 2], 5, 0], "NgramModel: order is 0"),
]


@pytest.mark.parametrize("kind, sizes, sentence", IMPOSSIBLE_MODELS)
def test_impossible_models(kind, sizes, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        getattr(lm, kind)(*sizes)


@both_models
def test_configuration_and_shape(make):
    model, ids = make(dropout=0.3), lb.padded_ids([4, 6], vocab_size=V)
    lb.check_config(lambda: make(dropout=0.3), (ids,))
    assert model.compute_output_shape((2, 6)) == model(ids).shape == (2, 6, V)


@both_models
def test_half_precision(make):
    exact, half = make(), make(dtype="mixed_bfloat16")
    ids = lb.padded_ids([6, 6], vocab_size=V)
    logits = half(ids)
    assert lb.dtype_of(logits) == "bfloat16"
    assert all(weight.dtype == "float32" for weight in half.weights)
    np.testing.assert_allclose(lb.to_numpy(logits), exact(ids), rtol=0.15, atol=0.3)
    assert lm.generate(half, [[START]], 3).shape == (1, 3)


@both_models
def test_training_lowers_the_loss_of_a_repeated_text(make):
    model, text = make(dropout=0.1), np.tile([4, 5, 6, 7], (8, 3))
    model.compile(keras.optimizers.Adam(0.03), MaskedCrossEntropy())
    run = model.fit(text[:, :-1], text[:, 1:], epochs=40, verbose=0)
    losses = run.history["loss"]
    assert losses[-1] < 0.5 < 1.5 < losses[0]


def test_log_probabilities_equal_a_plain_loop(model):
    inputs = lb.padded_ids([5, 3, 4, 0, 0], vocab_size=V)
    targets = lb.padded_ids([5, 3, 2, 0, 0], vocab_size=V, seed=1)
    found = lm.log_probabilities(model, inputs, targets, batch_size=2)
    assert found.shape == (5, 5)
    for n, t in np.ndindex(5, 5):
        row = lb.to_numpy(model(inputs[n : n + 1]))[0, t].astype("float64")
        right = row[targets[n, t]] - np.log(np.exp(row).sum()) if targets[n, t] else 0
        assert found[n, t] == pytest.approx(right, abs=1e-5)


def test_bits_per_character_of_equal_chances_whatever_the_padding():
    targets = np.array([[4, 5, 0], [6, 0, 0]])
    log_probs = np.where(targets > 0, np.log(1 / V), -99.0)
    assert lm.bits_per_character(log_probs, targets) == pytest.approx(np.log2(V))


def test_scores_refuse_other_shapes_and_no_targets():
    ids = np.ones((2, 3), "int32")
    with pytest.raises(ValueError, match="no target to score"):
        lm.bits_per_character(np.zeros((1, 2)), np.zeros((1, 2)))
    for inputs, targets in ((ids, ids[:1]), (ids[0], ids[0]), (ids[:0], ids[:0])):
        with pytest.raises(ValueError, match="expected the same .N, T."):
            lm.log_probabilities(make_lstm(), inputs, targets)
