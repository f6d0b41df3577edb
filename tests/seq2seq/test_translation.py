"""The translation Transformer and the Translator that carries its vectorizer."""

import json
import os
import pathlib
import subprocess
import sys

import keras
import numpy as np
import pytest
from keras import ops

from course_utils.seq2seq import TranslationTransformer, Translator
from course_utils.seq2seq import translator as translators
from course_utils.text.vectorizers import END, START, SubwordVectorizer, pad

ROOT = pathlib.Path(__file__).parents[2]
TEXTS = ["I like green tea.", "I see.", "Do you like it, Tom?", "We see green tea."]
SOURCE = np.array([[5, 6, 7, 8, 0, 0], [9, 4, 0, 0, 0, 0], [4, 5, 6, 7, 8, 9]], "int32")
TARGET = np.array([[2, 6, 7, 8, 9], [2, 5, 9, 0, 0], [2, 4, 4, 0, 0]], "int32")


def build_transformer(vocab_size=12, **options):
    keras.utils.set_random_seed(4)
    model = TranslationTransformer(vocab_size, 24, 16, 32, 4, 2, **options)
    model.build()
    rng = np.random.default_rng(0)
    model.set_weights([w + rng.normal(0, 0.3, w.shape) for w in model.get_weights()])
    return model


def run(model, source, target):
    return ops.convert_to_numpy(model((source, target)))


@pytest.fixture(scope="module")
def transformer():
    return build_transformer()


@pytest.fixture(scope="module")
def logits(transformer):
    return run(transformer, SOURCE, TARGET)


@pytest.fixture(scope="module")
def translator():
    vectorizer = SubwordVectorizer.train([*TEXTS, "¿Te gusta el té verde?"], 70)
    transformer = build_transformer(vectorizer.vocabulary_size)
    rng = np.random.default_rng(9)
    positions = transformer.embedding.position_embeddings
    positions.set_weights([rng.normal(0, 4, (24, 16))])
    return Translator(vectorizer, transformer)


@pytest.fixture(scope="module")
def saved(translator, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "translator.keras"
    translator.save(path)
    return path


# The model


def test_padding_changes_nothing(transformer, logits):
    longer = run(
        transformer,
        np.pad(SOURCE, ((0, 0), (0, 5))),
        np.pad(TARGET, ((0, 0), (0, 3))),
    )
    real = TARGET != 0
    np.testing.assert_allclose(longer[:, :5][real], logits[real], atol=1e-5)
    alone = run(transformer, SOURCE[1:2, :2], TARGET[1:2, :3])
    np.testing.assert_allclose(alone[0], logits[1, :3], atol=1e-5)


def test_every_real_source_token_matters(transformer, logits):
    for column in range(4):
        changed = SOURCE.copy()
        changed[0, column] = 11
        difference = np.abs(run(transformer, changed, TARGET) - logits)
        assert difference[0].max(axis=-1).min() > 1e-4  # for each target position
        assert difference[1:].max() == 0


def test_no_peeking(transformer, logits):
    for t in range(1, 5):
        changed = TARGET.copy()
        changed[:, t:] = 11
        before = run(transformer, SOURCE, changed)[:, :t]
        np.testing.assert_array_equal(before, logits[:, :t])


def test_number_of_weights(transformer):
    v, positions, d, f, blocks = 12, 24, 16, 32, 2
    attention, norm = 4 * (d * d + d), 2 * d
    feed_forward = (d * f + f) + (f * d + d)
    encoder = attention + feed_forward + 2 * norm
    decoder = 2 * attention + feed_forward + 3 * norm
    right = v * d + positions * d + blocks * (encoder + decoder) + 2 * norm
    assert transformer.count_params() == right


def test_config_round_trip(transformer, logits):
    config = transformer.get_config()
    copy = TranslationTransformer.from_config(json.loads(json.dumps(config)))
    assert copy.get_config() == config
    copy.build()
    copy.set_weights(transformer.get_weights())
    np.testing.assert_array_equal(run(copy, SOURCE, TARGET), logits)


def test_steps_give_the_logits_of_one_call(transformer, logits):
    encoded = transformer.encode_for_steps(SOURCE)
    cache = transformer.empty_cache(3, 5)
    for t in range(5):
        stepped, cache = transformer.step(TARGET[:, t], t, cache, encoded)
        # A padded target is hidden in one call; steps are compared up to there.
        real = TARGET[:, t] != 0
        stepped = ops.convert_to_numpy(stepped)
        np.testing.assert_allclose(stepped[real], logits[real, t], atol=1e-5)


def test_graph_and_eager_agree(transformer, logits):
    assert transformer.compute_output_shape(((3, 6), (3, 5))) == (3, 5, 12)
    predicted = transformer.predict((SOURCE, TARGET), verbose=0)
    np.testing.assert_allclose(predicted, logits, atol=1e-5)


def test_training_uses_dropout_and_teaches_every_weight():
    model = build_transformer(dropout=0.5)
    first, second = (
        ops.convert_to_numpy(model((SOURCE, TARGET), training=True)) for _ in "ab"
    )
    assert np.abs(first - second).max() > 1e-3
    before = model.get_weights()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(0.1), loss, run_eagerly=True)
    model.fit((SOURCE, TARGET), TARGET, batch_size=3, verbose=0)
    blocks = [*model.encoder_blocks, *model.decoder_blocks]
    attentions = [block.self_attention for block in blocks]
    attentions += [block.cross_attention for block in model.decoder_blocks]
    # A key's bias shifts all scores of a query alike, which the softmax ignores.
    unused = {id(attention.key_dense.bias) for attention in attentions}
    for old, weight in zip(before, model.weights, strict=True):
        change = np.abs(old - ops.convert_to_numpy(weight)).max()
        assert change > 0 or id(weight) in unused, weight.path


