"""Distillation: a small model, the student, learns what a large one, the teacher, says.

Shapes use the letters of the course: B batch, T length, D width. A logit is a score
before the sigmoid; one logit tells two classes apart.
"""

import keras
import numpy as np
from keras import layers, ops

import course_utils.classification  # noqa: F401 (a saved student is made of it)
from course_utils.arguments import check_sizes

NO_LABEL = -1


@keras.saving.register_keras_serializable(package="course_utils")
class DistillationLoss(keras.losses.Loss):
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
        y_true: (B, 2): the label, 1, 0 or -1 for none, and the teacher's logit.
        y_pred: (B, 1) logits.
    Returns:
        A scalar in nats, the mean over the batch; Keras weighs it by the
        ``sample_weight`` of each text.
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
        check_temperature("DistillationLoss", temperature)
        if not 0 <= alpha <= 1:
            raise ValueError(
                f"DistillationLoss: alpha is {alpha}; it must be from 0 (labels "
                f"only) to 1 (teacher only)."
            )
        self.temperature = temperature
        self.alpha = alpha

    def call(self, y_true, y_pred):
        label = y_true[:, 0]  # (B,)
        teacher = y_true[:, 1]  # (B,)
        student = y_pred[:, 0]  # (B,)
        labelled = ops.not_equal(label, NO_LABEL)
        hard = ops.where(labelled, _cross_entropy(label, student), 0.0)
        soft = _cross_entropy(
            ops.sigmoid(teacher / self.temperature), student / self.temperature
        )
        return (1 - self.alpha) * hard + self.alpha * self.temperature**2 * soft

    def get_config(self):
        config = super().get_config()
        config["temperature"] = self.temperature
        config["alpha"] = self.alpha
        return config


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


@keras.saving.register_keras_serializable(package="course_utils")
class Neighbours(layers.Layer):
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

    def get_config(self):
        config = super().get_config()
        config["radius"] = self.radius
        return config
