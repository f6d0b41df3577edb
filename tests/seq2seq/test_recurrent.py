"""Recurrent encoder–decoders: NumPy loops, padding, steps, decoding, saving."""

import json

import keras
import layer_battery as lb
import numpy as np
import pytest
import tensorflow as tf

from course_utils.attention.scored_attention import ScoredAttention
from course_utils.generation import beam_search, greedy_search
from course_utils.seq2seq import Translator, recurrent
from course_utils.seq2seq.recurrent import (
    RecurrentSeq2Seq,
    exact_matches,
    teacher_forcing_arrays,
    token_accuracy,
)
from course_utils.text.vectorizers import END, START, PatternVectorizer

V, L, E, U = 12, 9, 5, 6
SOURCE = np.array([[5, 6, 7, 8, 0, 0], [9, 4, 0, 0, 0, 0], [4, 5, 6, 7, 8, 9]], "int32")
TARGET = np.array([[2, 6, 7, 8, 9], [2, 5, 9, 0, 0], [2, 4, 4, 0, 0]], "int32")
TEXTS = ["I see it.", "Lo veo.", "You see it.", "Lo ves."]
KINDS = {
    "vanilla": {},
    "peeky": {"decoder": "peeky"},
    "attention": {"decoder": "attention"},
    "additive": {"decoder": "attention", "attention": {"score": "additive"}},
    "location": {"decoder": "attention", "attention": {"score": "location"}},
    "monotonic": {
        "decoder": "attention",
        "attention": {"score": "dot", "window": "monotonic", "half_width": 1},
    },
    "predictive": {"decoder": "attention", "attention": {"window": "predictive"}},
    "sum": {"bidirectional": True},
    "ave": {"decoder": "peeky", "bidirectional": True, "merge_mode": "ave"},
    "concat": {"decoder": "attention", "bidirectional": True, "merge_mode": "concat"},
}
each_kind = pytest.mark.parametrize("kind", KINDS)
# Each search is compiled once for each model, which is what takes time here.
searched = pytest.mark.parametrize("kind", ["peeky", "attention", "monotonic"])


def build(kind, **options):
    model = RecurrentSeq2Seq(V, L, E, U, **{**KINDS[kind], **options})
    model.build()
    return lb.randomize(model)


def run(model, source, target):
    return lb.to_numpy(model((source, target)))


@pytest.fixture(scope="module")
def models():
    return {kind: build(kind) for kind in KINDS}


# The same numbers as the formulas


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gru_step(cell, x, state):
    """One step of a GRU (Cho et al., 2014), in the form of Keras's `reset_after`."""
    kernel, recurrent_kernel, bias = cell.get_weights()
    x_z, x_r, x_h = np.split(x @ kernel + bias[0], 3)
    h_z, h_r, h_h = np.split(state @ recurrent_kernel + bias[1], 3)
    update = sigmoid(x_z + h_z)
    candidate = np.tanh(x_h + sigmoid(x_r + h_r) * h_h)
    return update * state + (1 - update) * candidate


