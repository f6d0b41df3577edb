"""Each bad input to decoding gives one clear sentence."""

import numpy as np
import pytest
from refusals import REFUSED, one_sentence, refuses
from tiny_language_models import make_gpt

from course_utils.generation import TextGenerator, diversity, generate
from course_utils.generation.beam_search import beam_search
from course_utils.generation.sampling import keep_top_k, keep_top_p
from course_utils.generation.search import greedy_search, sample_search
from course_utils.text import START, CharacterVectorizer


def complete(prompts, letters="abcdefgh"):
    return TextGenerator(CharacterVectorizer(letters), make_gpt()).complete(prompts, 1)


ROW = np.zeros((1, 3))
AT_0 = "temperature is 0; it must be above 0, and its limit at 0 is greedy_search"
OTHERS = [
    (keep_top_k, (ROW, 0), "keep_top_k: k is 0; it must be a positive"),
    (keep_top_p, (ROW, 2), "keep_top_p: p is 2; it must be above 0"),
    (sample_search, (None, ROW, 5, 0), AT_0),
    (beam_search, (None, ROW, 5, 0), "beam_width is 0; it must be a"),
    (complete, ("abc",), "prompts is one string; pass a list"),
    (complete, (["a", 3],), "3 is not a string"),
    (complete, ([],), "there is no prompt"),
    (complete, (["a" * 30],), "a prompt of 31 ids and 1 new ones don't fit"),
    (complete, (["a"], "ab"), "the vectorizer has 6 ids, but the model 12"),
    (diversity.repeated, ("a b c",), "repeated: texts is one string"),
    (diversity.repeated, ([],), "repeated: there are no texts"),
]

test_what_others_refuse_is_said_in_one_sentence = one_sentence(OTHERS)


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
