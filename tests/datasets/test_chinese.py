"""The Chinese sentences: exact shares, measure words that fit, opposites."""

import collections
import re

import pytest

from course_utils.datasets import chinese
from tools.corpora.chinese import MEASURES, WORDS

NOUNS = {m: tuple(nouns) for m, (_, nouns) in MEASURES.items()}
OPPOSITES = {frozenset(pair) for *pair, _ in WORDS["opposites"]}


@pytest.fixture(scope="module", params=chinese.SIZES)
def rows(request):
    return chinese.load(request.param)


@pytest.mark.parametrize("split", chinese.SIZES)
def test_sizes_and_characters(split):
    rows = chinese.load(split)
    counts = collections.Counter(row.topic for row in rows)
    assert tuple(counts[topic] for topic in chinese.TOPICS) == chinese.SIZES[split]
    assert all(re.fullmatch(r"[\u4e00-\u9fff，。]+", row.text) for row in rows)


def test_the_planted_rates_are_exact_in_each_split(rows):
    noodles = collections.defaultdict(list)
    for row in rows:
        if row.topic == "food":
            assert f"{row.key}人" in row.text
            noodles[row.key].append(row.text.endswith(chinese.NOODLES + "。"))
    rates = {city: sum(ends) / len(ends) for city, ends in noodles.items()}
    assert rates == pytest.approx(chinese.NOODLE_SHARES)


def test_each_measure_word_stands_once_and_fits_its_noun(rows):
    for row in rows:
        if row.topic == "measure":
            assert row.text.count(row.key) == 1
            rest = row.text.partition(row.key)[2].rstrip("。")
            assert rest.endswith(NOUNS[row.key])


def test_opposites_deny_one_and_say_the_other(rows):
    for row in rows:
        if row.topic == "opposite":
            denied = re.search(r"不(\w+?)[，。]", row.text).group(1)
            said = re.search(r"很(\w+?)[，。]", row.text).group(1)
            assert frozenset((denied, said)) in OPPOSITES and denied != said
