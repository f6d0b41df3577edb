"""Minimum Bayes risk: the beam that is most like the others."""

import numpy as np
import pytest

from course_utils import datasets
from course_utils.seq2seq import Translator, bayes_risk
from tools import train_translator


@pytest.fixture(scope="module")
def tiny_translator():
    """An untrained translator."""
    splits = datasets.phrasebook.load()
    recipe = train_translator.read_recipe(changes=train_translator.TINY)
    vectorizer = train_translator.train_vectorizer(splits, recipe)
    model = train_translator.build(recipe, vectorizer.vocabulary_size)
    return Translator(vectorizer, model)


def test_the_text_most_like_the_others_has_the_least_risk(monkeypatch):
    beams = ["Un perro ladra.", "El gato duerme.", "El gato duerme!"]
    scores = np.array([-0.5, -0.51, -0.52])
    monkeypatch.setattr(bayes_risk, "last_beams", lambda *arguments: [(beams, scores)])
    translate = bayes_risk.translate_with_least_risk
    assert translate(None, ["."], sharpness=1.0) == ["El gato duerme."]
    assert translate(None, ["."], sharpness=99.0) == ["Un perro ladra."]


def test_the_best_of_the_last_beams_is_the_beam_search(tiny_translator):
    texts = ["The red car.", "I see a dog."]
    best = []
    for beams, scores in bayes_risk.last_beams(tiny_translator, texts, 3, 1.0):
        assert len(beams) == len(scores) == 3
        best.append(beams[int(scores.argmax())])
    expected = tiny_translator.translate(texts, method="beam", beam_width=3)
    assert best == expected