@pytest.mark.parametrize("kind", ["vanilla", "peeky", "attention"])
def test_model_equals_the_loop(kind, models):
    model = models[kind]
    sources, targets = (
        layer.get_weights()[0]
        for layer in (model.source_embedding, model.target_embedding)
    )
    kernel, bias = model.output_dense.get_weights()
    found = run(model, SOURCE, TARGET)
    for row, source in enumerate(SOURCE):
        state, outputs = np.zeros(U), []
        for token in source[source != 0]:
            state = gru_step(model.encoder.cell, sources[token], state)
            outputs.append(state)
        last = state
        for t, token in enumerate(TARGET[row]):
            beside = [last] if kind == "peeky" else []
            x = np.concatenate([targets[token], *beside])
            state = gru_step(model.decoder.cell, x, state)
            x = np.concatenate([state, *beside])
            if kind == "attention":
                powers = np.exp(np.array(outputs) @ state / np.sqrt(U))
                context = powers @ np.array(outputs) / powers.sum()
                w, b = model.combine.get_weights()
                x = np.tanh(np.concatenate([context, state]) @ w + b)
            expected = x @ kernel + bias
            np.testing.assert_allclose(found[row, t], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind, parts", [("sum", 1), ("concat", 2)])
def test_bidirectional_encoder_is_two_encoders(kind, parts, models):
    outputs, state, _ = models[kind].encode(SOURCE)
    both = models[kind].encoder
    x = models[kind].source_embedding(SOURCE)
    for row, length in enumerate((SOURCE != 0).sum(1)):
        one = lb.to_numpy(both.forward_layer(x[row : row + 1, :length])[0])
        other = lb.to_numpy(both.backward_layer(x[row : row + 1, :length])[0])
        other = other[:, ::-1]  # it was written from the end
        merged = np.concatenate([one, other], -1) if parts == 2 else one + other
        np.testing.assert_allclose(outputs[row, :length], merged[0], **lb.TOLERANCE)
        ends = (one[0, -1], other[0, 0])
        last = np.concatenate(ends) if parts == 2 else sum(ends)
        np.testing.assert_allclose(state[row], last, **lb.TOLERANCE)


def test_number_of_weights(models):
    gru = 3 * (U * E + U * U + 2 * U)
    vanilla = 2 * V * E + 2 * gru + U * V + V
    assert models["vanilla"].count_params() == vanilla
    assert models["peeky"].count_params() == vanilla + 3 * U * U + U * V
    assert models["attention"].count_params() == vanilla + 2 * U * U + U
    assert models["sum"].count_params() == vanilla + gru


# What may and what may not change the output


@each_kind
def test_padding_changes_nothing(kind, models):
    model = models[kind]
    logits = run(model, SOURCE, TARGET)
    longer = run(
        model, np.pad(SOURCE, ((0, 0), (0, 3))), np.pad(TARGET, ((0, 0), (0, 3)))
    )
    np.testing.assert_allclose(longer[:, :5], logits, **lb.TOLERANCE)
    alone = run(model, SOURCE[1:2, :2], TARGET[1:2, :3])
    np.testing.assert_allclose(alone[0], logits[1, :3], **lb.TOLERANCE)


@each_kind
def test_every_real_source_token_matters(kind, models):
    logits = run(models[kind], SOURCE, TARGET)
    for column in (0, 3):
        changed = SOURCE.copy()
        changed[0, column] = 11
        difference = np.abs(run(models[kind], changed, TARGET) - logits)
        assert difference[0].max(axis=-1).min() > 1e-6  # for each target position
        assert difference[1:].max() < 1e-6


@each_kind
def test_no_peeking(kind, models):
    logits = run(models[kind], SOURCE, TARGET)
    for t in (1, 4):
        changed = TARGET.copy()
        changed[:, t:] = 11
        before = run(models[kind], SOURCE, changed)[:, :t]
        np.testing.assert_array_equal(before, logits[:, :t])


@each_kind
def test_source_of_padding_only_is_finite(kind, models):
    nothing = np.zeros((2, 4), "int32")
    assert np.isfinite(run(models[kind], nothing, TARGET[:2])).all()


def test_source_of_padding_only_is_decoded(models):
    nothing = np.zeros((2, 4), "int32")
    assert greedy_search(models["attention"], nothing, 5).shape == (2, 5)


@pytest.mark.parametrize("kind", ["attention", "additive", "monotonic", "predictive"])
def test_attention_rows_sum_to_one_on_real_tokens(kind, models):
    weights = lb.to_numpy(models[kind].cross_attention((SOURCE, TARGET)))
    assert weights.shape == (1, 3, 1, 5, 6)
    np.testing.assert_allclose(weights.sum(-1), 1.0, rtol=1e-5)
    padded = np.broadcast_to((SOURCE == 0)[None, :, None, None], weights.shape)
    assert (weights[padded] == 0).all()


# Decoding


@each_kind
def test_steps_give_the_logits_of_one_call(kind, models):
    model = models[kind]
    logits = run(model, SOURCE, TARGET)
    encoded = model.encode_for_steps(SOURCE)
    cache = model.empty_cache(3, 5)
    for t in range(5):
        stepped, cache = model.step(TARGET[:, t], t, cache, encoded)
        np.testing.assert_allclose(stepped, logits[:, t], **lb.TOLERANCE)


def search_slowly(model, source, length):
    """Greedy search for one source that runs the whole model for every token."""
    tokens = [START]
    while len(tokens) <= length and tokens[-1] != END:
        logits = run(model, source[None], np.array([tokens]))
        tokens.append(int(logits[0, -1].argmax()))
    return tokens[1:]


@searched
def test_greedy_search_equals_the_slow_loop_one_at_a_time(kind, models):
    found = greedy_search(models[kind], SOURCE, 5)
    for row, source in zip(found, SOURCE, strict=True):
        slow = search_slowly(models[kind], source[source != 0], 5)
        assert row[: len(slow)].tolist() == slow
        assert not row[len(slow) :].any()


def test_beam_of_one_is_greedy(models):
    greedy = greedy_search(models["attention"], SOURCE, 6)
    one, _ = beam_search(models["attention"], SOURCE, 6, beam_width=1)
    np.testing.assert_array_equal(one, greedy)


@searched
def test_beams_of_different_sentences_do_not_mix(kind, models):
    wide, best = beam_search(models[kind], SOURCE, 6, beam_width=3)
    for row in range(3):
        alone, score = beam_search(models[kind], SOURCE[row : row + 1], 6, beam_width=3)
        np.testing.assert_array_equal(alone[0], wide[row])
        np.testing.assert_allclose(score[0], best[row], rtol=1e-4, atol=1e-4)


@searched
def test_beam_scores_are_those_of_the_whole_model(kind, models):
    """The reordered states belong to the beams' tokens."""
    wrote, found = beam_search(models[kind], SOURCE, 6, 3, length_penalty=0.0)
    reads = np.concatenate([np.full((3, 1), START), wrote[:, :-1]], axis=1)
    logits = run(models[kind], SOURCE, reads)
    log_probs = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    each = np.take_along_axis(log_probs, wrote[..., None], axis=-1)[..., 0]
    expected = (each * (wrote != 0)).sum(1)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)


