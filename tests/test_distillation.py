"""Distillation: the loss and the neighbours equal loops, rows stay together, sizes."""

import warnings

import keras
import layer_battery as lb
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import layers

from course_utils.attention.pooling import MaskedGlobalMaxPooling1D
from course_utils.attention.transformer import PositionalEmbedding, TransformerEncoder
from course_utils.classification import TokenDropout
from course_utils.datasets.batches import classification_batches
from course_utils.distillation import DistillationLoss, Neighbours, soften

LOGITS = st.floats(-20, 20)
ROW = st.tuples(st.sampled_from([-1.0, 0.0, 1.0]), LOGITS, LOGITS)
V = 20


def sigmoid(logit):
    return 1 / (1 + np.exp(-logit))


def cross_entropy(target, logit):
    """Two classes; log σ(x) = −log(1 + e⁻ˣ), which doesn't overflow."""
    return target * np.logaddexp(0, -logit) + (1 - target) * np.logaddexp(0, logit)


def loss_loop(targets, logits, temperature, alpha):
    """The formula, one text at a time."""
    total = 0.0
    for (label, teacher), student in zip(targets, logits[:, 0], strict=True):
        if label != -1:
            total += (1 - alpha) * cross_entropy(label, student)
        soft = cross_entropy(sigmoid(teacher / temperature), student / temperature)
        total += alpha * temperature**2 * soft
    return total / len(targets)


@given(
    rows=st.lists(ROW, min_size=1, max_size=5),
    temperature=st.sampled_from([0.5, 1.0, 2.0, 10.0]),
    alpha=st.sampled_from([0.0, 0.3, 1.0]),
)
@settings(max_examples=40, derandomize=True, deadline=None)
def test_loss_equals_the_loop(rows, temperature, alpha):
    rows = np.array(rows)
    loss = DistillationLoss(temperature, alpha)(rows[:, :2], rows[:, 2:])
    expected = loss_loop(rows[:, :2], rows[:, 2:], temperature, alpha)
    np.testing.assert_allclose(loss, expected, rtol=1e-4, atol=1e-5)


def gradient(loss, targets, logits):
    logits = tf.constant(logits, "float32")
    with tf.GradientTape() as tape:
        tape.watch(logits)
        value = loss(targets, logits)
    return tape.gradient(value, logits).numpy()[:, 0] * len(targets)


@pytest.mark.parametrize("temperature", [1.0, 4.0, 100.0])
def test_gradient_is_temperature_times_the_difference_of_the_soft_answers(temperature):
    student, teacher = np.array([[0.5], [-2.0]]), np.array([3.0, 1.0])
    targets = np.stack([[-1, -1], teacher], axis=1)
    found = gradient(DistillationLoss(temperature, 1.0), targets, student)
    softened = sigmoid(student[:, 0] / temperature) - sigmoid(teacher / temperature)
    np.testing.assert_allclose(found, temperature * softened, rtol=1e-3)
    # Without a label there is no hard part.
    assert not gradient(DistillationLoss(temperature, 0.0), targets, student).any()


def test_extreme_logits_stay_finite():
    targets = np.array([[0, -800.0], [1, 800.0]])
    logits = np.array([[900.0], [-900.0]])
    loss = DistillationLoss(1.0, 0.5)
    np.testing.assert_allclose(loss(targets, logits), 900.0, rtol=1e-6)
    np.testing.assert_allclose(gradient(loss, targets, logits), [1, -1])


@given(st.floats(-2000, 2000), st.floats(0.1, 100))
def test_softened_logit_equals_the_softmax_of_the_pair(logit, temperature):
    pair = np.array([logit, 0.0]) / temperature
    pair = np.exp(pair - pair.max())
    assert abs(soften(logit, temperature) - pair[0] / pair.sum()) < 1e-12


def neighbours_loop(x, real, radius):
    """Cut the window of each word out of texts with zeros for what is no word."""
    x = np.pad(x * real[..., None], ((0, 0), (radius, radius), (0, 0)))
    windows = [x[:, t : t + 2 * radius + 1] for t in range(real.shape[1])]
    return np.stack([window.reshape(len(x), -1) for window in windows], axis=1)


@pytest.mark.parametrize("radius", [1, 2, 7])
def test_neighbours_equal_the_loop_and_pass_the_battery(radius):
    x = lb.random_array(2, 5, 3)
    real = np.arange(5) < np.array([[5], [3]])
    found = Neighbours(radius)(x, mask=real)
    np.testing.assert_array_equal(found, neighbours_loop(x, real, radius))
    lb.battery(lambda **options: Neighbours(radius, **options), x, weights=0)


def test_neighbours_and_a_dense_layer_are_a_convolution():
    x = lb.random_array(2, 5, 3)
    dense, convolution = layers.Dense(4), layers.Conv1D(4, 3, padding="same")
    expected = convolution(x)
    dense.build((None, None, 9))
    kernel, bias = convolution.get_weights()  # (3, D, 4), (4,)
    dense.set_weights([kernel.reshape(9, 4), bias])
    np.testing.assert_allclose(dense(Neighbours(1)(x)), expected, **lb.TOLERANCE)


def make_student():
    keras.utils.set_random_seed(0)
    inputs = keras.Input((None,), dtype="int64")
    x = TokenDropout(0.1, seed=0)(inputs)
    x = layers.Embedding(V, 4, mask_zero=True, name="words")(x)
    x = layers.Dense(6, activation="relu")(Neighbours(1)(x))
    pools = layers.GlobalAveragePooling1D(), MaskedGlobalMaxPooling1D()
    x = layers.Concatenate()([pool(x) for pool in pools])
    return lb.randomize(keras.Model(inputs, layers.Dense(1)(x)))


