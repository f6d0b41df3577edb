"""Captioners of both kinds: order of the words, padding, steps, training, saving."""

import json

import keras
import layer_battery as lb
import numpy as np
from caption_models import (
    IMAGES,
    KINDS,
    WORDS,
    D,
    T,
    U,
    build,
    make_encoder,
    run,
    steady_twins,
)

from course_utils.captions import caption_arrays
from course_utils.captions import captioner as captions
from course_utils.generation import beam_search
from course_utils.text.vectorizers import END, PAD, START
from course_utils.training import MaskedCrossEntropy

kind, model, some = lb.kinds_of_models(KINDS, build)


def test_rows_of_attention_sum_to_one(kind, model):
    weights = lb.to_numpy(model.cross_attention((IMAGES, WORDS)))
    blocks, heads = (2, 2) if kind in ("transformer", "patches") else (1, 1)
    cells = 16 if kind == "patches" else 4
    assert weights.shape == (blocks, 3, heads, T, cells)
    np.testing.assert_allclose(weights.sum(axis=-1), 1.0, rtol=1e-5)
    if kind == "mean":
        np.testing.assert_allclose(weights, 0.25, rtol=1e-5)
    found = captions.attention_weights(model, IMAGES, WORDS, batch_size=2)
    np.testing.assert_allclose(found, weights[-1].mean(axis=1), **lb.TOLERANCE)


def test_no_peeking(model):
    logits = run(model)
    for t in (1, 4):
        changed = WORDS.copy()
        changed[:, t:] = 10
        found = run(model, words=changed)
        np.testing.assert_array_equal(found[:, :t], logits[:, :t])
        assert (found[:, t] != logits[:, t]).any()


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


@some("soft", "transformer")
def test_words_are_hidden_in_training_only(kind):
    plain, hiding = steady_twins(kind, word_dropout=0.9)
    found = lb.to_numpy(hiding((IMAGES, WORDS), training=True))
    apart = np.abs(found - run(plain)).max(axis=-1)
    assert (apart > 1e-4)[WORDS != 0].mean() > 0.5


@some("hard", "patches")
def test_fit_lowers_the_loss(kind, model):
    keras.utils.set_random_seed(0)
    model = type(model).from_config(model.get_config())  # its weights are not random
    model.build()
    loss = MaskedCrossEntropy()
    model.compile(keras.optimizers.Adam(1e-2), loss, jit_compile=False)
    words, labels = caption_arrays([[5, 6], [7], [8, 5, 9]], T)
    before = float(loss(labels, run(model, words=words)))
    model.fit((IMAGES, words), labels, epochs=40, verbose=0)
    assert float(loss(labels, run(model, words=words))) < 0.5 * before
    if kind == "hard":
        assert (lb.to_numpy(model.baseline.expected_reward)[:2] < 0).all()


def test_steps_give_the_logits_of_one_call(model):
    logits = run(model)
    encoded = model.encode_for_steps(IMAGES.reshape(3, -1))
    cache = model.empty_cache(3, T)
    for t in range(T):
        stepped, cache = model.step(WORDS[:, t], t, cache, encoded)
        real = WORDS[:, t] != 0  # steps never read padding
        stepped = lb.to_numpy(stepped)
        np.testing.assert_allclose(stepped[real], logits[real, t], **lb.TOLERANCE)


def caption_slowly(model, image):
    """Greedy search for one image that runs the whole model for every word."""
    words = [START]
    while len(words) <= T and words[-1] not in (END, PAD):  # both end a caption
        logits = run(model, image[None], np.array([words]))
        words.append(int(logits[0, -1].argmax()))
    return words[1:]


@some("soft", "hard", "transformer")
def test_greedy_and_a_beam_of_one_equal_the_slow_loop(model):
    found = captions.write_captions(model, IMAGES, batch_size=2)
    assert found.shape == (3, T)
    for row, image in zip(found, IMAGES, strict=True):
        slow = caption_slowly(model, image)
        assert row[: len(slow)].tolist() == slow
        assert not row[len(slow) :].any()
    beam, _ = beam_search(model, IMAGES.reshape(3, -1), T, beam_width=1)
    np.testing.assert_array_equal(beam, found)


@some("soft")
def test_beams_of_an_image_share_its_cells(model):
    encoded = model.encode_for_steps(IMAGES.reshape(3, -1))
    cache = [lb.random_array(6, width) for width in (U, D)]
    tokens = np.array([5, 6, 7, 8, 9, 5])
    together, _ = model.step(tokens, 2, cache, encoded)
    for row in range(6):
        own, image = [c[row, None] for c in cache], encoded[row // 2, None]
        alone, _ = model.step(tokens[row, None], 2, own, image)
        np.testing.assert_allclose(together[row], alone[0], **lb.TOLERANCE)


def test_config_round_trip(model):
    config = json.loads(json.dumps(model.get_config()))
    twin = type(model).from_config(config)
    twin.build()
    assert json.loads(json.dumps(twin.get_config())) == config
    twin.set_weights(model.get_weights())
    np.testing.assert_array_equal(run(twin), run(model))


def test_saved_models_load_in_a_fresh_process(tmp_path):
    for kind in ("soft", "hard", "patches"):
        lb.save_case(tmp_path, kind, build(kind), [IMAGES, WORDS])
    differences = lb.load_in_fresh_process(tmp_path, "course_utils.captions")
    assert set(differences) == {"soft", "hard", "patches"}
    assert max(differences.values()) <= 1e-6


@some("soft", "transformer")
def test_half_precision(kind, model):
    encoder = make_encoder(kind, dtype="mixed_bfloat16")
    twin = build(kind, encoder, dtype="mixed_bfloat16")
    twin.set_weights(model.get_weights())
    logits = twin((IMAGES, WORDS))
    assert lb.dtype_of(logits) == "bfloat16"
    np.testing.assert_allclose(lb.to_numpy(logits), run(model), rtol=0.3, atol=0.3)
