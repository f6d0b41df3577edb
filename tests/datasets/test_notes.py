"""The notes: tags and answers belong together, and no shortcut leads to them."""

import collections

from course_utils.datasets import notes

PARTS = {split: notes.load(split) for split in notes.SIZES}
EVERY = [note for part in PARTS.values() for note in part]


def names(note):
    """Yield (kind, first, last) of each entity of a note."""
    starts = [i for i, tag in enumerate(note.tags) if tag[0] == "B"]
    for first in starts:
        inside = f"I-{note.tags[first][2:]}"
        last = first
        while note.tags[last + 1] == inside:
            last += 1
        yield note.tags[first][2:], first, last


def facts(note):
    """Yield (kind, person, town or firm) of each sentence, as single names."""
    tokens = [*note.tokens]
    found = [(kind, first, tokens[last]) for kind, first, last in names(note)]
    ends = [i for i, token in enumerate(tokens) if token == "."]
    for start, end in zip([-1, *ends], ends, strict=False):
        own = {kind: name for kind, first, name in found if start < first < end}
        person = own.pop("person")
        yield *own.keys(), person, *own.values()


def test_each_answer_is_an_entity_of_the_kind_that_is_asked():
    for note in EVERY:
        assert len(note.tokens) == len(note.tags) and len(note.questions) == 2
        kinds = {(first, last): kind for kind, first, last in names(note)}
        assert collections.Counter(kinds.values()) == dict(person=4, town=2, firm=2)
        for question in note.questions:
            place = question.tokens[1] == "does"
            own = {"live": "town", "work": "firm"}.get(question.tokens[-2])
            assert kinds[question.first, question.last] == (own if place else "person")


def test_an_answer_stands_in_the_sentence_of_the_name_that_is_asked():
    for note in EVERY:
        for question in note.questions:
            asked = question.tokens[2:-2] if "does" in question.tokens else []
            asked = asked or question.tokens[3:-1]
            before = [i for i in range(question.first) if note.tokens[i] == "."]
            start = before[-1] + 1 if before else 0
            sentence = note.tokens[start : note.tokens.index(".", question.last)]
            assert " ".join(asked) in " ".join(sentence)


def test_two_questions_differ_in_one_name_and_have_two_answers():
    for note in EVERY:
        one, other = note.questions
        known = {*notes.WORDS["names"], *notes.WORDS["before"]}
        rest = [[w for w in q.tokens if w not in known] for q in note.questions]
        assert rest[0] == rest[1] and one.tokens != other.tokens
        assert (one.first, one.last) != (other.first, other.last)


def test_no_fact_stands_in_two_parts():
    pairs = {
        split: {fact[1:] for note in part for fact in facts(note)}
        for split, part in PARTS.items()
    }
    assert not pairs["train"] & (pairs["test"] | pairs["validation"])
    assert not pairs["test"] & pairs["validation"]
    for split, found in pairs.items():
        assert {notes.split_of(" ".join(pair)) for pair in found} == {split}


def test_a_name_alone_and_its_neighbours_say_little():
    kinds = collections.defaultdict(collections.Counter)
    sides = collections.defaultdict(collections.Counter)
    for note in EVERY:
        tokens = ["", *note.tokens]
        for kind, first, last in names(note):
            kinds[note.tokens[last]][kind] += 1
            sides[tokens[first], tokens[last + 2]][kind] += 1
    for table, most in (kinds, 0.52), (sides, 0.65):
        right = sum(max(counts.values()) for counts in table.values())
        assert right / sum(map(collections.Counter.total, table.values())) < most
    assert {len(counts) for counts in kinds.values()} == {3}
    towns, firms = (notes.WORDS["patterns"][kind] for kind in ("town", "firm"))
    for town, firm in zip(towns, firms, strict=True):
        for slot in "{p}", "{x}":
            beside = [f" . {text} ".split(" ") for text in (town, firm)]
            places = [words.index(slot) for words in beside]
            for step in -1, 1:
                near = [w[i + step] for w, i in zip(beside, places, strict=True)]
                assert near[0] == near[1]
