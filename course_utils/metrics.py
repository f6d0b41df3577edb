"""Metrics: token accuracy without padding, BLEU and chrF, alignment."""

import collections
import re

import keras
import numpy as np
import sacrebleu
from keras import ops

from course_utils.training import token_weights

Interval = collections.namedtuple("Interval", "score low high")
Comparison = collections.namedtuple("Comparison", "win_rate difference")


@keras.saving.register_keras_serializable(package="course_utils")
class MaskedAccuracy(keras.metrics.Metric):
    """Rate of real tokens whose most probable prediction is right.

    Positions where the label is 0 (padding) are not counted. It is the mean over all
    real tokens; with weights, each token counts as much as its weight.

    Call arguments:
        y_true: (B, T) token ids, 0 = padding.
        y_pred: (B, T, V) logits or probabilities.
        sample_weight: None, or one weight a row, (B,) or (B, 1), or a token, (B, T).
    """

    def __init__(self, name="masked_accuracy", **kwargs):
        super().__init__(name=name, **kwargs)
        self.right = self.add_weight(name="right", initializer="zeros")
        self.count = self.add_weight(name="count", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true = ops.cast(y_true, "int32")
        predicted = ops.cast(ops.argmax(y_pred, axis=-1), "int32")  # (B, T)
        hits = ops.cast(ops.equal(predicted, y_true), "float32")  # (B, T)
        weights = token_weights(y_true, sample_weight)  # (B, T)
        self.right.assign_add(ops.sum(hits * weights))
        self.count.assign_add(ops.sum(weights))

    def result(self):
        return ops.divide_no_nan(self.right, self.count)


def _reference_streams(hypotheses, references):
    """Turn one list of references per sentence into sacrebleu's streams."""
    if isinstance(hypotheses, str):
        raise ValueError("hypotheses is one string; pass a list, such as [text].")
    if any(isinstance(several, str) for several in references):
        raise ValueError(
            "Each sentence needs a list of references, not a string; for one "
            "reference pass [text]."
        )
    if len(hypotheses) != len(references):
        raise ValueError(
            f"There are {len(hypotheses)} hypotheses but references for "
            f"{len(references)} sentences; pass one list of references for each."
        )
    if not hypotheses or any(not several for several in references):
        raise ValueError(
            "Every sentence needs at least one reference, and there must be at "
            "least one sentence."
        )
    most = max(len(several) for several in references)
    return [
        [several[i] if i < len(several) else None for several in references]
        for i in range(most)
    ]


def bleu(hypotheses, references):
    """Return corpus BLEU, 0 to 100, by sacrebleu with its "13a" tokenizer.

    Papineni et al. (2002); Post (2018). All references of a sentence count.

    Args:
        hypotheses: list of N strings.
        references: list of N lists of strings.

    Example:
        >>> bleu(["Me gusta el té verde."], [["Me gusta el té verde."]])
        100.0
    """
    streams = _reference_streams(hypotheses, references)
    return round(sacrebleu.corpus_bleu(hypotheses, streams).score, 2)


def chrf(hypotheses, references):
    """Return corpus chrF, 0 to 100 (Popović, 2015); arguments as for ``bleu``."""
    streams = _reference_streams(hypotheses, references)
    return round(sacrebleu.corpus_chrf(hypotheses, streams).score, 2)


def bleu_interval(hypotheses, references, samples=1000, seed=12345):
    """Return corpus BLEU and its 95 % bootstrap interval (Koehn, 2004).

    A draw takes N of the N sentences, with replacement; the middle 95 % of the draws'
    scores lie from ``low`` to ``high``. So it tells how the score depends on which
    sentences were tested, not how it varies from one training to the next.

    Args:
        hypotheses, references: as for ``bleu``.
        samples: number of draws, at least 40: 2.5 % of them, one or more, are left out
            on either side.
        seed: integer; the same one gives the same interval.
    Returns:
        ``Interval(score, low, high)``, where ``score`` is that of ``bleu``.
    Raises:
        ValueError: there are fewer draws.
    """
    if samples < 40:
        raise ValueError(
            f"bleu_interval: samples is {samples}; a 95 % interval leaves 2.5 % of the "
            f"draws out on either side, so it needs at least 40."
        )
    counts = _sentence_counts(hypotheses, references)
    scores = np.sort(_draw_scores(counts, samples, seed))
    tail = samples // 40  # 2.5 % on either side
    score = round(_score(counts.sum(axis=0)), 2)
    low = round(float(scores[tail]), 2)
    high = round(float(scores[-1 - tail]), 2)
    return Interval(score, low, high)


def paired_bootstrap(one, other, references, samples=1000, seed=12345):
    """Compare two systems' BLEU on the same draws of sentences (Koehn, 2004).

    Args:
        one, other: lists of N hypotheses for the same N sentences.
        references: as for ``bleu``.
        samples, seed: as for ``bleu_interval``.
    Returns:
        ``Comparison(win_rate, difference)``: the rate of draws in which ``one`` has the
        higher BLEU, and how much higher it is on all sentences. An equal score counts
        as half a draw, so two identical systems have a win rate of 0.5.
    """
    first_counts = _sentence_counts(one, references)
    second_counts = _sentence_counts(other, references)
    first = _draw_scores(first_counts, samples, seed)
    second = _draw_scores(second_counts, samples, seed)
    win_rate = np.mean(first > second) + np.mean(first == second) / 2
    difference = _score(first_counts.sum(axis=0)) - _score(second_counts.sum(axis=0))
    return Comparison(float(win_rate), round(difference, 2))


def wilson_interval(hits):
    """Return a rate and its 95 % interval (Wilson, 1927), which stays inside 0 and 1.

    Args:
        hits: N numbers, 1 or True where it was right.
    Returns:
        ``Interval(score, low, high)``.
    Raises:
        ValueError: there is not a single number.

    Example:
        >>> wilson_interval([True] * 20).low  # 20 of 20 are not all there could be
        0.8389
    """
    count = len(hits)
    if count == 0:
        raise ValueError("wilson_interval: hits is empty; pass one number or more.")
    rate = float(np.mean(hits))
    z = 1.96
    scale = 1 + z**2 / count
    middle = (rate + z**2 / (2 * count)) / scale
    half = z * np.sqrt(rate * (1 - rate) / count + z**2 / (4 * count**2)) / scale
    low = round(float(middle - half), 4)
    high = round(float(middle + half), 4)
    return Interval(rate, low, high)


def _sentence_counts(hypotheses, references):
    """Return the counts of each sentence, (N, 10); their sums give the corpus score.

    Right n-grams for n from 1 to 4, all n-grams for n from 1 to 4, the number of tokens
    written, and that of the reference. Sacrebleu's own interval is only a mean and half
    a width, and its seed comes from the environment; so draws are made here.
    """
    _reference_streams(hypotheses, references)  # raises for what can't be scored
    metric = sacrebleu.BLEU()
    rows = []
    for text, several in zip(hypotheses, references, strict=True):
        score = metric.corpus_score([text], [[reference] for reference in several])
        rows.append([*score.counts, *score.totals, score.sys_len, score.ref_len])
    return np.array(rows)


def _score(counts):
    """Return the BLEU of summed counts, (10,), with sacrebleu's usual smoothing."""
    right = counts[:4].tolist()
    total = counts[4:8].tolist()
    written, reference = counts[8:].tolist()
    score = sacrebleu.BLEU.compute_bleu(right, total, written, reference, "exp")
    return score.score


def _draw_scores(counts, samples, seed):
    """Return the (samples,) scores of as many draws of N sentences."""
    if samples < 1:
        raise ValueError(f"samples is {samples}; it must be at least 1.")
    number = len(counts)
    drawn = np.random.default_rng(seed).integers(number, size=(samples, number))
    # How often each sentence was drawn, (samples, N).
    times = np.stack([np.bincount(row, minlength=number) for row in drawn])
    return np.array([_score(total) for total in times @ counts])


def normalise(text):
    """Lower-case a text and drop its punctuation, for models that can't write any.

    Example:
        >>> normalise("¿Qué hora es, Tom?")
        'qué hora es tom'
    """
    return " ".join(re.sub(r"[^\w\s]", " ", text.lower()).split())


def alignment_error_rate(predicted, gold):
    """Return the alignment error rate of word links, 0 (best) to 1.

    1 − 2 |A ∩ G| / (|A| + |G|), Och and Ney (2003), section 5.1.1, when all gold
    links are sure ones; sums run over all sentences.

    Args:
        predicted, gold: one collection of (source, target) index pairs a sentence.

    Example:
        >>> alignment_error_rate([{(0, 0), (1, 1)}], [{(0, 0), (1, 2)}])
        0.5
    """
    if len(predicted) != len(gold):
        raise ValueError(
            f"alignment_error_rate: {len(predicted)} sentences predicted, but gold "
            f"links for {len(gold)}; pass one collection of links for each."
        )
    pairs = [(set(a), set(g)) for a, g in zip(predicted, gold, strict=True)]
    total = sum(len(a) + len(g) for a, g in pairs)
    if not total:
        raise ValueError("alignment_error_rate: there is not a single link to score.")
    return 1 - 2 * sum(len(a & g) for a, g in pairs) / total
