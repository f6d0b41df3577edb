"""Exercises of "Which model, when?": right answers pass, likely mistakes do not."""

import itertools

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from course_utils.kit.checks import which_model_when as checks
from course_utils.kit.checks.answers import which_model_when as answers

# rule_by_hand


@pytest.mark.parametrize(
    "wrong, says",
    [
        (
            lambda: ("pairs", "sequence", "sequence", 30_000),
            "expected 'pairs'",
        ),  # median
        (lambda: ("pairs", "sequence", "pairs", 40), "expected 30000"),
        (lambda: ("sequence", "pairs", "pairs", 30_000), ""),
    ],
)
def test_rule_by_hand_rejects(wrong, says):
    rejects(checks.rule_by_hand, wrong, says)


def test_rule_by_hand_accepts():
    accepts(checks.rule_by_hand, answers.rule_by_hand)


@pytest.mark.parametrize(
    "arguments, value",
    [((), ("pairs", "sequence", "pairs", 1500 * 20))],
)
def test_rule_by_hand_by_hand(arguments, value):
    agrees(answers.rule_by_hand, arguments, value)


# distant_pairs


def distant_pairs_only_farthest(text, farthest):
    words = text.split()
    return [
        (word, later)
        for place, word in enumerate(words)
        for later in words[place + 1 : place + 1 + farthest : farthest]  # wrong
    ]


def distant_pairs_skips_near_ones(text, farthest):
    words = text.split()
    return [
        (word, later)
        for place, word in enumerate(words)
        for later in words[place + farthest : place + 1 + farthest]  # wrong
    ]


def distant_pairs_with_itself(text, farthest):
    words = text.split()
    return [
        (word, later)
        for place, word in enumerate(words)
        for later in words[place : place + 1 + farthest]  # wrong
    ]


def distant_pairs_lower_case(text, farthest):
    words = text.lower().split()  # wrong
    return [
        (word, later)
        for place, word in enumerate(words)
        for later in words[place + 1 : place + 1 + farthest]
    ]


def distant_pairs_sorted_pairs(text, farthest):
    words = text.split()
    return [
        tuple(sorted((word, later)))  # wrong
        for place, word in enumerate(words)
        for later in words[place + 1 : place + 1 + farthest]
    ]


@pytest.mark.parametrize(
    "wrong, says",
    [
        (distant_pairs_only_farthest, "the distance"),
        (distant_pairs_skips_near_ones, "up to"),
        (distant_pairs_with_itself, "neighbours"),
        (distant_pairs_lower_case, "as it is"),
        (distant_pairs_sorted_pairs, "neighbours"),
        (lambda text, farthest: [*set(naive_pairs(text, farthest))], ""),
    ],
)
def test_distant_pairs_rejects(wrong, says):
    rejects(checks.distant_pairs, wrong, says)


@pytest.mark.parametrize(
    "right",
    [
        answers.distant_pairs,
        lambda text, farthest: naive_pairs(text, farthest)[::-1],
    ],
)
def test_distant_pairs_accepts(right):
    accepts(checks.distant_pairs, right)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                "not very good",
                1,
            ),
            [["not", "very"], ["very", "good"]],
        ),
        (
            (
                "No, it isn't",
                1,
            ),
            [["No,", "it"], ["it", "isn't"]],
        ),
        (
            (
                "c b a",
                2,
            ),
            [["c", "b"], ["c", "a"], ["b", "a"]],
        ),
        (
            (
                "a a a",
                2,
            ),
            [["a", "a"], ["a", "a"], ["a", "a"]],
        ),
    ],
)
def test_distant_pairs_by_hand(arguments, value):
    agrees(answers.distant_pairs, arguments, value)


def naive_pairs(text, farthest):
    pairs = itertools.combinations(enumerate(text.split()), 2)
    return [(word, later) for (i, word), (j, later) in pairs if j - i <= farthest]


def pipeline_score(texts, labels):
    """Score honestly by another way: a pipeline of the training part for each C."""
    found = []
    for strength in (0.1, 1, 10):
        counts, best = CountVectorizer(ngram_range=(1, 2)), SelectKBest(chi2, k=100)
        model = make_pipeline(counts, best, LogisticRegression(C=strength))
        model.fit(texts[:40], labels[:40])
        found.append([model.score(texts[i:][:20], labels[i:][:20]) for i in (40, 60)])
    return max(found, key=lambda scores: scores[0])[1]


def coins(seed):
    random = np.random.default_rng(seed)
    words = random.integers(30, size=(80, 8)).astype(str)
    return [" w".join(text) for text in words], random.integers(2, size=80)


# honest_score