@each_kind
def test_every_weight_gets_a_finite_gradient(kind, models):
    model = models[kind]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(model((SOURCE, TARGET), training=True)))
    gradients = tape.gradient(loss, [w.value for w in model.trainable_weights])
    for weight, gradient in zip(model.trainable_weights, gradients, strict=True):
        assert gradient is not None, weight.path
        found = lb.to_numpy(tf.convert_to_tensor(gradient))
        assert np.isfinite(found).all() and found.any(), weight.path


# Saving and settings


@each_kind
def test_config_round_trip(kind, models):
    config = models[kind].get_config()
    copy = RecurrentSeq2Seq.from_config(json.loads(json.dumps(config)))
    assert copy.get_config() == config
    copy.build()
    copy.set_weights(models[kind].get_weights())
    np.testing.assert_array_equal(
        run(copy, SOURCE, TARGET), run(models[kind], SOURCE, TARGET)
    )


@pytest.fixture(scope="module")
def translator():
    vectorizer = PatternVectorizer.train(TEXTS)
    model = RecurrentSeq2Seq(
        vectorizer.vocabulary_size, 12, E, U, decoder="attention", bidirectional=True
    )
    return lb.randomize(Translator(vectorizer, model))


def test_saved_models_load_in_a_fresh_process(tmp_path, models, translator):
    saved = {kind: models[kind] for kind in ("peeky", "additive", "predictive")}
    saved["translator"] = translator
    for name, model in saved.items():
        lb.save_case(tmp_path, name, model, [SOURCE, TARGET])
    differences = lb.load_in_fresh_process(tmp_path)
    assert set(differences) == set(saved)
    assert max(differences.values()) < 1e-5


def test_translator_carries_model_and_words_in_one_file(tmp_path, translator):
    found, attention = translator.translate(TEXTS, return_attention=True)
    for _, written, weights in attention:
        assert weights.shape[:2] == (1, 1)
        assert weights.shape[2] == len(written)
    translator.save(tmp_path / "model.keras")
    loaded = Translator.load(tmp_path / "model.keras")
    assert loaded.translate(TEXTS) == found
    with pytest.raises(ValueError, match="the text '' is empty"):
        loaded.translate([""])
    with pytest.raises(ValueError, match="has 16 tokens, but the model reads 12"):
        loaded.translate(["see " * 16])


