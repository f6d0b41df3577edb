"""What the bundled corpora share: bytes, splits, how they are read."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils import datasets
from course_utils.datasets import bundled
from course_utils.datasets.spa_eng import key
from tools.corpora import common
from tools.generate_data import CORPORA

# Sizes for a few rows of each, and the columns with texts.
SMALL = {
    "chinese": ({"train": (30, 4, 4, 4, 4), "test": (30, 2, 2, 2, 2)}, [3]),
    "notes": ({"train": 20, "validation": 3, "test": 5}, [1]),
    "phrasebook": ({"train": 40, "validation": 3, "test": 5}, [1, 2]),
    "reviews": ({"train": 20, "validation": 4, "test": 4}, [3]),
    "senses": ({"train": 20, "validation": 4, "test": 4}, [3]),
    "shapes": ({"train": 20, "validation": 4, "test": 4}, [2]),
}
corpora = pytest.mark.parametrize("name", SMALL)


@corpora
def test_bundled_files_are_generated_again_byte_for_byte(name):
    corpus = CORPORA[name]
    content = common.render(corpus.HEADER, corpus.generate()).encode()
    assert (bundled.CORPORA / f"{name}.tsv").read_bytes() == content
    assert b"\r" not in content
    lines = content.decode("utf-8").splitlines()[1:]
    rows = [tuple(line.split("\t")) for line in lines]
    assert {len(row) for row in rows} == {4}
    assert bundled.rows(name) == rows
    assert bundled.rows(name, "test") == [row[1:] for row in rows if row[0] == "test"]


@corpora
@settings(max_examples=4)
@given(seed=st.integers(0, 10**6))
def test_the_seed_decides_and_no_slot_stays_open(name, seed):
    sizes, _ = SMALL[name]
    generate = CORPORA[name].generate
    rows = generate(seed, sizes)
    assert rows == generate(seed, sizes)
    assert rows != generate(seed + 1, sizes)
    for row in rows:
        assert len(row) == 4 and not re.search(r"[\t\n{}<>\[\]]|\bX\b", " ".join(row))


@corpora
def test_each_word_is_known_from_training_and_no_text_stands_twice(name):
    rows = bundled.rows(name)
    sizes = getattr(datasets, name).SIZES
    for column in SMALL[name][1]:
        texts = {
            split: [row[column] for row in rows if row[0] == split] for split in sizes
        }
        if name not in ("chinese", "senses"):  # these count by topic or sense
            assert {split: len(part) for split, part in texts.items()} == sizes
        tokens = list if name == "chinese" else re.compile(r"[\w']+|[^\w\s]").findall
        words = {
            split: {word for text in part for word in tokens(text.lower())}
            for split, part in texts.items()
        }
        assert words["test"] | words["validation"] <= words["train"]
        everything = [key(text) for part in texts.values() for text in part]
        if name != "shapes":  # an image differs where its caption doesn't
            assert len(set(everything)) == len(everything)


def test_fractions_of_splits_must_add_up():
    assert common.split_of("any text", {"train": 1.0}) == "train"
    with pytest.raises(AssertionError, match="add up to less than 1"):
        common.split_of("any text", {"train": 0.0})
