"""Metrics equal hand calculations and sacrebleu itself, and never count padding."""

import itertools
import sys

import keras
import numpy as np
import pytest
import sacrebleu

from course_utils import metrics
from course_utils.metrics import MaskedAccuracy, bleu, bleu_interval, paired_bootstrap

HYPOTHESES = ["Me gusta el té verde.", "¿Dónde está la casa roja?", "Ella lee libros."]
REFERENCES = [
    ["Me gusta el té verde.", "A mí me gusta el té verde."],
    ["¿Dónde está la casa?"],
    ["Ella lee un libro.", "Lee libros.", "Ella está leyendo libros."],
]


def test_accuracy_counts_tokens_over_batches_and_starts_again():
    metric = MaskedAccuracy.from_config(MaskedAccuracy(name="tokens").get_config())
    model = keras.Sequential([keras.Input((3, 6)), keras.layers.Identity()])
    model.compile(loss="sparse_categorical_crossentropy", metrics=[metric])
    labels = np.array([[1, 2, 0], [3, 0, 0]])
    guesses = np.eye(6, dtype="float32")[[[1, 3, 0], [3, 0, 0]]]
    scores = model.evaluate(guesses, labels, batch_size=1, verbose=0, return_dict=True)
    assert scores["tokens"] == pytest.approx(2 / 3)  # not (1 / 2 + 1) / 2
    metric.reset_state()
    metric.update_state([[0, 0]], np.eye(6)[[[0, 0]]])
    assert float(metric.result()) == 0  # of nothing but padding
    metric.update_state([[1, 0]], np.eye(6)[[[1, 3]]])
    assert float(metric.result()) == 1


def test_accuracy_weighs_rows_and_tokens():
    labels = np.array([[1, 2, 0], [3, 4, 5]])
    guesses = np.eye(6)[[[1, 3, 0], [3, 4, 5]]]  # one of two is right, and all three
    metric = MaskedAccuracy()
    for weights, rate in ([1, 0], 1 / 2), ([0, 1], 1), ([3, 1], 6 / 9):
        metric.reset_state()
        metric.update_state(labels, guesses, sample_weight=np.array(weights))
        assert float(metric.result()) == pytest.approx(rate)
    metric.reset_state()
    of_tokens = np.array([[0, 1, 1], [0, 0, 0.5]])
    metric.update_state(labels, guesses, sample_weight=of_tokens)
    assert float(metric.result()) == pytest.approx(0.5 / 1.5)


def streams_of(references):
    """Return them as sacrebleu reads them: all first ones, all second ones, …"""
    return list(itertools.zip_longest(*references))


def test_bleu_and_chrf_equal_sacrebleu_and_any_reference_counts():
    streams = streams_of(REFERENCES)
    one, other = "No quiero té hoy, gracias.", "Me gusta mucho el té verde."
    for score, metric in (bleu, sacrebleu.BLEU), (metrics.chrf, sacrebleu.CHRF):
        right = metric().corpus_score(HYPOTHESES, streams).score
        assert score(HYPOTHESES, REFERENCES) == pytest.approx(right, abs=0.005)
        assert 0 < right < 100
        assert score([other], [[one, other]]) == score([other], [[other, one]]) == 100
        assert score([other], [[one]]) < 50
        assert score([""], [[other]]) == 0


def corpus(number, seed=0):
    """Return random references, one or two a sentence."""
    rng = np.random.default_rng(seed)
    words = ["la", "casa", "es", "roja", "y", "el", "perro", "come", "pan", "en"]

    def sentence():
        return " ".join(rng.choice(words, rng.integers(4, 12))) + "."

    return [[sentence() for _ in range(rng.integers(1, 3))] for _ in range(number)]


def system(references, errors, seed=0):
    """Return the first references with a share of their words replaced."""
    rng = np.random.default_rng(seed)
    return [
        " ".join("no" if rng.random() < errors else word for word in one.split())
        for one, *_ in references
    ]


def test_the_interval_is_that_of_sacrebleu(monkeypatch):
    """Sacrebleu gives half its width, for the seed in the environment."""
    references = corpus(60)
    hypotheses = system(references, 0.2)
    streams = streams_of(references)
    assert None in streams[1]
    for seed in (12345, 7):
        monkeypatch.setenv("SACREBLEU_SEED", str(seed))
        right = sacrebleu.BLEU().corpus_score(hypotheses, streams, n_bootstrap=200)
        found = bleu_interval(hypotheses, references, samples=200, seed=seed)
        assert (found.high - found.low) / 2 == pytest.approx(right._ci, abs=0.011)
        assert found.low < right._mean < found.high
        assert found.score == bleu(hypotheses, references)
        assert found.low < found.score < found.high


def test_an_interval_needs_enough_draws_to_leave_some_out():
    """With 20 draws, the smallest and the largest are no 95 % interval."""
    for samples in (0, 20, 39):
        with pytest.raises(ValueError, match=f"samples is {samples}"):
            bleu_interval(HYPOTHESES, REFERENCES, samples=samples)
    assert bleu_interval(HYPOTHESES, REFERENCES, samples=40).low > 0


