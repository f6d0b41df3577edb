"""Captioners: loops, REINFORCE by enumeration, steps, padding, saving."""

import itertools
import json

import keras
import layer_battery as lb
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from course_utils import captions
from course_utils.generation import beam_search
from course_utils.images import ConvEncoder, PatchEncoder
from course_utils.recurrent_captioner import (
    RecurrentCaptioner,
    rewards_to_go,
    unequal_looks,
)
from course_utils.text import END, PAD, START, UNKNOWN
from course_utils.training import MaskedCrossEntropy
from course_utils.transformer_captioner import TransformerCaptioner

SIZE, D, V, T, E, U = 8, 6, 11, 5, 4, 7
READS = np.array([[2, 6, 7, 8, 9], [2, 5, 9, 0, 0], [2, 4, 0, 0, 0]], "int32")
IMAGES = np.random.default_rng(0).integers(0, 256, (3, SIZE, SIZE, 3)).astype("uint8")
LOOKS = {
    "mean": {"look": "mean"},
    "soft": {},
    "additive": {"score": "additive"},
    "hard": {"look": "hard"},
}
KINDS = [*LOOKS, "transformer", "patches"]
each_kind = pytest.mark.parametrize("kind", KINDS)
each_look = pytest.mark.parametrize("look", LOOKS)


def make_encoder(kind="soft", **options):
    if kind == "patches":
        return PatchEncoder(
            SIZE, D, patch_size=2, num_blocks=2, dense_dim=5, num_heads=2, **options
        )
    return ConvEncoder(SIZE, D, filters=(3, 4), strides=(2, 2), **options)


def steady_encoder():
    """An encoder of 4 cells that computes the same in training: no batch norm."""
    return PatchEncoder(SIZE, D, patch_size=4, dense_dim=5, num_heads=2)


def build(kind, encoder=None, **options):
    encoder = encoder or make_encoder(kind)
    if kind in LOOKS:
        model = RecurrentCaptioner(encoder, V, T, E, U, **{**LOOKS[kind], **options})
    else:
        model = TransformerCaptioner(encoder, V, T, 5, 2, num_blocks=2, **options)
    model.build()
    return lb.randomize(model)


def run(model, images=IMAGES, reads=READS):
    return lb.to_numpy(model((images, reads)))


@pytest.fixture(scope="module")
def models():
    return {kind: build(kind) for kind in KINDS}


# The GRU captioner by hand


def gru_step(cell, x, state):
    """One step of a GRU, in the form of Keras's `reset_after`."""
    kernel, recurrent_kernel, bias = cell.get_weights()
    x_z, x_r, x_h = np.split(x @ kernel + bias[0], 3)
    h_z, h_r, h_h = np.split(state @ recurrent_kernel + bias[1], 3)
    update, reset = 1 / (1 + np.exp(-(x_z + h_z))), 1 / (1 + np.exp(-(x_r + h_r)))
    return update * state + (1 - update) * np.tanh(x_h + reset * h_h)


@pytest.mark.parametrize("look", ["mean", "soft", "hard"])
def test_model_equals_the_loop(look, models):
    model = models[look]
    cells = lb.to_numpy(model.encoder(IMAGES))
    (table,) = model.embedding.get_weights()
    found = run(model)
    for row, reads in enumerate(READS):
        state, context = np.zeros(U), np.zeros(D)
        for t, word in enumerate(reads):
            x = np.concatenate([table[word], context])
            state = gru_step(model.cell, x, state)
            if look == "mean":
                context = cells[row].mean(axis=0)
            else:
                (kernel,) = model.attention.get_weights()
                scores = cells[row] @ (state @ kernel)
                powers = np.exp(scores - scores.max())
                weights = powers / powers.sum()
                context = weights @ cells[row]
                if look == "hard":
                    context = cells[row, scores.argmax()]
            from_state, bias = model.state_dense.get_weights()
            (from_look,) = model.look_dense.get_weights()
            expected = state @ from_state + context @ from_look + bias
            np.testing.assert_allclose(found[row, t], expected, rtol=1e-4, atol=1e-4)