def honest_score_fits_features_on_all(texts, labels):
    labels, quarter = np.asarray(labels), len(labels) // 4
    edges = 2 * quarter, 3 * quarter
    parts = list(zip(np.split(np.arange(len(labels)), edges), np.split(labels, edges)))
    counter, best = CountVectorizer(ngram_range=(1, 2)), SelectKBest(chi2, k=100)
    best.fit(counter.fit_transform(texts), labels)  # wrong
    (train, of_train), (validation, of_validation), (test, of_test) = [
        (best.transform(counter.transform([texts[i] for i in where])), of_part)
        for where, of_part in parts
    ]
    models = [LogisticRegression(C=c, max_iter=500) for c in (0.1, 1, 10)]
    for model in models:
        model.fit(train, of_train)
    chosen = max(models, key=lambda model: model.score(validation, of_validation))
    return chosen.score(test, of_test)


def honest_score_chooses_on_test(texts, labels):
    labels, quarter = np.asarray(labels), len(labels) // 4
    edges = 2 * quarter, 3 * quarter
    parts = list(zip(np.split(np.arange(len(labels)), edges), np.split(labels, edges)))
    counter, best = CountVectorizer(ngram_range=(1, 2)), SelectKBest(chi2, k=100)
    best.fit(counter.fit_transform([texts[i] for i in parts[0][0]]), parts[0][1])
    (train, of_train), (validation, of_validation), (test, of_test) = [
        (best.transform(counter.transform([texts[i] for i in where])), of_part)
        for where, of_part in parts
    ]
    models = [LogisticRegression(C=c, max_iter=500) for c in (0.1, 1, 10)]
    for model in models:
        model.fit(train, of_train)
    chosen = max(models, key=lambda model: model.score(test, of_test))  # wrong
    return chosen.score(test, of_test)


def honest_score_other_parts(texts, labels):
    labels, quarter = np.asarray(labels), len(labels) // 4
    edges = quarter, 3 * quarter  # wrong
    parts = list(zip(np.split(np.arange(len(labels)), edges), np.split(labels, edges)))
    counter, best = CountVectorizer(ngram_range=(1, 2)), SelectKBest(chi2, k=100)
    best.fit(counter.fit_transform([texts[i] for i in parts[0][0]]), parts[0][1])
    (train, of_train), (validation, of_validation), (test, of_test) = [
        (best.transform(counter.transform([texts[i] for i in where])), of_part)
        for where, of_part in parts
    ]
    models = [LogisticRegression(C=c, max_iter=500) for c in (0.1, 1, 10)]
    for model in models:
        model.fit(train, of_train)
    chosen = max(models, key=lambda model: model.score(validation, of_validation))
    return chosen.score(test, of_test)


def honest_score_no_choice_of_strength(texts, labels):
    labels, quarter = np.asarray(labels), len(labels) // 4
    edges = 2 * quarter, 3 * quarter
    parts = list(zip(np.split(np.arange(len(labels)), edges), np.split(labels, edges)))
    counter, best = CountVectorizer(ngram_range=(1, 2)), SelectKBest(chi2, k=100)
    best.fit(counter.fit_transform([texts[i] for i in parts[0][0]]), parts[0][1])
    (train, of_train), (validation, of_validation), (test, of_test) = [
        (best.transform(counter.transform([texts[i] for i in where])), of_part)
        for where, of_part in parts
    ]
    models = [LogisticRegression(C=c, max_iter=500) for c in (10,)]  # wrong
    for model in models:
        model.fit(train, of_train)
    chosen = max(models, key=lambda model: model.score(validation, of_validation))
    return chosen.score(test, of_test)


def honest_score_strongest_first(texts, labels):
    labels, quarter = np.asarray(labels), len(labels) // 4
    edges = 2 * quarter, 3 * quarter
    parts = list(zip(np.split(np.arange(len(labels)), edges), np.split(labels, edges)))
    counter, best = CountVectorizer(ngram_range=(1, 2)), SelectKBest(chi2, k=100)
    best.fit(counter.fit_transform([texts[i] for i in parts[0][0]]), parts[0][1])
    (train, of_train), (validation, of_validation), (test, of_test) = [
        (best.transform(counter.transform([texts[i] for i in where])), of_part)
        for where, of_part in parts
    ]
    models = [LogisticRegression(C=c, max_iter=500) for c in (10, 1, 0.1)]  # wrong
    for model in models:
        model.fit(train, of_train)
    chosen = max(models, key=lambda model: model.score(validation, of_validation))
    return chosen.score(test, of_test)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (honest_score_fits_features_on_all, ""),
        (honest_score_chooses_on_test, ""),
        (honest_score_other_parts, ""),
        (honest_score_no_choice_of_strength, ""),
        (honest_score_strongest_first, "equally good"),
    ],
)
def test_honest_score_rejects(wrong, says):
    rejects(checks.honest_score, wrong, says)


@pytest.mark.parametrize(
    "right",
    [
        answers.honest_score,
        pipeline_score,
    ],
)
def test_honest_score_accepts(right):
    accepts(checks.honest_score, right)


