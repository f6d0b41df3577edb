"""What a training costs: operations, memory, time; and batches for faster steps.

Operations are counted for matrix products only, which is where nearly all of them are.
A multiplication with its addition counts as two floating-point operations (FLOPs).

Shapes use the letters of the course: B rows, T target length, S source length, D model
width, F width of the hidden dense layer, H heads, L blocks, V vocabulary.

Example:
    >>> product_flops(2, 3, 4)
    48
"""

import statistics
import time

import numpy as np

from course_utils.seq2seq.recurrent import teacher_forcing_arrays
from course_utils.text.vectorizers import PAD

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


# Batches


def bucket_batches(sources, targets, widths, tokens_per_batch, seed=0):
    """Batch sentence pairs in a few fixed shapes, one for each width.

    XLA compiles a program for each shape of its inputs. Here a pair goes to the
    smallest width that holds both its sides, and a batch of a width has always the same
    number of rows, filled up with padding where pairs are missing.

    Args:
        sources, targets: lists of ids, targets without start and end.
        widths: numbers of columns.
        tokens_per_batch: rows times columns of a batch, at most.
        seed: of the order of pairs and batches.
    Returns:
        A list of ((source, decoder input), labels), arrays of (rows, width).
    Raises:
        ValueError: a pair is longer than the largest width, or a width is larger than
            ``tokens_per_batch``.
    """
    rng = np.random.default_rng(seed)
    lengths = [max(len(s), len(t) + 1) for s, t in zip(sources, targets, strict=True)]
    places = np.searchsorted(sorted(widths), lengths)
    batches = []
    for place, width in enumerate([*sorted(widths), None]):
        members = rng.permutation(np.flatnonzero(places == place))
        if width is None and len(members):
            raise ValueError(
                f"bucket_batches: a pair has {max(lengths)} tokens, but the largest "
                f"width is {max(widths)}; leave it out or add a width."
            )
        if not len(members):
            continue
        rows = tokens_per_batch // width
        if not rows:
            raise ValueError(
                f"bucket_batches: tokens_per_batch ({tokens_per_batch}) is below the "
                f"width {width}; a batch needs one row at least."
            )
        for start in range(0, len(members), rows):
            chosen = members[start : start + rows]
            arrays = teacher_forcing_arrays(
                [sources[i] for i in chosen], [targets[i] for i in chosen]
            )
            batches.append(widen(arrays, rows, width))
    rng.shuffle(batches)
    return batches


def widen(arrays, rows, columns):
    """Fill a batch up with padding to (rows, columns).

    Args:
        arrays: ((source, decoder input), labels), each with at most so many rows and
            columns.
    """
    (source, reads), says = arrays

    def fill(array):
        wanted = ((0, rows - array.shape[0]), (0, columns - array.shape[1]))
        return np.pad(array, wanted, constant_values=PAD)

    return (fill(source), fill(reads)), fill(says)


def real_tokens(labels):
    """Return how many labels aren't padding."""
    return int(np.count_nonzero(labels))


# Gradients of a batch that doesn't fit into memory


def accumulated_gradients(model, loss, batches):
    """Return loss and gradients of several small batches as if they were one.

    The mean loss of a part counts as much as its share of the real tokens. (Keras's
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
        share = real_tokens(labels) / total
        with tf.GradientTape() as tape:
            value = share * loss(labels, model(inputs, training=True))
        gradients = map(tf.convert_to_tensor, tape.gradient(value, weights))
        sums = [old + new for old, new in zip(sums, gradients, strict=True)]
        loss_sum += float(value)
    return loss_sum, sums


# Time


def take_turns(functions, turns):
    """Measure functions in turns, so that a busy minute doesn't hit one of them alone.

    Args:
        functions: dictionary from name to a function without arguments.
        turns: how many times each is measured, after one call that isn't.
    Returns:
        A dictionary from name to the list of its seconds.
    """
    if turns < 1:
        raise ValueError(f"take_turns: turns is {turns}; it must be 1 or more.")
    seconds = {name: [] for name in functions}
    for function in functions.values():
        function()
    for _ in range(turns):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def times_faster(slow, fast):
    """Return the median of the ratios of times that were measured in the same turns.

    Example:
        >>> times_faster([4.0, 9.0, 4.0], [2.0, 3.0, 2.0])
        2.0
    """
    return statistics.median(a / b for a, b in zip(slow, fast, strict=True))
