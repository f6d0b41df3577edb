"""Workers share a batch, end up with the same weights, and survive a killed one.

The processes are real and talk over loopback. Their task is tiny, so most of the time
goes into starting TensorFlow.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import keras
import numpy as np
import pytest
from tiny_task import STEPS, next_ids, sum_of_tokens

from course_utils.scaling import distributed, parallel

HERE = Path(__file__).parents[1]
TASK = "tiny_task:next_ids"


@pytest.fixture(autouse=True)
def workers_find_the_task(monkeypatch):
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    monkeypatch.setenv("PYTHONPATH", path)


def run(output, task=TASK, steps=STEPS, **options):
    with distributed.Cluster(steps, output, task=task, **options) as cluster:
        cluster.wait(240)
    return parallel.read_weights(output)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """One process with the whole batch."""
    output = tmp_path_factory.mktemp("alone")
    model = parallel.train(next_ids, STEPS, output, keep=(1, 5, STEPS))
    for step in (STEPS, None):
        weights = parallel.read_weights(output, step=step)
        assert parallel.largest_difference(weights, model.get_weights()) == 0
    return output


@pytest.mark.slow
def test_two_devices_equal_one(alone, tmp_path):
    run(tmp_path, workers=1, devices=2, keep=(1, 5))
    for step in (1, 5, None):
        both = [parallel.read_weights(path, step=step) for path in (tmp_path, alone)]
        assert parallel.largest_difference(*both) < 1e-4


@pytest.mark.slow
def test_gradients_that_are_joined_wrongly_are_far_apart(tmp_path):
    """The devices' losses are joined as means, which is wrong for sums."""
    expected = parallel.train(sum_of_tokens, 1, tmp_path / "one").get_weights()
    weights = run(tmp_path / "two", "tiny_task:sum_of_tokens", 1, workers=1, devices=2)
    assert parallel.largest_difference(weights, expected) > 1e-3


@pytest.mark.slow
def test_two_processes_equal_one_and_survive_a_killed_worker(alone, tmp_path):
    slow = {"task": TASK, "options": {"pause": 0.25}, "backup_every": 5}
    with distributed.Cluster(STEPS, tmp_path, **slow) as cluster:
        cluster.wait_for_step(8)
        cluster.kill(1)
        with pytest.raises(distributed.WorkerError) as caught:
            cluster.wait(120)
        assert all(process.poll() is not None for process in cluster.processes)
    message = str(caught.value)
    assert message.startswith("worker 1 ended by signal SIGKILL after step ")
    assert "the same call again goes on from the last backup" in message
    weights = run(tmp_path)
    facts = parallel.read_log(tmp_path)
    first, second = (place for place, fact in enumerate(facts) if "start" in fact)
    reached, start = facts[second - 1]["step"], facts[second]["start"]
    assert (first, facts[first]["start"]) == (0, 0)
    assert start in (5, 10, 15, 20) and 8 <= reached <= start + 5
    other, expected = parallel.read_weights(tmp_path, 1), parallel.read_weights(alone)
    assert parallel.largest_difference(weights, other) == 0
    assert parallel.largest_difference(weights, expected) < 1e-4
    losses = [list(parallel.losses(output).values()) for output in (tmp_path, alone)]
    np.testing.assert_allclose(*losses, atol=1e-4)


def test_the_last_run_counts_and_an_earlier_one_is_not_waited_for(
    tmp_path, monkeypatch
):
    def write(*facts):
        with parallel.log_path(tmp_path, 0).open("a") as log:
            log.writelines(json.dumps(fact) + "\n" for fact in facts)

    assert parallel.read_log(tmp_path) == []
    assert parallel.steps_done(tmp_path) == 0
    write({"start": 0}, {"step": 1}, {"step": 120}, {"start": 119})
    done = [parallel.steps_done(tmp_path, after=after) for after in (0, 3, 4)]
    assert done == [119, 119, 0]
    idle = mock.Mock(**{"poll.return_value": None})  # a process that does nothing
    monkeypatch.setattr(distributed.Cluster, "_start", lambda self, index: idle)
    with distributed.Cluster(200, tmp_path) as cluster:
        with pytest.raises(distributed.WorkerError, match="worker 0 is at step 0"):
            cluster.wait_for_step(30, timeout=0.1)
        write({"start": 100})
        cluster.wait_for_step(100, timeout=5)
        write({"step": 101})
    assert {parallel.steps_done(tmp_path, after=n) for n in (0, 4, 5)} == {101}


