"""Exercises of lesson 12: right answers are accepted, likely mistakes rejected."""

from functools import partial

import pytest
from exercise_battery import accepts, agrees, rejects

from course_utils.kit.checks import lesson_12 as checks
from course_utils.kit.checks.answers import lesson_12 as answers

# span_scores


def span_scores_one_more_exact():
    return 2 / 4, (2 / 3 + 1 + 1 / 3 + 0) / 4  # wrong


def span_scores_three_answers():
    return 1 / 4, (2 / 3 + 1 + 1 / 3) / 3  # wrong


def span_scores_precision_only():
    return 1 / 4, (1 / 2 + 1 + 1 / 3 + 0) / 4  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (span_scores_one_more_exact, "in common"),
        (span_scores_three_answers, ""),
        (span_scores_precision_only, ""),
    ],
)
def test_span_scores_rejects(wrong, says):
    rejects(checks.span_scores, wrong, says)


def test_span_scores_accepts():
    accepts(checks.span_scores, answers.span_scores)


@pytest.mark.parametrize(
    "arguments, value",
    [((), (0.25, 0.5))],
)
def test_span_scores_by_hand(arguments, value):
    agrees(answers.span_scores, arguments, value)


# answer_or_none


def answer_or_none_ends_before_start(start, end, longest, margin):
    pairs = [
        (first, last)
        for first in range(1, len(start))
        for last in range(1, min(first + longest, len(end)))  # wrong
    ]
    best = max(pairs, key=lambda pair: start[pair[0]] + end[pair[1]])
    score = start[best[0]] + end[best[1]]
    return (0, 0) if start[0] + end[0] > score + margin else best


def answer_or_none_one_too_long(start, end, longest, margin):
    pairs = [
        (first, last)
        for first in range(1, len(start))
        for last in range(first, min(first + longest + 1, len(end)))  # wrong
    ]
    best = max(pairs, key=lambda pair: start[pair[0]] + end[pair[1]])
    score = start[best[0]] + end[best[1]]
    return (0, 0) if start[0] + end[0] > score + margin else best


def answer_or_none_starts_at_none(start, end, longest, margin):
    pairs = [
        (first, last)
        for first in range(len(start))  # wrong
        for last in range(first, min(first + longest, len(end)))
    ]
    best = max(pairs, key=lambda pair: start[pair[0]] + end[pair[1]])
    score = start[best[0]] + end[best[1]]
    return (0, 0) if start[0] + end[0] > score + margin else best


def answer_or_none_margin_is_enough(start, end, longest, margin):
    pairs = [
        (first, last)
        for first in range(1, len(start))
        for last in range(first, min(first + longest, len(end)))
    ]
    best = max(pairs, key=lambda pair: start[pair[0]] + end[pair[1]])
    score = start[best[0]] + end[best[1]]
    return (0, 0) if start[0] + end[0] >= score + margin else best  # wrong


def answer_or_none_no_margin(start, end, longest, margin):
    pairs = [
        (first, last)
        for first in range(1, len(start))
        for last in range(first, min(first + longest, len(end)))
    ]
    best = max(pairs, key=lambda pair: start[pair[0]] + end[pair[1]])
    score = start[best[0]] + end[best[1]]
    return (0, 0) if start[0] + end[0] > score else best  # wrong


def answer_or_none_start_only(start, end, longest, margin):
    pairs = [
        (first, last)
        for first in range(1, len(start))
        for last in range(first, min(first + longest, len(end)))
    ]
    best = max(pairs, key=lambda pair: start[pair[0]])  # wrong
    score = start[best[0]] + end[best[1]]
    return (0, 0) if start[0] + end[0] > score + margin else best


def answer_or_none_never_none(start, end, longest, margin):
    pairs = [
        (first, last)
        for first in range(1, len(start))
        for last in range(first, min(first + longest, len(end)))
    ]
    best = max(pairs, key=lambda pair: start[pair[0]] + end[pair[1]])
    score = start[best[0]] + end[best[1]]
    return best  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (answer_or_none_ends_before_start, "the order"),
        (answer_or_none_one_too_long, "the length"),
        (answer_or_none_starts_at_none, ""),
        (answer_or_none_margin_is_enough, "the margin"),
        (answer_or_none_no_margin, "*more*"),
        (answer_or_none_start_only, "the sum"),
        (answer_or_none_never_none, "position 0"),
    ],
)
def test_answer_or_none_rejects(wrong, says):
    rejects(checks.answer_or_none, wrong, says)


