"""Reviews, verdicts and senses: no leakage, and word counts that must fail."""

import collections
import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from course_utils.datasets import reviews, senses, verdicts
from tools.corpora import senses as generator


def words(text):
    return re.findall(r"[\w']+", text.lower())


def bag(text):
    return sorted(re.findall(r"[\w']+|[^\w\s]", text.lower()))


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_any_seed_gives_balanced_twins_without_leakage(seed):
    sizes = {"train": 60, "validation": 20, "test": 20}
    rows = reviews.generate(seed, sizes)
    pairs = collections.defaultdict(dict)
    for split, twin, label, text in rows:
        pairs[split, twin][label] = bag(text)
    assert all(set(pair) == {"0", "1"} for pair in pairs.values())
    same = sum(pair["0"] == pair["1"] for pair in pairs.values())
    assert same == 0.8 * len(pairs)
    assert len({twin for _, twin in pairs}) == len(pairs)  # in one split each
    assert len({text for *_, text in rows}) == 100
    for split, size in sizes.items():
        labels = [label for name, _, label, _ in rows if name == split]
        assert len(labels) == size == 2 * labels.count("1")


def test_reviews_have_ten_to_sixty_words():
    texts = itertools.chain(*(reviews.load(split)[0] for split in reviews.SIZES))
    lengths = [len(text.split()) for text in texts]
    assert min(lengths) >= 10 and max(lengths) <= 60


def test_verdicts_name_the_deciding_word_first_as_often_as_last():
    order = [re.findall(r"[<\[]([+-])", one) for one in reviews.WORDS["verdicts"]]
    assert all(sorted(signs) == ["+", "-"] for signs in order)
    assert sum(signs[0] == "+" for signs in order) == len(order) / 2


def accuracy_by_counting(train, test, longest=1):
    """Learn (texts, labels) from counts of words, or of groups of at most so many."""
    vectorizer = CountVectorizer(ngram_range=(1, longest))
    features = vectorizer.fit_transform(train[0])
    model = LogisticRegression(max_iter=2000).fit(features, train[1])
    return model.score(vectorizer.transform(test[0]), test[1])


@pytest.mark.parametrize("longest, low, high", [(1, 0.55, 0.65), (2, 0.65, 0.85)])
def test_word_counts_are_not_enough(longest, low, high):
    train, test = reviews.load("train"), reviews.load("test")
    assert low <= accuracy_by_counting(train, test, longest) < high


def test_every_review_has_a_verdict_on_its_side():
    sides = set(reviews.NEGATIVE), set(reviews.POSITIVE)
    texts, sentences, labels = verdicts.load("test")
    assert len(texts) == len(sentences) == len(labels) == reviews.SIZES["test"]
    assert labels.dtype == "int32"
    for text, said, label in zip(texts, sentences, labels, strict=True):
        adjectives = re.fullmatch(r"The film is (\w+)(?: and (\w+))?\.", said).groups()
        adjectives = [word for word in adjectives if word]
        assert set(adjectives) <= sides[label]
        assert not set(adjectives) & sides[1 - label]
        assert sorted(adjectives, key=text.index) == adjectives


def test_the_verdict_names_the_adjective_in_the_deciding_place():
    for pattern in reviews.WORDS["verdicts"] + reviews.WORDS["plain"]:
        names = {"first": "plot", "second": "cast", "critics": "the papers"}
        text = pattern.format(**names).replace("[+]", "<+>").replace("[-]", "<->")
        good = reviews.insert(text, ["clever"], ["dull"])
        bad = reviews.insert(text, ["dull"], ["clever"])
        assert verdicts.verdict(good, 1) == "The film is clever."
        assert verdicts.verdict(bad, 0) == "The film is dull."


# Senses

AMBIGUOUS = ("bank", "date")


def has_two_parts(text):
    return bool(set(words(text)) & set(senses.LINKS))


