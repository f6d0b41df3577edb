"""What every encoder–decoder must show: padding, no peeking, steps, dtype, config."""

import json

import keras
import layer_battery as lb
import numpy as np
import pytest
import tensorflow as tf

from course_utils.seq2seq import RecurrentSeq2Seq, TranslationTransformer

V, L, E, U = 12, 9, 5, 6
SOURCE = np.array([[5, 6, 7, 8, 0, 0], [9, 4, 0, 0, 0, 0], [4, 5, 6, 7, 8, 9]], "int32")
TARGET = np.array([[2, 6, 7, 8, 9], [2, 5, 9, 0, 0], [2, 4, 4, 0, 0]], "int32")
REAL = TARGET != 0
ATTENTION = {"decoder": "attention"}
KINDS = {
    "vanilla": {},
    "peeky": {"decoder": "peeky"},
    "attention": ATTENTION,
    "additive": {**ATTENTION, "attention": {"score": "additive"}},
    "location": {**ATTENTION, "attention": {"score": "location"}},
    "monotonic": {
        **ATTENTION,
        "attention": {"score": "dot", "window": "monotonic", "half_width": 1},
    },
    "predictive": {**ATTENTION, "attention": {"window": "predictive"}},
    "sum": {"bidirectional": True},
    "ave": {"decoder": "peeky", "bidirectional": True, "merge_mode": "ave"},
    "concat": {**ATTENTION, "bidirectional": True, "merge_mode": "concat"},
    "transformer": None,
}
each_kind = pytest.mark.parametrize("kind", KINDS)


def build(kind, **options):
    if kind == "transformer":
        model = TranslationTransformer(V, L, 16, 32, 4, 2, **options)
    else:
        model = RecurrentSeq2Seq(V, L, E, U, **{**KINDS[kind], **options})
    model.build()
    return lb.randomize(model)


def run(model, source=SOURCE, target=TARGET, **options):
    return lb.to_numpy(model((source, target), **options))


@pytest.fixture(scope="module")
def models():
    return {kind: build(kind) for kind in KINDS}


@each_kind
def test_padding_changes_nothing(kind, models):
    model = models[kind]
    expected = run(model)[REAL]
    longer = run(model, lb.lengthen(SOURCE, 3), lb.lengthen(TARGET, 3))
    np.testing.assert_allclose(longer[:, :5][REAL], expected, **lb.TOLERANCE)
    alone = run(model, SOURCE[1:2, :2], TARGET[1:2, :3])
    np.testing.assert_allclose(alone[0], expected[5:8], **lb.TOLERANCE)


@each_kind
def test_every_real_source_token_matters(kind, models):
    logits = run(models[kind])
    for column in range(4):
        changed = SOURCE.copy()
        changed[0, column] = 11
        difference = np.abs(run(models[kind], changed) - logits)
        assert difference[0].max(axis=-1).min() > 1e-6  # for each target position
        assert difference[1:].max() < 1e-6


@each_kind
def test_no_peeking(kind, models):
    logits = run(models[kind])
    for t in range(1, 5):
        changed = TARGET.copy()
        changed[:, t:] = 11
        before = run(models[kind], target=changed)[:, :t]
        np.testing.assert_array_equal(before, logits[:, :t])


@each_kind
def test_source_of_padding_only_is_finite(kind, models):
    assert np.isfinite(run(models[kind], np.zeros((3, 4), "int32"))).all()


@each_kind
def test_steps_give_the_logits_of_one_call(kind, models):
    model = models[kind]
    logits = run(model)
    encoded = model.encode_for_steps(SOURCE)
    cache = model.empty_cache(3, 5)
    for t in range(5):
        stepped, cache = model.step(TARGET[:, t], t, cache, encoded)
        # A padded target is hidden in one call; steps are compared up to there.
        real = REAL[:, t]
        np.testing.assert_allclose(
            lb.to_numpy(stepped)[real], logits[real, t], **lb.TOLERANCE
        )


