"""The loss that ignores padding, the learning-rate schedule, stored states."""

import keras
import layer_battery as lb
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import layers, ops

from course_utils import training
from course_utils.attention.transformer import PositionalEmbedding
from course_utils.distillation import DistillationLoss
from course_utils.metrics import MaskedAccuracy
from course_utils.training import MaskedCrossEntropy, warmup_cosine

V = 7


def loss_loop(labels, logits, smoothing):
    """Mean cross-entropy of the real tokens, one token at a time."""
    losses = []
    for row, scores in zip(labels, logits.astype("float64"), strict=True):
        for label, score in zip(row, scores, strict=True):
            if label:
                target = np.full(V, smoothing / V)
                target[label] += 1 - smoothing
                log_probs = score - np.log(np.exp(score).sum())
                losses.append(-(target * log_probs).sum())
    return np.mean(losses) if losses else 0.0


@given(
    lengths=st.lists(st.integers(0, 5), min_size=1, max_size=4),
    extra=st.integers(0, 3),
    smoothing=st.sampled_from([0.0, 0.1, 0.5]),
    seed=st.integers(0, 99),
)
@settings(max_examples=30, derandomize=True)
def test_loss_equals_the_loop_with_any_padding(lengths, extra, smoothing, seed):
    labels = lb.padded_ids(lengths, total=5 + extra, vocab_size=V, seed=seed)
    logits = 3 * lb.random_array(*labels.shape, V, seed=seed)
    loss = MaskedCrossEntropy(label_smoothing=smoothing)(labels, logits)
    assert loss.shape == ()
    expected = loss_loop(labels, logits, smoothing)
    np.testing.assert_allclose(loss, expected, rtol=1e-5, atol=1e-6)


def test_keras_has_the_same_loss_without_padding_and_another_one_with_it():
    theirs = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    for lengths, close in ([5, 5], True), ([2, 5], False):
        labels, logits = lb.padded_ids(lengths, vocab_size=V), lb.random_array(2, 5, V)
        ours = float(MaskedCrossEntropy()(labels, logits))
        apart = abs(ours - float(theirs(labels, logits)))
        assert apart < 1e-5 if close else apart > 0.01


def test_mask_on_the_logits_changes_nothing():
    """Keras multiplies a loss by the mask that the logits carry; ours stays right."""
    inputs = keras.Input((None,), dtype="int64")
    outputs = layers.Dense(V)(PositionalEmbedding(8, V, 4)(inputs))
    model = lb.randomize(keras.Model(inputs, outputs))
    ids, labels = lb.padded_ids([2, 5], vocab_size=V), lb.padded_ids([3, 4], 5, V)
    loss = MaskedCrossEntropy(0.1)
    logits = model(ids)
    assert logits._keras_mask is not None
    expected = loss_loop(labels, lb.to_numpy(logits), 0.1)
    model.compile("sgd", loss)
    for value in (loss(labels, logits), model.evaluate(ids, labels, verbose=0)):
        assert np.shape(value) == ()
        np.testing.assert_allclose(value, expected, rtol=1e-5)
    weights = model.trainable_weights
    with_mask = lb.gradients(lambda: loss(labels, model(ids)), weights)
    without = lb.gradients(lambda: loss(labels, tf.identity(model(ids))), weights)
    lb.assert_close(with_mask, without)


def test_weights_of_rows_and_tokens_weigh_the_tokens_of_the_mean():
    labels = np.array([[1, 2, 3], [4, 0, 0]])
    logits = lb.random_array(2, 3, V)
    loss = MaskedCrossEntropy()
    first = loss_loop(labels[:1], logits[:1], 0.0)
    second = loss_loop(labels[1:], logits[1:], 0.0)

    def weighted(weights):
        return float(loss(labels, logits, sample_weight=np.array(weights)))

    assert weighted([1, 0]) == pytest.approx(first, rel=1e-5)
    assert weighted([0, 5]) == pytest.approx(second, rel=1e-5)
    assert weighted([[1.0], [0.0]]) == pytest.approx(first, rel=1e-5)
    both = (0.1 * 3 * first + 0.3 * second) / (0.1 * 3 + 0.3)
    assert weighted([0.1, 0.3]) == pytest.approx(both, rel=1e-5)
    last = loss_loop(labels[:1, 2:], logits[:1, 2:], 0.0)
    one_token = [[0, 0, 1], [0, 1, 1]]  # the two of the second row are padding
    assert weighted(one_token) == pytest.approx(last, rel=1e-5)
    assert weighted([1, 1]) == pytest.approx(loss_loop(labels, logits, 0.0), rel=1e-5)
    assert weighted([0, 0]) == 0


