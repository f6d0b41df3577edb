"""The one decoding loop: extend rows of tokens that begin with forced ones.

It works on a whole batch, in compiled loops of a few steps. Between two of them the
rows that are done leave the batch, and the cache grows, so that one long row costs the
others nothing. Encoder–decoders begin with the start alone, language models with their
prompts; beam search, in a module of its own, shares the parts.

A model needs ``empty_cache`` and ``step``, and an encoder–decoder ``encode_for_steps``,
as ``MiniGPT`` and ``TranslationTransformer`` have them; all tensors that the first and
the last return have one row for each row of their input. ``cache_axis`` says along
which axis of the cache positions stand, None where a state holds all of them.

Shapes: B prompts, R rows, T new tokens, N steps of a loop, V vocabulary.
"""

import numpy as np
from keras import ops, tree

from course_utils.generation.graphs import compiled
from course_utils.generation.sampling import choose_tokens, uniform_draws
from course_utils.text.vectorizers import END, PAD

STEPS = 8  # N
FREE = -1  # in place of a forced token where the model chooses


def decode(
    model,
    prompts,
    limits,
    memory=(),
    barred=(),
    temperature=0.0,
    top_k=None,
    top_p=None,
    seed=0,
):
    """Extend every prompt, N steps at a time, until it has ended or is long enough.

    Args:
        model: a language model or an encoder–decoder.
        prompts: B lists of ids, one id at least in each.
        limits: (B,) largest numbers of new tokens; T is the largest of them.
        memory: what ``step`` takes after the cache, in a tuple.
        barred: ids that are never chosen.
        temperature, top_k, top_p, seed: as ``check_sampling`` lets them pass.
    Returns:
        (B, T) NumPy array of the new ids; after the end there is padding.
    """
    lengths = np.array([len(prompt) for prompt in prompts], "int32")
    ends = (lengths - 1 + limits).astype("int32")  # positions where rows are done
    columns = lengths.max() - 1 + limits.max()
    columns = -(-columns // STEPS) * STEPS
    forced = np.full((len(lengths), columns), FREE, "int32")
    for row, prompt in zip(forced, prompts, strict=True):
        row[: len(prompt) - 1] = prompt[1:]
    draws = np.zeros(forced.shape, "float32")
    if temperature:
        # The first draw of a row is for its first new token.
        number = np.maximum(np.arange(columns) - lengths[:, None] + 1, 0)
        draws = uniform_draws(seed, *forced.shape)
        draws = np.take_along_axis(draws, number, axis=1)
    extend = compiled(
        _extend,
        model,
        barred=barred,
        greedy=temperature == 0,
        top_k=top_k,
        nucleus=top_p is not None,
    )
    options = float(temperature), 1.0 if top_p is None else float(top_p)
    written = np.zeros(forced.shape, "int32")
    rows = np.arange(len(lengths))  # those that are not done
    last = np.array([prompt[0] for prompt in prompts], "int32")
    cache = model.empty_cache(len(rows), 0)
    for start in range(0, columns, STEPS):
        part = slice(start, start + STEPS)
        state = np.int32(start), last, (lengths[rows], ends[rows]), cache
        tokens, last, done, cache = extend(
            state, memory, forced[rows, part], draws[rows, part], *options
        )
        written[rows, part] = ops.convert_to_numpy(tokens)
        going_on = np.flatnonzero(~ops.convert_to_numpy(done))
        if not len(going_on):
            break
        if len(going_on) < len(rows):
            rows = rows[going_on]
            last, cache, memory = take_rows((last, cache, memory), going_on)
    new = lengths[:, None] - 1 + np.arange(limits.max())  # (B, T)
    return np.take_along_axis(written, new, axis=1)


def _extend(model, state, memory, forced, draws, temperature, top_p, **options):
    """Extend rows by at most N tokens; stop earlier where all are done.

    Args:
        state: the position, the last tokens (R,), the ``bounds`` of ``done_rows`` and
            the cache.
        memory: see ``decode``.
        forced: (R, N) the tokens that are given, ``FREE`` where the model chooses.
        draws: (R, N) random numbers.
        options: of ``choose_tokens``.
    Returns:
        Tokens (R, N), the last tokens, which rows are done (R,), and the cache.
    """
    start, last, bounds, cache = state
    rows = ops.shape(last)[0]

    def unfinished(number, tokens, last, cache):
        done = done_rows(last, start + number, *bounds)
        return ops.logical_and(number < STEPS, ops.logical_not(ops.all(done)))

    def step(number, tokens, last, cache):
        position = start + number
        logits, cache = model.step(last, position, cache, *memory)
        drawn, given = (ops.take(x, number, axis=1) for x in (draws, forced))  # (R,)
        chosen = choose_tokens(logits, drawn, temperature, top_p, **options)
        done = done_rows(last, position, *bounds)
        chosen = ops.where(done, PAD, ops.cast(chosen, "int32"))
        last = ops.where(given == FREE, chosen, given)
        tokens = ops.slice_update(tokens, (0, number), ops.expand_dims(last, 1))
        return number + 1, tokens, last, cache

    tokens = ops.zeros((rows, STEPS), dtype="int32")
    cache = lengthen(model, cache, rows, STEPS)
    state = ops.convert_to_tensor(0), tokens, last, cache
    number, tokens, last, cache = ops.while_loop(unfinished, step, state)
    return tokens, last, done_rows(last, start + number, *bounds), cache


def done_rows(last, position, lengths, ends):
    """Return True for rows after which only padding follows.

    Args:
        last: (R,) the tokens at ``position``, a scalar.
        lengths: how long the prompts are; an end inside of a prompt ends nothing.
        ends: the positions at which the rows are at their limit.
    """
    ended = ops.logical_or(last == END, last == PAD)
    ended = ops.logical_and(ended, position >= lengths)
    return ops.logical_or(ended, position >= ends)


def encode(model, source):
    return model.encode_for_steps(source)


def lengthen(model, cache, rows, steps):
    """Make room for so many more positions in a cache that has an axis of them."""
    axis = model.cache_axis
    if axis is None:
        return cache
    return tree.map_structure(
        lambda *parts: ops.concatenate(parts, axis),
        cache,
        model.empty_cache(rows, steps),
    )


def take_rows(tensors, rows):
    """Return some rows of all tensors of a structure."""
    return tree.map_structure(lambda tensor: ops.take(tensor, rows, axis=0), tensors)