def test_only_public_names_of_sacrebleu_are_used(monkeypatch):
    class PublicOnly(sacrebleu.BLEU):
        def __getattribute__(self, name):
            asking = sys._getframe(1).f_globals["__name__"]
            if name.startswith("_") and asking == metrics.__name__:
                raise AssertionError(f"course_utils.metrics takes BLEU.{name}")
            return super().__getattribute__(name)

    monkeypatch.setattr(sacrebleu, "BLEU", PublicOnly)
    assert bleu_interval(HYPOTHESES, REFERENCES).score == bleu(HYPOTHESES, REFERENCES)


def test_an_interval_without_any_variance():
    same = [texts[0] for texts in REFERENCES]
    assert bleu_interval(same, REFERENCES) == (100, 100, 100)
    assert bleu_interval([""], [["Me gusta."]]) == (0, 0, 0)


def test_a_better_system_wins_nearly_all_draws_and_equal_ones_share_them():
    references = corpus(200)
    good, bad = system(references, 0.1), system(references, 0.3)
    found = paired_bootstrap(good, bad, references, samples=300)
    right = bleu(good, references) - bleu(bad, references)
    assert found == (1, pytest.approx(right, abs=0.02)) and found.difference > 10
    other = paired_bootstrap(bad, good, references, samples=300)
    assert other == (0, -found.difference)
    near = system(references, 0.1, seed=1)
    found = paired_bootstrap(good, near, references, samples=300)
    reverse = paired_bootstrap(near, good, references, samples=300)
    assert 0.02 < found.win_rate < 0.98 and found.difference == -reverse.difference
    assert found.win_rate + reverse.win_rate == pytest.approx(1)
    assert paired_bootstrap(HYPOTHESES, HYPOTHESES, REFERENCES) == (0.5, 0)


def test_pairs_are_compared_on_the_same_draws():
    """A small gain on every sentence is sure, though both scores vary a lot."""
    references = corpus(40)
    one = system(references, 0.4)
    other = ["no " + " ".join(text.split()[1:]) for text in one]
    assert paired_bootstrap(one, other, references, samples=300).win_rate > 0.99
    low, high = bleu_interval(one, references)[1:]
    assert low < bleu(other, references) < high


NORMALISED = [
    ("¿Qué hora es, Tom?", "qué hora es tom"),
    ("¡Ñandú, pingüino y ÁRBOL!", "ñandú pingüino y árbol"),
    ("«Sí» —dijo ella—…", "sí dijo ella"),
    ("  dos\n\tlíneas ", "dos líneas"),
    ("Son las 3:15.", "son las 3 15"),
    ("...", ""),
    ("", ""),
]


@pytest.mark.parametrize("text, plain", NORMALISED)
def test_normalise(text, plain):
    assert metrics.normalise(text) == plain


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
    assert metrics.alignment_error_rate(predicted, gold) == pytest.approx(rate)


def test_a_rate_of_nothing_has_no_interval():
    with pytest.raises(ValueError, match="hits is empty"):
        metrics.wilson_interval([])


@pytest.mark.parametrize("right, count", [(0, 20), (13, 20), (1000, 1000)])
def test_from_the_ends_of_wilsons_interval_a_rate_is_1_96_deviations_away(right, count):
    rate, low, high = metrics.wilson_interval(np.arange(count) < right)
    assert rate == right / count and 0 <= low <= rate <= high <= 1
    for end in low, high:
        away = (rate - end) ** 2 - 1.96**2 * end * (1 - end) / count
        assert away == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("score", [metrics.bleu, metrics.chrf, metrics.bleu_interval])
@pytest.mark.parametrize(
    "hypotheses, references, said",
    [
        (["a"], [["a"], ["b"]], "1 hypotheses but references for 2"),
        ([], [], "at least one sentence"),
        (["a", "b"], [["a"], []], "at least one reference"),
        (["a b c"], ["a b c"], "list of references, not a string"),
        ("a", [["a"]], "hypotheses is one string"),
    ],
)
def test_scores_refuse_what_does_not_fit(score, hypotheses, references, said):
    with pytest.raises(ValueError, match=said):
        score(hypotheses, references)


def test_comparisons_refuse_what_does_not_fit():
    texts, references = ["a", "b", "c"], [["a"], ["b"], ["c"]]
    with pytest.raises(ValueError, match="1 hypotheses but references for 3"):
        metrics.paired_bootstrap(texts, ["a"], references)
    with pytest.raises(ValueError, match="hypotheses is one string"):
        metrics.paired_bootstrap("a", texts, references)
    with pytest.raises(ValueError, match="samples is 0"):
        metrics.bleu_interval(texts, references, 0)


def test_alignments_refuse_what_does_not_fit():
    with pytest.raises(ValueError, match="gold links for 2"):
        metrics.alignment_error_rate([{(0, 0)}], [{(0, 0)}, {(0, 0)}])
    with pytest.raises(ValueError, match="not a single link"):
        metrics.alignment_error_rate([set()], [set()])
