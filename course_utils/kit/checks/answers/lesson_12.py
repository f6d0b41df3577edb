"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/12_fine_tuning_bert.ipynb
"""


def span_scores():
    return 1 / 4, (2 / 3 + 1 + 1 / 3 + 0) / 4


def answer_or_none(start, end, longest, margin):
    pairs = [
        (first, last)
        for first in range(1, len(start))
        for last in range(first, min(first + longest, len(end)))
    ]
    best = max(pairs, key=lambda pair: start[pair[0]] + end[pair[1]])
    score = start[best[0]] + end[best[1]]
    return (0, 0) if start[0] + end[0] > score + margin else best


def audit(make, question, note):
    rows, points = set(), True
    for first in range(len(note)):
        for last in range(first, len(note)):
            ids, segments, ends = make(question, note, first, last)
            rows.add((tuple(ids), tuple(segments)))
            points &= [ids[end] for end in ends] == [note[first], note[last]]
    return len(rows) > 1, points


def part_of(ids, which, room):
    ids, left_out = list(ids), max(0, len(ids) - room)
    half = room // 2
    if not left_out:
        return ids
    if which == "ends":
        return ids[:half] + ids[len(ids) - (room - half) :]
    start = {"first": 0, "middle": left_out // 2, "last": left_out}[which]
    return ids[start : start + room]
