"""Gradients of a batch that doesn't fit into memory, from several small parts."""

import numpy as np


def real_tokens(labels):
    """Return how many labels aren't padding."""
    return int(np.count_nonzero(labels))


def accumulated_gradients(model, loss, batches):
    """Return loss and gradients of several small batches as if they were one.

    The mean loss of a part counts as much as its part of the real tokens. (Keras's
    ``gradient_accumulation_steps`` gives all parts the same weight, which is the same
    when all have equally many real tokens.)

    Args:
        model: a Keras model on the TensorFlow backend.
        loss: function of labels and outputs, the mean over the real tokens.
        batches: list of (inputs, labels).
    Returns:
        The loss, a float, and a list of gradients, one for each trainable variable.
    Raises:
        ValueError: there is no real token in any batch.
    """
    import tensorflow as tf

    total = sum(real_tokens(labels) for _, labels in batches)
    if not total:
        raise ValueError(
            "accumulated_gradients: there is no real token in the batches."
        )
    weights = [variable.value for variable in model.trainable_variables]
    sums, loss_sum = [tf.zeros_like(weight) for weight in weights], 0.0
    for inputs, labels in batches:
        weight = real_tokens(labels) / total
        with tf.GradientTape() as tape:
            value = weight * loss(labels, model(inputs, training=True))
        gradients = map(tf.convert_to_tensor, tape.gradient(value, weights))
        sums = [old + new for old, new in zip(sums, gradients, strict=True)]
        loss_sum += float(value)
    return loss_sum, sums
