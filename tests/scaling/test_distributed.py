"""Workers share a batch, end up with the same weights, and survive a killed one.

The processes are real and talk over loopback. Their task is tiny, so most of the time
goes into starting TensorFlow.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from tiny_task import STEPS, next_ids, sum_of_tokens

from course_utils.scaling import distributed, parallel

HERE = Path(__file__).parents[1]
ROOT = HERE.parent
TASK = "tiny_task:next_ids"


@pytest.fixture(autouse=True)
def workers_find_the_task(monkeypatch):
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    monkeypatch.setenv("PYTHONPATH", path)


def run(output, **options):
    options = {"task": TASK, **options}
    steps = options.pop("steps", STEPS)
    with distributed.Cluster(steps, output, **options) as cluster:
        cluster.wait(240)
    return parallel.read_weights(output)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """One process with the whole batch."""
    output = tmp_path_factory.mktemp("alone")
    model = parallel.train(next_ids, STEPS, output, keep=(1, 5))
    np.testing.assert_array_equal(
        parallel.read_weights(output)[0], model.get_weights()[0]
    )
    return output


@pytest.mark.slow
def test_two_devices_equal_one(alone, tmp_path):
    run(tmp_path, workers=1, devices=2, keep=(1, 5))
    for step in (1, 5, None):
        weights, expected = (
            parallel.read_weights(output, step=step) for output in (tmp_path, alone)
        )
        assert parallel.largest_difference(weights, expected) < 1e-4


@pytest.mark.slow
def test_gradients_that_are_joined_wrongly_are_far_apart(tmp_path):
    """The devices' losses are joined as means, which is wrong for sums."""
    expected = parallel.train(sum_of_tokens, 1, tmp_path / "one").get_weights()
    task = "tiny_task:sum_of_tokens"
    weights = run(tmp_path / "two", task=task, steps=1, workers=1, devices=2)
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
    other = parallel.read_weights(tmp_path, 1)
    assert parallel.largest_difference(weights, other) == 0
    expected = parallel.read_weights(alone)
    assert parallel.largest_difference(weights, expected) < 1e-4
    np.testing.assert_allclose(
        list(parallel.losses(tmp_path).values()),
        list(parallel.losses(alone).values()),
        atol=1e-4,
    )


def test_steps_of_an_earlier_training_are_not_waited_for(tmp_path, monkeypatch):
    parallel.log_path(tmp_path, 0).write_text('{"start": 0}\n{"step": 120}\n')
    monkeypatch.setattr(distributed.Cluster, "_start", lambda self, index: Idle())
    with distributed.Cluster(200, tmp_path) as cluster:
        with pytest.raises(distributed.WorkerError, match="worker 0 is at step 0"):
            cluster.wait_for_step(30, timeout=0.1)
        with parallel.log_path(tmp_path, 0).open("a") as log:
            log.write('{"start": 100}\n')
        cluster.wait_for_step(100, timeout=5)


class Idle:
    """A process that runs and does nothing."""

    def poll(self):
        return None

    def kill(self):
        pass

    def wait(self):
        pass


def test_a_worker_alone_gives_up_with_a_sentence(tmp_path):
    done = first_of_two(tmp_path, "--patience", "2")
    assert done.returncode == distributed.NO_PEER, done.stdout
    assert "didn't come within 2 seconds" in done.stdout


def first_of_two(output, *options):
    """Run the first of two workers; the other doesn't exist."""
    first, second = distributed.free_ports(2)
    addresses = f"127.0.0.1:{first},127.0.0.1:{second}"
    command = [sys.executable, "-m", "course_utils.scaling.distributed", "--task", TASK]
    command += ["--addresses", addresses, "--output", str(output), *options]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120
    )


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
    started = [
        subprocess.Popen(
            [sys.executable, "-c", FIT],
            env={**os.environ, "TF_CONFIG": distributed.cluster_config(addresses, i)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for i in range(2)
    ]
    try:
        for process in started:
            assert "fit: Attempt to convert" in process.communicate(timeout=240)[0]
    finally:
        for process in started:
            process.kill()


def test_ports_are_different():
    assert len(set(distributed.free_ports(5))) == 5


def test_bad_calls_are_sentences(tmp_path, capsys):
    with pytest.raises(ValueError, match="index must be from 0 to 1, but it is 2"):
        distributed.cluster_config(["a:1", "b:1"], 2)
    with pytest.raises(ValueError, match="workers is 0"):
        distributed.Cluster(1, tmp_path, workers=0)
    for task in ("no_such_module:x", "course_utils.scaling.parallel:none", "nothing"):
        with pytest.raises(ValueError, match="there is no task"):
            distributed._task(task)
    with pytest.raises(ValueError, match="divided for one worker only"):
        distributed._strategy(2, 2)
    with pytest.raises(ValueError, match="'somewhere' has no port; write host:port"):
        distributed.wait_for_peers(["somewhere"], 0, 1)
    assert distributed.main(["--workers", "0", "--output", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        "distributed: workers is 0; it must be 1 or more.\n"
    )


def test_a_failing_worker_is_reported_with_its_last_words(tmp_path):
    options = {"task": "course_utils.scaling.parallel:nothing", "workers": 1}
    with pytest.raises(distributed.WorkerError) as caught:
        run(tmp_path, **options)
    assert "worker 0 ended by exit status 2" in str(caught.value)
    assert "there is no task" in str(caught.value)


def test_cluster_config_is_what_tensorflow_reads(monkeypatch):
    text = distributed.cluster_config(["127.0.0.1:1", "127.0.0.1:2"], 1)
    monkeypatch.setenv("TF_CONFIG", text)
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    assert resolver.cluster_spec().num_tasks("worker") == 2
    assert resolver.task_id == json.loads(text)["task"]["index"] == 1
