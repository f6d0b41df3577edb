"""Each bad input to an encoder–decoder or a translator gives one clear sentence."""

import re

import keras
import numpy as np
import pytest

from course_utils.generation import greedy_search
from course_utils.seq2seq import (
    RecurrentSeq2Seq,
    TranslationTransformer,
    Translator,
    teacher_forcing_arrays,
)
from course_utils.text import PatternVectorizer

ATTENTION = {"decoder": "attention"}
BOTH_SIDES = {"bidirectional": True, "merge_mode": "concat"}
OPTIONS = [  # (options of a recurrent model, sentence)
    ({"decoder": "luong"}, "decoder is 'luong'; expected one of"),
    ({"merge_mode": "mul"}, "merge_mode is 'mul'; expected one of"),
    ({"attention": {"score": "dot"}}, "options for attention, but decoder is"),
    ({"units": 0}, "units is 0"),
    ({"sequence_length": None}, "sequence_length is None"),
    ({**ATTENTION, "attention": {"score": "cos"}}, "score is 'cos'; expected one of"),
    ({"units": 7, **BOTH_SIDES}, "units (7) must be even"),
]
TRANSLATE = [  # (texts, options of translate, sentence)
    ("I see.", {}, "texts is one string; pass a list, such as [text]"),
    (["I see.", ""], {}, "the text '' is empty"),
    ([" \n"], {}, "is empty"),
    (["I see.", None], {}, "None is not a string"),
    (["see " * 16], {}, "a text has 16 tokens, but the model reads 12 at most; split"),
    (["I see."], {"method": "best"}, "method is 'best'; expected one of ('greedy', "),
    (["I see."], {"method": "beam", "beam_width": 0}, "beam_width is 0"),
    (["I see."], {"batch_size": 0}, "batch_size is 0; it must be a positive"),
]


def refuses(sentence):
    return pytest.raises(ValueError, match=re.escape(sentence))


@pytest.mark.parametrize("options, sentence", OPTIONS)
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


@pytest.mark.parametrize("texts, options, sentence", TRANSLATE)
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
