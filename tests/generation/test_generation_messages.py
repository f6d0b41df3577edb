"""Each bad input to decoding gives one clear sentence."""

import numpy as np
import pytest
from refusals import REFUSED, refuses
from tiny_language_models import make_gpt

from course_utils.generation import (
    TextGenerator,
    beam_search,
    diversity,
    generate,
    greedy_search,
    keep_top_k,
    keep_top_p,
    sample_search,
)
from course_utils.text import START, CharacterVectorizer

ROW = np.zeros((1, 3))
OTHERS = [
    (lambda: keep_top_k(ROW, 0), "keep_top_k: k is 0; it must be a positive"),
    (lambda: keep_top_p(ROW, 2), "keep_top_p: p is 2; it must be above 0"),
    (
        lambda: sample_search(None, ROW, 5, temperature=0),
        "temperature is 0; it must be above 0, and its limit at 0 is greedy_search",
    ),
    (lambda: beam_search(None, ROW, 5, beam_width=0), "beam_width is 0; it must be a"),
    (lambda: complete("abc"), "prompts is one string; pass a list"),
    (lambda: complete(["a", 3]), "3 is not a string"),
    (lambda: complete([]), "there is no prompt"),
    (lambda: complete(["a" * 30]), "a prompt of 31 ids and 1 new ones don't fit"),
    (lambda: complete(["a"], "ab"), "the vectorizer has 6 ids, but the model 12"),
]


def complete(prompts, letters="abcdefgh"):
    return TextGenerator(CharacterVectorizer(letters), make_gpt()).complete(prompts, 1)


@pytest.mark.parametrize("search", [greedy_search, sample_search, beam_search])
@pytest.mark.parametrize("shape, max_length, sentence", REFUSED["sources"])
def test_search_refuses(search, shape, max_length, sentence, transformer):
    with refuses(sentence):
        search(transformer, np.ones(shape, "int32"), max_length)


@pytest.mark.parametrize("options, sentence", REFUSED["sampling"])
def test_both_samplers_refuse(options, sentence, transformer):
    with refuses(f"sample_search: {sentence}"):
        sample_search(transformer, np.ones((1, 2)), 5, **options)
    with refuses(f"generate: {sentence}"):
        generate(make_gpt(), [[START]], 4, **options)


@pytest.mark.parametrize("options, sentence", REFUSED["generate"])
def test_generate_refuses(options, sentence):
    with refuses(sentence):
        generate(make_gpt(), **{"prompts": [[START]], "length": 4, **options})


@pytest.mark.parametrize("call, sentence", OTHERS)
def test_others_refuse(call, sentence):
    with refuses(sentence):
        call()


@pytest.mark.parametrize("measure", ["repeated"])
def test_measures_of_texts_refuse_a_string_or_nothing(measure):
    function = getattr(diversity, measure)
    with refuses(f"{measure}: texts is one string"):
        function("a b c")
    with refuses(f"{measure}: there are no texts"):
        function([])
