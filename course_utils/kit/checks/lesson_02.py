"""Checks of the exercises of lesson 02."""

import numpy as np

from course_utils.kit.checks.answers import lesson_02 as answers
from course_utils.kit.checks.compare import CORRECT, Case, compare


def update_bias(function):
    """Check `update_bias(steps)`: after so many steps half of a state is left."""
    cases = [
        Case((1,), "one step", "σ(b) = ½: which b is it?"),
        Case((10,), "ten steps", "the number that gives ½ when multiplied ten times"),
        Case((100,), "100 steps", "what turns z into b: the inverse of σ"),
    ]
    return compare(function, answers.update_bias, cases, "the formula")


def lstm_step(function):
    """Check `lstm_step(x, (h, c), kernel, recurrent_kernel, bias)`."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(2, 3))
    h = rng.normal(size=(2, 5))
    c = rng.normal(size=(2, 5))
    kernel = rng.normal(size=(3, 20))
    recurrent = rng.normal(size=(5, 20))
    bias = rng.normal(size=20)
    no_kernel = 0 * kernel
    no_recurrent = 0 * recurrent
    keep = np.repeat([-50.0, 50.0, 0.0, 50.0], 5)
    stays = "what stays in c, and h"
    order = "the order i, f, g, o, tanh"
    cases = [
        Case((x, (h, c), no_kernel, no_recurrent, keep), "f = 1 and i = 0", stays),
        Case((x, (h, c), no_kernel, no_recurrent, bias), "biases only", order),
        Case((x, (h, c), kernel, no_recurrent, bias), "no recurrent weights"),
        Case((x, (h, c), kernel, recurrent, bias), "all weights"),
    ]
    hint = "the sum of both products, and the order h, c of the results"
    with np.errstate(over="ignore"):
        return compare(function, answers.lstm_step, cases, hint)


def mended_step(function):
    """Check `mended_step(x, h, kernel, recurrent_kernel, bias)`: two faults less."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(5, 2, 3))
    h = rng.normal(size=(2, 5))
    kernel = rng.normal(size=(3, 15))
    recurrent = rng.normal(size=(5, 15))
    bias = rng.normal(size=(2, 15))
    keeps = "what z keeps, and the order z, r, c"
    cases = [
        Case((x[0], 0 * h, kernel, recurrent, 0 * bias), "a state of zeros", keeps),
        Case((x[0], h, kernel, recurrent, 0 * bias), "any state", "what z and r read"),
        Case((x[0], h, kernel, recurrent, bias), "any biases", "what r acts on"),
    ]
    right = answers.mended_step
    answer = compare(function, right, cases, "the order z, r, c")
    if answer != CORRECT:
        return answer

    def reader(step):
        """Return the function that reads a row with a step and gives all states."""

        def read(x, state, *weights):
            states = []
            for x_t in x:
                state = np.asarray(step(x_t, state, *weights))
                states.append(state)
            return np.stack(states)

        return read

    cases = [Case((x, h, kernel, recurrent, bias), "a row of five steps")]
    return compare(reader(function), reader(right), cases, "the state that is returned")


class _Counting:
    """Stands in for an encoder–decoder: a state is a number made of all ids so far."""

    vocab_size = 50

    def encode(self, source):
        return np.asarray(source).sum(axis=1, keepdims=True) % 97

    def decode(self, target, state):
        logits = []
        for token in np.asarray(target).T:  # (B,)
            state = (7 * state + 3 * token[:, None] + 1) % 97  # (B, 1)
            best = 4 + state % (self.vocab_size - 4)  # (B, 1)
            logits.append(np.arange(self.vocab_size) == best)  # (B, V)
        return np.stack(logits, axis=1).astype("float32"), state


def write_on(function):
    """Check `write_on(model, source, beginning, length)` on whole numbers."""
    rng = np.random.default_rng(4)
    source = rng.integers(4, 50, (3, 6))
    beginning = rng.integers(4, 50, (3, 4))
    nothing = beginning[:, :0]
    first = "what the decoder reads first: [start], then the beginning"
    after = "the state after each call, and what the next call reads"
    model = _Counting()
    cases = [
        Case((model, source, nothing, 1), "no beginning, one token", first),
        Case((model, source, nothing, 5), "no beginning, five tokens", after),
        Case((model, source, beginning, 1), "four tokens, then one", first),
        Case((model, source, beginning, 6), "four tokens, then six", after),
    ]
    return compare(function, answers.write_on, cases, "the shape (B, length)")
