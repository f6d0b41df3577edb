"""The Chinese sentences: the same bytes, exact shares, measure words that fit."""

import collections
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.datasets import embedded
from course_utils.datasets.generated import chinese

NOUNS = {m: set(nouns) for m, (_, nouns) in chinese.MEASURES.items()}


@pytest.fixture(scope="module")
def splits():
    return {split: chinese.load(split) for split in chinese.SIZES}


def test_the_file_is_generated_again_byte_for_byte():
    content = embedded.render(chinese.HEADER, chinese.generate()).encode()
    assert (embedded.CHECKOUT / chinese.FILE).read_bytes() == content


def test_sizes(splits):
    for split, rows in splits.items():
        found = collections.Counter(row.topic for row in rows)
        assert tuple(found[topic] for topic in chinese.TOPICS) == chinese.SIZES[split]


def test_no_text_occurs_twice(splits):
    texts = [row.text for rows in splits.values() for row in rows]
    assert len(set(texts)) == len(texts)


def test_every_character_of_the_test_is_known_from_training(splits):
    found = {
        split: set("".join(r.text for r in rows)) for split, rows in splits.items()
    }
    assert found["test"] | found["validation"] <= found["train"]
    assert all(re.fullmatch(r"[\u4e00-\u9fff，。]", one) for one in found["train"])


def test_the_planted_shares_are_exact_in_each_split(splits):
    for rows in splits.values():
        found = collections.defaultdict(list)
        for row in rows:
            if row.topic == "food":
                assert f"{row.key}人" in row.text
                found[row.key].append(row.text.endswith(chinese.NOODLES + "。"))
        shares = {city: sum(noodles) / len(noodles) for city, noodles in found.items()}
        assert shares == pytest.approx(chinese.NOODLE_SHARES)


def test_each_measure_word_stands_once_and_fits_its_noun(splits):
    for row in splits["train"] + splits["test"]:
        if row.topic == "measure":
            assert row.text.count(row.key) == 1
            rest = row.text.partition(row.key)[2].rstrip("。")
            assert any(rest.endswith(noun) for noun in NOUNS[row.key])


def test_opposites_deny_one_and_say_the_other(splits):
    pairs = {frozenset(pair) for pair in chinese.OPPOSITES}
    for row in splits["test"]:
        if row.topic == "opposite":
            denied = re.search(r"不(\w+?)[，。]", row.text).group(1)
            said = re.search(r"很(\w+?)[，。]", row.text).group(1)
            assert frozenset((denied, said)) in pairs and denied != said


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6))
def test_the_same_seed_gives_the_same_rows(seed):
    sizes = {"train": (30, 4, 4, 4, 4), "test": (30, 2, 2, 2, 2)}
    rows = chinese.generate(seed, sizes)
    assert rows == chinese.generate(seed, sizes)
    assert all(len(row) == 4 and "{" not in row[3] for row in rows)


def test_other_splits_are_refused():
    with pytest.raises(ValueError, match="'dev'"):
        chinese.load("dev")