def test_a_worker_alone_gives_up_with_a_sentence(tmp_path):
    ports = distributed.free_ports(5)
    assert len(set(ports)) == 5
    addresses = ",".join(f"127.0.0.1:{port}" for port in ports[:2])
    command = [sys.executable, "-m", "course_utils.scaling.distributed", "--task", TASK]
    command += ["--addresses", addresses, "--output", tmp_path, "--patience", "2"]
    options = {"capture_output": True, "text": True, "timeout": 120}
    done = subprocess.run(command, cwd=HERE.parent, **options)
    assert done.returncode == distributed.NO_PEER, done.stdout
    assert "didn't come within 2 seconds" in done.stdout


FIT = """
import os, keras, numpy as np, tensorflow as tf
with tf.distribute.MultiWorkerMirroredStrategy().scope():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
try:
    model.fit(np.ones((8, 2)), np.ones((8, 1)), batch_size=4, verbose=0)
except ValueError as error:
    print("fit:", error, flush=True)
os._exit(0)  # TensorFlow would wait for the other worker
"""


@pytest.mark.slow
def test_fit_of_keras_stops_where_there_are_several_workers():
    """What lesson 18 says of `tf.distribute`, and why the course has its own step."""
    addresses = [f"127.0.0.1:{port}" for port in distributed.free_ports(2)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    started = []
    for index in range(2):
        config = {"TF_CONFIG": distributed.cluster_config(addresses, index)}
        command = [sys.executable, "-c", FIT]
        started += [subprocess.Popen(command, env=os.environ | config, **options)]
    try:
        for process in started:
            assert "fit: Attempt to convert" in process.communicate(timeout=240)[0]
    finally:
        for process in started:
            process.kill()


def test_the_largest_difference_counts():
    assert parallel.largest_difference([np.array([1, 3])], [np.array([2, 1])]) == 2


ONE, TWO = [np.ones(2)], [np.ones(3)]
REFUSED = [
    (distributed.cluster_config, (["a:1", "b:1"], 2), "index must be from 0 to 1, but"),
    (distributed.Cluster, (1, "unused", 0), "workers is 0"),
    (distributed._task, ("no_such_module:x",), "there is no task"),
    (distributed._task, ("course_utils.scaling.parallel:none",), "there is no task"),
    (distributed._task, ("nothing",), "there is no task"),
    (distributed._strategy, (2, 2), "divided for one worker only"),
    (distributed.wait_for_peers, (["somewhere"], 0, 1), "has no port; write host:port"),
    *[
        (parallel.train, (next_ids, 6, ".", 10, None, 0, (1, n)), f"step {n}, .*1 to 6")
        for n in (0, 7)
    ],
    (parallel.largest_difference, (ONE, TWO), "other shapes"),
]


@pytest.mark.parametrize("function, arguments, sentence", REFUSED)
def test_bad_calls_are_sentences(function, arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        function(*arguments)


def test_a_bad_command_is_a_sentence(tmp_path, capsys):
    assert distributed.main(["--workers", "0", "--output", str(tmp_path)]) == 2
    sentence = "distributed: workers is 0; it must be 1 or more.\n"
    assert capsys.readouterr().err == sentence


def test_a_failing_worker_is_reported_with_its_last_words(tmp_path):
    said = "worker 0 ended by exit status 2.*there is no task"
    with pytest.raises(distributed.WorkerError, match=said):
        run(tmp_path, "course_utils.scaling.parallel:nothing", workers=1)


# What a worker does: shares that follow the tokens, backups, a log


def test_one_process_learns_and_leaves_weights_and_no_backup(alone, tmp_path):
    found = parallel.losses(alone)
    assert list(found) == list(range(1, STEPS + 1))
    assert found[STEPS] < found[1]
    names = [f"weights-0{kept}.npz" for kept in ("", "-step-1", "-step-24", "-step-5")]
    assert {path.name for path in alone.iterdir()} == {"worker-0.jsonl", *names}
    parallel.train(next_ids, 5, tmp_path)
    fifth, last = (parallel.read_weights(alone, step=step) for step in (5, None))
    expected = parallel.read_weights(tmp_path)
    assert parallel.largest_difference(fifth, expected) < 1e-6
    assert parallel.largest_difference(fifth, last) > 1e-3


def test_a_training_goes_on_from_its_backup(alone, tmp_path):
    def interrupted():
        task = next_ids()
        batches = [task.batch(step) for step in range(12)]
        task.batch = batches.__getitem__
        return task

    with pytest.raises(IndexError):
        parallel.train(interrupted, STEPS, tmp_path, backup_every=5)
    assert parallel.steps_done(tmp_path) == 12
    parallel.train(next_ids, STEPS, tmp_path, backup_every=5)
    steps = [fact.get("step") for fact in parallel.read_log(tmp_path)]
    assert steps == [None, *range(1, 13), None, *range(11, STEPS + 1)]
    expected = parallel.read_weights(alone)
    assert parallel.largest_difference(parallel.read_weights(tmp_path), expected) < 1e-6


def built(width=4, optimizer=None):
    """The task with a built optimizer."""
    task = next_ids(width)
    task.optimizer = optimizer or task.optimizer
    task.optimizer.build(task.model.trainable_variables)
    return task


def test_a_backup_of_another_model_is_refused(tmp_path):
    task = built()
    backup = tmp_path / "b.npz"
    parallel.save([*task.model.variables, *task.optimizer.variables], backup)
    assert parallel.restore(task, tmp_path / "missing.npz") == 0
    with pytest.raises(ValueError, match="belongs to another model or optimizer"):
        parallel.restore(built(width=5), backup)


@pytest.mark.parametrize("jit_compile", [False, True])
def test_a_step_is_traced_once_and_equals_that_of_fit(jit_compile):
    """The step is that of the mean over all tokens, not of a mean of means."""
    weights, losses = [], []
    for by_hand in (True, False):
        keras.utils.set_random_seed(0)
        task = built(optimizer=keras.optimizers.SGD(0.5))
        if by_hand:
            step = traced = parallel.parallel_step(task, jit_compile=jit_compile)
        else:
            task.model.compile(task.optimizer, task.loss, run_eagerly=True)
            step = task.model.train_on_batch
        losses.append(float(step(*task.batch(0))))
        for number in range(1, 4):  # of two lengths
            step(*task.batch(number))
        weights.append(task.model.get_weights())
    assert parallel.largest_difference(*weights) < 1e-5
    assert losses[0] == pytest.approx(losses[1], abs=1e-6)
    assert traced.experimental_get_tracing_count() == 1


def test_repeated_tokens_are_added_up_before_adam_squares_them():
    """Adam's first step has the size of the rate, however often a token occurs."""
    task = built()
    before = task.model.get_weights()[0]
    ids = np.full((2, 8), 3, "int32")
    parallel.parallel_step(task)(ids, ids)
    moved = task.model.get_weights()[0] - before
    np.testing.assert_allclose(np.abs(moved[3]), 0.01, rtol=1e-3)
    assert not moved[[0, 1, 2, 4, 5, 6, 7]].any()


@pytest.mark.slow
def test_ten_steps_with_a_mean_of_means_are_far_apart(tmp_path):
    """Lesson 18 bounds what the other order of rows and a sum of means make of them."""

    def small():
        return parallel.translation(pairs=200, vocab_size=200, tokens_per_batch=200)

    def mean_of_means():
        """The mean losses of both halves of the rows count alike."""
        task = small()
        loss = task.loss
        task.loss = lambda labels, outputs: (
            (loss(labels[::2], outputs[::2]) + loss(labels[1::2], outputs[1::2])) / 2
        )
        return task

    right, wrong = (
        parallel.train(make, 10, tmp_path / make.__name__).get_weights()
        for make in (small, mean_of_means)
    )
    assert parallel.largest_difference(right, wrong) > 1e-3


def test_the_translation_task_visits_every_batch_in_an_epoch():
    task = parallel.translation(pairs=60, vocab_size=200, tokens_per_batch=100)
    shapes = set()
    for step in range(40):
        (source, reads), says = task.batch(step)
        assert source.shape[0] == reads.shape[0] == says.shape[0]
        shapes.add(says.shape)
        np.testing.assert_array_equal(says, task.batch(step)[1])
    assert len(shapes) > 1