@each_kind
def test_every_weight_gets_a_finite_gradient(kind, models):
    model = models[kind]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(model((SOURCE, TARGET), training=True)))
    gradients = tape.gradient(loss, [w.value for w in model.trainable_weights])
    # A key's bias shifts all scores of a query alike, which the softmax ignores.
    unused = [
        id(attention.key_dense.bias)
        for block in getattr(model, "decoder_blocks", [])
        for attention in (block.self_attention, block.cross_attention)
    ]
    unused += [
        id(block.self_attention.key_dense.bias)
        for block in getattr(model, "encoder_blocks", [])
    ]
    for weight, gradient in zip(model.trainable_weights, gradients, strict=True):
        assert gradient is not None, weight.path
        values = lb.to_numpy(tf.convert_to_tensor(gradient))
        assert np.isfinite(values).all(), weight.path
        assert values.any() or id(weight) in unused, weight.path


@each_kind
def test_config_round_trip(kind, models):
    config = models[kind].get_config()
    twin = type(models[kind]).from_config(json.loads(json.dumps(config)))
    assert twin.get_config() == config
    twin.build()
    twin.set_weights(models[kind].get_weights())
    np.testing.assert_array_equal(run(twin), run(models[kind]))


@pytest.mark.parametrize(
    "kind", ["attention", "additive", "monotonic", "predictive", "transformer"]
)
def test_attention_rows_sum_to_one_on_real_tokens(kind, models):
    weights = lb.to_numpy(models[kind].cross_attention((SOURCE, TARGET)))
    blocks, heads = (2, 4) if kind == "transformer" else (1, 1)
    assert weights.shape == (blocks, 3, heads, 5, 6)
    np.testing.assert_allclose(weights.sum(-1), 1.0, rtol=1e-5)
    real = np.broadcast_to((SOURCE != 0)[None, :, None, None], weights.shape)
    assert (weights[~real] == 0).all()
    assert (weights[real] > 0).all() or kind in ("monotonic", "predictive")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("kind", ["peeky", "concat", "transformer"])
def test_half_precision(kind, dtype, models):
    model = build(kind, dtype=f"mixed_{dtype}")
    logits = model((SOURCE, TARGET))
    assert keras.backend.standardize_dtype(logits.dtype) == dtype
    assert {weight.dtype for weight in model.weights} == {"float32"}
    low, exact = lb.to_numpy(logits)[REAL], run(models[kind])[REAL]
    assert np.corrcoef(low.ravel(), exact.ravel())[0, 1] > 0.99
    cache = model.empty_cache(3, 5)
    stepped, _ = model.step(TARGET[:, 0], 0, cache, model.encode_for_steps(SOURCE))
    np.testing.assert_allclose(
        lb.to_numpy(stepped), lb.to_numpy(logits)[:, 0], rtol=0.1, atol=0.1
    )


@pytest.mark.parametrize("kind", ["attention", "transformer"])
def test_graph_and_eager_agree(kind, models):
    model = models[kind]
    predicted = model.predict((SOURCE, TARGET), verbose=0)
    np.testing.assert_allclose(predicted, run(model), **lb.TOLERANCE)
    assert model.compute_output_shape([(3, 6), (3, 5)]) == predicted.shape == (3, 5, V)


@pytest.mark.parametrize("kind", ["vanilla", "transformer"])
def test_dropout_acts_in_training_only(kind):
    model = build(kind, dropout=0.5)
    np.testing.assert_array_equal(run(model), run(model))
    first, second = (run(model, training=True) for _ in range(2))
    assert np.abs(first - second).max() > 1e-3


def test_number_of_weights(models):
    gru = 3 * (U * E + U * U + 2 * U)
    vanilla = 2 * V * E + 2 * gru + U * V + V
    d, f, blocks = 16, 32, 2
    attention, norm = 4 * (d * d + d), 2 * d
    feed_forward = (d * f + f) + (f * d + d)
    encoder = attention + feed_forward + 2 * norm
    decoder = 2 * attention + feed_forward + 3 * norm
    counts = {
        "vanilla": vanilla,
        "peeky": vanilla + 3 * U * U + U * V,
        "attention": vanilla + 2 * U * U + U,
        "sum": vanilla + gru,
        "transformer": V * d + L * d + blocks * (encoder + decoder) + 2 * norm,
    }
    assert {kind: models[kind].count_params() for kind in counts} == counts


@pytest.mark.parametrize("kind", ["vanilla", "location", "transformer"])
def test_too_long_sequences(kind, models):
    longer = np.ones((3, L + 1), "int32")
    for side, pair in (("source", (longer, TARGET)), ("target", (SOURCE, longer))):
        name = "input" if kind == "transformer" else side
        with pytest.raises(ValueError, match=f"the {name} has 10 .*sequence_length"):
            run(models[kind], *pair)
