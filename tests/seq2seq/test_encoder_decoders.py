"""What every encoder–decoder must show: padding, no peeking, steps, dtype, config."""

import keras
import layer_battery as lb
import numpy as np
import pytest
from keras import ops

from course_utils.seq2seq import RecurrentSeq2Seq, TranslationTransformer

V, L, E, U = 12, 9, 5, 6
SOURCE = np.array([[5, 6, 7, 8, 0, 0], [9, 4, 0, 0, 0, 0], [4, 5, 6, 7, 8, 9]], "int32")
TARGET = np.array([[2, 6, 7, 8, 9], [2, 5, 9, 0, 0], [2, 4, 4, 0, 0]], "int32")
REAL = TARGET != 0
ATTENTION = {"decoder": "attention"}
LOCAL = {"score": "dot", "window": "monotonic", "half_width": 1}
KINDS = {
    "vanilla": {},
    "peeky": {"decoder": "peeky"},
    "attention": ATTENTION,
    "additive": {**ATTENTION, "attention": {"score": "additive"}},
    "location": {**ATTENTION, "attention": {"score": "location"}},
    "monotonic": {**ATTENTION, "attention": LOCAL},
    "predictive": {**ATTENTION, "attention": {"window": "predictive"}},
    "both ways": {**ATTENTION, "bidirectional": True},
    "transformer": None,
}


def build(kind, **options):
    if kind == "transformer":
        model = TranslationTransformer(V, L, 16, 32, 4, 2, **options)
    else:
        model = RecurrentSeq2Seq(V, L, E, U, **{**KINDS[kind], **options})
    model.build()
    return lb.randomize(model)


def run(model, source=SOURCE, target=TARGET, **options):
    return lb.to_numpy(model((source, target), **options))


kind, model, some = lb.kinds_of_models(KINDS, build)


def test_padding_changes_nothing(model):
    expected = run(model)[REAL]
    longer = run(model, lb.lengthen(SOURCE, 3), lb.lengthen(TARGET, 3))
    lb.assert_close(longer[:, :5][REAL], expected)
    lb.assert_close(run(model, SOURCE[1:2, :2], TARGET[1:2, :3])[0], expected[5:8])


def test_every_real_source_token_matters(model):
    logits = run(model)
    for column in range(4):
        changed = SOURCE.copy()
        changed[0, column] = 11
        first, *others = np.abs(run(model, changed) - logits).max(axis=-1)
        assert first.min() > 1e-6 > np.max(others)  # at each target position


def test_no_peeking(model):
    lb.check_no_peeking(lambda target: run(model, target=target), TARGET)


def test_source_of_padding_only_is_finite(model):
    assert np.isfinite(run(model, np.zeros((3, 4), "int32"))).all()


def test_steps_give_the_logits_of_one_call(model):
    logits = run(model)
    encoded = model.encode_for_steps(SOURCE)
    cache = model.empty_cache(3, 5)
    for t in range(5):
        stepped, cache = model.step(TARGET[:, t], t, cache, encoded)
        stepped, real = lb.to_numpy(stepped), REAL[:, t]  # steps never read padding
        lb.assert_close(stepped[real], logits[real, t])


def test_every_weight_gets_a_finite_gradient(model):
    def loss():
        return ops.sum(ops.square(model((SOURCE, TARGET), training=True)))

    weights = model.trainable_weights
    for weight, gradient in zip(weights, lb.gradients(loss, weights), strict=True):
        assert gradient is not None, weight.path
        values = lb.to_numpy(gradient)
        assert np.isfinite(values).all(), weight.path
        # A key's bias shifts all scores of a query alike, which the softmax ignores.
        assert values.any() or weight.path.endswith("key_dense/bias"), weight.path


def test_config_round_trip(kind):
    lb.check_config(lambda: build(kind), [(SOURCE, TARGET)])


@some("attention", "additive", "monotonic", "predictive", "transformer")
def test_attention_rows_sum_to_one_on_real_tokens(kind, model):
    weights = lb.to_numpy(model.cross_attention((SOURCE, TARGET)))
    blocks, heads = (2, 4) if kind == "transformer" else (1, 1)
    assert weights.shape == (blocks, 3, heads, 5, 6)
    np.testing.assert_allclose(weights.sum(-1), 1.0, rtol=1e-5)
    real = np.broadcast_to((SOURCE != 0)[None, :, None, None], weights.shape)
    assert (weights[~real] == 0).all()
    assert (weights[real] > 0).all() or kind in ("monotonic", "predictive")


@some("peeky", "both ways", "transformer")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision(kind, dtype, model):
    half = build(kind, dtype=f"mixed_{dtype}")
    logits = half((SOURCE, TARGET))
    assert lb.dtype_of(logits) == dtype
    assert {weight.dtype for weight in half.weights} == {"float32"}
    low, exact = lb.to_numpy(logits), run(model)[REAL]
    assert np.corrcoef(low[REAL].ravel(), exact.ravel())[0, 1] > 0.99
    encoded, cache = half.encode_for_steps(SOURCE), half.empty_cache(3, 5)
    stepped, cache = half.step(TARGET[:, 0], 0, cache, encoded)
    assert {lb.dtype_of(x) for x in keras.tree.flatten((stepped, cache))} == {dtype}
    np.testing.assert_allclose(lb.to_numpy(stepped), low[:, 0], rtol=0.1, atol=0.1)


@some("attention", "transformer")
def test_graph_and_eager_agree(model):
    predicted = model.predict((SOURCE, TARGET), verbose=0)
    lb.assert_close(predicted, run(model))
    assert model.compute_output_shape([(3, 6), (3, 5)]) == predicted.shape == (3, 5, V)


@some("vanilla", "transformer")
def test_dropout_acts_in_training_only(kind):
    model = build(kind, dropout=0.5)
    np.testing.assert_array_equal(run(model), run(model))
    first, second = (run(model, training=True) for _ in range(2))
    assert np.abs(first - second).max() > 1e-3


def test_number_of_weights():
    gru = 3 * (U * E + U * U + 2 * U)
    vanilla = 2 * V * E + 2 * gru + U * V + V
    d, f, blocks = 16, 32, 2
    attention, feed_forward, norm = 4 * (d * d + d), 2 * d * f + f + d, 2 * d
    encoder = attention + feed_forward + 2 * norm
    decoder = 2 * attention + feed_forward + 3 * norm
    counts = {
        "vanilla": vanilla,
        "peeky": vanilla + 3 * U * U + U * V,
        "attention": vanilla + 2 * U * U + U,
        "both ways": vanilla + gru + 2 * U * U + U,
        "transformer": V * d + L * d + blocks * (encoder + decoder) + 2 * norm,
    }
    assert {kind: build(kind).count_params() for kind in counts} == counts


@some("vanilla", "location", "transformer")
def test_too_long_sequences(kind, model):
    longer = np.ones((3, L + 1), "int32")
    for side, pair in (("source", (longer, TARGET)), ("target", (SOURCE, longer))):
        name = "input" if kind == "transformer" else side
        with pytest.raises(ValueError, match=f"the {name} has 10 .*sequence_length"):
            run(model, *pair)
