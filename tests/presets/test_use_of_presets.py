"""Using presets: masks, unknown tokens, and T5, which writes an answer to a text."""

import keras
import keras_hub
import numpy as np
import pytest
from keras import ops

from course_utils import presets
from course_utils.datasets.generated import chinese, reviews
from course_utils.presets.loading import folder
from course_utils.presets.masks import _ids_with_mask


def test_unknown_rates(english):
    tokenizer = english.preprocessor.tokenizer
    assert presets.unknown_rate(tokenizer, ["The plot is dull."]) == 0
    assert presets.unknown_rate(tokenizer, ["好", "书。"]) == 1
    assert presets.unknown_rate(tokenizer, ["dull 书", "plot is"]) == 0.25
    own, _ = reviews.load("test")
    assert presets.unknown_rate(tokenizer, own[:50]) < 0.01
    with pytest.raises(ValueError, match="unknown_rate: the texts have no tokens"):
        presets.unknown_rate(tokenizer, ["", " "])


def test_byte_level_tokenizers_know_every_byte():
    tokenizer = keras_hub.tokenizers.Tokenizer.from_preset(str(folder("tiny_gpt2_en")))
    texts = [row.text for row in chinese.load("test")[:20]]
    assert presets.unknown_rate(tokenizer, texts) == 0
    for text in texts:
        assert len(presets.token_ids(tokenizer, text)) == len(text.encode())


def test_probabilities_sum_to_one_and_padding_changes_nothing(english):
    short, long = "The [MASK] is dull.", "I found the [MASK] dull, and so did my aunt."
    together = presets.mask_probabilities(english, [short, long])  # (B, V)
    np.testing.assert_allclose(together.sum(axis=-1), 1, atol=1e-5)
    for text, row in zip((short, long), together, strict=True):
        (alone,) = presets.mask_probabilities(english, [text])
        np.testing.assert_allclose(alone, row, atol=1e-5)


MASK_MESSAGES = {
    "no mask": "needs exactly one .MASK., but this one has 0: 'no mask'",
    "[MASK] and [MASK]": "needs exactly one .MASK., but this one has 2",
    "dull " * 200 + "[MASK]": "a text has 203 tokens, but the model reads at most 72",
}


@pytest.mark.parametrize("text", MASK_MESSAGES)
def test_what_cannot_be_filled_is_refused(english, text):
    with pytest.raises(ValueError, match=MASK_MESSAGES[text]):
        presets.fill_mask(english, text)


def test_words_are_shown_without_the_signs_of_their_tokenizer(english):
    tokenizer = english.preprocessor.tokenizer
    inner = next(t for t in tokenizer.get_vocabulary() if t.startswith("##"))
    assert presets.token_text(tokenizer, tokenizer.token_to_id(inner)) == inner[2:]
    words = presets.fill_mask(english, "The [MASK] is dull.", top=3)
    assert len(words) == 3 and words == sorted(words, key=lambda pair: -pair[1])


def test_a_model_without_segments_with_its_own_mask_sign():
    letters = [*"aehlmo", "Ġ", "Ġa"]
    vocabulary = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 4}
    vocabulary |= {letter: 5 + i for i, letter in enumerate(letters)}
    tokenizer = keras_hub.tokenizers.RobertaTokenizer(vocabulary, ["Ġ a"])
    assert _ids_with_mask(tokenizer, "am [MASK] a") == [
        *(0, vocabulary["a"], vocabulary["m"], 4, vocabulary["Ġa"], 2)
    ]
    options = {"num_layers": 1, "num_heads": 2, "hidden_dim": 8, "intermediate_dim": 8}
    options["max_sequence_length"] = 8
    backbone = keras_hub.models.RobertaBackbone(len(vocabulary), **options)
    model = keras_hub.models.RobertaMaskedLM(
        backbone, keras_hub.models.RobertaMaskedLMPreprocessor(tokenizer, 8)
    )
    probabilities = presets.mask_probabilities(model, ["am [MASK] a", "[MASK]"])
    assert probabilities.shape == (2, len(vocabulary))
    np.testing.assert_allclose(probabilities.sum(axis=-1), 1, atol=1e-5)


def test_a_batch_gives_the_answers_of_single_texts(t5):
    texts = ["summarize: The cast is weak and anything but superb."]
    texts += ["sst2 sentence: The plot is dull, but the film itself is clever."]
    assert t5.generate(texts) == [t5.generate([text])[0] for text in texts]


def test_long_texts_are_cut_and_still_end(t5):
    ids = t5.encode(["dull " * 300, "dull"])
    assert ids.shape == (2, 64)
    assert ids[0, -1] == t5.tokenizer.end_token_id
    assert (ids[1] == t5.tokenizer.end_token_id).sum() == 1


def test_answers_end_at_the_length_asked_for(t5):
    (answer,) = t5.generate(["summarize: The plot is dull."], max_length=2)
    assert len(presets.token_ids(t5.tokenizer, answer)) == 2


@pytest.mark.skipif(
    not hasattr(keras_hub.models, "T5Seq2SeqLM"),
    reason="KerasHub 0.26 has no such task",
)
def test_decoding_gives_the_answers_of_kerashubs_task(t5):
    preprocessor = keras_hub.models.T5Seq2SeqLMPreprocessor(
        t5.tokenizer, encoder_sequence_length=64, decoder_sequence_length=13
    )
    task = keras_hub.models.T5Seq2SeqLM(t5.backbone, preprocessor)
    task.compile(sampler="greedy")
    texts, _ = reviews.load("test")
    texts = [f"summarize: {text}" for text in texts[:8]]
    assert t5.generate(texts, max_length=12) == task.generate(texts)


def test_logits_of_shared_and_of_own_output_weights():
    options = {"num_layers": 1, "num_heads": 1, "hidden_dim": 4, "intermediate_dim": 4}
    options["vocabulary_size"] = 7
    states = np.arange(8.0, dtype="float32").reshape(2, 4)
    shared = keras_hub.models.T5Backbone(**options)
    own = keras_hub.models.T5Backbone(**options, tie_embedding_weights=False)
    table = ops.convert_to_numpy(shared.token_embedding.embeddings)  # (V, D)
    kernel = ops.convert_to_numpy(own.token_embedding.reverse_embeddings)  # (D, V)
    for model, weights in ((shared, table.T / 2), (own, kernel)):
        logits = ops.convert_to_numpy(presets.text_to_text_logits(model, states))
        np.testing.assert_allclose(logits, states @ weights, rtol=1e-5)
    assert keras.backend.is_keras_tensor(
        presets.text_to_text_logits(own, own.output["decoder_sequence_output"])
    )
