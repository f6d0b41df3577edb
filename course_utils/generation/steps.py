"""What greedy search, sampling and beam search share: compiled loops of a few steps.

All of them work on a whole batch at a time. Between two loops the sentences that are
finished leave the batch, and the cache grows, so that one long sentence costs the
others nothing.

A model needs ``encode_for_steps``, ``empty_cache`` and ``step``, as
``TranslationTransformer`` has them; all tensors that the first two return have one row
for each row of their input.

Shapes: B sentences, K beams, R rows, T target length, N steps of a loop, V vocabulary.
"""

import weakref

import keras
import numpy as np
from keras import ops, tree

from course_utils.text.vectorizers import END, PAD, START

# Log-probability of what must not be chosen; finite, so that sums are, too.
NEVER = -1e9
STEPS = 8  # N
GROUP = 32  # columns of which ``top_k_by_groups`` looks at the largest first
_compiled = weakref.WeakKeyDictionary()


def compiled(function, model, widths=False, **options):
    """Return ``function`` with ``model`` and ``options`` bound, compiled once for them.

    TensorFlow compiles it to one graph for all batch sizes and lengths; on other
    backends it runs step by step.

    Args:
        widths: whether the graph may count on the last axis of float arguments, which
            layers want to know where it is the width of vectors.
    """
    functions = _compiled.setdefault(model, {})
    key = (function, widths, *sorted(options.items()))
    if key not in functions:
        # A weak reference, so that the table doesn't keep the model alive.
        reference = weakref.ref(model)

        def bound(*arguments):
            return function(reference(), *arguments, **options)

        on_tensorflow = keras.backend.backend() == "tensorflow"
        run = _as_graph(bound, widths) if on_tensorflow else bound
        functions[key] = lambda *arguments: run(
            *tree.map_structure(ops.convert_to_tensor, arguments)
        )
    return functions[key]


def _as_graph(function, widths):
    """Compile ``function`` with TensorFlow; its sizes stay open, so it happens once."""
    import tensorflow as tf

    graph = tf.function(function)

    def open_shape(tensor):
        sizes = [None] * len(tensor.shape)
        if widths and sizes and tensor.dtype.is_floating:
            sizes[-1] = tensor.shape[-1]
        return tf.TensorSpec(sizes, tensor.dtype)

    def run(*tensors):
        open_shapes = tree.map_structure(open_shape, tensors)
        return graph.get_concrete_function(*open_shapes)(*tensors)

    return run


def check_search(name, model, source, max_length):
    """Return source ids (B, S) and one limit per row (B,), or raise a ValueError."""
    source = ops.convert_to_tensor(source, "int32")
    if len(source.shape) != 2 or 0 in source.shape:
        raise ValueError(
            f"{name}: source has shape {tuple(source.shape)}; expected (B, S) token "
            f"ids with at least one row and one column."
        )
    limits = np.array(max_length)
    if not np.issubdtype(limits.dtype, np.integer):
        raise ValueError(
            f"{name}: max_length is {max_length}; expected whole numbers of tokens."
        )
    limits = limits.astype("int32")
    if limits.shape not in ((), (source.shape[0],)):
        raise ValueError(
            f"{name}: max_length has shape {limits.shape}; expected one number, or one "
            f"for each of the {source.shape[0]} rows of the source."
        )
    check_count(f"{name}: max_length", limits.min())
    positions = getattr(model, "sequence_length", None)
    if positions is not None and max(source.shape[1], limits.max()) > positions:
        raise ValueError(
            f"{name}: the source has {source.shape[1]} columns and max_length is "
            f"{limits.max()}, but the model has positions for {positions} tokens only."
        )
    return source, np.broadcast_to(limits, (source.shape[0],))


def check_count(name, count):
    if count < 1:
        raise ValueError(f"{name} is {count}; it must be at least 1.")


def finished_rows(last, position, limits):
    """Return True for rows at their limit, or after their end: only padding follows."""
    ended = ops.logical_or(last == END, last == PAD)
    return ops.logical_or(ended, position >= limits)


def encode(model, source):
    return model.encode_for_steps(source)


