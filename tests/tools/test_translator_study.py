"""The evidence on the translator: its intervals and its variants."""

from benchmarks import translator as study
from course_utils import metrics
from tools import train_translator

REFERENCES = [["Me gusta el té verde.", "El té verde me gusta."], ["¿Qué hora es?"]]
GOOD = ["Me gusta el té verde.", "¿Qué hora era?"]
BAD = ["Me gusta el té.", "¿Qué hora es ya?"]


def test_a_difference_is_that_of_the_two_scores():
    difference = study.bleu_difference(GOOD, BAD, REFERENCES)
    scores = [metrics.bleu(texts, REFERENCES) for texts in (GOOD, BAD)]
    assert abs(difference.score - (scores[0] - scores[1])) < 0.02
    assert difference.low <= difference.score <= difference.high


def test_equal_translations_differ_by_nothing():
    assert study.bleu_difference(GOOD, GOOD, REFERENCES) == (0.0, 0.0, 0.0)


def test_each_variant_is_a_recipe():
    for settings in study.VARIANTS.values():
        for stage in train_translator.STAGES:
            changes = settings.get(stage, {})
            recipe = train_translator.read_recipe(stage, changes)
            assert set(changes.items()) <= set(recipe.items())
        trained = len(study.recipes_of(settings)) > 0
        assert trained or settings["model"] in study.VARIANTS
