"""The checks of lesson 01 accept right answers and reject plausible wrong ones."""

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_01 as checks


def right_pairs(words, window):
    return [
        (words[t], words[s])
        for t in range(len(words))
        for s in range(max(0, t - window), min(len(words), t + window + 1))
        if s != t
    ]


def pairs_with_itself(words, window):
    return right_pairs(words, window) + [(word, word) for word in words]


def pairs_to_the_right(words, window):
    return [
        (words[t], words[s])
        for t in range(len(words))
        for s in range(t + 1, min(len(words), t + window + 1))
    ]


def pairs_one_too_narrow(words, window):
    return right_pairs(words, window - 1)


def pairs_of_different_words(words, window):
    return [pair for pair in right_pairs(words, window) if pair[0] != pair[1]]


def pairs_that_wrap_round(words, window):
    places = range(len(words))
    offsets = [*range(-window, 0), *range(1, window + 1)]
    return [(words[t], words[(t + d) % len(words)]) for t in places for d in offsets]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def right_loss(centre, context, negatives):
    return -np.log(sigmoid(centre @ context)) - sum(
        np.log(sigmoid(-negative @ centre)) for negative in negatives
    )


def loss_with_one_sign(centre, context, negatives):
    return -np.log(sigmoid(centre @ context)) - sum(
        np.log(sigmoid(negative @ centre)) for negative in negatives
    )


def loss_with_a_mean(centre, context, negatives):
    return -np.log(sigmoid(centre @ context)) - np.mean(
        np.log(sigmoid(-negatives @ centre))
    )


def loss_of_the_other_word(centre, context, negatives):
    return right_loss(context, centre, negatives)


def loss_without_logarithm(centre, context, negatives):
    return -sigmoid(centre @ context) - sigmoid(-negatives @ centre).sum()


def right_centroids(vectors, senses, new, score=None):
    names = np.unique(senses)
    means = np.stack([vectors[senses == name].mean(axis=0) for name in names])
    score = score or (lambda a, b: -np.linalg.norm(a[:, None] - b[None], axis=-1))
    return names[score(new, means).argmax(axis=1)]


def centroids_by_dot_product(vectors, senses, new):
    return right_centroids(vectors, senses, new, lambda a, b: a @ b.T)


def farthest_centroid(vectors, senses, new):
    return right_centroids(
        vectors, senses, new, lambda a, b: np.linalg.norm(a[:, None] - b, axis=-1)
    )


def nearest_neighbour(vectors, senses, new):
    distances = np.linalg.norm(new[:, None] - vectors[None], axis=-1)
    return senses[distances.argmin(axis=1)]


ANSWERS = {
    checks.skip_gram_pairs: (
        right_pairs,
        [
            pairs_with_itself,
            pairs_to_the_right,
            pairs_one_too_narrow,
            pairs_of_different_words,
            pairs_that_wrap_round,
        ],
    ),
    checks.negative_sampling_loss: (
        right_loss,
        [
            loss_with_one_sign,
            loss_with_a_mean,
            loss_of_the_other_word,
            loss_without_logarithm,
        ],
    ),
    checks.nearest_centroid: (
        right_centroids,
        [centroids_by_dot_product, farthest_centroid, nearest_neighbour],
    ),
}


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])
