"""The one sampler: which token follows, for language models and encoder–decoders.

The logits are divided by the temperature; then top-k, and after it top-p, leave only
the most probable tokens to draw from. At temperature 0 the most probable one is taken.

Shapes: R rows, V vocabulary.
"""

import numpy as np
from keras import ops

from course_utils.arguments import check_sizes

# Log-probability of what must not be chosen; finite, so that sums are, too.
NEVER = -1e9
SMALLEST_FLOAT = float(np.finfo("float32").tiny)
GROUP = 32  # columns of which ``top_k_by_groups`` takes the largest first


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


def uniform_draws(seed, rows, count):
    """Return (rows, count) numbers from 0 to 1; a row's depend on seed and row alone.

    They are drawn before the loop: keras.random takes no tensor as a seed, so that
    inside of it every new seed would be a new graph.
    """
    generators = np.random.default_rng(seed).spawn(rows)
    return np.stack([each.random(count, dtype="float32") for each in generators])


def choose_tokens(
    logits, draws, temperature, top_p, greedy, top_k=None, nucleus=False, barred=()
):
    """Choose a token for each row.

    Args:
        logits: (R, V).
        draws: (R,) evenly distributed numbers, at least 0 and below 1.
        temperature, top_p: scalars; tensors, so that one graph serves all of them.
        greedy: take the most probable token, whatever the other options say.
        top_k, nucleus: whether, and how, to leave out improbable tokens.
        barred: ids that are never chosen.
    Returns:
        (R,) ids.
    """
    if barred:
        forbidden = np.isin(np.arange(logits.shape[-1]), barred)  # (V,)
        logits = ops.where(forbidden, -np.inf, ops.cast(logits, "float32"))
    if not greedy:
        logits = divide_by_temperature(logits, temperature)
    if greedy:
        return ops.squeeze(top_k_by_groups(logits, 1)[1], 1)
    if top_k is not None:
        logits = keep_top_k(logits, top_k)
    if nucleus:
        logits = keep_top_p(logits, top_p)
    return draw(logits, draws)


def divide_by_temperature(logits, temperature):
    """Return the logits (R, V) minus their largest, divided by the temperature.

    A constant in all logits changes no probability; without it the largest stays 0
    however small the temperature is. Float32 can't divide by less than its smallest
    number.
    """
    logits = ops.cast(logits, "float32")
    logits = logits - ops.max(logits, axis=-1, keepdims=True)
    return logits / ops.maximum(temperature, SMALLEST_FLOAT)


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
    if not ops.is_tensor(p):  # inside a compiled loop it is one, checked before
        _check_probability("keep_top_p: p", p)
    logits = ops.convert_to_tensor(logits)
    values, tokens = ops.top_k(logits, logits.shape[-1])  # all, best first
    probabilities = ops.softmax(values)
    before = ops.cumsum(probabilities, axis=-1) - probabilities
    # A rounded sum may reach 1 before the last token.
    inside = ops.logical_or(before < p, p >= 1)
    last = ops.sum(ops.cast(inside, "int32"), axis=-1, keepdims=True) - 1  # (R, 1)
    last_value, last_token = (
        ops.take_along_axis(x, last, axis=1) for x in (values, tokens)
    )
    return _keep_until(logits, last_value, last_token)


def _keep_until(logits, value, token):
    """Rule out what comes after ``token`` (R, 1), of logit ``value``, in ``top_k``.

    Equal logits stand there in the order of their ids.
    """
    ids = ops.arange(logits.shape[-1], dtype="int32")
    tied = ops.logical_and(logits == value, ids <= ops.cast(token, "int32"))
    return ops.where(ops.logical_or(logits > value, tied), logits, NEVER)


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
    values, inside = ops.top_k(ops.reshape(candidates, (-1, k * GROUP)), k)
    group = ops.take_along_axis(chosen, inside // GROUP, axis=1)
    return values, group * GROUP + inside % GROUP
