from functools import partial

from exercise_battery import proof_of

test_span_scores = proof_of("12", "span_scores")()
test_answer_or_none = proof_of("12", "answer_or_none")()
test_part_of = proof_of("12", "part_of")()


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


test_audit = proof_of("12", "audit")(
    lambda make, question, note: (False, True),
    by_hand=[
        ((honest, [7], [21, 22, 23]), (False, True)),
        ((telling, [7], [21, 22, 23]), (True, True)),
        ((partial(one_end_moved, (0, -1)), [7], [21, 22, 23]), (False, False)),
        ((partial(one_end_moved, (1, 0)), [7], [21, 22, 23]), (False, False)),
        ((note_first, [7], [21, 22, 23]), (False, True)),
    ],
)
