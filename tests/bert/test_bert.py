"""The small BERT against KerasHub; padding, windows, heads, masks, saving."""

import keras
import keras_hub
import layer_battery as lb
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from keras import ops
from tiny_bert import (
    TEXTS,
    D,
    F,
    L,
    T,
    V,
    example,
    make_classifier,
    make_encoder,
    make_mini_bert,
)

from course_utils.attention.positions import sinusoidal_table
from course_utils.bert import (
    BertEncoder,
    BertPretraining,
    MiniBert,
    init_encoder,
    to_kerashub,
)
from course_utils.bert.classifier import BertClassifier, split_windows
from course_utils.bert.model import MaskedTokenHead, NextSentenceHead
from course_utils.metrics import MaskedAccuracy
from course_utils.text.wordpiece import CLS, SEP, WordPieceVectorizer
from course_utils.training import MaskedCrossEntropy

EMBEDDING = V * D + T * D + 2 * D + 2 * D
BLOCK = 4 * (D * D + D) + (D * F + F) + (F * D + D) + 2 * 2 * D


@pytest.fixture
def network():
    model = BertPretraining(make_encoder())
    model.build()
    return lb.randomize(model)


@pytest.fixture
def mini_bert():
    return make_mini_bert()


def test_battery_of_the_encoder():
    ids, segments, _ = example()
    lb.battery(make_encoder, ids, segments, weights=EMBEDDING + L * BLOCK)


def test_an_encoder_starts_with_waves_and_blocks_that_change_nothing():
    encoder, (ids, segments, _) = make_encoder(), example()
    encoder.build()
    (before,) = encoder.embedding.token_embeddings.get_weights()
    vectors = np.zeros((V, D), "float32")
    vectors[5:] = lb.random_array(V - 5, D)
    init_encoder(encoder, vectors, stddev=0.1)
    (table,) = encoder.embedding.token_embeddings.get_weights()
    np.testing.assert_array_equal(table[:5], before[:5])  # those without a vector
    np.testing.assert_array_equal(table[5:], vectors[5:])
    (waves,) = encoder.embedding.position_embeddings.get_weights()
    expected = lb.to_numpy(sinusoidal_table(T, D))
    np.testing.assert_allclose(waves / 0.1, expected / expected.std(), rtol=1e-4)
    x = encoder.embedding(ids) + encoder.segment_embedding(segments)
    expected = encoder.embedding_norm(x)
    np.testing.assert_allclose(encoder(ids, segments), expected, atol=1e-5)


def test_the_token_head_reads_the_chosen_places_only():
    # No battery here: its table is a weight of another layer, and logits are float32.
    x, table = lb.random_array(2, 5, D), lb.random_array(V, D, seed=1)
    positions, make = np.array([[0, 3], [4, 4]]), lambda: MaskedTokenHead(V)
    with lb.no_warnings():
        lb.check_weights(make, (x, positions, table), D * D + D + 2 * D + V)
        lb.check_config(make, (x, positions, table))
        for dtype in ("mixed_float16", "mixed_bfloat16"):
            logits = MaskedTokenHead(V, dtype=dtype)(x, positions, table)
            assert tuple(logits.shape) == (2, 2, V) and logits.dtype == "float32"
        tensors = [lb.symbolic(array, True) for array in (x, positions)]
        assert make()(*tensors, table).shape == (None, None, V)
    head = make()
    head(x, positions, table)
    lb.randomize(head)
    expected = lb.to_numpy(head(x, positions, table))
    changed = x.copy()
    changed[0, [1, 2, 4]] += 1.0
    changed[1, :4] += 1.0
    np.testing.assert_allclose(head(changed, positions, table), expected, atol=1e-6)
    np.testing.assert_allclose(expected[1, 0], expected[1, 1], atol=1e-6)
    alone = lb.to_numpy(head(x[:1], np.array([[3]]), table))
    np.testing.assert_allclose(alone[0, 0], expected[0, 1], atol=1e-6)


def test_the_next_sentence_head_reads_the_first_place_only():
    x = lb.random_array(2, 5, D)
    with lb.no_warnings():
        lb.check_weights(NextSentenceHead, (x,), D * D + D + D + 1)
        lb.check_config(NextSentenceHead, (x,))
        lb.check_graph(NextSentenceHead, (x,))
    head = NextSentenceHead()
    expected = lb.to_numpy(head(x))
    changed = x.copy()
    changed[:, 1:] += 1.0
    np.testing.assert_array_equal(head(changed), expected)


def assert_equal_guesses(network, theirs):
    """Compare with KerasHub's masked language model; return its features."""
    ids, segments, positions = example()
    features = {"token_ids": ids, "segment_ids": segments, "padding_mask": ids > 0}
    logits, _ = network((ids, segments, positions))
    expected = theirs({**features, "mask_positions": positions})
    np.testing.assert_allclose(logits, expected, **lb.TOLERANCE)
    return features