def token_by_token(model, source, limits, steps, draws=None):
    """Extend every row, N steps at a time, until it is finished.

    Args:
        limits: (B,) NumPy array.
        steps: a compiled function that extends the rows by N tokens.
        draws: (B, T or more) random numbers for it, or None.
    Returns:
        (B, T) NumPy array.
    """
    found = np.zeros((len(limits), limits.max()), "int32")
    encoded_source = compiled(encode, model)(source)
    rows = np.arange(len(limits))  # those that are not finished
    last, cache = np.full(len(rows), START, "int32"), model.empty_cache(len(rows), 0)
    for start in range(0, limits.max(), STEPS):
        columns = slice(start, start + STEPS)
        state = (
            np.int32(start),
            limits[rows],
            last,
            lengthen(model, cache, len(rows), STEPS),
        )
        drawn = () if draws is None else (draws[rows, columns],)
        tokens, last, cache = steps(state, encoded_source, *drawn)
        tokens, last = map(ops.convert_to_numpy, (tokens, last))
        found[rows, columns] = tokens[:, : found[:, columns].shape[1]]
        finished = finished_rows(last, start + STEPS, limits[rows])
        going_on = np.flatnonzero(~ops.convert_to_numpy(finished))
        if not len(going_on):
            break
        if len(going_on) < len(rows):
            rows, last = rows[going_on], last[going_on]
            cache, encoded_source = take_rows((cache, encoded_source), going_on)
    return found


def lengthen(model, cache, rows, steps):
    """Make room for more positions in those tensors of the cache that have any."""

    def join(old, new, one, two):
        differ = np.not_equal(one.shape, two.shape)
        return ops.concatenate([old, new], axis=differ.argmax()) if any(differ) else old

    # Where a cache for one position and one for two differ, there is the length.
    sizes = (rows, steps), (1, 1), (1, 2)
    return tree.map_structure(
        join, cache, *[model.empty_cache(*size) for size in sizes]
    )


def take_rows(tensors, rows):
    """Return some rows of all tensors of a structure."""
    return tree.map_structure(lambda tensor: ops.take(tensor, rows, axis=0), tensors)


def run_steps(model, state, encoded_source, choose):
    """Extend rows by at most N tokens; stop earlier where all are finished.

    Args:
        state: the position, the limits (R,), the last tokens (R,) and the cache.
        choose: returns the tokens (R,) for logits (R, V) and the number of the step.
    Returns:
        Tokens (R, N), the last tokens and the cache.
    """
    start, limits, last, cache = state

    def unfinished(number, tokens, last, cache):
        open_rows = ops.logical_not(finished_rows(last, start + number, limits))
        return ops.logical_and(number < STEPS, ops.any(open_rows))

    def step(number, tokens, last, cache):
        position = start + number
        logits, cache = model.step(last, position, cache, encoded_source)
        chosen = ops.cast(choose(logits, number), "int32")  # (R,)
        last = ops.where(finished_rows(last, position, limits), PAD, chosen)
        tokens = ops.slice_update(tokens, (0, number), ops.expand_dims(last, 1))
        return number + 1, tokens, last, cache

    tokens = ops.zeros((ops.shape(last)[0], STEPS), dtype="int32")
    state = ops.convert_to_tensor(0), tokens, last, cache
    return ops.while_loop(unfinished, step, state)[1:]


def top_k_by_groups(x, k):
    """Do the same as ``ops.top_k`` for (R, V), faster where V is large.

    The k largest numbers stand in the k groups of columns with the largest maxima.
    Those groups stay in their order, so that of equal numbers the first still wins.
    """
    columns = x.shape[-1]
    if columns % GROUP or columns < 4 * k * GROUP:
        return ops.top_k(x, k)
    groups = ops.reshape(x, (-1, columns // GROUP, GROUP))
    chosen = ops.sort(ops.top_k(ops.max(groups, axis=-1), k)[1], axis=-1)  # (R, k)
    candidates = ops.take_along_axis(groups, ops.expand_dims(chosen, -1), axis=1)
    values, places = ops.top_k(ops.reshape(candidates, (-1, k * GROUP)), k)
    group = ops.take_along_axis(chosen, places // GROUP, axis=1)
    return values, group * GROUP + places % GROUP
