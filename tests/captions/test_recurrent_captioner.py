"""The GRU captioner: NumPy loops, REINFORCE by enumeration, hidden and equal looks."""

import itertools
from functools import partial

import layer_battery as lb
import numpy as np
import pytest
from caption_models import (
    IMAGES,
    WORDS,
    D,
    T,
    U,
    V,
    build,
    run,
    steady_encoder,
    steady_twins,
)
from keras import ops

from course_utils.captions.recurrent import doubly_stochastic_penalty
from course_utils.captions.reinforce import rewards_to_go
from course_utils.text.vectorizers import END, START, UNKNOWN
from course_utils.training import MaskedCrossEntropy


@pytest.mark.parametrize("attention", ["mean", "soft", "hard"])
def test_model_equals_the_loop(attention):
    model = build(attention)
    cells = lb.to_numpy(model.encoder(IMAGES))
    (table,) = model.embedding.get_weights()
    from_state, bias = model.state_dense.get_weights()
    (from_context,) = model.context_dense.get_weights()
    found = run(model)
    for row, words in enumerate(WORDS):
        state, context = np.zeros(U), np.zeros(D)
        for t, word in enumerate(words):
            x = np.concatenate([table[word], context])
            state = lb.gru_step(model.attention_step.cell, x, state)
            if attention == "mean":
                context = cells[row].mean(axis=0)
            else:
                (kernel,) = model.attention_step.attention.get_weights()
                scores = cells[row] @ (state @ kernel)
                powers = np.exp(scores - scores.max())
                context = powers @ cells[row] / powers.sum()
                if attention == "hard":
                    context = cells[row, scores.argmax()]
            expected = state @ from_state + context @ from_context + bias
            np.testing.assert_allclose(found[row, t], expected, rtol=1e-4, atol=1e-4)


def reinforced(**options):
    options = {"soft_rate": 0.0, "entropy": 0.0, **options}
    return build("hard", steady_encoder(), reinforce_options=options)


def follow_script(model, script, training, monkeypatch):
    """Take told cells instead of drawn ones.

    Returns:
        The logits for the caption 6, END, and the probability of the script.
    """
    probabilities = []

    def choose(weights, mixed=None):
        cell = script[len(probabilities)]
        probabilities.append(weights[0, 0, cell])
        chosen = ops.one_hot(ops.full(weights.shape[:2], cell, "int32"), 4)
        return ops.cast(chosen, weights.dtype)

    monkeypatch.setattr(model.attention_step, "choose", choose)
    logits = model((IMAGES[:1], np.array([[START, 6]])), training=training)
    return logits, probabilities[0] * probabilities[1]


def gradients(function, weights):
    found = zip(lb.gradients(function, weights), weights, strict=True)
    return [np.zeros(w.shape) if g is None else lb.to_numpy(g) for g, w in found]


@pytest.mark.parametrize("baseline", [True, False])
def test_reinforce_has_the_gradient_of_the_expected_log_probability(
    baseline, monkeypatch
):
    """All 16 ways to look twice at 4 cells: no draw, so no error of the draws."""
    model = reinforced(baseline=baseline, weight=1.0)
    scripts = list(itertools.product(range(4), repeat=2))
    probabilities, weights = [], model.trainable_weights

    def expected_loss():
        total = 0.0
        for script in scripts:
            logits, probability = follow_script(model, script, False, monkeypatch)
            log_probs = ops.log_softmax(logits[0])
            total += probability * (log_probs[0, 6] + log_probs[1, END])
        return -total / 2  # per word

    def loss(script):
        logits, probability = follow_script(model, script, True, monkeypatch)
        probabilities.append(float(probability))
        return MaskedCrossEntropy()(np.array([[6, END]]), logits) + sum(model.losses)

    right = gradients(expected_loss, weights)
    found = [np.zeros(one.shape) for one in right]
    for script in scripts:
        model.baseline.expected_reward.assign([-2.0, -5.0, 0, 0, 0])  # any must do
        own = gradients(partial(loss, script), weights)
        for one, gradient in zip(found, own, strict=True):
            one += probabilities[-1] * gradient
    assert abs(sum(probabilities) - 1) < 1e-5
    for one, other in zip(found, right, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)
    size = sum(np.abs(one).max() for one in right)
    without = reinforced(weight=0.0)  # the test can fail
    without.set_weights(model.get_weights())
    follow_script(without, (0, 1), True, monkeypatch)
    assert size > 0.1 and float(sum(without.losses)) == 0


