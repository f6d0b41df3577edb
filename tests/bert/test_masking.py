"""Masked tokens and sentence pairs: the right rate, positions, nothing else."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.bert import SentencePairs, mask_tokens, pretraining_batches
from course_utils.bert.masking import num_masked
from course_utils.text.wordpiece import CLS, MASK, SEP, is_special

V, STOP = 60, 5


def rows_of(lengths, total, seed=0):
    """Return (B, total) ids: [CLS], then tokens with one [SEP] within, then [SEP]."""
    rng = np.random.default_rng(seed)
    ids = np.zeros((len(lengths), total), dtype="int64")
    for row, length in zip(ids, lengths, strict=True):
        row[:length] = rng.integers(MASK + 1, V, length)
        row[0] = CLS
        row[length - 1] = row[length // 2] = SEP
    return ids


@settings(max_examples=60, deadline=None)
@given(
    lengths=st.lists(st.integers(2, 40), min_size=1, max_size=6),
    rate=st.sampled_from([0.05, 0.15, 0.5, 1.0]),
    seed=st.integers(0, 99),
)
def test_mask_tokens_hides_the_right_number_of_real_tokens(lengths, rate, seed):
    ids, before = (rows_of(lengths, 40, seed) for _ in range(2))
    hidden, positions, labels = mask_tokens(ids, V, np.random.default_rng(seed), rate)
    np.testing.assert_array_equal(ids, before)  # the input is left alone
    assert positions.shape == labels.shape == (len(ids), num_masked(40, rate))
    for row, new, where, what in zip(ids, hidden, positions, labels, strict=True):
        real = np.sum(~is_special(row))
        used = where[what > 0]
        expected = max(1, round(rate * real)) if real else 0
        assert len(used) == len(set(used.tolist())) == expected
        assert not is_special(row[used]).any()
        np.testing.assert_array_equal(row[used], what[what > 0])
        assert (where[what == 0] == 0).all()
        untouched = np.setdiff1d(np.arange(len(row)), used)
        np.testing.assert_array_equal(new[untouched], row[untouched])


def test_mask_tokens_rates_and_places():
    ids = rows_of([60] * 4000, 60)
    hidden, positions, labels = mask_tokens(ids, V, np.random.default_rng(0))
    shown = np.take_along_axis(hidden, positions, axis=1)
    number = labels.size
    assert (labels > 0).all() and number == 4000 * round(0.15 * 57)
    masked, kept = np.mean(shown == MASK), np.mean(shown == labels)
    # A random token is the right one once in V - 5 times.
    chance = 0.1 / (V - MASK - 1)
    for found, expected in ((masked, 0.8), (kept, 0.1 + chance)):
        spread = np.sqrt(expected * (1 - expected) / number)
        assert abs(found - expected) < 4 * spread
    others, real = shown[(shown != MASK) & (shown != labels)], ~is_special(ids[0])
    for drawn, allowed in ((others, np.arange(V) > MASK), (positions.ravel(), real)):
        counts, expected = np.bincount(drawn, minlength=60), drawn.size / allowed.sum()
        assert (counts[~allowed] == 0).all()
        assert np.abs(counts[allowed] - expected).max() < 5 * np.sqrt(expected)


def test_mask_tokens_of_unknown_tokens_and_with_a_seed():
    ids = np.array([[CLS, 1, 1, 1, 1, SEP]])
    _, _, labels = mask_tokens(ids, V, np.random.default_rng(0), 1.0)
    assert labels.tolist() == [[1, 1, 1, 1, 0, 0]]
    ids = rows_of([30] * 3, 30)
    one, same = (mask_tokens(ids, V, np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_equal(one, same)


def texts(number=30, longest=90, seed=0):
    """Return texts of different ids: text i has those from 100 (i + 1) on."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(number):
        ids = 100 * (i + 1) + np.arange(rng.integers(2, longest))
        ids[rng.random(len(ids)) < 0.15] = STOP
        made.append(ids.tolist())
    return made


