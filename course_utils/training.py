"""Training: a loss that ignores padding, schedule, stored states."""

import keras
import numpy as np
from keras import ops

from course_utils.arguments import check_rate
from course_utils.attention.multi_head import KeepsOptions, given_options
from course_utils.kit.files import atomic_write


@keras.saving.register_keras_serializable(package="course_utils")
class MaskedCrossEntropy(KeepsOptions, keras.losses.Loss):
    """Mean cross-entropy per real token, with label smoothing.

    Label smoothing as in Szegedy et al. (2016), section 7: the target is 1 − ε on
    the right token plus ε spread evenly over all V tokens. Positions where the label
    is 0 (padding) count neither in the sum nor in the mean.

    Args:
        label_smoothing: ε, 0 for none.

    Call arguments:
        y_true: (B, T) token ids, 0 = padding.
        y_pred: (B, T, V) logits.
    Returns:
        A scalar in nats per token; 0 for a batch of padding only.

    Example:
        >>> loss = MaskedCrossEntropy()
        >>> round(float(loss(ops.array([[1, 0]]), ops.zeros((1, 2, 4)))), 4)
        1.3863
    """

    def __init__(self, label_smoothing=0.0, name="masked_cross_entropy", **kwargs):
        super().__init__(name=name, **kwargs)
        self.options = given_options(locals())
        check_rate("MaskedCrossEntropy", "label_smoothing", label_smoothing)
        self.label_smoothing = label_smoothing

    def call(self, y_true, y_pred):
        # A scalar: Keras takes the mean of it once more, with the mask of y_pred where
        # there is one, which changes nothing.
        vocab_size = y_pred.shape[-1]
        target = ops.one_hot(ops.cast(y_true, "int32"), vocab_size)  # (B, T, V)
        if self.label_smoothing:
            keep = 1.0 - self.label_smoothing
            target = target * keep + self.label_smoothing / vocab_size
        loss = ops.categorical_crossentropy(
            target, ops.cast(y_pred, "float32"), from_logits=True
        )  # (B, T)
        mask = ops.cast(ops.not_equal(y_true, 0), loss.dtype)
        return ops.sum(loss * mask) / ops.maximum(ops.sum(mask), 1.0)


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
    """Store weights, optimizer and some numbers in one file, or keep the old one.

    Keras's ``BackupAndRestore`` writes several files one after the other; a program
    that is ended between two of them leaves what doesn't fit together.

    Args:
        path: of a file that ends with ".npz".
        model: a compiled model whose optimizer is built.
        progress: numbers by name, such as the epochs that are done.
    """
    arrays = {str(i): ops.convert_to_numpy(v) for i, v in enumerate(_state(model))}
    with atomic_write(path, "wb") as file:
        np.savez(file, **progress, **arrays)


def load_state(path, model):
    """Give a model that was made like the stored one the state in a file."""
    with np.load(path) as stored:
        for i, variable in enumerate(_state(model)):
            variable.assign(stored[str(i)])


def stored_progress(path):
    """Return the numbers that were stored with a state, {} where there is no file."""
    if not path.exists():
        return {}
    with np.load(path) as stored:
        return {n: stored[n].item() for n in stored.files if not n.isdecimal()}


def _state(model):
    return [*model.weights, *model.optimizer.variables]
