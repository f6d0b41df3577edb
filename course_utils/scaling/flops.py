"""What a training costs: operations and memory.

Operations are counted for matrix products only, which is where nearly all of them are.
A multiplication with its addition counts as two floating-point operations (FLOPs).

Shapes use the letters of the course: B rows, T target length, S source length, D model
width, F width of the hidden dense layer, H heads, L blocks, V vocabulary.

Example:
    >>> product_flops(2, 3, 4)
    48
"""

import numpy as np

# The backward pass needs two products for each one of the forward pass: one for the
# gradient of the weights (or of one factor), one for that of the inputs.
TRAINING_BY_FORWARD = 3
FLOAT32_BYTES = 4


def product_flops(rows, inner, columns):
    """Count a product of (rows, inner) and (inner, columns) matrices."""
    return 2 * rows * inner * columns


def attention_flops(batch, target, source, width):
    """Count multi-head attention of T queries to S keys; H doesn't matter.

    Four projections (queries and outputs have T rows, keys and values S rows), then
    scores and weighted sums: Vaswani et al. (2017), section 3.2.
    """
    projections = 2 * product_flops(batch * target, width, width)
    projections += 2 * product_flops(batch * source, width, width)
    return projections + 2 * product_flops(batch * target, width, source)


def feed_forward_flops(batch, length, width, dense):
    """Count the two dense layers of a block."""
    return 2 * product_flops(batch * length, width, dense)


def encoder_block_flops(batch, length, width, dense):
    """Count an encoder block; a causal block is the same, its zeros are computed."""
    attention = attention_flops(batch, length, length, width)
    return attention + feed_forward_flops(batch, length, width, dense)


def decoder_block_flops(batch, target, source, width, dense):
    """Count a decoder block: an encoder block with cross-attention in it."""
    cross = attention_flops(batch, target, source, width)
    return encoder_block_flops(batch, target, width, dense) + cross


def translation_flops(options, batch, source, target):
    """Count the forward pass of a ``TranslationTransformer``.

    Args:
        options: the model's ``options``.
        batch, source, target: B, S and T of the batch, padding included.
    """
    width, dense = options["embed_dim"], options["dense_dim"]
    blocks = encoder_block_flops(batch, source, width, dense)
    blocks += decoder_block_flops(batch, target, source, width, dense)
    outputs = product_flops(batch * target, width, options["vocab_size"])
    return options["num_layers"] * blocks + outputs


def graph_flops(function, *arguments):
    """Count the matrix products in the graph that TensorFlow makes of a function.

    Args:
        function: of tensors, such as a call of a model.
        arguments: arrays or ``tf.TensorSpec`` with known shapes.
    Raises:
        ValueError: a product has no known shape, or stands in a loop or a branch, whose
            number of rounds the graph doesn't say.

    Example:
        >>> from keras import ops
        >>> graph_flops(ops.matmul, np.ones((2, 3), "f"), np.ones((3, 4), "f"))
        48
    """
    import tensorflow as tf

    graph = tf.function(function).get_concrete_function(*arguments).graph
    return sum(_operation_flops(operation) for operation in graph.get_operations())


# The attribute that says whether the first factor is transposed.
_PRODUCTS = {"MatMul": "transpose_a"} | {
    f"BatchMatMul{version}": "adj_x" for version in ("", "V2", "V3")
}
_NESTED = ("While", "If", "Case", "PartitionedCall", "Einsum")


def _operation_flops(operation):
    """Return the FLOPs of one operation of a graph, 0 if it is no product."""
    if operation.type.removeprefix("Stateful").removeprefix("Stateless") in _NESTED:
        raise ValueError(
            f"graph_flops: the graph has a {operation.type}, in which products "
            "can't be counted; pass a function without loops and branches."
        )
    if operation.type not in _PRODUCTS:
        return 0
    first, output = operation.inputs[0].shape, operation.outputs[0].shape
    if not (first.is_fully_defined() and output.is_fully_defined()):
        raise ValueError(
            f"graph_flops: {operation.name} has the shape {output}; pass "
            "arguments with known shapes."
        )
    transposed = operation.get_attr(_PRODUCTS[operation.type])
    return 2 * output.num_elements() * first[-2 if transposed else -1]


# Memory


def bytes_of(variables):
    """Return how many bytes Keras variables take."""
    sizes = ((int(np.prod(v.shape)), np.dtype(v.dtype)) for v in variables)
    return sum(numbers * dtype.itemsize for numbers, dtype in sizes)


def state_bytes(model, optimizer):
    """Return the bytes that a training holds whatever the batch, by kind.

    Args:
        model: a built model.
        optimizer: a built optimizer.
    Returns:
        A dictionary: "weights", "gradients" (while a step runs) and "optimizer".
    """
    return {
        "weights": bytes_of(model.variables),
        "gradients": bytes_of(model.trainable_variables),
        "optimizer": bytes_of(optimizer.variables),
    }


def activation_bytes(options, batch, source, target, number_bytes=FLOAT32_BYTES):
    """Estimate what the forward pass of a ``TranslationTransformer`` keeps.

    For the backward pass a block keeps, of each token, about eight vectors of width D
    (inputs and outputs of the two normalisations; queries, keys and values; what the
    heads found), F hidden numbers, and H rows of attention weights. A decoder block
    keeps six more vectors. The loss keeps about four numbers of float32 for each token
    and each entry of the vocabulary: logits, targets, probabilities, gradients.

    Args:
        options: the model's ``options``.
        batch, source, target: B, S and T of the batch, padding included.
        number_bytes: 4 in float32, 2 in bfloat16.
    """
    width, dense = options["embed_dim"], options["dense_dim"]
    heads, blocks = options["num_heads"], options["num_layers"]
    of_source = 8 * width + dense + heads * source
    of_target = 14 * width + dense + heads * (target + source)
    numbers = blocks * batch * (source * of_source + target * of_target)
    of_loss = 4 * batch * target * options["vocab_size"] * FLOAT32_BYTES
    return numbers * number_bytes + of_loss
