"""What a training costs in operations.

Operations are counted for matrix products only, which is where nearly all of them are.
A multiplication with its addition counts as two floating-point operations (FLOPs).

Shapes use the letters of the course: B rows, T target length, S source length, D model
width, F width of the hidden dense layer, H heads, L blocks, V vocabulary.

Example:
    >>> product_flops(2, 3, 4)
    48
"""

# The backward pass needs two products for each one of the forward pass: one for the
# gradient of the weights (or of one factor), one for that of the inputs.
TRAINING_BY_FORWARD = 3


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
        >>> graph_flops(ops.matmul, ops.ones((2, 3)), ops.ones((3, 4)))
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
        if "MatMul" in operation.type or "Conv" in operation.type:
            raise ValueError(
                f"graph_flops: the graph has a {operation.type}, whose products aren't "
                "counted here; pass a function without it."
            )
        return 0
    first, output = operation.inputs[0].shape, operation.outputs[0].shape
    if not (first.is_fully_defined() and output.is_fully_defined()):
        raise ValueError(
            f"graph_flops: {operation.name} has the shape {output}; pass "
            "arguments with known shapes."
        )
    transposed = operation.get_attr(_PRODUCTS[operation.type])
    return 2 * output.num_elements() * first[-2 if transposed else -1]
