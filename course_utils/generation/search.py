"""Decoding: greedy search and sampling over one cached step function.

``beam_search`` comes from the module of that name; ``steps`` says what they share, and
what a model needs.

Shapes: B sentences, R rows, T target length, N steps of a loop, V vocabulary.
"""

import numpy as np
from keras import ops

from course_utils.generation.beam_search import beam_search  # noqa: F401
from course_utils.generation.steps import (
    NEVER,
    STEPS,
    check_count,
    check_search,
    compiled,
    run_steps,
    token_by_token,
    top_k_by_groups,
)


def greedy_search(model, source, max_length):
    """Take the most probable token at every step.

    Args:
        model: an encoder–decoder with a step function.
        source: (B, S) ids.
        max_length: T, largest number of target tokens, the end included; or one
            such number for each sentence, the largest of which is T.
    Returns:
        (B, T) NumPy array of ids; after the end there is padding.
    Raises:
        ValueError: for a source that isn't (B, S), or lengths the model can't take.
    """
    source, limits = check_search("greedy_search", model, source, max_length)
    return token_by_token(
        model, source, limits, compiled(_greedy_steps, model, widths=True)
    )


def _greedy_steps(model, state, encoded_source):
    def most_probable(logits, number):
        return ops.squeeze(top_k_by_groups(logits, 1)[1], 1)

    return run_steps(model, state, encoded_source, most_probable)


def sample_search(
    model, source, max_length, temperature=1.0, top_k=None, top_p=None, seed=0
):
    """Draw every token at random, with the probability that the model gives it.

    The logits are divided by the temperature; then ``top_k``, and after it ``top_p``,
    leave only the most probable tokens to draw from. A row's draws depend on the seed
    and on its place in the batch, not on the other rows, ``max_length`` or the backend.

    Args:
        model: an encoder–decoder with a step function.
        source: (B, S) ids.
        max_length: T, largest number of target tokens, the end included; or one
            such number for each sentence, the largest of which is T.
        temperature: above 0; below 1 the probable tokens become more probable, above
            1 less. The limit at 0 is ``greedy_search``.
        top_k: draw from the k most probable tokens, see ``keep_top_k``; None for all.
        top_p: draw from the nucleus of this probability, see ``keep_top_p``; None for
            all tokens.
        seed: integer from 0; the same seed gives the same tokens.
    Returns:
        (B, T) NumPy array of ids; after the end there is padding.
    Raises:
        ValueError: as ``greedy_search``, and for a temperature, ``top_k``, ``top_p``
            or seed that isn't as described.
    """
    source, limits = check_search("sample_search", model, source, max_length)
    _check_sampling(temperature, top_k, top_p, seed)
    # The random numbers are drawn before the loop: keras.random takes no tensor as a
    # seed, so that inside of it every new seed would be a new graph.
    rows = np.random.default_rng(seed).spawn(len(limits))
    count = -(-limits.max() // STEPS) * STEPS
    draws = np.stack([row.random(count, dtype="float32") for row in rows])
    sampling = compiled(
        _sample_steps,
        model,
        widths=True,
        top_k=None if top_k is None else int(top_k),
        nucleus=top_p is not None,
    )
    share = 1.0 if top_p is None else float(top_p)

    def steps(state, encoded_source, draws):
        return sampling(state, encoded_source, draws, float(temperature), share)

    return token_by_token(model, source, limits, steps, draws)


def _check_sampling(temperature, top_k, top_p, seed):
    """Raise a ValueError for what ``sample_search`` can't draw with."""
    if not temperature > 0:
        raise ValueError(
            f"sample_search: temperature is {temperature}; it must be above 0, and "
            f"its limit at 0 is greedy_search."
        )
    if top_k is not None:
        check_count("sample_search: top_k", top_k)
    if top_p is not None:
        _check_share("sample_search: top_p", top_p)
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(
            f"sample_search: seed is {seed!r}; expected an integer, at least 0."
        )


def _check_share(name, share):
    if not 0 < share <= 1:
        raise ValueError(f"{name} is {share}; it must be above 0 and at most 1.")


def _sample_steps(
    model, state, encoded_source, draws, temperature, top_p, top_k, nucleus
):
    def drawn(logits, number):
        logits = ops.cast(logits, "float32") / temperature
        if top_k is not None:
            logits = keep_top_k(logits, top_k)
        if nucleus:
            logits = keep_top_p(logits, top_p)
        return draw(logits, ops.take(draws, number, axis=1))

    return run_steps(model, state, encoded_source, drawn)


def draw(logits, draws):
    """Return the tokens (R,) at which the cumulated probability passes the draws.

    Args:
        logits: (R, V).
        draws: (R,) evenly distributed numbers, at least 0 and below 1.
    """
    probabilities = ops.softmax(ops.cast(logits, "float32"))
    reached = ops.cumsum(probabilities, axis=-1)  # (R, V)
    # However sums are rounded, a token of probability 0 must not be drawn.
    reached = ops.where(probabilities > 0, reached, 0.0)
    threshold = ops.expand_dims(draws, 1) * ops.max(reached, axis=-1, keepdims=True)
    return ops.argmax(ops.cast(reached > threshold, "int32"), axis=-1)


def keep_top_k(logits, k):
    """Rule out all but the k most probable tokens (Fan et al., 2018).

    Args:
        logits: (R, V).
        k: how many tokens of a row stay; of equal ones those with the smaller ids.
    Returns:
        (R, V) logits; those of the other tokens are ``NEVER``.
    Raises:
        ValueError: for a k below 1.
    """
    check_count("keep_top_k: k", k)
    logits = ops.convert_to_tensor(logits)
    values, tokens = ops.top_k(logits, min(k, logits.shape[-1]))
    return _keep_until(logits, values[:, -1:], tokens[:, -1:])


def keep_top_p(logits, p):
    """Rule out all but the nucleus (Holtzman et al., 2020).

    The nucleus is the smallest set of most probable tokens whose probability reaches
    p; it holds one token at least.

    Args:
        logits: (R, V).
        p: above 0 and at most 1; 1 keeps everything.
    Returns:
        (R, V) logits; those of the other tokens are ``NEVER``.
    Raises:
        ValueError: for a p out of its range.
    """
    if not ops.is_tensor(p):  # inside a compiled loop it is one, checked before
        _check_share("keep_top_p: p", p)
    logits = ops.convert_to_tensor(logits)
    values, tokens = ops.top_k(logits, logits.shape[-1])  # all, best first
    probabilities = ops.softmax(values)
    before = ops.cumsum(probabilities, axis=-1) - probabilities
    # A rounded sum may reach 1 before the last token.
    inside = ops.logical_or(before < p, p >= 1)
    last = ops.sum(ops.cast(inside, "int32"), axis=-1, keepdims=True) - 1  # (R, 1)
    return _keep_until(
        logits,
        ops.take_along_axis(values, last, axis=1),
        ops.take_along_axis(tokens, last, axis=1),
    )


def _keep_until(logits, value, token):
    """Rule out what comes after ``token`` (R, 1), of logit ``value``, in ``top_k``.

    Equal logits stand there in the order of their ids.
    """
    ids = ops.arange(logits.shape[-1], dtype="int32")
    tied = ops.logical_and(logits == value, ids <= ops.cast(token, "int32"))
    return ops.where(ops.logical_or(logits > value, tied), logits, NEVER)
