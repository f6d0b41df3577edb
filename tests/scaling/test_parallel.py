"""What a worker does: shares that follow the tokens, backups, a log."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf
from tiny_task import STEPS, next_ids

from course_utils.scaling import parallel


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """One process with the whole batch."""
    output = tmp_path_factory.mktemp("alone")
    model = parallel.train(next_ids, STEPS, output)
    np.testing.assert_array_equal(
        parallel.read_weights(output)[0], model.get_weights()[0]
    )
    return output


def test_one_process_learns_and_leaves_no_backup(alone):
    found = parallel.losses(alone)
    assert list(found) == list(range(1, STEPS + 1))
    assert found[STEPS] < found[1]
    assert not (alone / parallel.BACKUP).exists()


def test_weights_are_kept_after_the_chosen_steps(tmp_path):
    model = parallel.train(next_ids, 6, tmp_path, keep=(2, 6))
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == [
        "weights-0-step-2.npz",
        "weights-0-step-6.npz",
        "weights-0.npz",
    ]
    last = parallel.read_weights(tmp_path, step=6)
    assert parallel.largest_difference(last, model.get_weights()) == 0
    parallel.train(next_ids, 2, tmp_path / "short")
    second, expected = (
        parallel.read_weights(tmp_path, step=2),
        parallel.read_weights(tmp_path / "short"),
    )
    assert parallel.largest_difference(second, expected) < 1e-6
    assert parallel.largest_difference(second, last) > 1e-3


def test_a_step_that_is_never_made_cannot_be_kept(tmp_path):
    for step in (0, 7):
        with pytest.raises(ValueError, match=f"step {step}, but .* steps 1 to 6"):
            parallel.train(next_ids, 6, tmp_path, keep=(1, step))


def test_many_trainings_in_one_process_warn_of_nothing(caplog):
    """TensorFlow warns when it has to trace a function again and again."""
    strategy = tf.distribute.get_strategy()
    assert [parallel._sum_over_workers(strategy, n) for n in range(8)] == list(range(8))
    assert caplog.text == ""


def test_a_training_goes_on_from_its_backup(alone, tmp_path):
    class Stop(Exception):
        pass

    def interrupted():
        task = next_ids()
        batch = task.batch

        def stop_at_step_12(step):
            if step == 12:
                raise Stop
            return batch(step)

        task.batch = stop_at_step_12
        return task

    with pytest.raises(Stop):
        parallel.train(interrupted, STEPS, tmp_path, backup_every=5)
    assert parallel.steps_done(tmp_path) == 12
    parallel.train(next_ids, STEPS, tmp_path, backup_every=5)
    steps = [fact.get("step") for fact in parallel.read_log(tmp_path)]
    assert steps == [None, *range(1, 13), None, *range(11, STEPS + 1)]
    expected = parallel.read_weights(alone)
    assert parallel.largest_difference(parallel.read_weights(tmp_path), expected) < 1e-6


def test_a_backup_of_another_model_is_refused(tmp_path):
    task = next_ids()
    task.optimizer.build(task.model.trainable_variables)
    parallel.save(
        [*task.model.variables, *task.optimizer.variables], tmp_path / "b.npz"
    )
    assert parallel.restore(task, tmp_path / "missing.npz") == 0
    other = next_ids(width=5)
    other.optimizer.build(other.model.trainable_variables)
    with pytest.raises(ValueError, match="belongs to another model or optimizer"):
        parallel.restore(other, tmp_path / "b.npz")


def test_lists_of_other_shapes_have_no_difference():
    assert parallel.largest_difference([np.ones(2)], [np.zeros(2)]) == 1
    with pytest.raises(ValueError, match="other shapes"):
        parallel.largest_difference([np.ones(2)], [np.ones(3)])


def test_without_a_log_no_step_was_made(tmp_path):
    assert parallel.read_log(tmp_path) == []
    assert parallel.steps_done(tmp_path) == 0


def test_the_last_run_counts(tmp_path):
    facts = [{"start": 0}, {"step": 1}, {"step": 2}, {"start": 1}]
    lines = "".join(json.dumps(fact) + "\n" for fact in facts)
    parallel.log_path(tmp_path, 0).write_text(lines)
    assert parallel.steps_done(tmp_path) == 1
    assert parallel.steps_done(tmp_path, after=3) == 1
    assert parallel.steps_done(tmp_path, after=4) == 0
    with parallel.log_path(tmp_path, 0).open("a") as log:
        log.write('{"step": 2}\n')
    assert parallel.steps_done(tmp_path) == parallel.steps_done(tmp_path, after=4) == 2


def test_the_share_of_a_replica_follows_its_tokens():
    """The step is that of the mean over all tokens, not of a mean of means."""
    task = next_ids()
    task.optimizer = keras.optimizers.SGD(1.0)
    task.optimizer.build(task.model.trainable_variables)
    before = task.model.get_weights()
    inputs, labels = task.batch(0)
    step = parallel.parallel_step(task)
    loss = float(step(inputs, labels))
    after = task.model.get_weights()
    task.model.set_weights(before)
    assert loss == pytest.approx(float(task.loss(labels, task.model(inputs))), abs=1e-6)
    assert parallel.largest_difference(before, after) > 0


@pytest.mark.parametrize("jit_compile", [False, True])
def test_a_step_is_traced_once_and_equals_that_of_fit(jit_compile):
    weights, traces = [], 0
    for by_hand in (True, False):
        keras.utils.set_random_seed(0)
        task = next_ids()
        task.optimizer = keras.optimizers.SGD(0.5)
        if by_hand:
            task.optimizer.build(task.model.trainable_variables)
            step = parallel.parallel_step(task, jit_compile=jit_compile)
        else:
            task.model.compile(task.optimizer, task.loss, run_eagerly=True)
            step = task.model.train_on_batch
        for number in range(4):  # of two lengths
            step(*task.batch(number))
        weights.append(task.model.get_weights())
        traces += by_hand and step.experimental_get_tracing_count()
    assert parallel.largest_difference(*weights) < 1e-5
    assert traces == 1


def test_repeated_tokens_are_added_up_before_adam_squares_them():
    """Adam's first step has the size of the rate, however often a token occurs."""
    task = next_ids()
    task.optimizer.build(task.model.trainable_variables)
    before = task.model.get_weights()[0]
    ids = np.full((2, 8), 3, "int32")
    parallel.parallel_step(task)(ids, ids)
    moved = task.model.get_weights()[0] - before
    np.testing.assert_allclose(np.abs(moved[3]), 0.01, rtol=1e-3)
    assert not moved[[0, 1, 2, 4, 5, 6, 7]].any()


