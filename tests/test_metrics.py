"""Metrics equal hand calculations and sacrebleu itself, and never count padding."""

import keras
import numpy as np
import pytest
import sacrebleu

from course_utils.metrics import (
    MaskedAccuracy,
    alignment_error_rate,
    bleu,
    chrf,
    normalise,
    word_links,
)

HYPOTHESES = ["Me gusta el té verde.", "¿Dónde está la casa roja?", "Ella lee libros."]
REFERENCES = [
    ["Me gusta el té verde.", "A mí me gusta el té verde."],
    ["¿Dónde está la casa?"],
    ["Ella lee un libro.", "Lee libros.", "Ella está leyendo libros."],
]


def one_hot(ids, vocab_size=6):
    return np.eye(vocab_size, dtype="float32")[np.asarray(ids)]


def test_accuracy_ignores_padding():
    metric = MaskedAccuracy()
    labels = [[2, 3, 0, 0], [4, 0, 0, 0]]
    metric.update_state(labels, one_hot([[2, 5, 0, 0], [4, 1, 1, 1]]))
    assert float(metric.result()) == pytest.approx(2 / 3)


def test_accuracy_counts_tokens_over_batches_and_starts_again():
    metric = MaskedAccuracy()
    metric.update_state([[1, 2, 3, 4]], one_hot([[1, 2, 3, 4]]))
    metric.update_state([[1, 0, 0, 0]], one_hot([[2, 0, 0, 0]]))
    assert float(metric.result()) == pytest.approx(4 / 5)  # not (1 + 0) / 2
    metric.reset_state()
    assert float(metric.result()) == 0
    metric.update_state([[1, 0]], one_hot([[1, 3]]))
    assert float(metric.result()) == 1


def test_accuracy_of_nothing_but_padding_is_finite():
    metric = MaskedAccuracy()
    metric.update_state([[0, 0]], one_hot([[0, 0]]))
    assert float(metric.result()) == 0


def test_accuracy_in_a_compiled_model_and_its_config():
    metric = MaskedAccuracy.from_config(MaskedAccuracy(name="tokens").get_config())
    assert metric.name == "tokens"
    model = keras.Sequential([keras.Input((3, 6)), keras.layers.Identity()])
    model.compile(loss="sparse_categorical_crossentropy", metrics=[metric])
    labels = np.array([[1, 2, 0], [3, 0, 0]])
    guesses = one_hot([[1, 3, 0], [3, 0, 0]])
    scores = model.evaluate(guesses, labels, batch_size=1, verbose=0, return_dict=True)
    assert scores["tokens"] == pytest.approx(2 / 3)


def test_bleu_and_chrf_equal_sacrebleu():
    streams = [
        [REFERENCES[0][0], REFERENCES[1][0], REFERENCES[2][0]],
        [REFERENCES[0][1], None, REFERENCES[2][1]],
        [None, None, REFERENCES[2][2]],
    ]
    right = sacrebleu.corpus_bleu(HYPOTHESES, streams).score
    assert 0 < right < 100
    assert bleu(HYPOTHESES, REFERENCES) == pytest.approx(right, abs=0.005)
    right = sacrebleu.corpus_chrf(HYPOTHESES, streams).score
    assert chrf(HYPOTHESES, REFERENCES) == pytest.approx(right, abs=0.005)


def test_any_reference_counts():
    hypotheses = ["Me gusta mucho el té verde."]
    one, other = "No quiero té hoy, gracias.", "Me gusta mucho el té verde."
    for score in (bleu, chrf):
        assert score(hypotheses, [[one, other]]) == 100
        assert score(hypotheses, [[other, one]]) == 100
        assert score(hypotheses, [[one]]) < 50


def test_an_empty_hypothesis_scores_nothing():
    assert bleu([""], [["Me gusta el té verde."]]) == 0
    assert chrf([""], [["Me gusta el té verde."]]) == 0


