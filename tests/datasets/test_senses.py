"""The senses corpus: known senses, no leakage, and word counts that must fail."""

import collections
import re

import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from course_utils.datasets.generated import senses

AMBIGUOUS = ("bank", "date")


def words(text):
    return re.findall(r"[\w']+", text.lower())


def has_two_parts(text):
    return bool(set(words(text)) & set(senses.LINKS))


@pytest.fixture(scope="module")
def splits():
    return {split: senses.load(split) for split in senses.SIZES}


def test_sizes(splits):
    counts = {split: len(rows) for split, rows in splits.items()}
    assert counts == {"train": 5_400, "validation": 400, "test": 600}
    for split, rows in splits.items():
        found = collections.Counter((row.word, row.sense) for row in rows)
        for sense, (word, neighbour, *_) in senses.SENSES.items():
            assert found[word, sense] == senses.SIZES[split]
            expected = senses.NEIGHBOURS if split == "train" else 0
            assert found[neighbour, sense] == expected
        assert found["-", "-"] == (senses.PEOPLE if split == "train" else 0)


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
        for sense in senses.SENSES:
            found = [has_two_parts(row.text) for row in rows if row.sense == sense]
            assert sum(found) == len(found) / 2


@pytest.mark.parametrize("word", AMBIGUOUS)
def test_word_counts_tell_the_senses_of_simple_sentences_only(splits, word):
    train = [row for row in splits["train"] if row.word == word]
    test = [row for row in splits["test"] if row.word == word]
    simple = [row for row in train if not has_two_parts(row.text)]
    vectorizer = CountVectorizer().fit([row.text for row in train])

    def accuracy(learn_from, rows):
        model = LogisticRegression(max_iter=2000)
        features = vectorizer.transform([row.text for row in learn_from])
        model.fit(features, [row.sense for row in learn_from])
        features = vectorizer.transform([row.text for row in rows])
        return model.score(features, [row.sense for row in rows])

    assert accuracy(simple, [r for r in test if not has_two_parts(r.text)]) > 0.99
    assert accuracy(train, [r for r in test if has_two_parts(r.text)]) < 0.65
    assert accuracy(train, test) < 0.8
