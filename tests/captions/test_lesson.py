"""What only the lesson on captions builds: REINFORCE, masks, new colours."""

import itertools
from functools import partial

import layer_battery as lb
import numpy as np
import pytest
from keras import layers, ops

from benchmarks.lessons import captions as lesson
from course_utils.datasets import shapes
from course_utils.text.vectorizers import END, PAD, START
from course_utils.training import MaskedCrossEntropy

V, T = 11, lesson.T
READ = np.array([[START, 6] + (T - 2) * [PAD]])
SAID = np.array([[6, END] + (T - 2) * [PAD]])
IMAGE = np.random.default_rng(0).normal(size=(1, 4, 5)).astype("float32")


class FourCells(layers.Layer):
    """An encoder that gives four cells of a (B, 4, 5) array a vector each."""

    embed_dim = 3

    def build(self, input_shape):
        self.dense = layers.Dense(3)
        self.dense.build(input_shape)

    def call(self, images, training=False):
        return self.dense(images)


def hard_captioner(**options):
    model = lesson.HardCaptioner(FourCells(), V, 0.0, 0.0, **options)
    model((IMAGE, READ))
    return lb.randomize(model)


def follow_script(model, script, training):
    """Take told cells instead of drawn ones: what the model gives, p of the script."""
    probabilities = []

    def choose(weights, training=False):
        step = len(probabilities)
        cell = script[step] if step < 2 else 0  # later there is padding only
        probabilities.append(weights[0, cell])
        return ops.one_hot(np.array([cell]), 4)

    model.choose = choose
    predicted = model((IMAGE, READ), training=training)
    return predicted, probabilities[0] * probabilities[1]


def gradients(function, weights):
    found = zip(lb.gradients(function, weights), weights, strict=True)
    return [np.zeros(w.shape) if g is None else lb.to_numpy(g) for g, w in found]


@pytest.mark.parametrize("baseline", [0.0, -3.0])  # any must do
def test_reinforce_has_the_gradient_of_the_expected_log_probability(baseline):
    """All 16 ways to choose twice among 4 cells: no draw, so no error of the draws."""
    model = hard_captioner(reward=1.0, entropy=0.0)
    scripts = list(itertools.product(range(4), repeat=2))
    probabilities, weights = [], model.trainable_weights
    smoothed = partial(lesson.RecurrentCaptioner.compute_loss, model)

    def expected_loss():
        total = 0.0
        for script in scripts:
            (logits, *_), probability = follow_script(model, script, False)
            log_probs = ops.log_softmax(logits[0])
            total += probability * (log_probs[0, 6] + log_probs[1, END])
        return -total / 2  # per word

    def loss(script):
        model.usual.assign(np.full(T, baseline))
        y_pred, probability = follow_script(model, script, True)
        probabilities.append(float(probability))
        own = model.compute_loss(y=SAID, y_pred=y_pred)  # its labels are smoothed
        exact = MaskedCrossEntropy()(SAID, y_pred[0])
        return own - smoothed(y=SAID, y_pred=y_pred) + exact

    right = gradients(expected_loss, weights)
    found = [np.zeros(one.shape) for one in right]
    for script in scripts:
        own = gradients(partial(loss, script), weights)
        for one, gradient in zip(found, own, strict=True):
            one += probabilities[-1] * gradient
    assert abs(sum(probabilities) - 1) < 1e-5
    lb.assert_close(found, right, rtol=1e-3, atol=1e-4)
    assert sum(np.abs(one).max() for one in right) > 0.1
    model.reward = 0.0  # then it isn't: the test can fail
    (alone,) = gradients(partial(loss, (0, 1)), [model.query.kernel])
    (wanted,) = gradients(expected_loss, [model.query.kernel])
    assert not alone.any() and wanted.any()
    frozen = hard_captioner(reward=0.0, entropy=0.0)  # weight decay would change Q
    assert not frozen.query.trainable_weights and model.query.trainable_weights


def test_rewards_to_go_equal_the_loop_and_missing_words_bring_none():
    logits = lb.random_array(2, 4, V)
    log_probs = lb.to_numpy(ops.log_softmax(logits, axis=-1))
    labels = np.array([[6, PAD, 7, END], [8, END, PAD, PAD]])  # PAD: a colour, the rest
    found = lb.to_numpy(lesson.rewards_to_go(labels, logits))
    for row, words in enumerate(labels):
        own = [log_probs[row, t, w] if w != PAD else 0 for t, w in enumerate(words)]
        right = [sum(own[t:]) for t in range(4)]
        np.testing.assert_allclose(found[row], right, rtol=1e-4)


def test_the_baseline_follows_the_mean_reward_and_draws_follow_the_weights():
    model = hard_captioner()
    weights = np.tile(np.array([0.1, 0.2, 0.3, 0.4], "float32"), (2000, 1))
    drawn = lb.to_numpy(model.choose(weights, training=True))
    assert set(np.unique(drawn)) == {0.0, 1.0} and (drawn.sum(axis=-1) == 1).all()
    np.testing.assert_allclose(drawn.mean(axis=0), weights[0], atol=0.04)
    np.testing.assert_array_equal(model.choose(weights)[0], [0, 0, 0, 1])
    predicted = model((IMAGE, READ), training=True)
    model.compute_loss(y=SAID, y_pred=predicted)
    expected = 0.1 * lb.to_numpy(lesson.rewards_to_go(SAID, predicted[0]))[0]
    np.testing.assert_allclose(model.usual, expected, rtol=1e-5)


