"""Answers to the exercises: "not attempted", "wrong: …, look at …" or "correct".

A check runs the learner's function on small cases and compares each result with the
one expected. It never raises, so that a notebook runs to its end with its exercises
untouched.

Example:
    >>> from course_utils import checks
    >>> cases = [checks.Case((2,), 4), checks.Case((3,), 9)]
    >>> _ = checks.compare(lambda x: x * x, cases, hint="the formula")
    correct
    >>> _ = checks.compare(lambda x: x + x, cases, hint="the formula")
    wrong: max difference 3 for input (3,): expected 9, got 6; look at the formula
"""

import dataclasses

import numpy as np

CORRECT = "correct"
NOT_ATTEMPTED = "not attempted"
TOLERANCE = 1e-5


@dataclasses.dataclass
class Case:
    """One call of the learner's function.

    Attributes:
        arguments: tuple of positional arguments.
        expected: what the call must return: a number, an array, a text, a tuple.
        label: how to name the case in an answer; None shows the arguments.
        hint: where to look when this case is wrong; None takes the common hint.
    """

    arguments: tuple
    expected: object
    label: str | None = None
    hint: str | None = None


def compare(function, cases, hint, tolerance=TOLERANCE):
    """Call the function on every case and print how it did.

    Args:
        function: the learner's function; a stub raises NotImplementedError.
        cases: list of `Case`.
        hint: where to look when a case is wrong.
        tolerance: largest difference of numbers that counts as equal.

    Returns:
        The answer as text: "correct", "not attempted" or "wrong: …".
    """
    for case in cases:
        try:
            result = function(*map(_own, case.arguments))
        except NotImplementedError:
            return answer(NOT_ATTEMPTED)
        except Exception as error:  # whatever the learner's code raises is an answer
            reason = f"{type(error).__name__}: {error}"
            return wrong(f"{_place(case)} raises {reason}", case.hint or hint)
        difference = describe_difference(result, case.expected, tolerance)
        if difference:
            number, _, rest = difference.partition(" ; ")
            text = f"{number} for {_place(case)}: {rest}"
            return wrong(text, case.hint or hint)
    return answer(CORRECT)


def _own(argument):
    """Return a copy of an array: an answer may work in place, cases share arrays."""
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def wrong(text, hint):
    """Print and return "wrong: <text>; look at <hint>"."""
    return answer(f"wrong: {text}; look at {hint}")


def answer(text):
    """Print an answer and return it."""
    print(text)
    return text


def describe_difference(result, expected, tolerance=TOLERANCE):
    """Say how a result differs from what was expected, "" when it doesn't.

    The part before " ; " is a short name of the difference.
    """
    if result is None:
        return "nothing returned ; the function ends without a return"
    if isinstance(expected, tuple):
        if not isinstance(result, (tuple, list)) or len(result) != len(expected):
            return f"wrong kind of result ; expected {len(expected)} values"
        for one, other in zip(result, expected, strict=True):
            if difference := describe_difference(one, other, tolerance):
                return difference
        return ""
    try:
        result, expected = _array(result), _array(expected)
    except (TypeError, ValueError):
        return f"wrong kind of result ; got {type(result).__name__}"
    if result.shape != expected.shape:
        return f"wrong shape ; expected {expected.shape}, got {result.shape}"
    if expected.dtype.kind in "biufc" and result.dtype.kind in "biufc":
        return _number_difference(result, expected, tolerance)
    for place in np.ndindex(expected.shape):
        if result[place] != expected[place]:
            got, wanted = result[place], expected[place]
            return f"another result ; expected {_short(wanted)}, got {_short(got)}"
    return ""


def _number_difference(result, expected, tolerance):
    """Compare numbers; NaN is always wrong."""
    result, expected = result.astype("float64"), expected.astype("float64")
    apart = np.abs(result - expected)
    apart = np.where(np.isfinite(apart), apart, np.inf)
    apart = np.where(result == expected, 0.0, apart)  # equal infinities
    if not apart.size or apart.max() <= tolerance:
        return ""
    place = np.unravel_index(apart.argmax(), apart.shape)
    where = f" at {tuple(int(i) for i in place)}" if place else ""
    return (
        f"max difference {apart.max():.3g} ; expected {expected[place]:.6g}, "
        f"got {result[place]:.6g}{where}"
    )


def _array(value):
    """Return numbers, texts or tensors as a NumPy array."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
    return np.asarray(value)


def _place(case):
    return case.label or f"input {_short(case.arguments)}"


def _short(value, longest=60):
    """Return a value's text on one line, cut when it is long."""
    text = " ".join(
        repr(
            value.item() if np.ndim(value) == 0 and hasattr(value, "item") else value
        ).split()
    )
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