def test_equals_keras_hub(mini_bert):
    network = mini_bert.network
    ids, segments, _ = example()
    theirs = to_kerashub(network, mini_bert.vectorizer)
    features = assert_equal_guesses(network, theirs)
    x = lb.to_numpy(network.encoder(ids, segments))
    outputs = theirs.backbone(features)
    sequence = lb.to_numpy(outputs["sequence_output"])
    np.testing.assert_allclose(x[ids > 0], sequence[ids > 0], **lb.TOLERANCE)
    pooled = network.next_head.pooled_dense(x[:, 0])
    np.testing.assert_allclose(pooled, outputs["pooled_output"], **lb.TOLERANCE)


def test_a_preset_of_keras_hub_keeps_weights_and_pieces(mini_bert, tmp_path):
    network, vectorizer = mini_bert.network, mini_bert.vectorizer
    to_kerashub(network, vectorizer).save_to_preset(tmp_path / "preset")
    loaded = keras_hub.models.BertMaskedLM.from_preset(str(tmp_path / "preset"))
    tokenizer = loaded.preprocessor.tokenizer
    for text in TEXTS[:3]:
        ids = ops.convert_to_numpy(tokenizer(text)).tolist()
        assert ids == vectorizer.encode([text])[0]
    assert_equal_guesses(network, loaded)
    backbone = keras_hub.models.BertBackbone.from_preset(str(tmp_path / "preset"))
    assert backbone.get_config()["num_layers"] == L


def test_padding_changes_nothing(network):
    ids, segments, positions = example()
    expected = [lb.to_numpy(x) for x in network((ids, segments, positions))]
    longer = network((lb.lengthen(ids, 2), lb.lengthen(segments, 2), positions))
    lb.assert_close(longer, expected, atol=1e-5)
    x = lb.to_numpy(network.encoder(ids))
    alone = lb.to_numpy(network.encoder(ids[1:2, :6]))
    np.testing.assert_allclose(alone[0], x[1, :6], atol=1e-5)
    model = averages()  # the encoder attaches its mask
    np.testing.assert_allclose(model(ids), model(lb.lengthen(ids, 2)), atol=1e-5)


def test_a_token_sees_both_sides_and_its_segment(network):
    ids, segments, _ = example()
    x = lb.to_numpy(network.encoder(ids, segments))[0]
    for position in (1, 8):
        other = ids.copy()
        other[0, position] = other[0, position] % (V - 1) + 1
        changed = lb.to_numpy(network.encoder(other, segments))[0]
        assert (np.abs(changed - x).max(axis=-1) > 1e-4).all()
    without = lb.to_numpy(network.encoder(ids))[0]
    assert np.abs(without - x).max() > 1e-3
    zeros = lb.to_numpy(network.encoder(ids, np.zeros_like(ids)))[0]
    np.testing.assert_array_equal(without, zeros)


def averages():
    """Return a model of ids that ends in the mean of the encoder's outputs."""
    inputs = keras.Input((None,), dtype="int64")
    pooled = keras.layers.GlobalAveragePooling1D()(make_encoder()(inputs))
    return lb.randomize(keras.Model(inputs, pooled))


