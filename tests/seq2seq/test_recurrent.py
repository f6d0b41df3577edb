"""Recurrent encoder–decoders: NumPy loops, files, settings, measures."""

import re

import layer_battery as lb
import numpy as np
import pytest
from test_encoder_decoders import SOURCE, TARGET, E, U, build, run

from course_utils.generation import fast_search
from course_utils.seq2seq import RecurrentSeq2Seq, Translator
from course_utils.seq2seq.recurrent import exact_matches, teacher_forcing_arrays
from course_utils.text.vectorizers import END, START, PatternVectorizer

TEXTS = ["I see it.", "Lo veo.", "You see it.", "Lo ves."]


@pytest.mark.parametrize("kind", ["vanilla", "peeky", "attention"])
def test_model_equals_the_loop(kind):
    model = build(kind)
    (sources,) = model.source_embedding.get_weights()
    (targets,) = model.target_embedding.get_weights()
    kernel, bias = model.output_dense.get_weights()
    found = run(model)
    for row, source in enumerate(SOURCE):
        state, outputs = np.zeros(U), []
        for token in source[source != 0]:
            state = lb.gru_step(model.encoder.cell, sources[token], state)
            outputs.append(state)
        last = state
        for t, token in enumerate(TARGET[row]):
            beside = [last] if kind == "peeky" else []
            x = np.concatenate([targets[token], *beside])
            state = lb.gru_step(model.decoder.cell, x, state)
            x = np.concatenate([state, *beside])
            if kind == "attention":
                powers = np.exp(np.array(outputs) @ state / np.sqrt(U))
                context = powers @ np.array(outputs) / powers.sum()
                w, b = model.combine.get_weights()
                x = np.tanh(np.concatenate([context, state]) @ w + b)
            lb.assert_close(found[row, t], x @ kernel + bias, rtol=1e-4, atol=1e-4)


def test_bidirectional_encoder_is_two_encoders():
    model = build("both ways")
    outputs, state, _ = model.encode(SOURCE)
    x = model.source_embedding(SOURCE)
    for row, length in enumerate((SOURCE != 0).sum(1)):
        own = x[row : row + 1, :length]
        one = lb.to_numpy(model.encoder.forward_layer(own)[0])
        other = lb.to_numpy(model.encoder.backward_layer(own)[0])
        other = other[:, ::-1]  # it was written from the end
        lb.assert_close(outputs[row, :length], (one + other)[0])
        lb.assert_close(state[row], one[0, -1] + other[0, 0])


def test_translator_carries_model_and_words_in_one_file(tmp_path):
    vectorizer = PatternVectorizer.train(TEXTS)
    options = dict(decoder="attention", bidirectional=True)
    model = RecurrentSeq2Seq(vectorizer.vocabulary_size, 12, E, U, **options)
    translator = lb.randomize(Translator(vectorizer, model))
    found, attention = translator.translate(TEXTS, return_attention=True)
    for _, written, weights in attention:
        assert weights.shape[:3] == (1, 1, len(written))
    translator.save(tmp_path / "model.keras")
    loaded = Translator.load(tmp_path / "model.keras")
    assert loaded.translate(TEXTS) == found


def test_options_of_attention_reach_the_layer():
    model = build("attention", attention={"score": "general", "half_width": 3})
    assert model.attention.score == "general"
    assert model.attention.half_width == 3


def test_teacher_forcing_arrays():
    (source, reads), says = teacher_forcing_arrays([[7, 8], [9]], [[5], [6, 4]])
    np.testing.assert_array_equal(source, [[7, 8], [9, 0]])
    np.testing.assert_array_equal(reads, [[START, 5, 0], [START, 6, 4]])
    np.testing.assert_array_equal(says, [[5, END, 0], [6, 4, END]])


def test_exact_match_counts_whole_outputs_only(monkeypatch):
    answers = {7: [5, END, 0], 8: [5, 6, END], 9: [5, 6, 6]}

    def answer(model, source, length):
        assert length == 3
        return np.array([answers[int(row[0])] for row in source])

    monkeypatch.setattr(fast_search, "fast_greedy_search", answer)
    right, _ = exact_matches(None, [[7], [8], [9]], [[5], [5, 6], [5, 6]], batch_size=2)
    np.testing.assert_array_equal(right, [True, True, False])


BAD_OPTIONS = [
    ({"decoder": "luong"}, "decoder is 'luong'"),
    ({"attention": {"score": "dot"}}, "options for attention, but decoder is"),
    ({"units": 0}, "units is 0"),
    ({"sequence_length": None}, "sequence_length is None"),
    ({"decoder": "attention", "attention": {"score": "cos"}}, "score is 'cos'"),
]


@pytest.mark.parametrize("options, said", BAD_OPTIONS)
def test_impossible_options_are_refused(options, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        RecurrentSeq2Seq(**{"vocab_size": 12, "sequence_length": 9, **options})


def test_calls_that_a_model_cannot_answer_are_refused():
    model = RecurrentSeq2Seq(12, 9, 5, 6)
    ids = np.ones((3, 10), "int32")
    with pytest.raises(ValueError, match="positions for 9 tokens"):
        fast_search.fast_greedy_search(model, ids, 5)
    with pytest.raises(ValueError, match="decoder 'vanilla' has no attention"):
        model.cross_attention((ids, ids))
    with pytest.raises(ValueError, match="1 sources, but 2 targets"):
        teacher_forcing_arrays([[7]], [[5], [6]])