def test_fit_honours_the_weights_of_rows():
    labels = np.array([[1, 2, 3], [4, 0, 0]])
    logits = lb.random_array(2, 3, V)
    model = keras.Sequential([keras.Input((3, V)), layers.Identity()])
    accuracy = MaskedAccuracy("right")
    model.compile("sgd", MaskedCrossEntropy(), weighted_metrics=[accuracy])
    scores = model.evaluate(
        logits, labels, sample_weight=np.array([0, 1]), verbose=0, return_dict=True
    )
    assert scores["loss"] == pytest.approx(
        loss_loop(labels[1:], logits[1:], 0.0), rel=1e-5
    )
    assert scores["right"] == float(logits[1, 0].argmax() == 4)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_loss_of_half_precision_logits_is_computed_in_float32(dtype):
    labels = lb.padded_ids([300], vocab_size=V)
    logits = ops.cast(lb.random_array(1, 300, V), dtype)
    loss = MaskedCrossEntropy()(labels, logits)
    assert loss.dtype == "float32"
    expected = loss_loop(labels, lb.to_numpy(logits), 0.0)
    np.testing.assert_allclose(loss, expected, rtol=1e-5)


LOSSES = [MaskedCrossEntropy(0.1, name="tokens"), DistillationLoss(3, 0.7, name="soft")]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_loss_comes_back_from_its_config(loss):
    twin = keras.losses.deserialize(keras.losses.serialize(loss))
    assert type(twin) is type(loss) and vars(twin) == vars(loss)


def test_schedule_rises_in_a_line_and_falls_as_a_cosine():
    schedule = warmup_cosine(peak=0.5, total_steps=110, warmup_steps=10)
    rate = [float(schedule(step)) for step in range(121)]
    np.testing.assert_allclose(rate[:11], np.linspace(0, 0.5, 11), atol=1e-6)
    progress = np.arange(101) / 100
    expected = 0.25 * (1 + np.cos(np.pi * progress))
    np.testing.assert_allclose(rate[10:111], expected, atol=1e-6)
    np.testing.assert_allclose(rate[111:], 0, atol=1e-6)


def test_a_state_holds_the_masks_that_dropout_would_draw_next(tmp_path):
    def new_model():
        model = keras.Sequential([keras.Input((50,)), layers.Dropout(0.5)])
        model.compile("sgd", "mse", metrics=["mae"])
        model.optimizer.build(model.trainable_variables)
        return model

    def masks(model):
        x = np.ones((1, 50), "float32")
        return [np.asarray(model(x, training=True)) for _ in range(2)]

    one, other = new_model(), new_model()
    one.evaluate(np.ones((1, 50)), np.ones((1, 50)), verbose=0)  # metrics are there
    masks(one)
    training.save_state(tmp_path / "state.npz", one)
    expected = masks(one)
    training.load_state(tmp_path / "state.npz", other)
    np.testing.assert_array_equal(masks(other), expected)


def test_a_state_holds_weights_optimizer_and_progress(tmp_path):
    one, other = models = [keras.Sequential([layers.Dense(2)]) for _ in range(2)]
    for model in models:
        model.build((None, 3))
        model.compile(keras.optimizers.Adam(use_ema=True), "mse")
        model.optimizer.build(model.trainable_variables)
    one.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
    path = tmp_path / "state.npz"
    assert training.stored_progress(path) == {}
    training.save_state(path, one, seconds=9.5, steps=7)
    training.load_state(path, other)
    assert training.stored_progress(path) == {"seconds": 9.5, "steps": 7}
    both = ([*model.weights, *model.optimizer.variables] for model in models)
    for mine, theirs in zip(*both, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("label_smoothing", [-0.1, 1.0, 2])
def test_impossible_label_smoothing_is_refused(label_smoothing):
    with pytest.raises(ValueError, match=f"label_smoothing is {label_smoothing}"):
        MaskedCrossEntropy(label_smoothing)


@pytest.mark.parametrize("warmup_steps", [0, 10, 11, -1])
def test_impossible_warmup_steps_are_refused(warmup_steps):
    with pytest.raises(ValueError, match=f"warmup_steps is {warmup_steps}"):
        warmup_cosine(1.0, 10, warmup_steps)
