"""Checks of the exercises of lesson 02."""

import numpy as np

from course_utils.kit.checks.compare import CORRECT, Case, compare, rows, solution
from course_utils.text.vectorizers import START


def update_bias(function):
    """Check `update_bias(steps)`: after so many steps half of a state is left."""
    cases = [Case((n,), *texts) for n, *texts in rows("02", "update_bias")]
    return compare(function, solution("02", "update_bias"), cases, "the formula")


def lstm_step(function):
    """Check `lstm_step(x, (h, c), kernel, recurrent_kernel, bias)`."""
    rng = np.random.default_rng(2)
    x, h, c = (rng.normal(size=(2, width)) for width in (3, 5, 5))
    kernel, recurrent, bias = (rng.normal(size=size) for size in ((3, 20), (5, 20), 20))
    nothing = 0 * kernel, 0 * recurrent
    keep = np.repeat([-50.0, 50.0, 0.0, 50.0], 5)
    cases = [
        Case((x, (h, c), *nothing, keep), "f = 1 and i = 0", "what stays in c, and h"),
        Case((x, (h, c), *nothing, bias), "biases only", "the order i, f, g, o, tanh"),
        Case((x, (h, c), kernel, 0 * recurrent, bias), "no recurrent weights"),
        Case((x, (h, c), kernel, recurrent, bias), "all weights"),
    ]
    hint = "the sum of both products, and the order h, c of the results"
    with np.errstate(over="ignore"):
        return compare(function, solution("02", "lstm_step"), cases, hint)


def mended_step(function):
    """Check `mended_step(x, h, kernel, recurrent_kernel, bias)`: two faults less."""
    rng = np.random.default_rng(3)
    x, h = rng.normal(size=(5, 2, 3)), rng.normal(size=(2, 5))
    kernel, recurrent, bias = (rng.normal(size=n) for n in ((3, 15), (5, 15), (2, 15)))
    keeps = "what z keeps, and the order z, r, c"
    cases = [
        Case((x[0], 0 * h, kernel, recurrent, 0 * bias), "a state of zeros", keeps),
        Case((x[0], h, kernel, recurrent, 0 * bias), "any state", "what z and r read"),
        Case((x[0], h, kernel, recurrent, bias), "any biases", "what r acts on"),
    ]
    right = solution("02", "mended_step")
    answer = compare(function, right, cases, "the order z, r, c")
    if answer != CORRECT:
        return answer

    def read(step):
        """Return the function that reads a row with a step."""

        def states(x, h, *weights):
            return np.stack([h := np.asarray(step(x_t, h, *weights)) for x_t in x])

        return states

    cases = [Case((x, h, kernel, recurrent, bias), "a row of five steps")]
    return compare(read(function), read(right), cases, "the state that is returned")


def mix_inputs(function):
    """Check `mix_inputs(tokens, wrote, rate, rng)` by what must hold for any draws."""
    rng = np.random.default_rng(4)
    tokens, wrote = rng.integers(4, 100, (2, 60, 200))  # long rows: any draws pass
    tokens[:, 0], tokens[::2, 100:], wrote[:, ::7] = START, 0, 0

    def facts(mix):
        """Return a function to results that don't depend on the single draws."""

        def view(rate):
            given = tokens.copy()
            mixed = [
                mix(given, wrote.copy(), rate, np.random.default_rng(seed))
                for seed in (5, 5, 6)
            ]
            if mixed[0] is None:
                return None
            shown = np.array(mixed[0])
            if rate in (0, 1) or shown.shape != tokens.shape:
                return shown
            real = tokens[:, 1:] != 0
            own = (shown[:, 1:] == wrote[:, :-1]) & real
            others = shown[:, 1:] != np.where(own, wrote[:, :-1], tokens[:, 1:])
            rows, columns = (own.sum(axis=n) / real.sum(axis=n) for n in (1, 0))
            drawn = [rows.min() > 0.02, rows.max() < 0.98, rows.std() > 0.01]
            same = [np.array_equal(shown, one) for one in mixed[1:]]
            drawn += [columns.std() < 0.2, *same, np.array_equal(given, tokens)]
            return np.array([round(10 * own.sum() / real.sum()), *drawn, others.sum()])

        return view

    cases = [
        Case((0,), "the rate 0", "what stays when nothing is replaced"),
        Case((1,), "the rate 1", "[start], padding, and the shift by one position"),
        Case((0.5,), "the rate 0.5 (tenths replaced, in each row, foreign tokens)"),
        Case((0.2,), "the rate 0.2 (tenths replaced, in each row, foreign tokens)"),
    ]
    hint = "the draws: one for each token, from rng; and the result: a new array"
    return compare(facts(function), facts(solution("02", "mix_inputs")), cases, hint)