def test_answer_or_none_accepts():
    accepts(checks.answer_or_none, answers.answer_or_none)


# sums: (1, 1) 5, (1, 2) 2, (1, 3) 3, (2, 2) 4, (2, 3) 5.5, (3, 3) 2.5
@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                [5.0, 1.0, 3.0, 0.0],
                [5.0, 4.0, 1.0, 2.5],
                3,
                4.5,
            ),
            (2, 3),
        ),
        (
            (
                [5.0, 1.0, 3.0, 0.0],
                [5.0, 4.0, 1.0, 2.5],
                1,
                5.0,
            ),
            (1, 1),
        ),
        (
            (
                [5.0, 1.0, 3.0, 0.0],
                [5.0, 4.0, 1.0, 2.5],
                3,
                4.4,
            ),
            (0, 0),
        ),
        (
            (
                [0.0, 0.0, 9.0],
                [0.0, 9.0, 0.5],
                3,
                0.0,
            ),
            (2, 2),
        ),
    ],
)
def test_answer_or_none_by_hand(arguments, value):
    agrees(answers.answer_or_none, arguments, value)


# part_of


def part_of_larger_half_left_out(ids, which, room):
    ids, left_out = list(ids), max(0, len(ids) - room)
    half = room // 2
    if not left_out:
        return ids
    if which == "ends":
        return ids[:half] + ids[len(ids) - (room - half) :]
    # wrong:
    start = {"first": 0, "middle": (left_out + 1) // 2, "last": left_out}[which]
    return ids[start : start + room]


def part_of_larger_half_kept(ids, which, room):
    ids, left_out = list(ids), max(0, len(ids) - room)
    half = (room + 1) // 2  # wrong
    if not left_out:
        return ids
    if which == "ends":
        return ids[:half] + ids[len(ids) - (room - half) :]
    start = {"first": 0, "middle": left_out // 2, "last": left_out}[which]
    return ids[start : start + room]


def part_of_short_text_twice(ids, which, room):
    ids, left_out = list(ids), max(0, len(ids) - room)
    half = room // 2
    if False:  # wrong
        return ids
    if which == "ends":
        return ids[:half] + ids[len(ids) - (room - half) :]
    start = {"first": 0, "middle": left_out // 2, "last": left_out}[which]
    return ids[start : start + room]


def part_of_last_but_one(ids, which, room):
    ids, left_out = list(ids), max(0, len(ids) - room)
    half = room // 2
    if not left_out:
        return ids
    if which == "ends":
        return ids[:half] + ids[len(ids) - (room - half) :]
    start = {"first": 0, "middle": left_out // 2, "last": left_out - 1}[which]  # wrong
    return ids[start : start + room]


def part_of_second_first(ids, which, room):
    ids, left_out = list(ids), max(0, len(ids) - room)
    half = room // 2
    if not left_out:
        return ids
    if which == "ends":
        return ids[:half] + ids[len(ids) - (room - half) :]
    start = {"first": 1, "middle": left_out // 2, "last": left_out}[which]  # wrong
    return ids[start : start + room]


@pytest.mark.parametrize(
    "wrong, says",
    [
        (part_of_larger_half_left_out, "the smaller half"),
        (part_of_larger_half_kept, "the smaller half"),
        (part_of_short_text_twice, "each piece once"),
        (part_of_last_but_one, "which pieces stand last"),
        (part_of_second_first, "which pieces stand first"),
    ],
)
def test_part_of_rejects(wrong, says):
    rejects(checks.part_of, wrong, says)


def test_part_of_accepts():
    accepts(checks.part_of, answers.part_of)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                [1, 2, 3, 4, 5],
                "first",
                2,
            ),
            [1, 2],
        ),
        (
            (
                [1, 2, 3, 4, 5],
                "last",
                2,
            ),
            [4, 5],
        ),
        (
            (
                [1, 2, 3, 4, 5],
                "middle",
                2,
            ),
            [2, 3],
        ),
        (
            (
                [1, 2, 3, 4, 5],
                "ends",
                3,
            ),
            [1, 4, 5],
        ),
        (
            (
                [1, 2],
                "ends",
                3,
            ),
            [1, 2],
        ),
    ],
)
def test_part_of_by_hand(arguments, value):
    agrees(answers.part_of, arguments, value)


def honest(question, note, first, last):
    shift = len(question) + 2
    segments = [0] * shift + [1] * (len(note) + 1)
    return [2, *question, 3, *note, 3], segments, (first + shift, last + shift)


def telling(question, note, first, last):
    ids, segments, ends = honest(question, note, first, last)
    return ids[:-1] + [5 + first], segments, ends


def one_end_moved(by, question, note, first, last):
    ids, segments, ends = honest(question, note, first, last)
    return ids, segments, [*map(int.__add__, ends, by)] if first == 0 < last else ends


def note_first(question, note, first, last):
    return [2, *note, 3, *question, 3], [0] * 6, (first + 1, last + 1)


# audit


def audit_ids_only(make, question, note):
    rows, points = set(), True
    for first in range(len(note)):
        for last in range(first, len(note)):
            ids, segments, ends = make(question, note, first, last)
            rows.add(tuple(ids))  # wrong
            points &= [ids[end] for end in ends] == [note[first], note[last]]
    return len(rows) > 1, points


def audit_segments_only(make, question, note):
    rows, points = set(), True
    for first in range(len(note)):
        for last in range(first, len(note)):
            ids, segments, ends = make(question, note, first, last)
            rows.add(tuple(segments))  # wrong
            points &= [ids[end] for end in ends] == [note[first], note[last]]
    return len(rows) > 1, points


def audit_last_answer_decides(make, question, note):
    rows, points = set(), True
    for first in range(len(note)):
        for last in range(first, len(note)):
            ids, segments, ends = make(question, note, first, last)
            rows.add((tuple(ids), tuple(segments)))
            points = [ids[end] for end in ends] == [note[first], note[last]]  # wrong
    return len(rows) > 1, points


def audit_end_only(make, question, note):
    rows, points = set(), True
    for first in range(len(note)):
        for last in range(first, len(note)):
            ids, segments, ends = make(question, note, first, last)
            rows.add((tuple(ids), tuple(segments)))
            points &= ids[ends[1]] == note[last]  # wrong
    return len(rows) > 1, points


def audit_fixed_places(make, question, note):
    rows, points = set(), True
    for first in range(len(note)):
        for last in range(first, len(note)):
            ids, segments, ends = make(question, note, first, last)
            rows.add((tuple(ids), tuple(segments)))
            # wrong:
            points &= ends == (first + len(question) + 2, last + len(question) + 2)
    return len(rows) > 1, points


def audit_reversed(make, question, note):
    rows, points = set(), True
    for first in range(len(note)):
        for last in range(first, len(note)):
            ids, segments, ends = make(question, note, first, last)
            rows.add((tuple(ids), tuple(segments)))
            points &= [ids[end] for end in ends] == [note[first], note[last]]
    return len(rows) == 1, points  # wrong


def audit_ends_not_checked(make, question, note):
    rows, points = set(), True
    for first in range(len(note)):
        for last in range(first, len(note)):
            ids, segments, ends = make(question, note, first, last)
            rows.add((tuple(ids), tuple(segments)))
            points &= [ids[end] for end in ends] == [note[first], note[last]]
    return len(rows) > 1, True  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (audit_ids_only, "segments"),
        (audit_segments_only, "several answers"),
        (audit_last_answer_decides, "every answer"),
        (audit_end_only, "both ends"),
        (audit_fixed_places, "wherever"),
        (audit_reversed, "must not be called"),
        (audit_ends_not_checked, "two ends"),
        (lambda make, question, note: (False, True), ""),
    ],
)
def test_audit_rejects(wrong, says):
    rejects(checks.audit, wrong, says)


def test_audit_accepts():
    accepts(checks.audit, answers.audit)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((honest, [7], [21, 22, 23]), (False, True)),
        ((telling, [7], [21, 22, 23]), (True, True)),
        ((partial(one_end_moved, (0, -1)), [7], [21, 22, 23]), (False, False)),
        ((partial(one_end_moved, (1, 0)), [7], [21, 22, 23]), (False, False)),
        ((note_first, [7], [21, 22, 23]), (False, True)),
    ],
)
def test_audit_by_hand(arguments, value):
    agrees(answers.audit, arguments, value)
