"""Distillation: a small model, the student, learns what a large one, the teacher, says.

Shapes use the letters of the course: B batch, T length, D width. A logit is a score
before the sigmoid; one logit tells two classes apart.
"""

import keras
import numpy as np
from keras import layers, ops

import course_utils.classification  # noqa: F401 (a saved student is made of it)
from course_utils.attention.multi_head import KeepsOptions, check_sizes, given_options
from course_utils.datasets.batches import token_batches
from course_utils.generation.graphs import compiled
from course_utils.text.vectorizers import pad

NO_LABEL = -1


@keras.saving.register_keras_serializable(package="course_utils")
class DistillationLoss(KeepsOptions, keras.losses.Loss):
    """Learn from the label and from the teacher's softened answer.

    For each text (1 − α) · CE(label, σ(z)) + α · T² · CE(σ(t / T), σ(z / T)), where z
    is the student's logit, t the teacher's, σ the sigmoid and CE the cross-entropy of
    two classes (Hinton et al., 2015, "Distilling the Knowledge in a Neural Network",
    section 2). T² keeps the gradient of the second part at one size for every T. A
    text without a label has the second part only.

    Args:
        temperature: T, above 0; the larger, the softer.
        alpha: α, the weight of the teacher, from 0 to 1.

    Call arguments:
        y_true: (B, 2), what `distillation_targets` returns.
        y_pred: (B, 1) logits.
    Returns:
        A scalar in nats, the mean over the batch.
    Raises:
        ValueError: ``temperature`` or ``alpha`` is out of range.

    Example:
        >>> loss = DistillationLoss(temperature=2.0, alpha=1.0)
        >>> value = loss(np.array([[1.0, 0.0]]), np.array([[0.0]]))
        >>> round(float(value), 4)  # 2² · log 2
        2.7726
    """

    def __init__(self, temperature=2.0, alpha=0.5, name="distillation_loss", **kwargs):
        super().__init__(name=name, **kwargs)
        self.options = given_options(locals())
        check_temperature("DistillationLoss", temperature)
        if not 0 <= alpha <= 1:
            raise ValueError(
                f"DistillationLoss: alpha is {alpha}; it must be from 0 (labels "
                f"only) to 1 (teacher only)."
            )
        self.temperature = temperature
        self.alpha = alpha

    def call(self, y_true, y_pred):
        label, teacher = y_true[:, 0], y_true[:, 1]  # (B,), (B,)
        student = y_pred[:, 0]  # (B,)
        labelled = ops.not_equal(label, NO_LABEL)
        hard = ops.where(labelled, _cross_entropy(label, student), 0.0)
        soft = _cross_entropy(
            ops.sigmoid(teacher / self.temperature), student / self.temperature
        )
        return (1 - self.alpha) * hard + self.alpha * self.temperature**2 * soft


def _cross_entropy(target, logit):
    """Return −target · log σ(logit) − (1 − target) · log(1 − σ(logit)), safely."""
    return ops.softplus(logit) - target * logit


def check_temperature(name, temperature):
    """Raise a ValueError unless the temperature is above 0."""
    if not temperature > 0:
        raise ValueError(
            f"{name}: temperature is {temperature}; it must be above 0 (1 changes "
            f"nothing)."
        )


def soften(logits, temperature):
    """Return the probability of the positive class at a temperature: σ(t / T).

    The logit of two classes with scores (t, 0) is t, and their softmax at temperature
    T is (σ(t / T), 1 − σ(t / T)).

    Args:
        logits: an array of any shape.
        temperature: T, above 0.
    Returns:
        A float64 array of the same shape.

    Example:
        >>> soften([0.0, 4.0], 2.0).round(3).tolist()
        [0.5, 0.881]
    """
    check_temperature("soften", temperature)
    # tanh doesn't overflow, whatever the logit.
    return 0.5 * (1 + np.tanh(np.asarray(logits, "float64") / (2 * temperature)))


def distillation_targets(labels, teacher_logits):
    """Put labels and the teacher's logits side by side, as `DistillationLoss` reads.

    Args:
        labels: (N,) numbers: 1, 0, or -1 where there is no label.
        teacher_logits: (N,) finite numbers.
    Returns:
        (N, 2) float32 array.
    Raises:
        ValueError: the lengths differ, a label is another number, or a logit is
            not finite.

    Example:
        >>> distillation_targets([1, -1], [3.5, -0.5]).tolist()
        [[1.0, 3.5], [-1.0, -0.5]]
    """
    labels = np.asarray(labels, dtype="float32")
    teacher_logits = np.asarray(teacher_logits, dtype="float32")
    if labels.ndim != 1 or labels.shape != teacher_logits.shape:
        raise ValueError(
            f"distillation_targets: labels have the shape {labels.shape}, the "
            f"teacher's logits {teacher_logits.shape}; pass two lists of one length."
        )
    if strange := sorted(set(labels.tolist()) - {0.0, 1.0, float(NO_LABEL)}):
        raise ValueError(
            f"distillation_targets: there is a label {strange[0]:g}; labels are 1, "
            f"0, or {NO_LABEL} for none."
        )
    if not np.isfinite(teacher_logits).all():
        raise ValueError(
            "distillation_targets: a logit of the teacher is not finite; take the "
            "logits themselves, not the logarithms of rounded probabilities."
        )
    return np.stack([labels, teacher_logits], axis=1)