# Lesson 05: the encoder block


def encoder_weight_count(function):
    """Check `count_weights(embed_dim, dense_dim)` of an encoder block."""
    cases = [
        Case(sizes, _encoder_weights(*sizes), f"embed_dim, dense_dim = {sizes}")
        for sizes in ((2, 3), (64, 64), (256, 32))
    ]
    hint = (
        "the parts one by one: four attention matrices with biases, two dense layers "
        "with biases, and a scale and a shift in each of the two normalisations"
    )
    return compare(function, cases, hint)


def _encoder_weights(embed_dim, dense_dim):
    attention = 4 * (embed_dim * embed_dim + embed_dim)
    feed_forward = 2 * embed_dim * dense_dim + dense_dim + embed_dim
    return attention + feed_forward + 2 * 2 * embed_dim


def masked_mean(function):
    """Check `masked_mean(x, mask)`: the mean over the real tokens only."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(2, 4, 3))
    some = np.array([[1, 1, 0, 0], [1, 1, 1, 1]], dtype=bool)
    expected = np.stack([x[0, :2].mean(axis=0), x[1].mean(axis=0)])
    cases = [
        Case((x, np.ones((2, 4), bool)), x.mean(axis=1), "a batch without padding"),
        Case((x, some), expected, "a batch with padding", "what you divide by"),
    ]
    return compare(function, cases, "the axis of the sum: tokens are axis 1")


def pre_norm_block(function):
    """Check `pre_norm_block(x, norm_1, attend, norm_2, feed_forward)`."""
    x = np.array([[1.0, -2.0], [0.5, 3.0]])
    parts = (lambda a: a - 1, lambda a: 2 * a, lambda a: a + 3, lambda a: a * a)
    x_1 = x + parts[1](parts[0](x))
    expected = x_1 + parts[3](parts[2](x_1))
    nothing = (lambda a: a * 0,) * 4
    cases = [
        Case((x, *nothing), x, "sub-layers that return 0", "the two residual sums"),
        Case((x, *parts), expected, "four simple functions"),
    ]
    hint = "the order: normalise, transform, then add to what came before normalising"
    return compare(function, cases, hint)


# Lesson 06: positions


def concatenate_positions(function):
    """Check `concatenate_positions(tokens, positions)`: (B,T,D), (T,P) -> (B,T,D+P)."""
    rng = np.random.default_rng(6)
    tokens, positions = rng.normal(size=(2, 3, 4)), rng.normal(size=(5, 2))
    cases = []
    for number in (5, 3):
        rows = np.broadcast_to(positions[None, :3], (2, 3, 2))
        expected = np.concatenate([tokens, rows], axis=-1)
        label = f"3 tokens and a table of {number} positions"
        cases.append(Case((tokens, positions[:number]), expected, label))
    hint = "the rows you take (the first T) and the axis you join on (the last)"
    return compare(function, cases, hint)


def sinusoidal_row(function):
    """Check `sinusoidal_row(position, embed_dim)`, one row of the table."""
    cases = [
        Case((position, width), _sinusoidal(position, width))
        for position, width in ((0, 4), (1, 4), (7, 6), (300, 8))
    ]
    hint = "the exponent, which is 2i / embed_dim for the columns 2i and 2i + 1"
    return compare(function, cases, hint)


def shift_matrix(function):
    """Check `shift_matrix(distance, embed_dim)`: row p + distance = matrix @ row p."""
    sizes = ((0, 4), (1, 2), (3, 6), (-2, 4))

    def moved(distance, width):
        matrix = np.asarray(function(distance, width), dtype="float64")
        if matrix.shape != (width, width):
            return matrix  # the comparison names the wrong shape
        return np.stack([matrix @ _sinusoidal(p, width) for p in range(width)])

    cases = [
        Case(
            (distance, width),
            np.stack([_sinusoidal(p + distance, width) for p in range(width)]),
            f"distance {distance}, embed_dim {width}",
        )
        for distance, width in sizes
    ]
    hint = "the signs of the sines, and the angle: distance times the pair's own speed"
    return compare(moved, cases, hint)


def _sinusoidal(position, embed_dim):
    """Return one row of the sinusoidal table (Vaswani et al., 2017, section 3.5)."""
    column = np.arange(embed_dim)
    angle = position / 10_000 ** (2 * (column // 2) / embed_dim)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))
