"""Checks of the exercises of lesson 09."""

import functools

import numpy as np

from course_utils.kit.checks.answers import lesson_09 as answers
from course_utils.kit.checks.compare import Case, compare
from course_utils.seq2seq import TranslationTransformer
from course_utils.text import START


def narrow_beam(function):
    """Check exercise 1, by hand: what three searches find, and what one drops."""
    hint = "the seven sentences, and what each step keeps and drops"
    return compare(function, answers.narrow_beam, [Case(())], hint)


def typical(function):
    """Check exercise 2, build: `typical(probabilities, mass)`, (V,) -> (V,)."""

    def case(probabilities, mass, hint=None):
        name = f"probabilities {probabilities}, mass {mass}"
        return Case((np.array(probabilities), mass), name, hint)

    equal = "equal distances: the smaller id comes first"
    flat = [0.4, 0.12, 0.12, 0.12, 0.12, 0.12]
    cases = [
        case([0.5, 0.25, 0.15, 0.1], 0.6),
        case(flat, 0.5, "the most probable token: it may be left out"),
        case(flat, 0.2, equal),
        case(
            [0.0, 0.25, 0.75],
            0.5,
            "a token of probability 0: its part of the entropy is 0",
        ),
        # These sums are exact in binary, so it is clear when they reach the mass.
        case(
            [0.25, 0.5, 0.125, 0.125],
            0.25,
            "a sum equal to the mass: it has reached it",
        ),
        case([0.25, 0.625, 0.125], 1.0, "mass = 1: every token stays"),
    ]
    many = np.array(32 * [1 / 128] + [3 / 4])  # the sums are exact
    cases.append(Case((many, 0.828125), "32 equal tokens", equal))
    hint = "the order, the token that reaches the mass (it stays), and the new sum (1)"
    return compare(function, answers.typical, cases, hint)


@functools.cache
def _translation_model():
    """Return a small model with random weights."""
    model = TranslationTransformer(9, 9, 8, 16, 2)
    model.build()
    random = np.random.default_rng(2)
    model.set_weights([random.normal(0, 0.7, w.shape) for w in model.get_weights()])
    return model


def mended_memory(function):
    """Check exercise 3, diagnose: padding changes no logits of the next token."""
    model = _translation_model()

    def proof(memory):
        """Return the logits of the first token, for sources (B, S)."""

        def logits(source):
            given = memory(model, source)
            if given is None:
                return None
            start = np.full(len(source), START)
            cache = model.empty_cache(len(source), 1)
            return np.array(model.step(start, 0, cache, given)[0])

        return logits

    source = np.array([[4, 5, 6], [7, 8, 4]])
    two_more = np.pad(source, ((0, 0), (0, 2)))
    five_more = np.pad(source, ((0, 0), (0, 5)))
    mixed = np.array([[4, 1, 6, 8], [7, 8, 0, 0]])
    columns = "the columns that the mask lets the decoder read"
    own_mask = "the mask: each source has its own"
    cases = [
        Case((source,), "a source without padding", "what was right before"),
        Case((two_more,), "two columns of padding", columns),
        Case((five_more,), "five columns of padding", columns),
        Case((mixed,), "sources of different lengths", own_mask),
    ]
    return compare(proof(function), proof(answers.mended_memory), cases, "the mask")


def honest_bleu(function):
    """Check exercise 4, diagnose: `honest_bleu(hypotheses, references)`."""
    cases = [
        Case(
            (
                ["the cat sat on the mat today"],
                ["the cat sat on the mat"],
            ),
            "a long translation",
        ),
        Case(
            (
                ["yes yes no yes no"],
                ["yes no yes no and no"],
            ),
            "repeated words",
            ("what is clipped: each run counts as often as the reference has it"),
        ),
        Case(
            (
                ["yes", "the cat sat on a mat"],
                ["yes", "the cat sat on a mat"],
            ),
            "a translation of one word",
            "how many runs of n words it has: never fewer than 0",
        ),
        Case(
            (
                ["", "the cat sat on a mat"],
                ["go away now", "the cat sat on a mat"],
            ),
            "an empty translation",
            "the length of its reference: it counts, too",
        ),
        Case(
            (
                ["the cat sat on a mat today", "no yes!"],
                ["the cat sat on a mat", "today No yes"],
            ),
            "two sentences",
            "what is clipped: each sentence by its own reference",
        ),
        Case(
            (
                ["yes no"],
                ["yes no"],
            ),
            "two words, and no run of four",
            "runs that don't occur: then the score is 0",
        ),
        Case(
            (
                [""],
                ["go away"],
            ),
            "an empty translation alone",
            "a division by a length of 0: the score is 0",
        ),
    ]
    return compare(function, answers.honest_bleu, cases, "the precisions")


def setting_to_ship(function):
    """Check exercise 5, investigate: the fastest setting that is good enough."""
    noise = np.random.default_rng(1).normal(0, 1, (4, 400)) * [[0.1], [0.1], [0.1], [1]]
    together = np.random.default_rng(2).normal(40, 2, 400)
    drawn = together + noise + [[0.0], [1.0], [1.2], [1.1]]
    seconds = np.array([1.0, 2.0, 3.0, 0.5])
    hints = {
        0.0: "the best setting: it is never behind itself",
        0.6: "the draws: how far behind in 97.5 % of them, not on average",
        1.7: "the differences: draw by draw, to the best setting",
        9.0: "the time: of all that are good enough, the fastest",
        2.1: "one side only: being ahead is no fault",
        2.03: "the draws: 97.5 % of them",
    }
    cases = [
        Case((drawn, seconds, margin), f"a margin of {margin:g}", hint)
        for margin, hint in hints.items()
    ]
    skew = np.array([[1.0, 1.0, 1.0, 9.0], [2.0, 2.0, 2.0, 2.0]])
    late = np.array([[1.0] * 40, [0.9] * 39 + [-99.0]])
    second_is_faster = np.array([2.0, 1.0])
    cases += [
        Case(
            (skew, second_is_faster, 0.5),
            "a mean that few draws raise",
            "the best: the largest mean",
        ),
        Case(
            (late, second_is_faster, 0.5),
            "39 of 40 draws",
            "exactly 97.5 %: it is at least that",
        ),
    ]
    return compare(function, answers.setting_to_ship, cases, "the rule")