def translation(join=None, reverse=False):
    """Return a function that makes a small translation task, changed on the way.

    Args:
        join: how the mean losses of both halves of the rows become one; None leaves
            the loss as it is.
        reverse: whether the rows of each batch come in reverse order.
    """

    def make():
        task = parallel.translation(pairs=200, vocab_size=200, tokens_per_batch=200)
        loss, batch = task.loss, task.batch
        if join:
            task.loss = lambda labels, outputs: join(
                loss(labels[::2], outputs[::2]), loss(labels[1::2], outputs[1::2])
            )
        if reverse:
            task.batch = lambda step: tf.nest.map_structure(
                lambda rows: rows[::-1], batch(step)
            )
        return task

    return make


@pytest.mark.slow
def test_ten_steps_tell_rounding_from_a_mistake(tmp_path):
    """What lesson 18 shows: the bound of 1e-4 lets rounding pass, and nothing else."""
    kinds = {
        "another order": translation(reverse=True),
        "mean of means": translation(join=lambda one, other: (one + other) / 2),
        "sum of means": translation(join=lambda one, other: one + other),
    }
    expected = parallel.train(translation(), 10, tmp_path / "one").get_weights()
    apart = {
        name: parallel.largest_difference(
            parallel.train(make, 10, tmp_path / name).get_weights(), expected
        )
        for name, make in kinds.items()
    }
    assert 0 < apart["another order"] < 1e-4
    assert min(apart["mean of means"], apart["sum of means"]) > 1e-3


def test_the_translation_task_visits_every_batch_in_an_epoch():
    task = parallel.translation(pairs=60, vocab_size=200, tokens_per_batch=100)
    shapes = {}
    for step in range(40):
        (source, reads), says = task.batch(step)
        assert source.shape[0] == reads.shape[0] == says.shape[0]
        shapes.setdefault(len(shapes), says.shape)
        again = task.batch(step)[1]
        np.testing.assert_array_equal(says, again)
    assert len(set(shapes.values())) > 1
