"""Checks of the exercises of lesson 12."""

from course_utils.kit.checks.compare import Case, by_rows, compare, rows, solution


def span_scores(function):
    """Check exercise 1, by hand: exact match and F1 of four answers."""
    hint = "the tokens that answer and gold have in common"
    return compare(function, solution("12", "span_scores"), [Case(())], hint)


def answer_or_none(function):
    """Check exercise 2, build: `answer_or_none(start, end, longest, margin)`."""
    return by_rows(function, "12", "answer_or_none", "all pairs of start and end")


def audit(function):
    """Check exercise 3, diagnose: an audit of functions that make a reader's rows."""

    def maker(
        marks=False, shifted=True, numbered=False, short=False, late=False, turned=False
    ):
        """Return a function that makes rows, with the faults that are asked for."""

        def make(question, note, first, last):
            marked = [*note[: last + 1], *[3] * marks, *note[last + 1 :]]
            one, other = (marked, question) if turned else (question, marked)
            ids = [2, *one, 3, *other, 3]
            shift = 1 if turned else len(question) + 2
            segments = [0] * (len(one) + 2) + [1] * (len(other) + 1)
            if numbered:
                segments[shift + first] = 0
            long, shift = first < last, shift * shifted
            ends = first + shift + (late and long), last + shift - (short and long)
            return ids, segments, ends

        return make

    cases = [
        Case((maker(**faults), [11, 12, 13], [21, 22, 23, 24]), *texts)
        for faults, *texts in rows("12", "audit")
    ]
    return compare(function, solution("12", "audit"), cases, "the two questions")


def part_of(function):
    """Check exercise 4, investigate: `part_of(ids, which, room)`."""
    return by_rows(function, "12", "part_of", "which pieces stay")