def test_touched_cells_and_hits_equal_the_loop():
    masks = np.random.default_rng(0).random((2, 3, 6, 6)) < 0.15
    found = lesson.touched_cells(masks, 3)
    assert found.shape == (2, 3, 9) and 0 < found.mean() < 1
    near = lesson.spread(found.reshape(6, 9), 3).reshape(found.shape)
    for *which, row, column in np.ndindex(2, 3, 3, 3):
        square = masks[*which, 2 * row : 2 * row + 2, 2 * column : 2 * column + 2]
        assert found[*which, 3 * row + column] == square.any()
        around = found[*which].reshape(3, 3)[max(row - 1, 0) :, max(column - 1, 0) :]
        around = around[: 2 + (row > 0), : 2 + (column > 0)]
        assert near[*which, 3 * row + column] == around.any()
    weights = np.random.default_rng(1).dirichlet(np.ones(9), size=6)
    hits = [
        flat[list(row).index(max(row))]
        for flat, row in zip(found.reshape(6, 9), weights, strict=True)
    ]
    np.testing.assert_array_equal(lesson.hits(weights, found.reshape(6, 9)), hits)
    ties = np.array([[0.5, 0.5, 0], [0.2, 0.4, 0.4]])  # one of the best, blindly
    assert lesson.hits(ties, np.eye(3, dtype=bool)[:2]).tolist() == [0.5, 0.5]


def test_steps_are_judged_as_by_hand():
    own, other, weights = (np.zeros((4, 64)) for _ in range(3))
    own[:, 0], other[:, 63] = 1, 1
    for step, (best, beside) in enumerate([(0, 1), (40, 9), (63, 8), (40, 50)]):
        weights[step, [best, beside]] = 0.7, 0.3
    kinds = np.array([False, True, False, True])  # the first two speak of one object
    right = np.array([True, True, True, False])
    found = lesson.judge_steps(weights, own == 1, right, kinds, other == 1)
    expected = dict(pointing=0.25, near=0.25, mass=0.175, pointing_other=0.25)
    expected |= dict(pointing_colours=0.5, pointing_shapes=0, rate_far_miss=0.75)
    expected |= dict(word_after_far_miss=2 / 3, near_mass_after_far_miss=0.2)
    expected |= dict(rate_shape_seen=0.25, word_after_shape_seen=1)  # the second
    expected |= dict(rate_shape_unseen=0.25, word_after_shape_unseen=0)  # the last
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, err_msg=name)
    assert "word_after_near_miss" not in found  # there is none


def test_what_a_model_is_made_to_use_while_it_is_judged():
    part = lesson.load_part("test", 12)
    names = lesson.RecurrentCaptioner, lesson.EvenCaptioner
    soft, even = (lesson.new_captioner(kind, 0, width=8) for kind in names)
    steps, best = lesson.steps_before_objects, lesson.best_cell
    hard = lesson.harden(soft, 0, width=8)
    np.testing.assert_equal(steps(hard, part), steps(soft, part, best))
    found, control = lesson.judge(soft, part), lesson.judge(even, part)
    own = {"best_cell", "best_cell_pointing", "even_cells"}  # only where it can choose
    assert set(found) - set(control) == own
    assert {"new_red_triangle", "new_blue_cross", "new_yellow_circle"} < set(found)
    n, t, which, is_shape = lesson.named_words(part)
    for row, scene in enumerate(part.scenes):
        places = dict(zip(t[n == row], which[n == row], strict=True))
        told = shapes.named_objects(scene.caption.split())
        assert places == {t: which for t, which in enumerate(told) if which >= 0}
        assert is_shape[n == row].tolist() == [False, True] * (max(told) + 1)


def test_new_colours_keep_greys_and_sums_and_nobody_names_them():
    scenes = shapes.load("train")[:150]
    part = lesson.load_part("train", 150)
    grey = np.repeat(part.images[..., :1], 3, axis=-1)
    rng = np.random.default_rng
    np.testing.assert_array_equal(lesson.recolour(grey, rng(0)), grey)
    found = lesson.recolour(part.images, rng(0))
    difference = found.astype(int) - part.images
    assert found.dtype == np.uint8 and np.abs(difference.sum(axis=-1)).max() <= 1
    red = lesson.recolour(np.full((150, 2, 2, 3), (200, 0, 0), "uint8"), rng(0))
    assert (red == red[:, :1, :1]).all()
    assert np.unique(red[:, 0, 0].argmax(axis=1)).tolist() == [0, 1, 2]
    assert (red.min(axis=-1) == 0).all() and (red.max(axis=-1) >= 100).all()
    (images, read), said = lesson.with_new_colours(part, 0.5, rng(0))
    chosen = (said != part.said).any(axis=1)  # an order may bring the same colours
    changed = (images != part.images).any(axis=(1, 2, 3))
    assert 0.3 < changed.mean() < 0.7 and not changed[~chosen].any()
    for row, scene in enumerate(scenes):
        colours = [word in shapes.COLOURS for word in scene.caption.split()]
        same = said[row, : len(colours)] == part.said[row, : len(colours)]
        assert same.tolist() == [not (hide and chosen[row]) for hide in colours]
        assert ((read[row] == part.read[row]) | chosen[row]).all()
