"""The pairs that a translator writes for its own training."""

from course_utils import datasets
from course_utils.datasets.spa_eng import Splits
from course_utils.seq2seq import Translator
from tools import train_translator, written_pairs

SPLITS = Splits(
    [("I see a dog.", ["Veo un perro.", "Yo veo un perro."])],
    [("You see  a Cat.", ["Ves un gato."])],
    [("He sleeps.", ["Duerme."])],
)


def test_what_is_known_held_out_or_empty_is_left_out():
    pairs = [
        ("I see a dog!", "Veo un perro."),
        ("I SEE a dog.", "Veo un perro."),
        ("You see a cat.", "Veo un perro."),
        ("he sleeps.", "Yo veo un perro."),
        ("", "Veo un perro."),
        ("I see a dog.", ""),
        ("I see a dog.", "Estoy viendo un perro."),
        ("I see a dog!", "Veo un perro."),
    ]
    assert written_pairs.without_known(pairs, SPLITS) == [
        ("I see a dog!", "Veo un perro."),
        ("I see a dog.", "Estoy viendo un perro."),
    ]


def test_pairs_are_written_by_the_seed():
    corpus = datasets.phrasebook.load()
    splits = Splits(corpus.train[:40], corpus.validation[:5], corpus.test[:5])
    recipe = train_translator.read_recipe(changes=train_translator.TINY)
    vectorizer = train_translator.train_vectorizer(splits, recipe)
    model = train_translator.build(recipe, vectorizer.vocabulary_size)
    translator = Translator(vectorizer, model)
    texts = [english for english, _ in splits.train]
    drawn = written_pairs.draw_translations(translator, texts, 0.7, 1)
    assert drawn == written_pairs.draw_translations(translator, texts, 0.7, 1)
    assert drawn != written_pairs.draw_translations(translator, texts, 0.7, 2)
    rows = written_pairs.write_pairs(translator, splits, 0.7, 1)
    real = {spanish for _, several in splits.train for spanish in several}
    known = {english for english, _ in splits.train}
    for english, (spanish,) in rows:
        assert (spanish in real) or (english in known)