@each_kind
def test_rows_of_looks_sum_to_one(kind, models):
    weights = lb.to_numpy(models[kind].cross_attention((IMAGES, READS)))
    blocks, heads = (2, 2) if kind in ("transformer", "patches") else (1, 1)
    cells = 16 if kind == "patches" else 4
    assert weights.shape == (blocks, 3, heads, T, cells)
    np.testing.assert_allclose(weights.sum(axis=-1), 1.0, rtol=1e-5)
    if kind == "mean":
        np.testing.assert_allclose(weights, 0.25, rtol=1e-5)


# What may and what may not change the output


@each_kind
def test_no_peeking(kind, models):
    logits = run(models[kind])
    for t in (1, 4):
        changed = READS.copy()
        changed[:, t:] = 10
        before = run(models[kind], reads=changed)[:, :t]
        np.testing.assert_array_equal(before, logits[:, :t])
        assert (run(models[kind], reads=changed)[:, t] != logits[:, t]).any()


@each_kind
def test_padding_changes_nothing(kind, models):
    logits = run(models[kind])
    for row, length in enumerate((READS != 0).sum(axis=1)):
        one = slice(row, row + 1)
        alone = run(models[kind], IMAGES[one], READS[one, :length])
        np.testing.assert_allclose(alone[0], logits[row, :length], **lb.TOLERANCE)


@each_kind
def test_each_image_matters_to_its_own_caption_only(kind, models):
    logits = run(models[kind])
    changed = IMAGES.copy()
    changed[0] = 255 - changed[0]
    difference = np.abs(run(models[kind], changed) - logits)
    assert difference[0].max(axis=-1).min() > 1e-6
    np.testing.assert_allclose(difference[1:], 0, atol=1e-6)


# REINFORCE


class Scripted(RecurrentCaptioner):
    """Takes the cells that it is told instead of drawing them."""

    def choose(self, weights, take_all=None):
        place = self.script[len(self.chances)]
        self.chances.append(weights[0, 0, place])
        chosen = ops.one_hot(ops.full(weights.shape[:2], place, "int32"), 4)
        return ops.cast(chosen, weights.dtype)


def scripted(**options):
    options = {"soft_share": 0.0, "entropy": 0.0, **options}
    model = Scripted(steady_encoder(), V, T, E, U, look="hard", **options)
    model.build()
    return lb.randomize(model)


def follow_script(model, script, training):
    """Return the logits for the caption 6, END, and the probability of the script."""
    model.script, model.chances = script, []
    reads = np.array([[START, 6]])
    logits = model((IMAGES[:1], reads), training=training)
    return logits, tf.reduce_prod(model.chances)


def as_arrays(gradients, model):
    return [
        np.zeros(w.shape) if g is None else lb.to_numpy(tf.convert_to_tensor(g))
        for g, w in zip(gradients, model.trainable_weights, strict=True)
    ]


@pytest.mark.parametrize("baseline", [True, False])
def test_reinforce_has_the_gradient_of_the_expected_log_probability(baseline):
    """All 16 ways to look twice at 4 cells: no draw, so no error of the draws."""
    model = scripted(baseline=baseline, reinforce=1.0)
    model.expected_reward.assign([-2.0, -5.0, 0, 0, 0])  # any baseline must do
    says, values = np.array([[6, END]]), [w.value for w in model.trainable_weights]
    scripts = list(itertools.product(range(4), repeat=2))
    with tf.GradientTape() as tape:
        expected_log_prob = 0.0
        for script in scripts:
            logits, chance = follow_script(model, script, training=False)
            log_probs = ops.log_softmax(logits[0])
            log_prob = log_probs[0, 6] + log_probs[1, END]
            expected_log_prob += chance * log_prob
        loss = -expected_log_prob / 2  # per word
    right = as_arrays(tape.gradient(loss, values), model)
    found, total = [np.zeros(one.shape) for one in right], 0.0
    for script in scripts:
        model.expected_reward.assign([-2.0, -5.0, 0, 0, 0])
        with tf.GradientTape() as tape:
            logits, chance = follow_script(model, script, training=True)
            loss = MaskedCrossEntropy()(says, logits) + sum(model.losses)
        gradients = as_arrays(tape.gradient(loss, values), model)
        chance = float(chance)
        total += chance
        found = [f + chance * g for f, g in zip(found, gradients, strict=True)]
    assert abs(total - 1) < 1e-5
    for one, other in zip(found, right, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)
    size = sum(np.abs(one).max() for one in right)
    without = scripted(reinforce=0.0)  # the test can fail
    without.set_weights(model.get_weights())
    follow_script(without, (0, 1), training=True)
    assert size > 0.1 and float(sum(without.losses)) == 0