def predict_logits(model, sequences, tokens_per_batch=16_384):
    """Return what a model says to each text, in the order of the texts.

    Args:
        model: from (B, T) ids to (B, 1) logits.
        sequences: N lists of ids, none empty.
        tokens_per_batch: about how many tokens a batch holds, padding included.
    Returns:
        (N,) float32 array.
    Raises:
        ValueError: a text has no ids.
    """
    lengths = [len(ids) for ids in sequences]
    if 0 in lengths:
        raise ValueError(
            f"predict_logits: text {lengths.index(0)} has no ids; leave out empty "
            f"texts."
        )
    answer = compiled(keras.Model.__call__, model, training=False)
    logits = np.zeros(len(sequences), dtype="float32")
    for rows in token_batches(lengths, tokens_per_batch):
        outputs = answer(pad([sequences[i] for i in rows]))  # (B, 1)
        logits[rows] = ops.convert_to_numpy(outputs)[:, 0]
    return logits


@keras.saving.register_keras_serializable(package="course_utils")
class Neighbours(KeepsOptions, layers.Layer):
    """Put the vectors of the words around a word beside its own.

    A dense layer behind it sees 2 · radius + 1 words at a time and so a little of their
    order: the two are a convolution over the text (Kim, 2014, "Convolutional Neural
    Networks for Sentence Classification", section 2). Beyond the ends of a text, and
    in its padding, all numbers are 0.

    Args:
        radius: how many words on each side.

    Call arguments:
        inputs: (B, T, D).
        mask: (B, T) boolean, True = real token; Keras fills it in by itself.
    Returns:
        (B, T, (2 · radius + 1) · D).
    Raises:
        ValueError: ``radius`` is not a positive whole number.

    Example:
        >>> x = ops.reshape(ops.arange(1, 4), (1, 3, 1))
        >>> ops.convert_to_numpy(Neighbours(1)(x))[0].tolist()
        [[0, 1, 2], [1, 2, 3], [2, 3, 0]]
    """

    def __init__(self, radius=1, **kwargs):
        super().__init__(**kwargs)
        self.options = given_options(locals())
        check_sizes("Neighbours", radius=radius)
        self.radius = radius
        self.supports_masking = True

    def call(self, inputs, mask=None):
        x = inputs
        if mask is not None:
            x = ops.where(ops.expand_dims(mask, -1), x, ops.zeros_like(x))
        length = ops.shape(x)[1]
        x = ops.pad(x, ((0, 0), (self.radius, self.radius), (0, 0)))
        shifted = [x[:, i : i + length] for i in range(2 * self.radius + 1)]
        return ops.concatenate(shifted, axis=-1)

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], (2 * self.radius + 1) * input_shape[-1])


def with_dtype(model, dtype):
    """Return a copy of a model that stores and computes in another dtype.

    Args:
        model: a functional model with one input and one output; it stays as it is.
        dtype: such as "float16"; "float32" gives a plain copy.
    Returns:
        A model without optimizer and loss. Its weights are those of ``model``, rounded.

    Example:
        >>> model = keras.Sequential([keras.Input((2,)), layers.Dense(1)])
        >>> with_dtype(model, "float16").weights[0].dtype
        'float16'
    """

    def copy(layer):
        # Between the layers there may be plain operations, such as a mask's x ≠ 0.
        has_dtype = isinstance(layer, layers.Layer)
        options = {"dtype": dtype} if has_dtype else {}
        return type(layer).from_config({**layer.get_config(), **options})

    twin = keras.models.clone_model(model, clone_function=copy)
    # The copy of a compiled model has an optimizer, and this one has none.
    twin = keras.Model(twin.inputs[0], twin.outputs[0], name=model.name)
    twin.set_weights(model.get_weights())
    return twin


def quantized(model):
    """Return a copy of a model with int8 weights, by Keras's own method.

    Dense layers and embeddings are rounded, also those inside a block. All other
    weights, such as biases and those of normalisations, stay as they are.

    Args:
        model: a functional model with one input and one output; it stays as it is.
    Returns:
        A model without optimizer and loss. It answers, but can't be trained.

    Example:
        >>> model = keras.Sequential([keras.Input((2,)), layers.Dense(1)])
        >>> sorted({weight.dtype for weight in quantized(model).weights})
        ['float32', 'int8']
    """
    twin = with_dtype(model, "float32")
    # Keras warns about each layer that it can't round; these are those that it can.
    rounded = (layers.Dense, layers.EinsumDense, layers.Embedding)
    twin.quantize("int8", filters=lambda layer: type(layer) in rounded)
    return twin
