"""Checks of the exercises of lesson 12."""

from course_utils.kit.checks.answers import lesson_12 as answers
from course_utils.kit.checks.compare import Case, compare


def span_scores(function):
    """Check exercise 1, by hand: exact match and F1 of four answers."""
    hint = "the tokens that answer and gold have in common"
    return compare(function, answers.span_scores, [Case(())], hint)


def answer_or_none(function):
    """Check exercise 2, build: `answer_or_none(start, end, longest, margin)`."""
    cases = [
        Case(
            (
                [0.0, 3.0, 1.0, 0.0],
                [0.0, 0.0, 4.0, 1.0],
                2,
                0.0,
            ),
            "an answer of two tokens",
            "the sum of the start's and the end's score, over all pairs",
        ),
        Case(
            (
                [0.0, 0.0, 1.0, 3.0],
                [0.0, 4.0, 1.0, 0.0],
                3,
                0.0,
            ),
            "the best end before the best start",
            "the order: an answer doesn't end before it starts",
        ),
        Case(
            (
                [0.0, 5.0, 0.0, 1.0],
                [0.0, 0.0, 1.5, 5.0],
                2,
                0.0,
            ),
            "an answer that would be too long",
            "the length: last - first + 1 is at most `longest`",
        ),
        Case(
            (
                [2.0, 1.5, 1.0],
                [2.5, 1.0, 2.0],
                2,
                0.75,
            ),
            "no answer by more than the margin",
            "position 0: its score against the best answer's",
        ),
        Case(
            (
                [2.0, 1.5, 1.0],
                [2.5, 1.0, 2.0],
                2,
                1.0,
            ),
            "no answer, exactly by the margin",
            "the margin: no answer has to be ahead by *more* than that",
        ),
        Case(
            (
                [9.0, 1.5, 1.0],
                [0.0, 1.0, 2.0],
                3,
                9.0,
            ),
            "a large start at position 0",
            "position 0: it begins no answer",
        ),
    ]
    return compare(
        function, answers.answer_or_none, cases, "all pairs of start and end"
    )


def _rows_maker(
    marks=False, shifted=True, numbered=False, short=False, late=False, turned=False
):
    """Return a function that makes a reader's rows, with the faults asked for.

    Args:
        marks: there is a [SEP] after the answer.
        shifted: the ends are counted in the row, as they should be, not in the note.
        numbered: the segment tells where the answer begins.
        short: the end of an answer of several tokens is one too early.
        late: its beginning is one too late.
        turned: the note stands before the question.
    """

    def make(question, note, first, last):
        marked = list(note)
        if marks:
            marked.insert(last + 1, 3)
        before, after = (marked, question) if turned else (question, marked)
        ids = [2, *before, 3, *after, 3]
        segments = [0] * (len(before) + 2) + [1] * (len(after) + 1)
        note_begins = 1 if turned else len(question) + 2
        if numbered:
            segments[note_begins + first] = 0
        several_tokens = first < last
        if shifted:
            first += note_begins
            last += note_begins
        if late and several_tokens:
            first += 1
        if short and several_tokens:
            last -= 1
        return ids, segments, (first, last)

    return make


def audit(function):
    """Check exercise 3, diagnose: an audit of functions that make a reader's rows."""
    question = [11, 12, 13]
    note = [21, 22, 23, 24]
    cases = [
        Case(
            (_rows_maker(), question, note),
            "rows without a fault",
            "what must not be called a fault",
        ),
        Case(
            (_rows_maker(marks=True), question, note),
            "a [SEP] after the answer",
            "ids for several answers",
        ),
        Case(
            (_rows_maker(numbered=True), question, note),
            "another segment",
            "segments, and not only ids",
        ),
        Case(
            (_rows_maker(shifted=False), question, note),
            "ends counted in the note",
            "ids at the two ends",
        ),
        Case(
            (_rows_maker(short=True), question, note),
            "long answers cut by one",
            "every answer, not only one",
        ),
        Case(
            (_rows_maker(late=True), question, note),
            "long answers that begin one too late",
            "both ends of every answer",
        ),
        Case(
            (_rows_maker(marks=True, shifted=False), question, note),
            "both faults of your friend",
            "each by itself",
        ),
        Case(
            (_rows_maker(turned=True), question, note),
            "the note before the question",
            "the ids at the ends, wherever the note stands",
        ),
    ]
    return compare(function, answers.audit, cases, "the two questions")


def part_of(function):
    """Check exercise 4, investigate: `part_of(ids, which, room)`."""
    cases = [
        Case(
            (
                [1, 2, 3, 4, 5, 6, 7],
                "first",
                3,
            ),
            "the first three",
            "which pieces stand first",
        ),
        Case(
            (
                [1, 2, 3, 4, 5, 6, 7],
                "last",
                3,
            ),
            "the last three",
            "which pieces stand last",
        ),
        Case(
            (
                [1, 2, 3, 4, 5, 6, 7],
                "middle",
                3,
            ),
            "the middle three",
            "as many pieces left out before as after",
        ),
        Case(
            (
                [1, 2, 3, 4, 5, 6, 7],
                "ends",
                4,
            ),
            "two from each end",
            "half of the room for each end",
        ),
        Case(
            (
                [1, 2, 3, 4, 5, 6, 7],
                "ends",
                3,
            ),
            "an odd room",
            "the odd room: the beginning gets the smaller half",
        ),
        Case(
            (
                [1, 2, 3, 4, 5, 6, 7, 8],
                "middle",
                3,
            ),
            "an odd number left out",
            "what is left out: the beginning gives the smaller half",
        ),
        Case(
            (
                [1, 2, 3],
                "ends",
                6,
            ),
            "a short text",
            "a text with room for all: it stays whole, each piece once",
        ),
    ]
    return compare(function, answers.part_of, cases, "which pieces stay")
