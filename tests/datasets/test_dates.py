"""The generated dates: right, reproducible, without overlap, with right links."""

import datetime
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.datasets.generated import dates

SMALL = {"train": 400, "validation": 60, "test": 80}
some_dates = st.dates(dates.FIRST, dates.LAST)
styles = st.integers(0, len(dates.STYLES) - 1)


def read_token(token):
    """Return the number that a written token stands for, or None."""
    word = token.strip("▁-")
    if word.isdigit():
        return int(word)
    if word in dates.MONTHS:
        return dates.MONTHS.index(word) + 1
    if word in dates.ORDINALS:
        return dates.ORDINALS.index(word) + 1
    return {"twenty": 20, "thirty": 30, "thirtieth": 30}.get(word)


@pytest.fixture(scope="module")
def corpus():
    return dates.load(SMALL)


def test_sizes_and_form(corpus):
    assert [len(part) for part in corpus] == list(SMALL.values())
    numbers = {len(canonical.split()) for _, (canonical,) in corpus.train}
    assert numbers == set(range(1, dates.MOST_DATES + 1))
    for written, (canonical,) in corpus.train:
        assert written.count(";") + 1 == len(canonical.split())
        for one in canonical.split():
            assert datetime.date.fromisoformat(one).isoformat() == one


def test_the_seed_decides(corpus):
    dates._lines.cache_clear()
    assert dates.load(SMALL) == corpus
    assert dates.load(SMALL, seed=1) != corpus


def test_no_date_is_in_two_splits(corpus):
    parts = [
        {one for _, (canonical,) in part for one in canonical.split()}
        for part in corpus
    ]
    assert len(set.union(*parts)) == sum(map(len, parts))


def test_lines_are_unique_and_test_tokens_known():
    corpus = dates.load()
    lines = [written for part in corpus for written, _ in part]
    assert len(set(lines)) == len(lines)
    tokens = [
        {t for w, (c,) in part for text in (w, c) for t in dates.tokenize(text)}
        for part in corpus
    ]
    assert tokens[1] | tokens[2] <= tokens[0]


@given(some_dates, styles)
@settings(max_examples=200, deadline=None)
def test_links_join_what_belongs_together(date, style):
    line = dates.write(date, style)
    written, canonical = map(dates.tokenize, (line.written, line.canonical))
    assert len(canonical) == 4
    for j, token in enumerate(canonical):
        sources = [written[i] for i, k in line.links if k == j]
        assert sources
        assert sum(map(read_token, sources)) == int(token.strip("▁-"))


@given(st.lists(st.tuples(some_dates, styles), min_size=1, max_size=4))
@settings(max_examples=50, deadline=None)
def test_links_of_a_line_stay_inside_their_date(parts):
    lines = [dates.write(date, style) for date, style in parts]
    line = dates._join(lines)
    written, canonical = map(dates.tokenize, (line.written, line.canonical))
    number_of = [written[:i].count(";") for i in range(len(written))]
    assert all(number_of[i] == j // 4 for i, j in line.links)
    assert {j for _, j in line.links} == set(range(len(canonical)))


@given(some_dates, styles)
@settings(max_examples=50, deadline=None)
def test_tokens_put_together_give_the_text(date, style):
    for text in dates.write(date, style)[:2]:
        joined = "".join(dates.tokenize(text)).replace("▁", " ").strip()
        assert joined == text
    assert dates.tokenize("") == dates.tokenize("  \n") == []


def test_a_long_line_has_four_times_the_tokens():
    lengths = {number: [] for number in range(1, 5)}
    for written, canonical, _ in dates.alignments("test", SMALL):
        lengths[len(canonical) // 4].append(len(written))
    mean = {number: sum(counts) / len(counts) for number, counts in lengths.items()}
    assert 3.5 < mean[4] / mean[1] < 5.5


def test_alignments_have_the_order_of_load(corpus):
    found = dates.alignments("validation", SMALL)
    assert [tokens for tokens, _, _ in found] == [
        dates.tokenize(written) for written, _ in corpus.validation
    ]


def test_importing_it_needs_no_tensorflow():
    code = (
        "import sys; from course_utils.datasets import dates; "
        "assert 'tensorflow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
