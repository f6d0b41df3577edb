"""Word vectors: shapes, a seed, that neighbours count, bad input."""

import numpy as np
import pytest

from course_utils.text.word_vectors import train_word_vectors


def sentences(seed=0, count=400):
    """Ids 2 and 3 stand among 6–205, ids 4 and 5 among 206–405, never the other way."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        kind = rng.integers(2)
        around = rng.integers(6 + 200 * kind, 206 + 200 * kind, size=20).tolist()
        rows.append([*around[:10], int(rng.integers(2)) + 2 + 2 * kind, *around[10:]])
    return rows


def train(rows, **options):
    options = {"width": 8, "epochs": 5, "progress": False, **options}
    return train_word_vectors(rows, 410, **options)


def cosine(one, other):
    return one @ other / np.linalg.norm(one) / np.linalg.norm(other)


def test_train_word_vectors_scale_and_unused_rows():
    vectors = train(sentences(), stddev=0.02)
    assert vectors.shape == (410, 8)
    assert vectors.dtype == np.float32
    assert not vectors[[0, 1, 406, 409]].any()
    assert vectors[2:406].std() == pytest.approx(0.02, rel=1e-3)


def test_train_word_vectors_of_words_with_the_same_neighbours():
    vectors = train(sentences(count=3000), epochs=20)
    same = min(cosine(vectors[2], vectors[3]), cosine(vectors[4], vectors[5]))
    other = max(cosine(vectors[2], vectors[4]), cosine(vectors[3], vectors[5]))
    assert same > 0.8
    assert same > other + 0.2


def test_train_word_vectors_with_a_seed():
    rows = sentences()
    assert (train(rows, seed=3) == train(rows, seed=3)).all()
    assert not np.allclose(train(rows, seed=3), train(rows, seed=4))


def test_train_word_vectors_prints_a_dot_for_each_pass(capsys):
    train(sentences(count=5), epochs=4, progress=True)
    assert capsys.readouterr().out == "...."


@pytest.mark.parametrize(
    "rows, said",
    [
        ([], "no text"),
        ([[], []], "no text"),
        ([[2, 0, 3]], "padding"),
        ([[2, 410]], "from 2 to 410"),
        ([[2, -1]], "from -1 to 2"),
    ],
)
def test_ids_out_of_range_are_refused(rows, said):
    with pytest.raises(ValueError, match=said):
        train(rows)
