import itertools

import numpy as np
from exercise_battery import proof_of
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

test_rule_by_hand = proof_of("which_model_when", "rule_by_hand")(
    (lambda: ("pairs", "sequence", "sequence", 30_000), "expected 'pairs'"),  # median
    (lambda: ("pairs", "sequence", "pairs", 40), "expected 30000"),
    lambda: ("sequence", "pairs", "pairs", 30_000),
    by_hand=[((), ("pairs", "sequence", "pairs", 1500 * 20))],
)

test_distant_pairs = proof_of("which_model_when", "distant_pairs")(
    lambda text, farthest: [*set(naive_pairs(text, farthest))],
    right=[lambda text, farthest: naive_pairs(text, farthest)[::-1]],
)


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


test_honest_score = proof_of("which_model_when", "honest_score")(
    by_hand=[(coins(seed), pipeline_score(*coins(seed))) for seed in (5, 10)],
    right=[pipeline_score],
)

test_labels_needed = proof_of("which_model_when", "labels_needed")()
