"""The check of the exercise of `further/02_bottleneck_measured`."""

import numpy as np

from course_utils.kit.checks.answers import bottleneck_measured as answers
from course_utils.kit.checks.compare import Case, compare
from course_utils.text.vectorizers import START


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
