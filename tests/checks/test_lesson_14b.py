from exercise_battery import proof_of

test_span_scores = proof_of("14b", "span_scores")(by_hand=[((), (0.25, 0.5))])

START, END = [5.0, 1.0, 3.0, 0.0], [5.0, 4.0, 1.0, 2.0]

test_answer_or_none = proof_of("14b", "answer_or_none")(
    by_hand=[
        # The sums: (1, 1) 5, (1, 2) 2, (1, 3) 3, (2, 2) 4, (2, 3) 5.5, (3, 3) 2.5.
        ((START, [5.0, 4.0, 1.0, 2.5], 3, 4.5), (2, 3)),
        ((START, [5.0, 4.0, 1.0, 2.5], 1, 5.0), (1, 1)),
        ((START, [5.0, 4.0, 1.0, 2.5], 3, 4.4), (0, 0)),
        (([0.0, 0.0, 9.0], [0.0, 9.0, 0.5], 3, 0.0), (2, 2)),
    ]
)


def honest(question, note, first, last):
    shift = len(question) + 2
    segments = [0] * shift + [1] * (len(note) + 1)
    return [2, *question, 3, *note, 3], segments, (first + shift, last + shift)


def telling(question, note, first, last):
    ids, segments, ends = honest(question, note, first, last)
    return ids[:-1] + [5 + first], segments, ends


def only_the_last_is_wrong(question, note, first, last):
    ids, segments, ends = honest(question, note, first, last)
    return ids, segments, (ends[0], ends[1] - (first == 0 < last))


test_audit = proof_of("14b", "audit")(
    lambda make, question, note: (False, True),
    by_hand=[
        ((honest, [7], [21, 22, 23]), (False, True)),
        ((telling, [7], [21, 22, 23]), (True, True)),
        ((only_the_last_is_wrong, [7], [21, 22, 23]), (False, False)),
    ],
)

test_part_of = proof_of("14b", "part_of")(
    by_hand=[
        (([1, 2, 3, 4, 5], "first", 2), [1, 2]),
        (([1, 2, 3, 4, 5], "last", 2), [4, 5]),
        (([1, 2, 3, 4, 5], "middle", 2), [2, 3]),
        (([1, 2, 3, 4, 5], "ends", 3), [1, 4, 5]),
        (([1, 2], "ends", 3), [1, 2]),
    ]
)
