"""Checks of the exercises of lesson 09."""

import numpy as np

from course_utils.kit.checks.compare import Case, by_rows, compare, rows, solution
from course_utils.seq2seq import TranslationTransformer
from course_utils.text import START


def narrow_beam(function):
    """Check exercise 1, by hand: what three searches find, and what one drops."""
    hint = "the seven sentences, and what each step keeps and drops"
    return compare(function, solution("09", "narrow_beam"), [Case(())], hint)


def typical(function):
    """Check exercise 2, build: `typical(probabilities, mass)`, (V,) -> (V,)."""
    cases = [
        Case((np.array(probs), mass), f"probabilities {probs}, mass {mass}", hint)
        for probs, mass, hint in rows("09", "typical")
    ]
    many = np.array(32 * [1 / 128] + [3 / 4])  # the sums are exact
    name, hint = "32 equal tokens", "equal distances: the smaller id comes first"
    cases.append(Case((many, 0.828125), name, hint))
    hint = "the order, the token that reaches the mass (it stays), and the new sum (1)"
    return compare(function, solution("09", "typical"), cases, hint)


def mended_memory(function):
    """Check exercise 3, diagnose: padding changes no logits of the next token."""
    model, random = TranslationTransformer(9, 9, 8, 16, 2), np.random.default_rng(2)
    model.build()
    model.set_weights([random.normal(0, 0.7, w.shape) for w in model.get_weights()])

    def proof(memory):
        """Return the logits of the first token, for sources (B, S)."""

        def logits(source):
            given = memory(model, source)
            if given is None:
                return None
            start = np.full(len(source), START), 0, model.empty_cache(len(source), 1)
            return np.array(model.step(*start, given)[0])

        return logits

    source = np.array([[4, 5, 6], [7, 8, 4]])
    cases = [
        Case((np.pad(source, ((0, 0), (0, more))),), name, hint)
        for more, name, hint in rows("09", "mended_memory")
    ]
    mixed = np.array([[4, 1, 6, 8], [7, 8, 0, 0]])
    hint = "the mask: each source has its own"
    cases.append(Case((mixed,), "sources of different lengths", hint))
    right = solution("09", "mended_memory")
    return compare(proof(function), proof(right), cases, "the mask")


def honest_bleu(function):
    """Check exercise 4, diagnose: `honest_bleu(hypotheses, references)`."""
    return by_rows(function, "09", "honest_bleu", "the precisions")


def setting_to_ship(function):
    """Check exercise 5, investigate: the fastest setting that is good enough."""
    noise = np.random.default_rng(1).normal(0, 1, (4, 400)) * [[0.1], [0.1], [0.1], [1]]
    together = np.random.default_rng(2).normal(40, 2, 400)
    drawn = together + noise + [[0.0], [1.0], [1.2], [1.1]]
    cases = [
        Case((drawn, np.array([1.0, 2.0, 3.0, 0.5]), margin), name, hint)
        for margin, name, hint in rows("09", "setting_to_ship")
    ]
    skew = np.array([[1.0, 1.0, 1.0, 9.0], [2.0, 2.0, 2.0, 2.0]])
    name, hint = "a mean that few draws raise", "the best: the largest mean"
    cases.append(Case((skew, np.array([2.0, 1.0]), 0.5), name, hint))
    late = np.array([[1.0] * 40, [0.9] * 39 + [-99.0]])
    name, hint = "39 of 40 draws", "exactly 97.5 %: it is at least that"
    cases.append(Case((late, np.array([2.0, 1.0]), 0.5), name, hint))
    return compare(function, solution("09", "setting_to_ship"), cases, "the rule")