def test_rewards_to_go_equal_the_loop():
    logits = lb.random_array(3, T, V)
    found = lb.to_numpy(rewards_to_go(logits, READS))
    for row, reads in enumerate(READS):
        words = [*reads[reads != 0][1:], END]
        chances = np.exp(logits[row]) / np.exp(logits[row]).sum(-1, keepdims=True)
        log_probs = [np.log(chances[t, word]) for t, word in enumerate(words)]
        expected = [sum(log_probs[t:]) for t in range(len(words))]
        np.testing.assert_allclose(found[row, : len(words)], expected, rtol=1e-4)
        assert (found[row, len(words) :] == 0).all()


def test_unknown_words_bring_no_reward():
    logits = lb.random_array(3, T, V)
    reads = READS.copy()
    reads[0, 2] = UNKNOWN
    whole, part = (lb.to_numpy(rewards_to_go(logits, r)) for r in (READS, reads))
    log_probs = lb.to_numpy(ops.log_softmax(logits, axis=-1))
    lost = np.zeros_like(whole)
    lost[0, :2] = log_probs[0, 1, READS[0, 2]]  # places 0 and 1 come before the word
    np.testing.assert_allclose(part, whole - lost, rtol=1e-4)


def test_baseline_is_a_moving_average_of_the_rewards():
    model = build("hard")
    rewards = ops.convert_to_tensor([[-4.0, -2.0, 0.0], [-6.0, 0.0, 0.0]])
    real = ops.convert_to_tensor([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    before = model.follow(rewards, real)
    np.testing.assert_array_equal(lb.to_numpy(before), [0, 0, 0])
    expected = [-0.5, -0.2, 0, 0, 0]
    np.testing.assert_allclose(model.expected_reward, expected, rtol=1e-6)
    np.testing.assert_allclose(model.follow(rewards, real), expected[:3], rtol=1e-6)


def test_hard_training_draws_one_cell_or_takes_the_mixture():
    model = build("hard")
    weights = np.tile(np.array([[[0.1, 0.2, 0.3, 0.4]]], "float32"), (2000, 1, 1))
    take_all = np.zeros((2000, 1, 1), "float32")
    take_all[:10] = 1
    used = lb.to_numpy(model.choose(ops.convert_to_tensor(weights), take_all))
    np.testing.assert_allclose(used[:10], weights[:10])
    drawn = used[10:, 0]
    assert set(np.unique(drawn)) == {0.0, 1.0} and (drawn.sum(axis=-1) == 1).all()
    np.testing.assert_allclose(drawn.mean(axis=0), weights[0, 0], atol=0.04)
    best = lb.to_numpy(model.choose(ops.convert_to_tensor(weights[:1])))
    np.testing.assert_array_equal(best[0, 0], [0, 0, 0, 1])


def test_a_share_of_one_trains_softly():
    hard = build("hard", steady_encoder(), soft_share=1.0)
    soft = build("soft", steady_encoder())
    soft.set_weights(hard.get_weights())
    found = lb.to_numpy(hard((IMAGES, READS), training=True))
    np.testing.assert_allclose(found, run(soft), **lb.TOLERANCE)
    assert abs(float(hard.losses[0])) == 0.0  # nothing was drawn
    assert float(hard.losses[1]) < 0  # doubt is rewarded


@pytest.mark.parametrize("kind", ["soft", "transformer"])
def test_words_are_hidden_in_training_only(kind):
    plain = build(kind, steady_encoder())
    hiding = build(kind, steady_encoder(), hidden_words=0.9)
    hiding.set_weights(plain.get_weights())
    np.testing.assert_array_equal(run(hiding), run(plain))
    found = lb.to_numpy(hiding((IMAGES, READS), training=True))
    apart = np.abs(found - run(plain)).max(axis=-1)
    assert (apart > 1e-4)[READS != 0].mean() > 0.5


def test_hidden_looks_are_zero_for_the_next_step_in_training_only():
    plain = build("soft", steady_encoder())
    hiding = build("soft", steady_encoder(), hidden_looks=0.5)
    hiding.set_weights(plain.get_weights())
    np.testing.assert_array_equal(run(hiding), run(plain))
    contexts = np.ones((2000, 1, D), "float32")
    fed = lb.to_numpy(hiding.hide_looks(contexts, training=True))[:, 0]
    assert ((fed == 0).all(axis=-1) | (fed == 1).all(axis=-1)).all()
    assert abs(fed.mean() - 0.5) < 0.05
    found = lb.to_numpy(hiding((IMAGES, READS), training=True))
    apart = np.abs(found - run(plain)).max(axis=-1)
    assert (apart[:, 0] < 1e-5).all()  # before the first word there was no look
    assert (apart[:, 1:] > 1e-4).any()


def test_the_soft_share_can_change_during_training():
    model = build("hard", steady_encoder(), soft_share=0.0)
    soft = build("soft", steady_encoder())
    soft.set_weights(model.get_weights())
    drawn = lb.to_numpy(model((IMAGES, READS), training=True))
    assert np.abs(drawn - run(soft)).max() > 1e-3
    model.soft_share.assign(1.0)
    mixed = lb.to_numpy(model((IMAGES, READS), training=True))
    np.testing.assert_allclose(mixed, run(soft), **lb.TOLERANCE)


# Doubly stochastic attention


def test_unequal_looks_equal_the_loop():
    weights = np.random.default_rng(0).dirichlet(np.ones(4), size=(2, 3))
    real = np.array([[1, 1, 1], [1, 1, 0]], "float32")
    found = unequal_looks(weights.astype("float32"), real)
    for row in range(2):
        sums = [
            sum(weights[row, t, s] for t in range(3) if real[row, t]) for s in range(4)
        ]
        expected = sum((1 - one) ** 2 for one in sums)
        assert float(found[row]) == pytest.approx(expected, rel=1e-5)


def test_penalty_is_added_in_training_only():
    plain = build("soft", steady_encoder())
    punished = build("soft", steady_encoder(), equal_looks=2.0)
    punished.set_weights(plain.get_weights())
    np.testing.assert_array_equal(run(plain), run(punished))
    plain((IMAGES, READS), training=True)
    assert plain.losses == []
    punished((IMAGES, READS), training=True)
    weights = plain.cross_attention((IMAGES, READS))[0, :, 0]
    real = (READS != 0).astype("float32")
    penalties = unequal_looks(weights, real)
    expected = 2 * float(ops.sum(penalties)) / real.sum()
    assert float(sum(punished.losses)) == pytest.approx(expected, rel=1e-5)


# Training


@pytest.mark.parametrize("kind", ["hard", "patches"])
def test_fit_lowers_the_loss(kind):
    keras.utils.set_random_seed(0)
    built = build(kind)
    model = type(built).from_config(built.get_config())  # its weights are not random
    model.build()
    model.compile(keras.optimizers.Adam(1e-2), MaskedCrossEntropy(), jit_compile=False)
    reads, says = captions.caption_arrays([[5, 6], [7], [8, 5, 9]], T)
    before = float(MaskedCrossEntropy()(says, run(model, reads=reads)))
    model.fit((IMAGES, reads), says, epochs=40, verbose=0)
    after = float(MaskedCrossEntropy()(says, run(model, reads=reads)))
    assert after < 0.5 * before
    if kind == "hard":
        assert (lb.to_numpy(model.expected_reward)[:2] < 0).all()


# Decoding


@each_kind
def test_steps_give_the_logits_of_one_call(kind, models):
    model = models[kind]
    logits = run(model)
    encoded = model.encode_for_steps(IMAGES.reshape(3, -1))
    cache = model.empty_cache(3, T)
    for t in range(T):
        stepped, cache = model.step(READS[:, t], t, cache, encoded)
        real = READS[:, t] != 0  # steps never read padding
        stepped = lb.to_numpy(stepped)
        np.testing.assert_allclose(stepped[real], logits[real, t], **lb.TOLERANCE)


def caption_slowly(model, image):
    """Greedy search for one image that runs the whole model for every word."""
    words = [START]
    while len(words) <= T and words[-1] not in (END, PAD):  # both end a caption
        logits = run(model, image[None], np.array([words]))
        words.append(int(logits[0, -1].argmax()))
    return words[1:]


@pytest.mark.parametrize("kind", ["soft", "hard", "transformer"])
def test_captions_equal_the_slow_loop_one_at_a_time(kind, models):
    found = captions.write_captions(models[kind], IMAGES, batch_size=2)
    assert found.shape == (3, T)
    for row, image in zip(found, IMAGES, strict=True):
        slow = caption_slowly(models[kind], image)
        assert row[: len(slow)].tolist() == slow
        assert not row[len(slow) :].any()


@pytest.mark.parametrize("kind", ["soft", "transformer"])
def test_beam_of_one_is_greedy(kind, models):
    rows = IMAGES.reshape(3, -1)
    found, _ = beam_search(models[kind], rows, T, beam_width=1)
    np.testing.assert_array_equal(found, captions.write_captions(models[kind], IMAGES))


def test_beams_of_an_image_share_its_cells(models):
    model = models["soft"]
    encoded = model.encode_for_steps(IMAGES.reshape(3, -1))
    cache = [lb.random_array(6, width) for width in (U, D)]
    tokens = np.array([5, 6, 7, 8, 9, 5])
    together, _ = model.step(tokens, 2, cache, encoded)
    for row in range(6):
        one = slice(row, row + 1)
        alone, _ = model.step(
            tokens[one], 2, [c[one] for c in cache], encoded[row // 2 : row // 2 + 1]
        )
        np.testing.assert_allclose(together[row], alone[0], **lb.TOLERANCE)


@pytest.mark.parametrize("kind", ["soft", "patches"])
def test_looks_are_those_of_the_last_block(kind, models):
    found = captions.looks_of(models[kind], IMAGES, READS, batch_size=2)
    weights = lb.to_numpy(models[kind].cross_attention((IMAGES, READS)))
    np.testing.assert_allclose(found, weights[-1].mean(axis=1), **lb.TOLERANCE)


# Arrays


def test_caption_arrays():
    reads, says = captions.caption_arrays([[5, 6], [7]], 4)
    assert reads.tolist() == [[2, 5, 6, 0], [2, 7, 0, 0]]
    assert says.tolist() == [[5, 6, 3, 0], [7, 3, 0, 0]]


# Saving


@each_kind
def test_config_round_trip(kind, models):
    model = models[kind]
    config = json.loads(json.dumps(model.get_config()))
    twin = type(model).from_config(config)
    twin.build()
    assert json.loads(json.dumps(twin.get_config())) == config
    twin.set_weights(model.get_weights())
    np.testing.assert_array_equal(run(twin), run(model))


def test_saved_models_load_in_a_fresh_process(models, tmp_path, monkeypatch):
    for kind in ("soft", "hard", "patches"):
        lb.save_case(tmp_path, kind, models[kind], [IMAGES, READS])
    imports = "from course_utils import recurrent_captioner, transformer_captioner"
    load = lb.LOAD.replace("import course_utils.layers", imports)
    monkeypatch.setattr(lb, "LOAD", load)
    differences = lb.load_in_fresh_process(tmp_path)
    assert set(differences) == {"soft", "hard", "patches"}
    assert max(differences.values()) <= 1e-6


def test_half_precision(models):
    for kind in ("soft", "transformer"):
        config = models[kind].get_config()
        encoder = make_encoder(kind, dtype="mixed_bfloat16")
        for name in ("encoder", "dtype"):
            config.pop(name)
        twin = type(models[kind])(encoder, **config, dtype="mixed_bfloat16")
        twin.build()
        twin.set_weights(models[kind].get_weights())
        logits = twin((IMAGES, READS))
        assert keras.backend.standardize_dtype(logits.dtype) == "bfloat16"
        np.testing.assert_allclose(
            lb.to_numpy(logits), run(models[kind]), rtol=0.3, atol=0.3
        )


# Bad input


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: build("soft", look="hart"), "look is 'hart'; expected one of"),
        (lambda: build("soft", score="best"), "score is 'best'"),
        (lambda: build("soft", hidden_looks=1), "hidden_looks is 1; it must be"),
        (lambda: captions.caption_arrays([[5] * 9], 4), "length is 4"),
    ],
)
def test_bad_input_is_told_in_one_sentence(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("kind", ["soft", "transformer"])
def test_too_long_captions(kind, models):
    with pytest.raises(ValueError, match="at most caption_length=5"):
        models[kind]((IMAGES, np.full((3, 6), 2)))
