"""The notes: tags and answers belong together, and no shortcut leads to them."""

import collections

from course_utils.datasets import notes
from tools.corpora.notes import WORDS, split_of

PARTS = {split: notes.load(split) for split in notes.SIZES}
EVERY = [note for part in PARTS.values() for note in part]


def names(note):
    """Return the kind of each entity of a note, by its (first, last)."""
    found = {}
    for first, tag in enumerate(note.tags):
        last = first
        while note.tags[last + 1 :][:1] == [f"I-{tag[2:]}"]:
            last += 1
        if tag[0] == "B":
            found[first, last] = tag[2:]
    return found


def facts(note):
    """Return (person, town or firm) of each sentence, as single names."""
    found = collections.defaultdict(dict)
    for (first, last), kind in names(note).items():
        sentence = found[note.tokens[:first].count(".")]
        sentence[kind == "person"] = note.tokens[last]
    return {(sentence[True], sentence[False]) for sentence in found.values()}


def test_an_answer_has_the_kind_and_stands_in_the_sentence_that_are_asked():
    for note in EVERY:
        assert len(note.tokens) == len(note.tags) and len(note.questions) == 2
        kinds, sentences = names(note), " ".join(note.tokens).split(" .")
        assert collections.Counter(kinds.values()) == dict(person=4, town=2, firm=2)
        for tokens, first, last in note.questions:
            place = tokens[1] == "does"
            own = {"live": "town", "work": "firm"}.get(tokens[-2])
            assert kinds[first, last] == (own if place else "person")
            asked = " ".join(tokens[2:-2] if place else tokens[3:-1])
            assert asked in sentences[note.tokens[:first].count(".")]


def test_two_questions_differ_in_one_name_and_have_two_answers():
    known = {*WORDS["names"], *WORDS["before"]}
    for note in EVERY:
        (one, *ends), (other, *others) = note.questions
        rests = [[w for w in words if w not in known] for words in (one, other)]
        assert rests[0] == rests[1]
        assert one != other and ends != others


def test_no_fact_stands_in_two_parts():
    for split, part in PARTS.items():
        pairs = {" ".join(fact) for note in part for fact in facts(note)}
        assert len(pairs) > 10 and {split_of(pair) for pair in pairs} == {split}


def test_outside_of_training_no_known_fact_excludes_an_answer():
    known = {fact for note in PARTS["train"] for fact in facts(note)}
    for split, part in PARTS.items():
        right = []
        for note in part:
            place = note.questions[0].tokens[1] == "does"
            answers = [note.tokens[question.last] for question in note.questions]
            for question, other in zip(note.questions, answers[::-1], strict=True):
                asked = question.tokens[-3 if place else -2]
                pair = (asked, other) if place else (other, asked)
                right.append(pair in known)  # then it can't be the new fact
        assert bool(sum(right)) == (split == "train")  # else ½, by a coin


def test_a_name_alone_and_its_neighbours_say_little():
    kinds, sides = (collections.defaultdict(collections.Counter) for _ in range(2))
    for note in EVERY:
        tokens = ["", *note.tokens]
        for (first, last), kind in names(note).items():
            kinds[note.tokens[last]][kind] += 1
            sides[tokens[first], tokens[last + 2]][kind] += 1
    for table, most in (kinds, 0.52), (sides, 0.65):
        right = sum(max(counts.values()) for counts in table.values())
        assert right / sum(map(collections.Counter.total, table.values())) < most
    assert {len(counts) for counts in kinds.values()} == {3}
    towns, firms = (WORDS["patterns"][kind] for kind in ("town", "firm"))
    for both in zip(towns, firms, strict=True):
        for slot in "{p}", "{x}":
            beside = [f" . {text} ".split(" ") for text in both]
            for step in -1, 1:
                assert len({words[words.index(slot) + step] for words in beside}) == 1