@pytest.mark.parametrize(
    "arguments, value",
    [(coins(seed), pipeline_score(*coins(seed))) for seed in (5, 10)],
)
def test_honest_score_by_hand(arguments, value):
    agrees(answers.honest_score, arguments, value)


# labels_needed


def labels_needed_no_logarithm(numbers, accuracies, wanted):
    below = [i for i, accuracy in enumerate(accuracies) if accuracy < wanted]
    if not below:
        return numbers[0]
    last = below[-1]
    if last == len(numbers) - 1:
        return float("inf")
    piece = slice(last, last + 2)
    return np.interp(wanted, accuracies[piece], numbers[piece])  # wrong


def labels_needed_touching_is_below(numbers, accuracies, wanted):
    below = [i for i, accuracy in enumerate(accuracies) if accuracy <= wanted]  # wrong
    if not below:
        return numbers[0]
    last = below[-1]
    if last == len(numbers) - 1:
        return float("inf")
    piece = slice(last, last + 2)
    return np.exp(np.interp(wanted, accuracies[piece], np.log(numbers[piece])))


def labels_needed_first_crossing(numbers, accuracies, wanted):
    below = [i for i, accuracy in enumerate(accuracies) if accuracy < wanted]
    if not below:
        return numbers[0]
    last = next((i for i in below if i + 1 not in below), 0)  # wrong
    if last == len(numbers) - 1:
        return float("inf")
    piece = slice(last, last + 2)
    return np.exp(np.interp(wanted, accuracies[piece], np.log(numbers[piece])))


def labels_needed_last_number_instead_of_infinity(numbers, accuracies, wanted):
    below = [i for i, accuracy in enumerate(accuracies) if accuracy < wanted]
    if not below:
        return numbers[0]
    last = below[-1]
    if last == len(numbers) - 1:
        return numbers[-1]  # wrong
    piece = slice(last, last + 2)
    return np.exp(np.interp(wanted, accuracies[piece], np.log(numbers[piece])))


def labels_needed_nothing_needed(numbers, accuracies, wanted):
    below = [i for i, accuracy in enumerate(accuracies) if accuracy < wanted]
    if not below:
        return 0  # wrong
    last = below[-1]
    if last == len(numbers) - 1:
        return float("inf")
    piece = slice(last, last + 2)
    return np.exp(np.interp(wanted, accuracies[piece], np.log(numbers[piece])))


def labels_needed_starts_above(numbers, accuracies, wanted):
    below = [i for i, accuracy in enumerate(accuracies) if accuracy < wanted]
    if accuracies[0] >= wanted:  # wrong
        return numbers[0]
    last = below[-1]
    if last == len(numbers) - 1:
        return float("inf")
    piece = slice(last, last + 2)
    return np.exp(np.interp(wanted, accuracies[piece], np.log(numbers[piece])))


def labels_needed_touches_last(numbers, accuracies, wanted):
    below = [i for i, accuracy in enumerate(accuracies) if accuracy < wanted]
    if not below:
        return numbers[0]
    last = below[-1]
    # wrong:
    last = max(
        [
            last,
            *(
                i
                for i in range(len(numbers) - 1)
                if accuracies[i] <= wanted <= accuracies[i + 1]
            ),
        ]
    )
    if last == len(numbers) - 1:
        return float("inf")
    piece = slice(last, last + 2)
    return np.exp(np.interp(wanted, accuracies[piece], np.log(numbers[piece])))


@pytest.mark.parametrize(
    "wrong, says",
    [
        (labels_needed_no_logarithm, "the logarithm"),
        (labels_needed_touching_is_below, "it counts"),
        (labels_needed_first_crossing, ""),
        (labels_needed_last_number_instead_of_infinity, "infinite"),
        (labels_needed_nothing_needed, "less was not measured"),
        (labels_needed_starts_above, "it has to stay above"),
        (labels_needed_touches_last, "it counts"),
    ],
)
def test_labels_needed_rejects(wrong, says):
    rejects(checks.labels_needed, wrong, says)


def test_labels_needed_accepts():
    accepts(checks.labels_needed, answers.labels_needed)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                [100, 400, 1600],
                [0.5, 0.7, 0.9],
                0.6,
            ),
            200,
        ),
        (
            (
                [100, 400, 1600],
                [0.5, 0.7, 0.9],
                0.9,
            ),
            1600,
        ),
        (
            (
                [100, 400, 1600],
                [0.5, 0.7, 0.9],
                0.95,
            ),
            np.inf,
        ),
        (
            (
                [100, 400, 1600],
                [0.5, 0.7, 0.9],
                0.1,
            ),
            100,
        ),
        (
            (
                [100, 400, 1600],
                [0.9, 0.5, 0.9],
                0.7,
            ),
            800,
        ),
        (
            (
                [100, 400, 1600, 6400],
                [0.5, 0.9, 0.7, 0.9],
                0.7,
            ),
            200,
        ),
    ],
)
def test_labels_needed_by_hand(arguments, value):
    agrees(answers.labels_needed, arguments, value)