@pytest.mark.parametrize("dtype", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("kind", ["peeky", "concat"])
def test_half_precision(kind, dtype, models):
    model = build(kind, dtype=dtype)
    logits = model((SOURCE, TARGET))
    assert keras.backend.standardize_dtype(logits.dtype) == dtype.split("_")[1]
    np.testing.assert_allclose(
        lb.to_numpy(logits), run(models[kind], SOURCE, TARGET), rtol=0.2, atol=0.2
    )
    cache = model.empty_cache(3, 5)
    stepped, _ = model.step(TARGET[:, 0], 0, cache, model.encode_for_steps(SOURCE))
    np.testing.assert_allclose(
        lb.to_numpy(stepped), lb.to_numpy(logits)[:, 0], rtol=0.1, atol=0.1
    )


def test_graph_and_eager_agree():
    model = build("attention")
    found = []
    for run_eagerly in (True, False):
        model.compile(run_eagerly=run_eagerly)
        found.append(model.predict_on_batch((SOURCE, TARGET)))
    np.testing.assert_allclose(*found, **lb.TOLERANCE)


def test_computed_shape(models):
    shape = models["vanilla"].compute_output_shape([(3, 6), (3, 5)])
    assert shape == run(models["vanilla"], SOURCE, TARGET).shape


def test_dropout_acts_in_training_only():
    model = build("vanilla", dropout=0.5)
    calm = [run(model, SOURCE, TARGET) for _ in range(2)]
    np.testing.assert_array_equal(*calm)
    trained = lb.to_numpy(model((SOURCE, TARGET), training=True))
    assert np.abs(trained - calm[0]).max() > 1e-3


@pytest.mark.parametrize(
    "options, message",
    [
        ({"decoder": "luong"}, "decoder is 'luong'; expected one of"),
        ({"merge_mode": "mul"}, "merge_mode is 'mul'; expected one of"),
        ({"attention": {"score": "dot"}}, "options for attention, but decoder is"),
        ({"units": 0}, "units is 0"),
        ({"sequence_length": None}, "sequence_length is None"),
        (
            {"decoder": "attention", "attention": {"score": "cos"}},
            "score is 'cos'; expected one of",
        ),
        (
            {"units": 7, "bidirectional": True, "merge_mode": "concat"},
            r"units \(7\) must be even",
        ),
    ],
)
def test_impossible_options(options, message):
    with pytest.raises(ValueError, match=message):
        RecurrentSeq2Seq(**{"vocab_size": V, "sequence_length": L, **options})


@pytest.mark.parametrize("kind", ["vanilla", "location"])
def test_too_long_sequences(kind, models):
    longer = np.ones((3, L + 1), "int32")
    with pytest.raises(ValueError, match="the source has 10 columns, but .* is 9"):
        run(models[kind], longer, TARGET)
    with pytest.raises(ValueError, match="the target has 10 columns, but .* is 9"):
        run(models[kind], SOURCE, longer)
    with pytest.raises(ValueError, match="positions for 9 tokens only"):
        greedy_search(models[kind], longer, 5)


def test_only_attention_can_be_shown(models):
    with pytest.raises(ValueError, match="'vanilla' has no attention"):
        models["vanilla"].cross_attention((SOURCE, TARGET))


def test_options_of_attention_reach_the_layer():
    model = build("attention", attention={"score": "general", "half_width": 3})
    assert model.attention.options["score"] == "general"
    assert model.attention.options["half_width"] == 3
    assert isinstance(model.attention, ScoredAttention)


# Arrays and measures


def test_teacher_forcing_arrays():
    (source, reads), says = teacher_forcing_arrays([[7, 8], [9]], [[5], [6, 4]])
    np.testing.assert_array_equal(source, [[7, 8], [9, 0]])
    np.testing.assert_array_equal(reads, [[START, 5, 0], [START, 6, 4]])
    np.testing.assert_array_equal(says, [[5, END, 0], [6, 4, END]])
    with pytest.raises(ValueError, match="there are 1 sources, but 2 targets"):
        teacher_forcing_arrays([[7]], [[5], [6]])


def test_exact_match_counts_whole_outputs_only(monkeypatch):
    answers = {7: [5, END, 0], 8: [5, 6, END], 9: [5, 6, 6]}

    def answer(model, source, length):
        assert length == 3
        return np.array([answers[int(row[0])] for row in source])

    monkeypatch.setattr(recurrent, "greedy_search", answer)
    right, _ = exact_matches(None, [[7], [8], [9]], [[5], [5, 6], [5, 6]], batch_size=2)
    np.testing.assert_array_equal(right, [True, True, False])


def test_token_accuracy_leaves_padding_out():
    labels = np.array([[5, 6, END, 0], [5, END, 0, 0]])
    predicted = np.array([[5, 4, END, 9], [5, END, END, 9]])
    found = token_accuracy(predicted, labels)
    np.testing.assert_allclose(found[:3], [1, 0.5, 1])
    assert np.isnan(found[3])