def test_rewards_to_go_equal_the_loop_and_unknown_words_bring_none():
    logits = lb.random_array(3, T, V)
    log_probs = lb.to_numpy(ops.log_softmax(logits, axis=-1))
    words = np.concatenate([WORDS, WORDS])
    words[3, 2] = UNKNOWN
    found = lb.to_numpy(rewards_to_go(np.concatenate([logits, logits]), words))
    for row, read in enumerate(words):
        following = [*read[read != 0][1:], END]
        own = [
            0 if word == UNKNOWN else log_probs[row % 3, t, word]
            for t, word in enumerate(following)
        ]
        expected = [sum(own[t:]) for t in range(T)]
        np.testing.assert_allclose(found[row], expected, rtol=1e-4)


def test_baseline_is_a_moving_average_of_the_rewards():
    model = build("hard")
    rewards = ops.convert_to_tensor([[-4.0, -2.0, 0.0], [-6.0, 0.0, 0.0]])
    real = ops.convert_to_tensor([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(model.baseline(rewards, real), [0, 0, 0])
    expected = [-0.5, -0.2, 0, 0, 0]
    np.testing.assert_allclose(model.baseline.expected_reward, expected, rtol=1e-6)
    np.testing.assert_allclose(model.baseline(rewards, real), expected[:3], rtol=1e-6)


def test_hard_training_draws_one_cell_or_takes_the_mixture():
    model = build("hard")
    weights = np.tile(np.array([0.1, 0.2, 0.3, 0.4], "float32"), (2000, 1, 1))
    mixed = (np.arange(2000) < 10).astype("float32")[:, None, None]
    choose = model.attention_step.choose
    used = lb.to_numpy(choose(ops.convert_to_tensor(weights), mixed))
    np.testing.assert_allclose(used[:10], weights[:10])
    drawn = used[10:, 0]
    assert set(np.unique(drawn)) == {0.0, 1.0} and (drawn.sum(axis=-1) == 1).all()
    np.testing.assert_allclose(drawn.mean(axis=0), weights[0, 0], atol=0.04)
    best = choose(ops.convert_to_tensor(weights[:1]))
    np.testing.assert_array_equal(best[0, 0], [0, 0, 0, 1])


def test_a_rate_of_one_trains_softly_and_may_be_set_during_training():
    hard = build("hard", steady_encoder(), reinforce_options={"soft_rate": 0.0})
    soft = build("soft", steady_encoder())
    soft.set_weights(hard.get_weights())
    drawn = lb.to_numpy(hard((IMAGES, WORDS), training=True))
    assert np.abs(drawn - run(soft)).max() > 1e-3
    hard.soft_rate.assign(1.0)
    mixed = lb.to_numpy(hard((IMAGES, WORDS), training=True))
    np.testing.assert_allclose(mixed, run(soft), **lb.TOLERANCE)
    assert abs(float(hard.losses[0])) == 0.0  # nothing was drawn
    assert float(hard.losses[1]) < 0  # entropy is rewarded


def test_dropped_contexts_are_zero_for_the_next_step_in_training_only():
    plain, hiding = steady_twins("soft", context_dropout=0.5)
    contexts = np.ones((2000, 1, D), "float32")
    fed = lb.to_numpy(hiding.drop_contexts(contexts, training=True))[:, 0]
    assert ((fed == 0).all(axis=-1) | (fed == 1).all(axis=-1)).all()
    assert abs(fed.mean() - 0.5) < 0.05
    found = lb.to_numpy(hiding((IMAGES, WORDS), training=True))
    apart = np.abs(found - run(plain)).max(axis=-1)
    assert (apart[:, 0] < 1e-5).all()  # before the first word there was no context
    assert (apart[:, 1:] > 1e-4).any()


def test_the_penalty_equals_the_loop():
    weights = np.random.default_rng(0).dirichlet(np.ones(4), size=(2, 3))
    real = np.array([[1, 1, 1], [1, 1, 0]], "float32")
    found = doubly_stochastic_penalty(weights.astype("float32"), real)
    for row, number in enumerate((3, 2)):
        expected = sum((1 - sum(weights[row, :number, s])) ** 2 for s in range(4))
        assert float(found[row]) == pytest.approx(expected, rel=1e-5)


def test_penalty_is_added_in_training_only():
    plain, punished = steady_twins("soft", doubly_stochastic=2.0)
    plain((IMAGES, WORDS), training=True)
    assert plain.losses == []
    punished((IMAGES, WORDS), training=True)
    weights = plain.cross_attention((IMAGES, WORDS))[0, :, 0]
    real = (WORDS != 0).astype("float32")
    penalties = doubly_stochastic_penalty(weights, real)
    expected = 2 * float(ops.sum(penalties)) / real.sum()
    assert float(sum(punished.losses)) == pytest.approx(expected, rel=1e-5)
