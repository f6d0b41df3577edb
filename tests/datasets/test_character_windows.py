"""Splits share no text; windows hold what they should, each place is scored once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.datasets import character_windows as windows
from course_utils.text.vectorizers import END, START, UNKNOWN


def test_clean_text_has_single_spaces_and_composed_letters():
    assert windows.clean(" A\tfilm \n\n  cafe\u0301 ") == "A film caf\u00e9"


def test_no_text_stands_in_two_parts():
    """Not even with other signs, capitals or spaces."""
    rng = np.random.default_rng(0)
    texts = [f"Film number {n}!" for n in rng.integers(0, 40, 200)]
    texts += [text.upper().replace(" ", "  ").replace("!", " ?") for text in texts]
    parts = windows.split_texts(texts, (5, 7), seed=1)
    names = [{text.lower().split()[2].strip("!?") for text in part} for part in parts]
    assert [len(part) for part in parts[:2]] == [5, 7]
    assert sum(map(len, parts)) == len(set().union(*names)) == len({*texts[:200]})
    assert set("".join(parts[2])) <= set("".join(texts[:200]))  # the first is kept


def test_a_seed_gives_the_same_split_and_the_same_windows_again():
    texts = [str(n) for n in range(50)]
    first = windows.split_texts(texts, (5,), seed=3)
    assert windows.split_texts(texts, (5,), seed=3) == first
    assert windows.split_texts(texts, (5,), seed=4) != first
    assert sorted(first[0] + first[1]) == sorted(texts)
    one, same, other = (
        next(windows.training_batches(range(99), 5, 3, seed).as_numpy_iterator())[0]
        for seed in (1, 1, 2)
    )
    assert (one == same).all() and (one != other).any()


def test_stream_marks_beginnings_and_ends():
    ids = windows.stream([np.array([7, 8]), [], [9]])
    assert ids.tolist() == [START, 7, 8, END, START, END, START, 9, END]
    assert ids.dtype == "int32"


def test_training_windows_are_pieces_of_the_stream():
    ids, starts = np.arange(54) * 3, []
    batches = windows.training_batches(ids, length=6, batch_size=3, seed=2)
    for reads, says in batches.take(200):
        assert reads.shape == says.shape == (3, 6)
        for read, say in zip(reads.numpy(), says.numpy(), strict=True):
            start = read[0] // 3
            np.testing.assert_array_equal(read, ids[start : start + 6])
            np.testing.assert_array_equal(say, ids[start + 1 : start + 7])
            starts.append(int(start))
    assert {*starts} == {*range(48)}  # every window, the last one too
    assert (np.diff(np.sort(np.reshape(starts, (-1, 8)))) == 6).all()  # by passes


@settings(max_examples=60, derandomize=True)
@given(
    st.lists(st.integers(0, 25), min_size=1, max_size=4), st.integers(1, 9), st.data()
)
def test_every_character_is_scored_once(lengths, length, data):
    context = data.draw(st.integers(0, length - 1))
    # Ids count on, so that each one tells its text and place.
    firsts = np.cumsum([4, *lengths])
    texts = [np.arange(a, b) for a, b in zip(firsts, firsts[1:], strict=False)]
    expected = [i for ids in texts for i in ids]
    if not expected:
        with pytest.raises(ValueError, match="all texts are empty"):
            windows.scoring_windows(texts, length, context)
        return
    inputs, targets = windows.scoring_windows(texts, length, context)
    assert inputs.shape == targets.shape == (len(inputs), length)
    assert targets[targets != 0].tolist() == expected
    assert not targets[inputs[:, 0] != START, :context].any()
    beginnings = {int(ids[0]) for ids in texts if len(ids)}
    for n, t in np.argwhere(targets):
        before = START if targets[n, t] in beginnings else targets[n, t] - 1
        assert inputs[n, t] == before
        assert inputs[n, : t + 1].all()  # what was given is real


def test_unknown_characters_are_read_but_not_scored():
    inputs, targets = windows.scoring_windows([[5, UNKNOWN, 6]], 4, 0)
    assert inputs.tolist() == [[START, 5, UNKNOWN, 0]]
    assert targets.tolist() == [[5, 0, 6, 0]]


def test_windows_that_cannot_be_cut_are_refused():
    with pytest.raises(ValueError, match="take 2 texts, .* only 2 diff"):
        windows.split_texts(["a", "b", "b."], (1, 1))
    with pytest.raises(ValueError, match="6 ids; .* length 6"):
        windows.training_batches(np.arange(6), 6, 1)


@pytest.mark.parametrize("context", [-1, 4, 9])
def test_an_impossible_context_is_refused(context):
    with pytest.raises(ValueError, match=f"is {context};"):
        windows.scoring_windows([[5] * 20], 4, context)
