"""The translation Transformer and the Translator that carries its vectorizer."""

import json
import re

import keras
import layer_battery as lb
import numpy as np
import pytest
from keras import ops

from course_utils.seq2seq import RecurrentSeq2Seq, TranslationTransformer, Translator
from course_utils.seq2seq import translator as translators
from course_utils.text import PatternVectorizer
from course_utils.text.vectorizers import END, START, SubwordVectorizer, pad

TEXTS = ["I like green tea.", "I see.", "Do you like it, Tom?", "We see green tea."]


@pytest.fixture(scope="module")
def translator():
    vectorizer = SubwordVectorizer.train([*TEXTS, "¿Te gusta el té verde?"], 70)
    keras.utils.set_random_seed(4)
    model = TranslationTransformer(vectorizer.vocabulary_size, 24, 16, 32, 4, 2)
    model.build()
    rng = np.random.default_rng(0)
    lb.vary(model, 0.3, rng)
    model.embedding.position_embeddings.set_weights([rng.normal(0, 4, (24, 16))])
    return Translator(vectorizer, model)


@pytest.fixture(scope="module")
def saved(translator, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "translator.keras"
    translator.save(path)
    return path


def test_translate_does_not_depend_on_the_batch(translator):
    together = translator.translate(TEXTS)
    assert len(set(together)) > 1
    assert translator.translate(TEXTS, batch_size=3) == together
    assert translator.translate(TEXTS[::-1]) == together[::-1]
    beams = translator.translate(TEXTS, method="beam")
    for text, greedy, beam in zip(TEXTS, together, beams, strict=True):
        assert translator.translate([text]) == [greedy]
        assert translator.translate([text], method="beam") == [beam]
    assert translator.translate(text for text in TEXTS) == together
    assert translator.translate([]) == []
    assert translator.translate(TEXTS, method="beam", beam_width=1) == together


@pytest.mark.parametrize("method", ["greedy", "beam"])
def test_translate_returns_attention_of_each_sentence(method, translator):
    options = dict(method=method, return_attention=True)
    translations, attention = translator.translate(TEXTS, **options)
    assert translations == translator.translate(TEXTS, method=method)
    vectorizer = translator.vectorizer
    for text, translation, one in zip(TEXTS, translations, attention, strict=True):
        source, target, weights = one
        assert source == vectorizer.tokens(text)
        assert weights.shape == (2, 4, len(target), len(source))
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
        ids = [vectorizer._tokenizer.token_to_id(t) for t in target]
        assert vectorizer.decode([ids]) == [translation]
        # The same weights for this sentence alone, without any padding
        inputs = pad(vectorizer.encode([text])), pad([[START, *ids[:-1]]])
        alone = ops.convert_to_numpy(translator.transformer.cross_attention(inputs))
        np.testing.assert_allclose(weights, alone[:, 0], atol=1e-5)


def test_translate_returns_attention_of_an_empty_translation(translator, monkeypatch):
    def end_at_once(model, source, limits):
        found = np.zeros((len(source), max(limits)), dtype="int32")
        found[:, 0] = END
        found[-1, :3] = 7, 8, END
        return found

    monkeypatch.setattr(translators, "fast_greedy_search", end_at_once)
    texts = TEXTS[:2]  # the longer one comes last in its batch
    translations, attention = translator.translate(texts, return_attention=True)
    assert translations[1] == "" and translations[0] != ""
    source, target, weights = attention[1]
    assert (target, weights.shape) == ([], (2, 4, 0, len(source)))
    assert attention[0][2].shape[2] == len(attention[0][1]) == 2


def test_translate_the_longest_allowed_text(translator):
    vectorizer = translator.vectorizer
    (text,) = vectorizer.decode([vectorizer.encode(["Tom " * 50])[0][:24]])
    assert len(vectorizer.encode([text])[0]) == 24
    for method in ("greedy", "beam"):
        assert len(translator.translate([text], method=method)) == 1


def test_load_in_a_fresh_process_translates_the_same(translator, saved):
    code = """
import json, sys
from course_utils.seq2seq import Translator
translator = Translator.load(sys.argv[1])
texts = json.loads(sys.argv[2])
import keras
again = keras.models.load_model(sys.argv[1])
greedy, attention = again.translate(texts, return_attention=True)
beam = translator.translate(texts, method="beam")
weights = [float(weights.sum()) for _, _, weights in attention]
print(json.dumps([translator.translate(texts), greedy, beam, weights]))
"""
    printed = lb.run_python(code, saved, json.dumps(TEXTS))
    by_load, by_keras, beam, sums = json.loads(printed.splitlines()[-1])
    greedy, attention = translator.translate(TEXTS, return_attention=True)
    assert by_load == by_keras == greedy
    assert beam == translator.translate(TEXTS, method="beam")
    here = [float(weights.sum()) for _, _, weights in attention]
    np.testing.assert_allclose(sums, here, rtol=1e-4)
    loaded = Translator.load(saved)
    pairs = zip(loaded.get_weights(), translator.get_weights(), strict=True)
    assert all(np.array_equal(*pair) for pair in pairs)
    assert loaded.vectorizer.get_config() == translator.vectorizer.get_config()


def cut(data):
    return data[: len(data) // 2]


def flip_a_weight(data):
    """Change one byte in the middle, where the weights are."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :]


@pytest.mark.parametrize("damage", [cut, flip_a_weight, lambda data: b""])
def test_load_refuses_a_damaged_file(damage, saved, tmp_path):
    path = tmp_path / "damaged.keras"
    path.write_bytes(damage(saved.read_bytes()))
    with pytest.raises(ValueError, match="damaged.keras is damaged or incomplete"):
        Translator.load(path)


@pytest.fixture(
    scope="module",
    params=[(RecurrentSeq2Seq, 5, 6), (TranslationTransformer, 8, 16, 2, 1)],
    ids=["recurrent", "transformer"],
)
def small_translator(request):
    vectorizer = PatternVectorizer.train(["I see it.", "Lo veo."])
    kind, *widths = request.param
    return Translator(vectorizer, kind(vectorizer.vocabulary_size, 12, *widths))


BAD_TEXTS = [
    ("I see.", {}, "texts is one string"),
    (["I see.", ""], {}, "the text '' is empty"),
    ([" \n"], {}, "is empty"),
    (["I see.", None], {}, "None is not a string"),
    (
        ["see see see see see see see see see see see see see see see see "],
        {},
        "a text has 16 tokens, but the model reads 12",
    ),
    (["I see."], {"method": "best"}, "method is 'best'"),
    (["I see."], {"method": "beam", "beam_width": 0}, "beam_width is 0"),
    (["I see."], {"batch_size": 0}, "batch_size is 0"),
]


@pytest.mark.parametrize("texts, options, said", BAD_TEXTS)
def test_what_cannot_be_translated_is_refused(texts, options, said, small_translator):
    with pytest.raises(ValueError, match=re.escape(said)):
        small_translator.translate(texts, **options)


def test_a_model_of_another_vocabulary_is_refused(small_translator):
    vectorizer = small_translator.vectorizer
    said = f"has {vectorizer.vocabulary_size} ids, but the transformer 12"
    with pytest.raises(ValueError, match=said):
        Translator(vectorizer, RecurrentSeq2Seq(12, 9, 5, 6))


def test_files_that_hold_no_translator_are_refused(tmp_path):
    path = tmp_path / "other.keras"
    with pytest.raises(ValueError, match=f"there is no file {path}"):
        Translator.load(path)
    keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)]).save(path)
    with pytest.raises(ValueError, match="holds a Sequential"):
        Translator.load(path)
