"""The GRU captioner: NumPy loops, REINFORCE by enumeration, hidden and equal looks."""

import itertools

import layer_battery as lb
import numpy as np
import pytest
import tensorflow as tf
from caption_models import IMAGES, READS, D, E, T, U, V, build, run, steady_encoder
from keras import ops

from course_utils.captions.recurrent import (
    RecurrentCaptioner,
    rewards_to_go,
    unequal_looks,
)
from course_utils.text.vectorizers import END, START, UNKNOWN
from course_utils.training import MaskedCrossEntropy

# The GRU captioner by hand


def gru_step(cell, x, state):
    """One step of a GRU, in the form of Keras's `reset_after`."""
    kernel, recurrent_kernel, bias = cell.get_weights()
    x_z, x_r, x_h = np.split(x @ kernel + bias[0], 3)
    h_z, h_r, h_h = np.split(state @ recurrent_kernel + bias[1], 3)
    update, reset = 1 / (1 + np.exp(-(x_z + h_z))), 1 / (1 + np.exp(-(x_r + h_r)))
    return update * state + (1 - update) * np.tanh(x_h + reset * h_h)


@pytest.mark.parametrize("look", ["mean", "soft", "hard"])
def test_model_equals_the_loop(look):
    model = build(look)
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


def test_the_soft_share_can_change_during_training():
    model = build("hard", steady_encoder(), soft_share=0.0)
    soft = build("soft", steady_encoder())
    soft.set_weights(model.get_weights())
    drawn = lb.to_numpy(model((IMAGES, READS), training=True))
    assert np.abs(drawn - run(soft)).max() > 1e-3
    model.soft_share.assign(1.0)
    mixed = lb.to_numpy(model((IMAGES, READS), training=True))
    np.testing.assert_allclose(mixed, run(soft), **lb.TOLERANCE)


# Hidden looks


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
