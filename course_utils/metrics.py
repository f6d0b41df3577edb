"""Metrics: token accuracy without padding, BLEU and chrF, alignment."""

import collections
import re

import keras
import numpy as np
import sacrebleu
from keras import ops

Interval = collections.namedtuple("Interval", "score low high")
Comparison = collections.namedtuple("Comparison", "win_rate difference")


@keras.saving.register_keras_serializable(package="course_utils")
class MaskedAccuracy(keras.metrics.Metric):
    """Rate of real tokens whose most probable prediction is right.

    Positions where the label is 0 (padding) are not counted.

    Call arguments:
        y_true: (B, T) token ids, 0 = padding.
        y_pred: (B, T, V) logits or probabilities.
    """

    def __init__(self, name="masked_accuracy", **kwargs):
        super().__init__(name=name, **kwargs)
        self.right = self.add_weight(name="right", initializer="zeros")
        self.count = self.add_weight(name="count", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true = ops.cast(y_true, "int32")
        hit = ops.equal(ops.cast(ops.argmax(y_pred, axis=-1), "int32"), y_true)
        mask = ops.cast(ops.not_equal(y_true, 0), "float32")
        self.right.assign_add(ops.sum(ops.cast(hit, "float32") * mask))
        self.count.assign_add(ops.sum(mask))

    def result(self):
        return self.right / ops.maximum(self.count, 1.0)


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
        samples: number of draws.
        seed: integer; the same one gives the same interval.
    Returns:
        ``Interval(score, low, high)``, where ``score`` is that of ``bleu``.
    """
    metric = sacrebleu.BLEU()
    counts = _sentence_counts(metric, hypotheses, references)
    scores = np.sort(_draw_scores(metric, counts, samples, seed))
    tail = samples // 40  # 2.5 % on either side
    edges = (_score(metric, counts.sum(axis=0)), scores[tail], scores[-1 - tail])
    return Interval(*(round(float(score), 2) for score in edges))


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
    metric = sacrebleu.BLEU()
    both = [_sentence_counts(metric, texts, references) for texts in (one, other)]
    first, second = (_draw_scores(metric, counts, samples, seed) for counts in both)
    win_rate = np.mean(first > second) + np.mean(first == second) / 2
    scores = [_score(metric, counts.sum(axis=0)) for counts in both]
    return Comparison(float(win_rate), round(scores[0] - scores[1], 2))


def wilson_interval(hits):
    """Return a rate and its 95 % interval (Wilson, 1927), which stays inside 0 and 1.

    Args:
        hits: N numbers, 1 or True where it was right.
    Returns:
        ``Interval(score, low, high)``.

    Example:
        >>> wilson_interval([True] * 20).low  # 20 of 20 are not all there could be
        0.8389
    """
    count, rate, z = len(hits), float(np.mean(hits)), 1.96
    middle = (rate + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z * np.sqrt(rate * (1 - rate) / count + z**2 / (4 * count**2))
    half = half / (1 + z**2 / count)
    ends = middle - half, middle + half
    return Interval(rate, *(round(float(end), 4) for end in ends))


def _sentence_counts(metric, hypotheses, references):
    """Return the (N, F) counts whose sums over sentences give the corpus score.

    Sacrebleu's own interval is only a mean and half a width, and its seed comes from
    the environment; so its counts are used here, and drawn from here.
    """
    streams = _reference_streams(hypotheses, references)
    counts = metric._extract_corpus_statistics(hypotheses, streams)
    return np.array(counts, dtype="float64")


def _score(metric, counts):
    return metric._compute_score_from_stats(counts.tolist()).score


def _draw_scores(metric, counts, samples, seed):
    """Return the (samples,) scores of as many draws of N sentences."""
    if samples < 1:
        raise ValueError(f"samples is {samples}; it must be at least 1.")
    number = len(counts)
    drawn = np.random.default_rng(seed).integers(number, size=(samples, number))
    # How often each sentence was drawn, (samples, N).
    times = np.stack([np.bincount(row, minlength=number) for row in drawn])
    return np.array([_score(metric, total) for total in times @ counts])


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
