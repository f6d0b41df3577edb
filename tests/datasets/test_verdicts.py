"""Verdicts name what decides: all of it, nothing else, in the order of the text."""

import re

from course_utils.datasets.generated import reviews, verdicts

SIDES = {1: set(reviews.POSITIVE), 0: set(reviews.NEGATIVE)}


def test_every_review_has_a_verdict_on_its_side():
    texts, sentences, labels = verdicts.load("test")
    assert len(texts) == len(sentences) == len(labels) == reviews.SIZES["test"]
    for text, said, label in zip(texts, sentences, labels, strict=True):
        adjectives = re.fullmatch(r"The film is (\w+)(?: and (\w+))?\.", said).groups()
        adjectives = [word for word in adjectives if word]
        assert set(adjectives) <= SIDES[label]
        assert not set(adjectives) & SIDES[1 - label]
        assert sorted(adjectives, key=text.index) == adjectives


def test_the_verdict_names_the_adjective_in_the_deciding_place():
    for pattern in reviews.WORDS["verdicts"] + reviews.WORDS["plain"]:
        names = {"first": "plot", "second": "cast", "critics": "the papers"}
        text = pattern.format(**names).replace("[+]", "<+>").replace("[-]", "<->")
        good = reviews.insert(text, ["clever"], ["dull"])
        bad = reviews.insert(text, ["dull"], ["clever"])
        assert verdicts.verdict(good, 1) == "The film is clever."
        assert verdicts.verdict(bad, 0) == "The film is dull."
