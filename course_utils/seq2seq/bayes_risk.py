"""Translate with minimum Bayes risk: take the beam that is most like all of them."""

import numpy as np
import sacrebleu

from course_utils.generation.beam_search import all_beams, penalised
from course_utils.seq2seq.translator import length_before_end
from course_utils.text.text_model import batch_by_length


def translate_with_least_risk(
    translator, texts, beam_width=8, length_penalty=1.5, sharpness=10.0
):
    """Translate texts: each time the beam with the highest expected chrF.

    Kumar and Byrne (2004), section 3. The last beams stand for what the model may have
    meant; each counts with the softmax of its penalised log-probability times
    ``sharpness``.

    Args:
        translator: a ``Translator``.
        texts: list of N strings.
        beam_width, length_penalty: see ``beam_search``.
        sharpness: the larger, the more the likeliest beam counts alone.
    Returns:
        A list of N strings.
    """
    chosen = []
    for beams, scores in last_beams(translator, texts, beam_width, length_penalty):
        weights = np.exp(sharpness * (scores - scores.max()))
        gains = likeness(beams) @ weights
        chosen.append(beams[int(gains.argmax())])
    return chosen


def last_beams(translator, texts, beam_width, length_penalty):
    """Return each text's K translations and their penalised log-probabilities (K,)."""
    sources = translator.encode_texts(texts)
    longest = translator.transformer.sequence_length
    found = [None] * len(texts)
    for indices, batch in batch_by_length(sources, 256):
        limits = [min(longest, 2 * len(sources[i]) + 8) for i in indices]
        last = all_beams(translator.transformer, batch, limits, beam_width)
        scores = penalised(last.tokens, last.log_probs, length_penalty)  # (B, K)
        for i, beams, beam_scores in zip(indices, last.tokens, scores, strict=True):
            ids = [row[: length_before_end(row)].tolist() for row in beams]
            found[i] = translator.vectorizer.decode(ids), beam_scores
    return found


def likeness(texts):
    """Return the (K, K) chrF of each text with each as its reference."""
    metric = sacrebleu.CHRF()
    scores = np.zeros((len(texts), len(texts)))
    for row, text in enumerate(texts):
        for column, reference in enumerate(texts):
            scores[row, column] = metric.sentence_score(text, [reference]).score
    return scores