@pytest.mark.parametrize("score", [bleu, chrf])
@pytest.mark.parametrize(
    "hypotheses, references, message",
    [
        (["a"], [["a"], ["b"]], "1 hypotheses but references for 2 sentences"),
        ([], [], "at least one sentence"),
        (["a", "b"], [["a"], []], "at least one reference"),
        (["a b c"], ["a b c"], "list of references, not a string"),
        ("a", [["a"]], "hypotheses is one string"),
    ],
)
def test_scores_refuse(score, hypotheses, references, message):
    with pytest.raises(ValueError, match=message):
        score(hypotheses, references)


@pytest.mark.parametrize(
    "text, plain",
    [
        ("¿Qué hora es, Tom?", "qué hora es tom"),
        ("¡Ñandú, pingüino y ÁRBOL!", "ñandú pingüino y árbol"),
        ("«Sí» —dijo ella—…", "sí dijo ella"),
        ("  dos\n\tlíneas ", "dos líneas"),
        ("Son las 3:15.", "son las 3 15"),
        ("...", ""),
        ("", ""),
    ],
)
def test_normalise(text, plain):
    assert normalise(text) == plain


@pytest.mark.parametrize(
    "predicted, gold, rate",
    [
        ([{(0, 0), (1, 1)}], [{(0, 0), (1, 1)}], 0.0),
        ([{(0, 1), (1, 0)}], [{(0, 0), (1, 1)}], 1.0),
        ([{(0, 0), (1, 1), (2, 2)}], [{(0, 0)}], 0.5),  # 1 - 2 · 1 / (3 + 1)
        ([set()], [{(0, 0)}], 1.0),
        ([{(0, 0)}, {(0, 0), (1, 0)}], [{(0, 0)}, {(1, 1)}], 0.6),  # sums, not means
        ([[(0, 0), (0, 0)]], [[(0, 0)]], 0.0),  # a link counts once
    ],
)
def test_alignment_error_rate(predicted, gold, rate):
    assert alignment_error_rate(predicted, gold) == pytest.approx(rate)


def test_alignment_error_rate_refuses():
    with pytest.raises(ValueError, match="1 sentences predicted, but gold links for 2"):
        alignment_error_rate([{(0, 0)}], [{(0, 0)}, {(0, 0)}])
    with pytest.raises(ValueError, match="not a single link"):
        alignment_error_rate([set()], [set()])


def test_word_links_of_whole_words():
    weights = [[0.9, 0.1, 0.0], [0.2, 0.2, 0.6], [0.1, 0.8, 0.1]]
    assert word_links(weights, [0, 1, 2], [0, 1, 2]) == {(0, 0), (2, 1), (1, 2)}


def test_word_links_add_the_subwords_of_a_source_word():
    """Word 0 gets 0.3 + 0.3, more than the 0.4 of word 1."""
    assert word_links([[0.3, 0.3, 0.4]], [0, 0, 1], [0]) == {(0, 0)}


def test_word_links_average_the_subwords_of_a_target_word():
    """Column means are 0.35 and 0.65, though the first subword prefers word 0."""
    weights = [[0.6, 0.4], [0.1, 0.9]]
    assert word_links(weights, [0, 1], [0, 0]) == {(1, 0)}
    assert word_links(weights, [0, 1], [0, 1]) == {(0, 0), (1, 1)}


def test_word_links_keep_the_numbers_of_the_words():
    """Word numbers needn't start at 0, when some words were left out."""
    assert word_links([[0.1, 0.9]], [2, 5], [7]) == {(5, 7)}


def test_word_links_of_an_empty_translation():
    assert word_links(np.zeros((0, 2)), [0, 1], []) == set()


@pytest.mark.parametrize("shape", [(3, 2), (2, 3, 1), (2, 2)])
def test_word_links_refuse_other_shapes(shape):
    with pytest.raises(ValueError, match=r"expected \(T, S\) = \(2, 3\)"):
        word_links(np.zeros(shape), [0, 1, 2], [0, 1])