def test_it_learns_both_tasks():
    keras.utils.set_random_seed(0)
    rng = np.random.default_rng(0)
    ids = rng.integers(5, V, (64, 8))
    ids[:, 0], ids[:, 4] = CLS, ids[:, 3]  # position 4 says what stood at 3
    follows = (ids[:, 6] < V // 2).astype("float32")[:, None]
    labels, hidden = ids[:, 3:4].copy(), ids.copy()
    hidden[:, 3] = 4
    inputs = (hidden, np.zeros_like(ids), np.full((64, 1), 3))
    model = BertPretraining(make_encoder(dropout=0.0))
    model.build()
    losses = [MaskedCrossEntropy(), keras.losses.BinaryCrossentropy(from_logits=True)]
    model.compile(keras.optimizers.Adam(0.02), losses)
    model.fit(inputs, (labels, follows), epochs=80, batch_size=64, verbose=0)
    scores, logits = map(lb.to_numpy, model(inputs))
    assert np.mean(scores[:, 0].argmax(axis=-1) == labels[:, 0]) > 0.5
    assert np.mean((logits > 0) == follows) > 0.9


def test_masks_are_filled(mini_bert):
    assert len(mini_bert.fill_mask("☃ [MASK] 日本")) == 1
    guesses = mini_bert.fill_mask("A [MASK] film, [MASK].", top=3)
    assert [len(one) for one in guesses] == [3, 3]
    for one in guesses:
        _, probabilities = zip(*one, strict=True)
        assert sorted(probabilities, reverse=True) == list(probabilities)
        assert 0 < sum(probabilities) <= 1
        assert not any(piece.startswith("[") for piece, _ in one)
    every = mini_bert.fill_mask("A [MASK] film.", top=1000)[0]
    assert sum(value for _, value in every) == pytest.approx(1, abs=1e-5)


def test_saved_models_load_in_a_fresh_process(mini_bert, tmp_path):
    classifier = make_classifier(dropout=0.3, pooling="first")
    network = mini_bert.network  # pre-training leaves its loss and metric in the file
    network.compile("adam", [MaskedCrossEntropy(), None], [[MaskedAccuracy()], []])
    inputs = ids, *_ = example()
    cases = {"encoder": (averages(), ids), "network": (network, inputs)}
    cases |= {"mini_bert": (mini_bert, inputs), "classifier": (classifier, ids)}
    lb.check_saved(tmp_path, cases)
    loaded = keras.models.load_model(tmp_path / "mini_bert.keras")
    text = "A [MASK] film."
    assert loaded.fill_mask(text) == mini_bert.fill_mask(text)
    assert loaded.get_config() == mini_bert.get_config()


# Windows of long texts, and the classifier that reads them


@settings(max_examples=40, deadline=None)
@given(
    lengths=st.lists(st.integers(0, 30), min_size=1, max_size=4),
    extra=st.integers(0, 9),
    length=st.integers(3, 12),
)
def test_windows_hold_every_token_once_and_in_order(lengths, extra, length):
    total = max(lengths) + extra
    assume(total)
    ids = np.zeros((len(lengths), total), dtype="int32")
    for row, number in zip(ids, lengths, strict=True):
        row[:number] = np.arange(10, 10 + number)
    windows = ops.convert_to_numpy(split_windows(ids, length))
    count = -(-total // (length - 2))
    assert windows.shape == (len(ids), count, min(length, total + 2))
    for row, own in zip(ids, windows, strict=True):
        assert own[own >= 10].tolist() == row[row > 0].tolist()
        for window in own:
            real = window[window > 0]
            assert (window[len(real) :] == 0).all()
            if len(real):
                assert (real[0], real[-1]) == (CLS, SEP) and len(real) >= 3


@pytest.mark.parametrize("pooling", ["mean", "first"])
def test_a_classifier_reads_long_texts_whatever_the_padding(pooling):
    model = make_classifier(pooling=pooling)
    ids = lb.padded_ids([33, 4], vocab_size=V)
    expected = lb.to_numpy(model(ids))
    np.testing.assert_allclose(model(lb.lengthen(ids, 25)), expected, atol=1e-5)
    np.testing.assert_allclose(model(ids[1:, :4]), expected[1:], atol=1e-5)
    compiled = model.predict(ids, verbose=0)  # the graph doesn't know the lengths
    np.testing.assert_allclose(compiled, expected, atol=1e-5)
    changed = ids.copy()
    changed[0, 30] = changed[0, 30] % (V - 1) + 1  # the last window counts, too
    assert abs(lb.to_numpy(model(changed)) - expected)[0, 0] > 1e-6


def test_the_mean_is_that_of_all_real_tokens():
    model = make_classifier()
    ids = lb.padded_ids([15], vocab_size=V)
    windows = ops.convert_to_numpy(split_windows(ids, T))[0]  # (2, T)
    x = lb.to_numpy(model.encoder(windows))
    expected = x[windows > 0].mean(axis=0)
    np.testing.assert_allclose(model.pool(ids)[0], expected, **lb.TOLERANCE)
    first = BertClassifier(model.encoder, pooling="first")
    np.testing.assert_allclose(first.pool(ids)[0], x[:, 0].mean(axis=0), **lb.TOLERANCE)


@pytest.mark.parametrize(
    "name, value, said",
    [
        ("num_heads", 3, r"embed_dim \(8\) must be divisible by num_heads \(3"),
        ("num_layers", 0, "num_layers is 0"),
        ("vocab_size", 0, "vocab_size is 0"),
    ],
)
def test_impossible_sizes_of_an_encoder_are_refused(name, value, said):
    sizes = {"vocab_size": V, "embed_dim": D, "dense_dim": F, "num_heads": 2}
    with pytest.raises(ValueError, match=said):
        BertEncoder(**{**sizes, name: value})


def test_inputs_that_bert_cannot_read_are_refused():
    with pytest.raises(ValueError, match=f"{T + 1} tokens.*length={T}"):
        make_encoder()(np.ones((1, T + 1), "int64"))
    with pytest.raises(ValueError, match="pooling is 'max'"):
        BertClassifier(make_encoder(), pooling="max")


@pytest.mark.parametrize("text", ["A film.", "A [mask] film.", ""])
def test_a_text_without_a_gap_is_refused(text):
    with pytest.raises(ValueError, match=r"no \[MASK\]"):
        make_mini_bert().fill_mask(text)


def test_a_gap_in_a_text_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match=r"with \[CLS\] and \[SEP\]"):
        make_mini_bert().fill_mask("[MASK] " + "film " * T)


def test_a_vectorizer_of_another_size_is_refused():
    other = WordPieceVectorizer.train(["a b"], 20)
    with pytest.raises(ValueError, match=f"vectorizer has {other.vocabulary_size}"):
        MiniBert(other, make_mini_bert().network)
