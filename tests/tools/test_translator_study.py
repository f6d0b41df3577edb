"""The evidence on the translator: its intervals and its variants."""

import numpy as np
import pytest

from benchmarks import translator as study
from course_utils import datasets, metrics
from course_utils.seq2seq import Translator
from tools import train_translator

REFERENCES = [["Me gusta el té verde.", "El té verde me gusta."], ["¿Qué hora es?"]]
GOOD = ["Me gusta el té verde.", "¿Qué hora era?"]
BAD = ["Me gusta el té.", "¿Qué hora es ya?"]


@pytest.fixture(scope="module")
def tiny_translator():
    """An untrained translator."""
    splits = datasets.phrasebook.load()
    recipe = train_translator.read_recipe(changes=train_translator.TINY)
    vectorizer = train_translator.train_vectorizer(splits, recipe)
    model = train_translator.build(recipe, vectorizer.vocabulary_size)
    return Translator(vectorizer, model)


def test_a_difference_is_that_of_the_two_scores():
    difference = study.bleu_difference(GOOD, BAD, REFERENCES)
    scores = [metrics.bleu(texts, REFERENCES) for texts in (GOOD, BAD)]
    assert abs(difference.score - (scores[0] - scores[1])) < 0.02
    assert difference.low <= difference.score <= difference.high


def test_equal_translations_differ_by_nothing():
    assert study.bleu_difference(GOOD, GOOD, REFERENCES) == (0.0, 0.0, 0.0)


def test_each_variant_is_a_recipe():
    for settings in study.VARIANTS.values():
        changes = settings.get("recipe", {})
        assert set(changes.items()) <= set(
            train_translator.read_recipe(changes=changes).items()
        )
        assert settings.get("model", "shipped") in study.VARIANTS


def test_the_text_most_like_the_others_has_the_least_risk(monkeypatch):
    beams = ["Un perro ladra.", "El gato duerme.", "El gato duerme!"]
    scores = np.array([-0.5, -0.51, -0.52])
    monkeypatch.setattr(study, "last_beams", lambda *arguments: [(beams, scores)])
    assert study.translate(None, ["."], 3, 1.0, sharpness=1.0) == ["El gato duerme."]
    assert study.translate(None, ["."], 3, 1.0, sharpness=99.0) == ["Un perro ladra."]


def test_the_best_of_the_last_beams_is_the_beam_search(tiny_translator):
    texts = ["The red car.", "I see a dog."]
    best = []
    for beams, scores in study.last_beams(tiny_translator, texts, 3, 1.0):
        assert len(beams) == len(scores) == 3
        best.append(beams[int(scores.argmax())])
    expected = tiny_translator.translate(texts, method="beam", beam_width=3)
    assert best == expected
