"""The generated dates: right, reproducible, without overlap, with right links."""

import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils import datasets
from course_utils.datasets import dates

SMALL = {"train": 400, "validation": 60, "test": 80}
styles = st.integers(0, len(dates.STYLES) - 1)
date_and_style = st.tuples(st.dates(dates.FIRST, dates.LAST), styles)
NUMBERS = {"twenty": 20, "thirty": 30, "thirtieth": 30}
for table in (dates.MONTHS, dates.ORDINALS):
    NUMBERS |= {word: number for number, word in enumerate(table, start=1)}


@pytest.fixture(scope="module")
def corpus():
    return dates.load(SMALL)


def test_sizes_and_form_and_a_seed_that_decides(corpus):
    assert [len(part) for part in corpus] == list(SMALL.values())
    numbers = {len(canonical.split()) for _, (canonical,) in corpus.test}
    assert numbers == set(range(1, dates.MOST_DATES + 1))
    for written, (canonical,) in corpus.train:
        assert written.count(";") + 1 == len(canonical.split()) <= dates.MOST_DATES
        for one in canonical.split():
            assert datetime.date.fromisoformat(one).isoformat() == one
    dates._lines.cache_clear()  # the seed decides
    assert dates.load(SMALL) == corpus
    assert dates.load(SMALL, seed=1) != corpus


def test_lines_are_unique_dates_in_one_split_and_tokens_known():
    corpus = dates.load()
    lines = [written for part in corpus for written, _ in part]
    assert len(set(lines)) == len(lines)
    parts = [{one for _, (c,) in part for one in c.split()} for part in corpus]
    assert len(set.union(*parts)) == sum(map(len, parts))
    train, *held_out = (
        {t for w, (c,) in part for text in (w, c) for t in dates.tokenize(text)}
        for part in corpus
    )
    assert set.union(*held_out) <= train


@given(date_and_style)
@settings(max_examples=200)
def test_links_join_what_belongs_together_and_tokens_give_the_text(chosen):
    line = dates.write(*chosen)
    written, canonical = map(dates.tokenize, line[:2])
    assert len(canonical) == 4
    for j, token in enumerate(canonical):
        words = [written[i].strip("▁-") for i, k in line.links if k == j]
        numbers = [int(word) if word.isdigit() else NUMBERS[word] for word in words]
        assert numbers and sum(numbers) == int(token.strip("▁-"))
    for text, tokens in zip(line[:2], (written, canonical), strict=True):
        assert "".join(tokens).replace("▁", " ").strip() == text


@given(st.lists(date_and_style, min_size=1, max_size=4))
@settings(max_examples=50)
def test_links_of_a_line_stay_inside_their_date(parts):
    line = dates._join([dates.write(*part) for part in parts])
    written, canonical = map(dates.tokenize, line[:2])
    number_of = [written[:i].count(";") for i in range(len(written))]
    assert all(number_of[i] == j // 4 for i, j in line.links)
    assert {j for _, j in line.links} == set(range(len(canonical)))


def test_alignments_have_the_order_of_load_and_long_lines_four_times_the_tokens(corpus):
    lines = dates.alignments("test", SMALL)
    assert [one for one, _, _ in lines] == [dates.tokenize(w) for w, _ in corpus.test]
    one, four = (
        [len(written) for written, canonical, _ in lines if len(canonical) == length]
        for length in (4, 16)
    )
    assert 3.5 < (sum(four) / len(four)) / (sum(one) / len(one)) < 5.5


@pytest.mark.parametrize(
    "sizes",
    [{}, {"train": 1}, {"train": 1, "validation": 1, "test": 0}, {"x": 3}],
)
def test_impossible_sizes_are_refused(sizes):
    with pytest.raises(ValueError, match="sizes is"):
        datasets.dates.load(sizes)
