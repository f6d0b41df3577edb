"""Checks of the exercises of lesson 07."""

from course_utils.kit.checks.answers import lesson_07 as answers
from course_utils.kit.checks.compare import Case, compare


def tokens_needed(function):
    """Check exercise 1, by hand: the tokens that BLEU asks of a right beginning."""
    cases = [
        Case(
            (
                12,
                50,
            )
        ),
        Case(
            (
                20,
                80,
            ),
            hint="the rounding: with fewer tokens BLEU is below b",
        ),
        Case(
            (
                10,
                100,
            ),
            hint="the rounding: a whole number stays as it is",
        ),
        Case(
            (
                6,
                30,
            ),
            hint="runs of four: a translation of three tokens has none",
        ),
    ]
    hint = "e to the power 1 − r/c, solved for c"
    return compare(function, answers.tokens_needed, cases, hint)


def chrf(function):
    """Check exercise 2, build: chrF of one translation and one reference."""
    cases = [
        Case(
            (
                "sal",
                "sol",
            )
        ),
        Case(
            (
                "casas",
                "casa",
            ),
            hint="precision and recall, and runs that only one text has room for",
        ),
        Case(
            (
                "a sol",
                "as ola",
            ),
            hint="the spaces, which are left out",
        ),
        Case(
            (
                "lalala",
                "lado",
            ),
            hint="clipping: la is right once",
        ),
        Case(
            (
                "mesas de madera",
                "mesa de madera",
            ),
            hint="the lengths: one to six letters",
        ),
        Case(
            (
                "¿Sol?",
                "sol!",
            ),
            hint="the letters: signs and capitals count",
        ),
        Case(
            (
                "uno",
                "sal",
            ),
            hint="texts that have nothing in common",
        ),
    ]
    hint = "the two means, and how F weighs them"
    return compare(function, answers.chrf, cases, hint)


def honest_counts(function):
    """Check exercise 3, diagnose: the counts of BLEU, in which two faults were."""
    cases = [
        Case(
            (
                ["a", "b", "a"],
                [["a", "b", "c"]],
            ),
            hint="clipping: the smaller of two counts",
        ),
        Case(
            (
                ["a", "b", "a"],
                [["a", "b"], ["a", "c"]],
            ),
            hint="how often several references allow a run",
        ),
        Case(
            (
                ["a", "b", "c", "d"],
                [["a", "b"], ["a", "b", "c", "d", "e"]],
            ),
            hint="which reference is nearest",
        ),
        Case(
            (
                ["a", "b", "c"],
                [["a", "b", "c", "d"], ["a", "b"]],
            ),
            hint="equally near references: the shorter",
        ),
        Case(
            (
                ["a", "b", "c"],
                [["a", "b"], ["a", "b", "c", "d"]],
            ),
            hint="equally near references: the shorter",
        ),
        Case(
            (
                ["a", "a", "b"],
                [["a", "a", "c"], ["b", "d"], ["d"]],
            ),
            hint="how often several references allow a run",
        ),
    ]
    return compare(function, answers.honest_counts, cases, "the smaller of two counts")


def near_copies(function):
    """Check exercise 4, investigate: which tests are in training but for one word."""
    cases = [
        Case(
            (
                ["I see him.", "We left."],
                ["I see her.", "She sang."],
            ),
            hint="sentences that differ in one word",
        ),
        Case(
            (
                ["I see him.", "We sing."],
                ["I see him now.", "sing"],
            ),
            hint="the number of words, which is the same",
        ),
        Case(
            (
                ["We sing now."],
                ["Now we sing."],
            ),
            hint="the place of the word, which is the same in both",
        ),
        Case(
            (
                ["I like red tea."],
                ["I like green milk."],
            ),
            hint="two words that differ",
        ),
        Case(
            (
                ["Now, come HERE!", "Go home."],
                ["now come here", "Go away!"],
            ),
            hint="capitals and signs, and whole copies",
        ),
        Case(
            (
                ["Go!"],
                ["Run!"],
            ),
            hint="sentences of one word: they differ in one place",
        ),
        Case(
            (
                ["We left.", "I see him."],
                ["She sang.", "Come here now!", "I see her."],
            ),
            hint="each test against all of training",
        ),
        Case(
            (
                ["The cat that I know saw the dog."],
                ["The cat that I know saw a dog."],
            ),
            hint="a word that stands twice: one place differs",
        ),
        Case(
            (
                ["No where to go."],
                ["Now here to go."],
            ),
            hint="two words that differ",
        ),
        Case(
            (
                ["We have 10."],
                ["We left."],
            ),
            hint="the words: as `plain` cuts them",
        ),
        Case(
            (
                ["I can't go."],
                ["I can not go."],
            ),
            hint="the words: as `plain` cuts them",
        ),
    ]
    hint = "sentences that differ in one word"
    return compare(function, answers.near_copies, cases, hint)
