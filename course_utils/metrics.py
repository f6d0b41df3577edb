"""Metrics: token accuracy without padding, BLEU and chrF, alignment error."""

import re

import keras
import numpy as np
import sacrebleu
from keras import ops


@keras.saving.register_keras_serializable(package="course_utils")
class MaskedAccuracy(keras.metrics.Metric):
    """Share of real tokens whose most probable prediction is right.

    Places where the label is 0 (padding) are not counted.

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


def word_links(weights, source_words, target_words):
    """Link each target word to the source word that got most of its attention.

    Args:
        weights: (T, S) attention over source tokens, one row per target token.
        source_words, target_words: for each token the index of its word, lengths S
            and T; tokens of one word stand together and their weights are added
            (source side) or averaged (target side).
    Returns:
        A set of (source word, target word) index pairs.
    """
    weights = np.asarray(weights, dtype="float64")
    source_words, target_words = np.asarray(source_words), np.asarray(target_words)
    if weights.shape != (len(target_words), len(source_words)):
        raise ValueError(
            f"word_links: weights have shape {weights.shape}; expected (T, S) = "
            f"({len(target_words)}, {len(source_words)}), one per token."
        )
    by_word = weights @ (source_words[:, None] == np.unique(source_words))
    links = set()
    for word in np.unique(target_words):
        column = by_word[target_words == word].mean(axis=0).argmax()
        links.add((int(np.unique(source_words)[column]), int(word)))
    return links