def owner(ids):
    """Return the numbers of the texts that ids come from."""
    return {int(i) // 100 for i in ids if i != STOP}


def test_pair_follows_or_comes_from_another_text():
    pairs = SentencePairs(texts(), 35, [STOP])
    rng = np.random.default_rng(0)
    follow = []
    for start, stop in np.concatenate([pairs.windows(rng) for _ in range(20)]):
        first, second, follows = pairs.pair(start, stop, rng)
        follow.append(follows)
        assert len(first) > 0 and len(second) > 0
        assert len(first) + len(second) <= 32
        np.testing.assert_array_equal(first, pairs.flat[start : start + len(first)])
        if follows:
            whole = np.concatenate([first, second])
            np.testing.assert_array_equal(whole, pairs.flat[start:stop])
        else:
            assert not owner(first) & owner(second)
            assert len(owner(second)) <= 1
    assert abs(np.mean(follow) - 0.5) < 4 * 0.5 / np.sqrt(len(follow))


def test_pair_form_gives_nothing_away():
    pairs = SentencePairs(texts(300), 35, [STOP])
    rng, forms = np.random.default_rng(0), {True: [], False: []}
    for start, stop in np.concatenate([pairs.windows(rng) for _ in range(4)]):
        first, second, follows = pairs.pair(start, stop, rng)
        if STOP not in (first[0], second[0]) and len(first) + len(second) > 8:
            begin = np.flatnonzero(pairs.flat == second[0])[0]
            ends = begin + len(second) in pairs.stops
            form = ends, begin in pairs.sentences, begin in pairs.starts, len(second)
            forms[follows].append(form)
    true, other = (np.mean(forms[follows], axis=0) for follows in (True, False))
    spread = np.std(forms[True], axis=0) * np.sqrt(2 / len(forms[False]))
    assert (np.abs(true - other)[:2] < 4 * spread[:2] + 0.02).all()
    assert true[2] == 0 and other[2] < 0.01
    assert abs(true[3] - other[3]) < 4 * spread[3]


def test_windows_cover_each_text():
    sequences = texts()
    pairs = SentencePairs(sequences, 35, [STOP])
    windows = pairs.windows(np.random.default_rng(0))
    text = np.searchsorted(pairs.stops, windows[:, 0], side="right")
    assert (windows[:, 0] >= pairs.starts[text]).all()
    assert (windows[:, 1] <= pairs.stops[text]).all()
    counts = np.bincount(text, minlength=len(sequences))
    for count, ids in zip(counts, sequences, strict=True):
        assert count == -(-len(ids) // 32)
    lengths = windows[:, 1] - windows[:, 0]
    expected = np.minimum(np.diff([0, *pairs.stops])[text], 32)
    np.testing.assert_array_equal(lengths, expected)


def test_pair_is_cut_at_the_end_of_a_sentence():
    middle = [10, 11, 12, 13, 14, STOP, 15, 16, 17, 18, 19, 20]
    for ids, expected in ((middle, middle[:6]), ([*range(10, 20)], [*range(10, 15)])):
        pairs = SentencePairs([ids, [30, 31]], 20, [STOP])
        first, _, _ = pairs.pair(0, len(ids), np.random.default_rng(0))
        assert first.tolist() == expected


def test_pretraining_batches_agree_with_their_labels():
    pairs = SentencePairs(texts(), 35, [STOP])
    data = pretraining_batches(pairs, 4000, 16, seed=3)
    batches = data.take(12).as_numpy_iterator()
    for (ids, segments, positions), (labels, follows) in batches:
        assert ids.shape == segments.shape == (16, 35)
        assert positions.shape == labels.shape == (16, num_masked(35))
        assert follows.shape == (16, 1) and set(follows.ravel()) <= {0.0, 1.0}
        assert (ids[:, 0] == CLS).all()
        rows = zip(ids, segments, positions, labels, strict=True)
        for row, numbers, where, what in rows:
            first_end, second_end = np.flatnonzero(row == SEP)
            assert not row[second_end + 1 :].any()
            second = (np.arange(35) > first_end) & (np.arange(35) <= second_end)
            np.testing.assert_array_equal(numbers, second)
            real = np.sum(~is_special(row[: second_end + 1]))
            assert (what > 0).sum() == max(1, round(0.15 * real))
            assert (row[where[what > 0]] != CLS).all()


def test_pretraining_batches_with_a_seed_and_in_epochs():
    pairs = SentencePairs(texts(), 35, [STOP])
    assert len(pretraining_batches(pairs, 4000, 8).take(3)) == 3

    def ids_of(number, *options):
        data = itertools.islice(pretraining_batches(pairs, 4000, *options), number)
        return [inputs[0].numpy() for inputs, _ in data]

    np.testing.assert_array_equal(ids_of(1, 8, 1), ids_of(1, 8, 1))
    batches = ids_of(6, 32)
    assert not any((a == b).all() for a, b in itertools.combinations(batches, 2))


@pytest.mark.parametrize(
    "vocab_size, rate, said",
    [
        (40, 0, "rate is 0"),
        (40, -0.1, "rate is -0.1"),
        (40, 1.1, "rate is 1.1"),
        (5, 0.15, "vocab_size is 5"),
    ],
)
def test_impossible_masking_is_refused(vocab_size, rate, said):
    with pytest.raises(ValueError, match=said):
        mask_tokens([[2, 7, 8, 9, 3]], vocab_size, np.random.default_rng(0), rate)


def test_pairs_and_batches_that_cannot_be_made_are_refused():
    two_texts = [[7, 8], [9, 7]]
    with pytest.raises(ValueError, match="at least 5"):
        SentencePairs(two_texts, 4, [5])
    with pytest.raises(ValueError, match="at least two texts"):
        SentencePairs([[7, 8], [9], []], 9, [5])
    with pytest.raises(ValueError, match="2 windows don't fill a batch of 3"):
        pretraining_batches(SentencePairs(two_texts, 9, [5]), 40, 3)