def test_bfloat16_gives_nearly_the_same(transformer, logits):
    half = build_transformer(dtype="mixed_bfloat16")
    half.set_weights(transformer.get_weights())
    low = half((SOURCE, TARGET))
    assert keras.backend.standardize_dtype(low.dtype) == "bfloat16"
    low = ops.convert_to_numpy(ops.cast(low, "float32"))
    real = TARGET != 0
    assert np.corrcoef(low[real].ravel(), logits[real].ravel())[0, 1] > 0.99
    assert {w.dtype for w in half.weights} == {"float32"}


def test_cross_attention_leaves_out_padding(transformer):
    weights = ops.convert_to_numpy(transformer.cross_attention((SOURCE, TARGET)))
    assert weights.shape == (2, 3, 4, 5, 6)  # (L, B, H, T, S)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
    padded = np.broadcast_to((SOURCE == 0)[None, :, None, None], weights.shape)
    assert weights[padded].max() == 0
    assert weights[~padded].min() > 0


def test_a_sentence_too_long_is_refused(transformer):
    with pytest.raises(ValueError, match="sequence_length=24"):
        transformer((np.ones((1, 25), "int32"), TARGET[:1]))
    with pytest.raises(ValueError, match="sequence_length=24"):
        transformer((SOURCE[:1], np.ones((1, 25), "int32")))


# The translator


def test_translations_do_not_depend_on_their_batch(translator):
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


def test_one_beam_translates_like_greedy(translator):
    beam = translator.translate(TEXTS, method="beam", beam_width=1)
    assert beam == translator.translate(TEXTS)


@pytest.mark.parametrize("method", ["greedy", "beam"])
def test_attention_of_each_sentence(method, translator):
    translations, attention = translator.translate(
        TEXTS, method=method, return_attention=True
    )
    assert translations == translator.translate(TEXTS, method=method)
    for text, translation, (source, target, weights) in zip(
        TEXTS, translations, attention, strict=True
    ):
        assert source == translator.vectorizer.tokens(text)
        assert weights.shape == (2, 4, len(target), len(source))
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
        ids = [translator.vectorizer._tokenizer.token_to_id(t) for t in target]
        assert translator.vectorizer.decode([ids]) == [translation]
        # The same weights for this sentence alone, without any padding
        inputs = pad(translator.vectorizer.encode([text])), pad([[START, *ids[:-1]]])
        alone = ops.convert_to_numpy(translator.transformer.cross_attention(inputs))
        np.testing.assert_allclose(weights, alone[:, 0], atol=1e-5)


