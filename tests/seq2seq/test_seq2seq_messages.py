"""Each bad input to an encoder–decoder or a translator gives one clear sentence."""

import keras
import numpy as np
import pytest
from refusals import REFUSED, refuses

from course_utils.generation import greedy_search
from course_utils.seq2seq import RecurrentSeq2Seq, TranslationTransformer, Translator
from course_utils.seq2seq.recurrent import teacher_forcing_arrays
from course_utils.text import PatternVectorizer


@pytest.mark.parametrize("options, sentence", REFUSED["recurrent"])
def test_impossible_options(options, sentence):
    with refuses(sentence):
        RecurrentSeq2Seq(**{"vocab_size": 12, "sequence_length": 9, **options})


def test_calls_that_a_model_can_not_answer():
    model, ids = RecurrentSeq2Seq(12, 9, 5, 6), np.ones((3, 10), "int32")
    with refuses("positions for 9 tokens only"):
        greedy_search(model, ids, 5)
    with refuses("the decoder 'vanilla' has no attention"):
        model.cross_attention((ids, ids))
    with refuses("there are 1 sources, but 2 targets"):
        teacher_forcing_arrays([[7]], [[5], [6]])


@pytest.fixture(
    scope="module",
    params=[(RecurrentSeq2Seq, 5, 6), (TranslationTransformer, 8, 16, 2, 1)],
    ids=["recurrent", "transformer"],
)
def translator(request):
    vectorizer = PatternVectorizer.train(["I see it.", "Lo veo."])
    sizes = vectorizer.vocabulary_size, 12
    kind, *widths = request.param
    return Translator(vectorizer, kind(*sizes, *widths))


@pytest.mark.parametrize("texts, options, sentence", REFUSED["translate"])
def test_translate_refuses(texts, options, sentence, translator):
    with refuses(sentence):
        translator.translate(texts, **options)


def test_vectorizer_and_transformer_must_fit(translator):
    size = translator.vectorizer.vocabulary_size
    with refuses(f"has {size} ids, but the transformer 12"):
        Translator(translator.vectorizer, RecurrentSeq2Seq(12, 9, 5, 6))


def test_files_that_hold_no_translator(tmp_path):
    path = tmp_path / "other.keras"
    with refuses(f"there is no file {path}"):
        Translator.load(path)
    keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)]).save(path)
    with refuses("holds a Sequential; expected a Translator"):
        Translator.load(path)
