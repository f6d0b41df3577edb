"""Compiled functions notice when a model becomes another one."""

import numpy as np
import pytest
import search_models as models
from tiny_language_models import make_gpt

from course_utils import language_models
from course_utils.generation.beam_search import beam_search
from course_utils.generation.search import greedy_search, sample_search
from course_utils.seq2seq import Translator
from course_utils.text.vectorizers import START, SubwordVectorizer, pad


def quantize(model):
    model.quantize("int8")


def enable_lora(model):
    dense = model.decoder_blocks[0].dense_out
    dense.enable_lora(2)
    rng = np.random.default_rng(0)
    for weight in (dense.lora_kernel_a, dense.lora_kernel_b):
        weight.assign(rng.normal(0, 1, weight.shape))


def set_weights(model):
    model.set_weights([weight[..., ::-1] for weight in model.get_weights()])


CHANGES = [quantize, enable_lora, set_weights]


def search_in_every_way(model, source):
    """Return the beams' scores, and the tokens of each search."""
    beams, scores = beam_search(model, source, 6)
    drawn = sample_search(model, source, 6)
    return scores, beams, greedy_search(model, source, 6), drawn


@pytest.mark.parametrize("change", CHANGES)
def test_search_after_change_equals_new_model(change, sources):
    source = pad(sources)
    model = models.tiny_transformer()
    before = search_in_every_way(model, source)
    change(model)
    after = search_in_every_way(model, source)
    never_searched = models.tiny_transformer()
    change(never_searched)
    expected = search_in_every_way(never_searched, source)
    for found, right in zip(after, expected, strict=True):
        np.testing.assert_array_equal(found, right)
    assert not np.allclose(before[0], after[0], atol=1e-6)


def test_translate_after_enable_lora_uses_it():
    vectorizer = SubwordVectorizer.train(["abcdefgh"], 12)
    model = models.tiny_transformer(vocab_size=vectorizer.vocabulary_size)
    translator = Translator(vectorizer, model)
    texts = ["abcdef", "hg", "aaaa", "gfedcba", "bdfh", "cab"]
    translator.translate(texts)
    enable_lora(model)
    found = translator.translate(texts)
    other = models.tiny_transformer(vocab_size=vectorizer.vocabulary_size)
    enable_lora(other)
    assert found == Translator(vectorizer, other).translate(texts)


def test_log_probabilities_after_quantize_use_int8():
    ids = np.array([[START, 5, 6, 7, 8]])
    model = make_gpt()
    before = language_models.log_probabilities(model, ids[:, :-1], ids[:, 1:])
    model.quantize("int8")
    after = language_models.log_probabilities(model, ids[:, :-1], ids[:, 1:])
    other = make_gpt()
    other.quantize("int8")
    expected = language_models.log_probabilities(other, ids[:, :-1], ids[:, 1:])
    np.testing.assert_array_equal(after, expected)
    assert not np.array_equal(before, after)


def test_generate_after_quantize_uses_int8():
    prompts = [[START, 5]] * 40
    model = make_gpt()
    language_models.generate(model, prompts, 8)
    model.quantize("int8")
    found = language_models.generate(model, prompts, 8)
    other = make_gpt()
    other.quantize("int8")
    np.testing.assert_array_equal(found, language_models.generate(other, prompts, 8))
