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


def recurrent_flops(batch, length, inputs, units, gates):
    """Count one direction of a GRU (3 gates) or LSTM (4), Cho et al. (2014)."""
    return product_flops(batch * length, inputs + units, gates * units)


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


def language_model_flops(options, batch, length):
    """Count the forward pass of a ``MiniGPT``; arguments as above."""
    width, dense = options["embed_dim"], options["dense_dim"]
    blocks = options["num_layers"] * encoder_block_flops(batch, length, width, dense)
    return blocks + product_flops(batch * length, width, options["vocab_size"])


def classifier_flops(batch, length, words, width, dense):
    """Count lesson 06's classifier: word vectors, narrowed to D, and one block."""
    narrow = product_flops(batch * length, words, width)
    return narrow + encoder_block_flops(batch, length, width, dense)


def recurrent_translation_flops(options, batch, source, target, attention):
    """Count the forward pass of a ``RecurrentSeq2Seq`` that reads both ways.

    Args:
        options: the model's ``options``.
        batch, source, target: B, S and T of the batch, padding included.
        attention: whether the decoder has attention.
    """
    embed, units, tokens = options["embed_dim"], options["units"], batch * target
    flops = 2 * recurrent_flops(batch, source, embed, units, gates=3)
    flops += recurrent_flops(batch, target, embed, units, gates=3)
    if attention:  # project the states, score, mix, combine
        flops += product_flops(tokens, units, units)
        flops += 2 * product_flops(tokens, units, source)
        flops += product_flops(tokens, 2 * units, units)
    return flops + product_flops(tokens, units, options["vocab_size"])


def lstm_flops(options, batch, length):
    """Count the forward pass of a ``CharacterLSTM``; arguments as above."""
    units, tokens = options["units"], batch * length
    states = recurrent_flops(batch, length, options["embed_dim"], units, gates=4)
    return states + product_flops(tokens, units, options["vocab_size"])


def masked_model_flops(options, batch, length, guesses):
    """Count the forward pass of a ``BertPretraining``.

    Args:
        options: the ``options`` of its encoder.
        batch, length: B and T of the batch.
        guesses: M, positions of a text that are to be guessed.
    """
    width, dense = options["embed_dim"], options["dense_dim"]
    blocks = encoder_block_flops(batch, length, width, dense)
    rows = batch * guesses
    heads = product_flops(rows, length, width)  # picks the positions
    heads += product_flops(rows, width, width + options["vocab_size"])
    heads += product_flops(batch, width, width + 1)
    return options["num_layers"] * blocks + heads


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
    return sum(
        int(np.prod(variable.shape)) * _item_bytes(variable.dtype)
        for variable in variables
    )


def _item_bytes(dtype):
    return 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize


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