def test_attention_of_an_empty_translation(translator, monkeypatch):
    def end_at_once(model, source, limits):
        found = np.zeros((len(source), max(limits)), dtype="int32")
        found[:, 0] = END
        found[-1, :3] = 7, 8, END
        return found

    monkeypatch.setattr(translators, "greedy_search", end_at_once)
    texts = TEXTS[:2]  # the longer one comes last in its batch
    translations, attention = translator.translate(texts, return_attention=True)
    assert translations[1] == "" and translations[0] != ""
    source, target, weights = attention[1]
    assert (target, weights.shape) == ([], (2, 4, 0, len(source)))
    assert attention[0][2].shape[2] == len(attention[0][1]) == 2


@pytest.mark.parametrize(
    "texts, options, message",
    [
        ("I see.", {}, r"texts is one string; pass a list, such as \[text\]"),
        (["I see.", ""], {}, "the text '' is empty"),
        ([" \n"], {}, "is empty"),
        (["I see.", None], {}, "None is not a string"),
        (["I see " * 30], {}, "tokens, but the model reads 24 at most; split it"),
        (["I see."], {"method": "best"}, "method is 'best'; expected 'greedy' or"),
        (["I see."], {"method": "beam", "beam_width": 0}, "beam_width is 0"),
        (["I see."], {"batch_size": 0}, "batch_size is 0; it must be at least 1"),
    ],
)
def test_translate_refuses(texts, options, message, translator):
    with pytest.raises(ValueError, match=message):
        translator.translate(texts, **options)


def test_the_longest_allowed_text_is_translated(translator):
    text = "Tom " * 50
    ids = translator.vectorizer.encode([text])[0][:24]
    text = translator.vectorizer.decode([ids])[0]
    assert len(translator.vectorizer.encode([text])[0]) == 24
    for method in ("greedy", "beam"):
        assert len(translator.translate([text], method=method)) == 1


def test_vectorizer_and_transformer_must_fit(translator):
    size = translator.vectorizer.vocabulary_size
    with pytest.raises(ValueError, match=f"has {size} ids, but the transformer 12"):
        Translator(translator.vectorizer, build_transformer())


# Files


def test_a_fresh_process_translates_the_same(translator, saved):
    """It imports one module and names no custom objects."""
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
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code, saved, json.dumps(TEXTS)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    by_load, by_keras, beam, sums = json.loads(done.stdout.splitlines()[-1])
    greedy, attention = translator.translate(TEXTS, return_attention=True)
    assert by_load == by_keras == greedy
    assert beam == translator.translate(TEXTS, method="beam")
    here = [float(weights.sum()) for _, _, weights in attention]
    np.testing.assert_allclose(sums, here, rtol=1e-4)


def test_loaded_weights_are_the_saved_ones(translator, saved):
    loaded = Translator.load(saved)
    pairs = zip(loaded.get_weights(), translator.get_weights(), strict=True)
    assert all(np.array_equal(*pair) for pair in pairs)
    assert loaded.vectorizer.get_config() == translator.vectorizer.get_config()


def test_a_file_of_another_model_is_refused(tmp_path):
    path = tmp_path / "other.keras"
    keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)]).save(path)
    with pytest.raises(ValueError, match="holds a Sequential; expected a Translator"):
        Translator.load(path)


def cut(data):
    return data[: len(data) // 2]


def flip_a_weight(data):
    """Change one byte in the middle, where the weights are."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :]


@pytest.mark.parametrize("damage", [cut, flip_a_weight, lambda data: b""])
def test_a_damaged_file_is_refused(damage, saved, tmp_path):
    path = tmp_path / "damaged.keras"
    path.write_bytes(damage(saved.read_bytes()))
    with pytest.raises(ValueError, match="damaged.keras is damaged or incomplete"):
        Translator.load(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match="there is no file .*missing.keras"):
        Translator.load(tmp_path / "missing.keras")
