"""The reviews show what they are for: the order of the words decides; verdicts too."""

import collections
import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from course_utils.datasets.generated import reviews, verdicts


def words(text):
    return re.findall(r"[\w']+|[^\w\s]", text.lower())


def bag(text):
    return tuple(sorted(words(text)))


def rate_of_twins(rows):
    """Return which part of the pairs has the same words on both sides."""
    pairs = collections.defaultdict(dict)
    for split, twin, label, text in rows:
        pairs[split, twin][label] = bag(text)
    assert all(set(pair) == {"0", "1"} for pair in pairs.values())
    return sum(pair["0"] == pair["1"] for pair in pairs.values()) / len(pairs)


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_any_seed_gives_balanced_twins_without_leakage(seed):
    sizes = {"train": 60, "validation": 20, "test": 20}
    rows = reviews.generate(seed, sizes)
    assert rate_of_twins(rows) == 0.8
    assert len({text for *_, text in rows}) == 100
    for split, size in sizes.items():
        labels = [label for name, _, label, _ in rows if name == split]
        assert len(labels) == size == 2 * labels.count("1")
    twins = collections.defaultdict(set)
    for split, twin, _, _ in rows:
        twins[twin].add(split)
    assert all(len(splits) == 1 for splits in twins.values())


def test_reviews_have_ten_to_sixty_words():
    texts = itertools.chain(*(reviews.load(split)[0] for split in reviews.SIZES))
    lengths = [len(text.split()) for text in texts]
    assert min(lengths) >= 10 and max(lengths) <= 60


def test_verdicts_name_the_deciding_word_first_as_often_as_last():
    order = [
        re.findall(r"[<\[]([+-])", verdict) for verdict in reviews.WORDS["verdicts"]
    ]
    assert all(sorted(signs) == ["+", "-"] for signs in order)
    assert sum(signs[0] == "+" for signs in order) == len(order) / 2


@pytest.mark.parametrize(
    ("longest", "at_least", "below"), [(1, 0.55, 0.65), (2, 0.65, 0.85)]
)
def test_word_counts_are_not_enough(longest, at_least, below):
    train, test = reviews.load("train"), reviews.load("test")
    vectorizer = CountVectorizer(ngram_range=(1, longest))
    features = vectorizer.fit_transform(train[0])
    model = LogisticRegression(max_iter=2000).fit(features, train[1])
    accuracy = model.score(vectorizer.transform(test[0]), test[1])
    assert at_least <= accuracy < below


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