@pytest.fixture(scope="module")
def splits():
    return {split: senses.load(split) for split in ("train", "validation", "test")}


@pytest.fixture(scope="module")
def far_splits():
    return {split: senses.load(split) for split in generator.OWN}


def test_sizes(splits, far_splits):
    counts = [len(rows) for rows in (*splits.values(), *far_splits.values())]
    assert counts == [5_400, 400, 600, 4_200, 400, 600]
    for split, rows in splits.items():
        found = collections.Counter((row.word, row.sense) for row in rows)
        for sense, (word, neighbour, *_) in generator.SENSES.items():
            assert found[word, sense] == senses.SIZES[split]
            expected = generator.NEIGHBOURS if split == "train" else 0
            assert found[neighbour, sense] == expected
        assert found["-", "-"] == (generator.PEOPLE if split == "train" else 0)


def test_the_word_stands_exactly_once(splits):
    for rows in splits.values():
        for row in rows:
            if row.word != "-":
                assert words(row.text).count(row.word) == 1
            others = set(AMBIGUOUS) - {row.word}
            assert not others & set(words(row.text))


def test_no_part_with_an_ambiguous_word_is_shared_by_two_splits(splits):
    splits_of = collections.defaultdict(set)
    for split, rows in splits.items():
        for row in rows:
            if row.word in AMBIGUOUS:
                # the part with the word: before a link word, or after the comma
                text = row.text.lower().rstrip(".")
                parts = re.split(rf", |\b(?:{'|'.join(senses.LINKS)})\b", text)
                (part,) = [part for part in parts if row.word in words(part)]
                splits_of[" ".join(words(part))].add(split)
    assert len(splits_of) > 1_000
    assert all(len(found) == 1 for found in splits_of.values())


def test_half_of_the_sentences_have_a_part_about_the_other_sense(splits):
    for rows in splits.values():
        for sense in generator.SENSES:
            found = [has_two_parts(row.text) for row in rows if row.sense == sense]
            assert sum(found) == len(found) / 2


@pytest.mark.parametrize("word", AMBIGUOUS)
def test_word_counts_tell_the_senses_of_simple_sentences_only(splits, word):
    train = [row for row in splits["train"] if row.word == word]
    test = [row for row in splits["test"] if row.word == word]
    simple = [row for row in train if not has_two_parts(row.text)]

    def accuracy(*parts):
        texts = [[row.text for row in rows] for rows in parts]
        labels = [[row.sense for row in rows] for rows in parts]
        return accuracy_by_counting(*zip(texts, labels, strict=True))

    assert accuracy(simple, [r for r in test if not has_two_parts(r.text)]) > 0.99
    assert accuracy(train, [r for r in test if has_two_parts(r.text)]) < 0.65
    assert accuracy(train, test) < 0.8


def things_of(text):
    """Return (owner, thing) of each part of a far sentence, in its order."""
    return re.findall(r"(\w+)'s (\w+)", text)


@pytest.mark.parametrize("word", AMBIGUOUS)
def test_what_the_same_owner_has_decides_a_far_sentence(far_splits, word):
    decided = {w: s for s, every in generator.WORDS["things"].items() for w in every}
    seen = collections.defaultdict(set)
    for split, rows in far_splits.items():
        for row in (row for row in rows if row.word == word):
            parts = things_of(row.text)
            (owner,) = [who for who, thing in parts if thing == word]
            (same,) = [t for who, t in parts if who == owner and t != word]
            assert decided[same] == row.sense and len(parts) == 3
            seen[split] |= {(who, thing) for who, thing in parts if thing != word}
    assert sum(map(len, seen.values())) == len(set.union(*seen.values())) == 256
    train, test = ([*far_splits[f"far_{s}"]] for s in ("train", "test"))
    parts = [[row for row in rows if row.word == word] for rows in (train, test)]
    given = [([r.text for r in rows], [r.sense for r in rows]) for rows in parts]
    assert accuracy_by_counting(*given, longest=2) < 0.6
