"""Training: a loss that ignores padding, schedule, stored states."""

import keras
import numpy as np
from keras import ops

from course_utils.arguments import check_rate
from course_utils.kit.files import atomic_write


@keras.saving.register_keras_serializable(package="course_utils")
class MaskedCrossEntropy(keras.losses.Loss):
    """Mean cross-entropy per real token, with label smoothing.

    Label smoothing as in Szegedy et al. (2016), section 7: the target is 1 − ε on
    the right token plus ε spread evenly over all V tokens. Positions where the label
    is 0 (padding) count neither in the sum nor in the mean.

    It is the mean over all real tokens of the batch, so a long row counts more than a
    short one; with weights, Σ w · loss / Σ w over the real tokens. Keras's options
    ``reduction`` and a mask that the logits carry change nothing. Don't use
    ``class_weight`` with it: Keras takes labels (B, T) for one-hot rows.

    Args:
        label_smoothing: ε, 0 for none.

    Call arguments:
        y_true: (B, T) token ids, 0 = padding.
        y_pred: (B, T, V) logits.
        sample_weight: None, or one weight a row, (B,) or (B, 1), or a token, (B, T).
    Returns:
        A scalar in nats per token; 0 for a batch of padding only.

    Example:
        >>> loss = MaskedCrossEntropy()
        >>> round(float(loss(ops.array([[1, 0]]), ops.zeros((1, 2, 4)))), 4)
        1.3863
    """

    def __init__(self, label_smoothing=0.0, name="masked_cross_entropy", **kwargs):
        super().__init__(name=name, **kwargs)
        check_rate("MaskedCrossEntropy", "label_smoothing", label_smoothing)
        self.label_smoothing = label_smoothing

    def __call__(self, y_true, y_pred, sample_weight=None):
        losses = self.call(y_true, y_pred)  # (B, T)
        weights = token_weights(y_true, sample_weight)  # (B, T)
        return ops.divide_no_nan(ops.sum(losses * weights), ops.sum(weights))

    def call(self, y_true, y_pred):
        """Return the loss of each position, (B, T), also where there is padding."""
        vocab_size = y_pred.shape[-1]
        target = ops.one_hot(ops.cast(y_true, "int32"), vocab_size)  # (B, T, V)
        if self.label_smoothing:
            keep = 1.0 - self.label_smoothing
            target = target * keep + self.label_smoothing / vocab_size
        logits = ops.cast(y_pred, "float32")
        return ops.categorical_crossentropy(target, logits, from_logits=True)  # (B, T)

    def get_config(self):
        config = super().get_config()
        config["label_smoothing"] = self.label_smoothing
        return config


def token_weights(labels, sample_weight=None):
    """Return how much each token counts in a mean: padding 0, others 1 or their weight.

    Args:
        labels: (B, T) token ids, 0 = padding.
        sample_weight: None, or one weight a row, (B,) or (B, 1), or a token, (B, T).
    Returns:
        (B, T) float32.

    Example:
        >>> token_weights(ops.array([[5, 6], [7, 0]]), ops.array([1, 3])).numpy()
        array([[1., 1.],
               [3., 0.]], dtype=float32)
    """
    weights = ops.cast(ops.not_equal(labels, 0), "float32")  # (B, T)
    if sample_weight is None:
        return weights
    sample_weight = ops.cast(sample_weight, "float32")
    if len(sample_weight.shape) == 1:
        sample_weight = ops.expand_dims(sample_weight, -1)  # (B, 1)
    return weights * sample_weight


def warmup_cosine(peak, total_steps, warmup_steps):
    """Rise in a straight line from 0 to ``peak``, then fall as a cosine to 0.

    The warm-up keeps the first, badly scaled steps of Adam small (Vaswani et al.,
    2017, section 5.3); the cosine is that of Loshchilov and Hutter (2017).

    Args:
        peak: the highest learning rate.
        total_steps: steps of the whole training, warm-up included.
        warmup_steps: steps of the rise.
    Returns:
        A ``keras.optimizers.schedules.CosineDecay``.
    """
    if not 0 < warmup_steps < total_steps:
        raise ValueError(
            f"warmup_cosine: warmup_steps is {warmup_steps}; it must be above 0 and "
            f"below total_steps ({total_steps})."
        )
    return keras.optimizers.schedules.CosineDecay(
        initial_learning_rate=0.0,
        decay_steps=total_steps - warmup_steps,
        warmup_target=peak,
        warmup_steps=warmup_steps,
    )


def save_state(path, model, **progress):
    """Store where a training stands in one file, or keep the old one.

    That is: the weights, the optimizer, the random numbers that dropout will draw, and
    some numbers. With the same batches the training then goes on as if it had never
    stopped.

    Keras's ``BackupAndRestore`` writes several files one after the other; a program
    that is ended between two of them leaves what doesn't fit together.

    Args:
        path: of a file that ends with ".npz".
        model: a compiled model whose optimizer is built.
        progress: numbers by name, such as the epochs that are done.
    """
    arrays = {}
    for number, variable in enumerate(_state(model)):
        arrays[str(number)] = ops.convert_to_numpy(variable)
    with atomic_write(path, "wb") as file:
        np.savez(file, **progress, **arrays)


def load_state(path, model):
    """Give a model that was made like the stored one the state in a file."""
    with np.load(path) as stored:
        for number, variable in enumerate(_state(model)):
            variable.assign(stored[str(number)])


def stored_progress(path):
    """Return the numbers that were stored with a state, {} where there is no file."""
    if not path.exists():
        return {}
    with np.load(path) as stored:
        names = [name for name in stored.files if not name.isdecimal()]
        return {name: stored[name].item() for name in names}


def _state(model):
    """Return all variables but those of metrics, which each epoch sets to 0."""
    metrics = {id(variable) for variable in model.metrics_variables}
    # Keras counts the states of random numbers among variables, not among weights.
    variables = [v for v in model.variables if id(v) not in metrics]
    return variables + model.optimizer.variables
