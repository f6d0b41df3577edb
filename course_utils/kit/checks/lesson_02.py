"""Checks of the exercises of lesson 02."""

import numpy as np

from course_utils.kit.checks.answers import lesson_02 as answers
from course_utils.kit.checks.compare import CORRECT, Case, compare
from course_utils.text.vectorizers import START


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


def mix_inputs(function):
    """Check `mix_inputs(tokens, wrote, rate, rng)` by what must hold for any draws."""
    rng = np.random.default_rng(4)
    tokens, wrote = rng.integers(4, 100, (2, 60, 200))  # long rows: any draws pass
    tokens[:, 0] = START
    tokens[::2, 100:] = 0
    wrote[:, ::7] = 0

    def facts(mix):
        """Return a function to results that don't depend on the single draws."""

        def view(rate):
            given = tokens.copy()
            mixed = mix(given, wrote.copy(), rate, np.random.default_rng(5))
            if mixed is None:
                return None
            shown = np.array(mixed)
            again = mix(given, wrote.copy(), rate, np.random.default_rng(5))
            other = mix(given, wrote.copy(), rate, np.random.default_rng(6))
            if rate in (0, 1) or shown.shape != tokens.shape:
                return shown
            real = tokens[:, 1:] != 0
            own = (shown[:, 1:] == wrote[:, :-1]) & real
            foreign = shown[:, 1:] != np.where(own, wrote[:, :-1], tokens[:, 1:])
            of_rows = own.sum(axis=1) / real.sum(axis=1)
            of_columns = own.sum(axis=0) / real.sum(axis=0)
            tenths = round(10 * own.sum() / real.sum())
            return np.array(
                [
                    tenths,
                    of_rows.min() > 0.02,
                    of_rows.max() < 0.98,
                    of_rows.std() > 0.01,
                    of_columns.std() < 0.2,
                    np.array_equal(shown, again),
                    np.array_equal(shown, other),
                    np.array_equal(given, tokens),
                    foreign.sum(),
                ]
            )

        return view

    cases = [
        Case((0,), "the rate 0", "what stays when nothing is replaced"),
        Case((1,), "the rate 1", "[start], padding, and the shift by one position"),
        Case((0.5,), "the rate 0.5 (tenths replaced, in each row, foreign tokens)"),
        Case((0.2,), "the rate 0.2 (tenths replaced, in each row, foreign tokens)"),
    ]
    hint = "the draws: one for each token, from rng; and the result: a new array"
    return compare(facts(function), facts(answers.mix_inputs), cases, hint)
