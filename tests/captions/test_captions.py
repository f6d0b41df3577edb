"""The captioner: a NumPy loop, order of the words, padding, steps, hiding, saving."""

import json

import keras
import layer_battery as lb
import numpy as np
from caption_models import IMAGES, KINDS, WORDS, D, T, U, build, make_encoder, run

from course_utils.captions import RecurrentCaptioner
from course_utils.datasets.batches import decoder_inputs_and_labels
from course_utils.generation import beam_search, greedy_search
from course_utils.text.vectorizers import END, PAD, START
from course_utils.training import MaskedCrossEntropy

kind, model, some = lb.kinds_of_models(KINDS, build)
ROWS = IMAGES.reshape(3, -1)  # as the searches take them


def test_model_equals_the_loop(model):
    cells = lb.to_numpy(model.encoder(IMAGES))
    (table,), (kernel,) = model.embedding.get_weights(), model.query.get_weights()
    from_state, bias = model.from_state.get_weights()
    (from_context,) = model.from_context.get_weights()
    found, maps = map(lb.to_numpy, model.decode(cells, WORDS))
    np.testing.assert_allclose(found, run(model), **lb.TOLERANCE)
    np.testing.assert_allclose(maps.sum(axis=-1), 1.0, rtol=1e-5)
    for row, words in enumerate(WORDS):
        state, context = np.zeros(U), np.zeros(D)
        for t, word in enumerate(words):
            x = np.concatenate([table[word], context])
            state = lb.gru_step(model.cell, x, state)
            scores = cells[row] @ (state @ kernel)
            powers = np.exp(scores - scores.max())
            np.testing.assert_allclose(maps[row, t], powers / powers.sum(), atol=1e-5)
            context = powers @ cells[row] / powers.sum()
            expected = state @ from_state + context @ from_context + bias
            np.testing.assert_allclose(found[row, t], expected, rtol=1e-4, atol=1e-4)


def test_no_peeking(model):
    lb.check_no_peeking(lambda words: run(model, words=words), WORDS)


def test_padding_changes_nothing(model):
    logits = run(model)
    for row, length in enumerate((WORDS != 0).sum(axis=1)):
        alone = run(model, IMAGES[row, None], WORDS[row, None, :length])
        np.testing.assert_allclose(alone[0], logits[row, :length], **lb.TOLERANCE)


def test_each_image_matters_to_its_own_caption_only(model):
    changed = IMAGES.copy()
    changed[0] = 255 - changed[0]
    difference = np.abs(run(model, changed) - run(model))
    assert difference[0].max(axis=-1).min() > 1e-6
    np.testing.assert_allclose(difference[1:], 0, atol=1e-6)


@some("patches")  # no batch norm: the same in training
def test_words_and_contexts_are_hidden_in_training_only(model):
    logits = run(model)
    for options, same in (("word_dropout", 0.9), 0), (("context_dropout", 0.5), 1):
        twin = build("patches", **dict([options]))
        twin.set_weights(model.get_weights())
        np.testing.assert_array_equal(run(twin), logits)
        found = lb.to_numpy(twin((IMAGES, WORDS), training=True))
        apart = np.abs(found - logits).max(axis=-1) > 1e-4
        assert not apart[:, :same].any() and apart[:, same:][WORDS[:, same:] != 0].any()
    fed = lb.to_numpy(twin.hide(np.ones((2000, D), "float32"), training=True))
    assert ((fed == 0).all(axis=-1) | (fed == 1).all(axis=-1)).all()
    assert abs(fed.mean() - 0.5) < 0.05


@some("patches")
def test_fit_lowers_the_loss(model):
    keras.utils.set_random_seed(0)
    model = RecurrentCaptioner.from_config(model.get_config())  # not random weights
    model.build()
    loss = MaskedCrossEntropy()
    model.compile(keras.optimizers.Adam(1e-2), loss)
    words, labels = decoder_inputs_and_labels([[5, 6], [7], [8, 5, 9]], T)
    before = float(loss(labels, run(model, words=words)))
    model.fit((IMAGES, words), labels, epochs=40, verbose=0)
    assert float(loss(labels, run(model, words=words))) < 0.5 * before


def test_steps_give_the_logits_of_one_call(model):
    logits, encoded = run(model), model.encode_for_steps(ROWS)
    cache = model.empty_cache(3, T)
    for t in range(T):
        stepped, cache = model.step(WORDS[:, t], t, cache, encoded)
        np.testing.assert_allclose(stepped, logits[:, t], **lb.TOLERANCE)


def caption_slowly(model, image):
    """Greedy search for one image that runs the whole model for every word."""
    words = [START]
    while len(words) <= T and words[-1] not in (END, PAD):  # both end a caption
        logits = run(model, image[None], np.array([words]))
        words.append(int(logits[0, -1].argmax()))
    return words[1:]


def test_greedy_and_a_beam_of_one_equal_the_slow_loop(model):
    found = greedy_search(model, ROWS, T)
    for row, image in zip(found, IMAGES, strict=True):
        slow = caption_slowly(model, image)
        assert row[: len(slow)].tolist() == slow and not row[len(slow) :].any()
    beam, _ = beam_search(model, ROWS, T, beam_width=1)
    np.testing.assert_array_equal(beam, found)


def test_beams_of_an_image_share_its_cells(model):
    encoded = model.encode_for_steps(ROWS)
    cache = [lb.random_array(6, width) for width in (U, D)]
    tokens = np.array([5, 6, 7, 8, 9, 5])
    together, _ = model.step(tokens, 2, cache, encoded)
    for row in range(6):
        own, image = [c[row, None] for c in cache], encoded[row // 2, None]
        alone, _ = model.step(tokens[row, None], 2, own, image)
        np.testing.assert_allclose(together[row], alone[0], **lb.TOLERANCE)


def test_config_round_trip(model):
    config = json.loads(json.dumps(model.get_config()))
    twin = RecurrentCaptioner.from_config(config)
    twin.build()
    assert json.loads(json.dumps(twin.get_config())) == config
    twin.set_weights(model.get_weights())
    np.testing.assert_array_equal(run(twin), run(model))


def test_saved_models_load_in_a_fresh_process(tmp_path):
    cases = {kind: (build(kind), [IMAGES, WORDS]) for kind in KINDS}
    lb.check_saved(tmp_path, cases, "course_utils.captions")


def test_half_precision(kind, model):
    encoder = make_encoder(kind, dtype="mixed_bfloat16")
    twin = build(kind, encoder, dtype="mixed_bfloat16")
    twin.set_weights(model.get_weights())
    logits = twin((IMAGES, WORDS))
    assert lb.dtype_of(logits) == "bfloat16"
    np.testing.assert_allclose(lb.to_numpy(logits), run(model), rtol=0.3, atol=0.3)
