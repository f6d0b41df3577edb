"""Sampling: which token follows, for language models and encoder–decoders.

The logits are divided by the temperature; then top-k, and after it top-p, leave only
the most probable tokens to draw from. At temperature 0 the most probable one is taken.

Shapes: R rows, V vocabulary.
"""

import numpy as np
from keras import ops

from course_utils.arguments import check_sizes
from course_utils.generation.graphs import compiled_function

# Log-probability of what must not be chosen; finite, so that sums are, too.
NEVER = -1e9
SMALLEST_FLOAT = float(np.finfo("float32").tiny)


def check_sampling(name, temperature, top_k, top_p, seed):
    """Raise a ValueError for what can't be sampled with; ``name`` is the caller."""
    if not 0 <= temperature < float("inf"):
        finite = ", and finite" if temperature == float("inf") else ""
        raise ValueError(
            f"{name}: temperature is {temperature}; it must be 0 (always the most "
            f"probable token) or above{finite}."
        )
    if top_k is not None:
        check_sizes(name, top_k=top_k)
    if top_p is not None:
        _check_probability(f"{name}: top_p", top_p)
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"{name}: seed is {seed!r}; expected an integer, at least 0.")


def _check_probability(name, p):
    if not 0 < p <= 1:
        raise ValueError(f"{name} is {p}; it must be above 0 and at most 1.")


def draw_uniforms(seed, rows, count):
    """Return (rows, count) numbers from 0 to 1; a row's depend on seed and row alone.

    A longer row begins like a shorter one, and each row has a generator of its own.
    """
    generators = np.random.default_rng(seed).spawn(rows)
    uniforms = [generator.random(count, dtype="float32") for generator in generators]
    return np.stack(uniforms)


def choose_tokens(
    logits, uniforms, temperature=1.0, top_k=None, top_p=None, suppress_tokens=()
):
    """Choose a token for each row.

    Args:
        logits: (R, V).
        uniforms: (R,) evenly distributed numbers, at least 0 and below 1.
        temperature: the logits are divided by it; 0 takes the most probable token.
        top_k, top_p: see ``keep_top_k`` and ``keep_top_p``; None keeps all tokens.
        suppress_tokens: ids that are never chosen.
    Returns:
        (R,) ids.
    """
    logits = ops.cast(logits, "float32")
    if suppress_tokens:
        logits = rule_out(logits, suppress_tokens)
    if temperature == 0:
        return ops.argmax(logits, axis=-1)
    logits = divide_by_temperature(logits, temperature)
    if top_k is not None:
        logits = keep_top_k(logits, top_k)
    if top_p is not None:
        logits = keep_top_p(logits, top_p)
    return draw_tokens(logits, uniforms)


def compiled_choice(model, temperature, top_k, top_p, suppress_tokens=()):
    """Return ``choose_tokens`` with these settings, compiled once for a model.

    It takes logits (R, V) and uniforms (R,), and returns a NumPy array (R,) of ids.
    """
    choose = compiled_function(
        _choose_tokens,
        model,
        temperature=float(temperature),
        top_k=top_k,
        top_p=top_p,
        suppress_tokens=suppress_tokens,
    )

    def choose_numpy(logits, uniforms):
        # As a column: the last axis of float arguments is a part of the graph.
        return ops.convert_to_numpy(choose(logits, uniforms[:, None]))

    return choose_numpy


def _choose_tokens(model, logits, uniforms, **settings):
    return choose_tokens(logits, uniforms[:, 0], **settings)


def rule_out(logits, suppress_tokens):
    """Return logits (R, V) in which these ids have no probability."""
    suppressed = np.isin(np.arange(logits.shape[-1]), suppress_tokens)  # (V,)
    return ops.where(suppressed, -np.inf, logits)


def divide_by_temperature(logits, temperature):
    """Return the logits (R, V) minus their largest, divided by the temperature.

    A constant in all logits changes no probability; without it the largest stays 0
    however small the temperature is. Float32 can't divide by less than its smallest
    number.
    """
    logits = logits - ops.max(logits, axis=-1, keepdims=True)
    temperature = ops.maximum(ops.cast(temperature, "float32"), SMALLEST_FLOAT)
    return logits / temperature


def draw_tokens(logits, uniforms):
    """Return the tokens (R,) at which the cumulated probability passes the uniforms.

    Args:
        logits: (R, V).
        uniforms: (R,) evenly distributed numbers, at least 0 and below 1.
    """
    probabilities = ops.softmax(logits)
    cumulated = ops.cumsum(probabilities, axis=-1)  # (R, V)
    # However sums are rounded, a token of probability 0 must not be drawn.
    cumulated = ops.where(probabilities > 0, cumulated, 0.0)
    total = ops.max(cumulated, axis=-1, keepdims=True)  # (R, 1), 1 but for rounding
    passed = cumulated > ops.expand_dims(uniforms, 1) * total  # (R, V)
    return ops.argmax(ops.cast(passed, "int32"), axis=-1)


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
    check_sizes("keep_top_k", k=k)
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
    _check_probability("keep_top_p: p", p)
    logits = ops.convert_to_tensor(logits)
    if p == 1:  # a rounded sum may reach 1 before the last token
        return logits
    return keep_nucleus(logits, p)


def keep_nucleus(logits, p):
    """Do the same as ``keep_top_p`` for a tensor (R, V); p may be one, too.

    It checks nothing, and must not be called with a p of 1.
    """
    values, tokens = ops.top_k(logits, logits.shape[-1])  # all, best first
    probabilities = ops.softmax(values)
    before = ops.cumsum(probabilities, axis=-1) - probabilities  # (R, V)
    inside = ops.cast(before < p, "int32")
    last = ops.sum(inside, axis=-1, keepdims=True) - 1  # (R, 1)
    last_value = ops.take_along_axis(values, last, axis=1)
    last_token = ops.take_along_axis(tokens, last, axis=1)
    return _keep_until(logits, last_value, last_token)


def _keep_until(logits, value, token):
    """Rule out what comes after ``token`` (R, 1), of logit ``value``, in ``top_k``.

    Equal logits stand there in the order of their ids.
    """
    ids = ops.arange(logits.shape[-1], dtype="int32")
    tied = ops.logical_and(logits == value, ids <= ops.cast(token, "int32"))
    return ops.where(ops.logical_or(logits > value, tied), logits, NEVER)
