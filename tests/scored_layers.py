"""Layers of scored attention with random weights, and the plain loop beside them."""

import layer_battery as lb
import numpy as np

from course_utils.attention.scored_attention import ScoredAttention

B, T, S, D, U = 3, 4, 6, 8, 5
QUERY, VALUE = lb.random_array(B, T, D, seed=1), lb.random_array(B, S, D, seed=2)
REAL = np.arange(S) < np.array([[6], [4], [2]])  # (B, S)
# Number of weights of each score for widths D and D, U hidden units, 9 places.
WEIGHTS = {
    "cosine": 1,
    "additive": 2 * D * U + U,
    "location": D * 9,
    "general": D * D,
    "dot": 0,
    "scaled_dot": 0,
}


def make(score="scaled_dot", **options):
    return ScoredAttention(score, **{"units": U, "max_length": 9, **options})


def built(query, value, score="scaled_dot", **options):
    """Return a layer with random weights, built for these inputs."""
    return lb.built(make, (query, value), score=score, **options)


def loop_score(layer, q, k, place):
    """Score one query (D,) and one key (D,) at a place, from the papers' formulas."""
    w = {weight.name: lb.to_numpy(weight) for weight in layer.weights}
    if layer.score == "cosine":
        angle = q @ k / np.linalg.norm(q) / np.linalg.norm(k)
        return np.exp(w["log_sharpness"]) * angle
    if layer.score == "additive":
        return w["v"] @ np.tanh(q @ w["w_query"] + k @ w["w_keys"])
    if layer.score == "location":
        return (q @ w["kernel"])[place]
    if layer.score == "general":
        return q @ w["kernel"] @ k
    return q @ k / (np.sqrt(len(q)) if layer.score == "scaled_dot" else 1)


def loop_attention(layer, query, value, allowed=None, bonus=None):
    """Attend for one row of the batch, one query and one key at a time."""
    output, weights = np.zeros((len(query), value.shape[1])), []
    for t, q in enumerate(query):
        powers = np.zeros(len(value))
        for s, k in enumerate(value):
            if allowed is None or allowed[t, s]:
                extra = 0 if bonus is None else bonus[t, s]
                powers[s] = np.exp(loop_score(layer, q, k, s) + extra)
        weights.append(powers / powers.sum())
        output[t] = sum(w * v for w, v in zip(weights[-1], value, strict=True))
    return output, np.array(weights)