IDS = lb.padded_ids([3, 5, 1], vocab_size=V)


def test_padding_changes_no_answer_and_a_lost_mask_is_seen():
    model = make_student()
    longer = lb.lengthen(IDS, 4)
    np.testing.assert_allclose(model(longer), lb.to_numpy(model(IDS)), **lb.TOLERANCE)
    embed = keras.Model(model.inputs[0], model.get_layer("words").output)
    x = embed(longer)
    with_mask, without = Neighbours(1)(x), Neighbours(1)(lb.to_numpy(x))
    assert np.abs(lb.to_numpy(with_mask) - lb.to_numpy(without)).max() > 0.1


def test_a_distilled_student_comes_to_agree_with_its_teacher():
    """It learns from the teacher's logits alone, without one label."""
    rng = np.random.default_rng(0)
    sequences = [rng.integers(2, V, 6).tolist() for _ in range(200)]
    teacher = np.array([sum(ids) / 6 - (V + 1) / 2 for ids in sequences])
    targets = np.stack([np.full(200, -1), teacher], axis=1)

    def agrees(model):
        return (lb.to_numpy(model(np.array(sequences)))[:, 0] > 0) == (teacher > 0)

    model = make_student()
    before = np.mean(agrees(model))
    model.compile(keras.optimizers.Adam(0.02), DistillationLoss(2.0, 1.0))
    data = classification_batches(sequences, targets, 200, seed=0)
    model.fit(data, epochs=15, shuffle=False, verbose=0)
    assert np.mean(agrees(model)) > 0.9 > before


def quantized(model, path):
    """Return what the lesson makes: an int8 copy, without optimizer and loss."""
    model.save(path)
    twin = keras.models.load_model(path, compile=False)
    path.unlink()
    rounded = (layers.Dense, layers.EinsumDense, layers.Embedding)
    twin.quantize("int8", filters=lambda layer: type(layer) in rounded)
    return twin


def test_students_of_all_forms_load_in_a_fresh_process(tmp_path):
    model, path = make_student(), tmp_path / "model.keras"
    teacher = quantized(make_teacher(), path)
    cases = {"f32": model, "int8": quantized(model, path), "teacher_int8": teacher}
    cases = {name: (one, IDS) for name, one in cases.items()}
    lb.check_saved(tmp_path, cases, "course_utils.distillation", most=1e-3)


def test_the_file_of_an_int8_copy_is_small(tmp_path):
    inputs = keras.Input((None,), dtype="int64")
    x = layers.GlobalAveragePooling1D()(layers.Embedding(9_000, 8)(inputs))
    model, path = keras.Model(inputs, layers.Dense(1)(x)), tmp_path / "model.keras"
    model.compile("adam", DistillationLoss())
    model.train_on_batch(np.array([[5, 6]]), np.array([[1.0, 2.0]]))
    twin = quantized(model, path)
    assert not twin.compiled
    # bytes per number of the table; with a scale per row in int8, and little else
    for one, size in ((model, 12), (keras.Model(inputs, model.output), 4), (twin, 1.5)):
        one.save(path)
        assert 0 <= path.stat().st_size / 72_000 - size < 0.8


def make_teacher():
    inputs = keras.Input((None,), dtype="int64")
    x = PositionalEmbedding(9, V, 8)(inputs)
    x = TransformerEncoder(8, 8, 2, norm_first=True)(x)
    x = layers.GlobalAveragePooling1D()(x)
    return lb.randomize(keras.Model(inputs, layers.Dense(1)(x)))


@pytest.mark.parametrize("make, matrices", [(make_student, 3), (make_teacher, 9)])
def test_int8_reaches_every_matrix_and_answers_alike(make, matrices, tmp_path):
    model = make()
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        twin = quantized(model, tmp_path / "model.keras")
    assert [weight.dtype for weight in twin.weights].count("int8") == matrices
    assert not [w for w in twin.weights if w.dtype != "int8" and len(w.shape) > 1]
    for layer in model.layers:
        if isinstance(layer, layers.Embedding):  # whole steps of each row
            (table,) = layer.get_weights()  # (V, D)
            read = lb.to_numpy(twin.get_layer(layer.name)(np.arange(V)[None]))[0]
            steps = np.abs(table).max(axis=1, keepdims=True) / 127
            assert (np.abs(read - table) <= 0.501 * steps).all()
    expected, found = lb.to_numpy(model(IDS)), lb.to_numpy(twin(IDS))
    assert 0 < np.abs(found - expected).max() < 0.05 * np.abs(expected).max()
    assert {weight.dtype for weight in model.weights} == {"float32"}


@pytest.mark.parametrize("temperature", [0, -1.0, np.nan])
def test_an_impossible_temperature_is_refused(temperature):
    with pytest.raises(ValueError, match=f"temperature is {temperature}"):
        DistillationLoss(temperature)
    with pytest.raises(ValueError, match=f"temperature is {temperature}"):
        soften([1.0], temperature)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, np.nan])
def test_an_impossible_alpha_is_refused(alpha):
    with pytest.raises(ValueError, match=f"alpha is {alpha}"):
        DistillationLoss(1.0, alpha)


@pytest.mark.parametrize("radius", [0, -1, 1.5])
def test_an_impossible_radius_is_refused(radius):
    with pytest.raises(ValueError, match=f"radius is {radius}"):
        Neighbours(radius)
