"""Data-parallel training: start the workers on this machine, or be one of them.

    python -m course_utils.scaling.distributed --workers 2 --output build/parallel

starts two workers on this machine. On several machines, call on each with its index

    python -m course_utils.scaling.distributed --addresses one:2222,two:2222 --index 0

and with an output directory that all of them see. The cluster can also come from the
variable TF_CONFIG, as managers of clusters set it. A training that was interrupted
goes on from its last backup when the same command is called again.

What the workers do stands in `course_utils.scaling.parallel`. Between processes the
engine is `tf.distribute.MultiWorkerMirroredStrategy`, between the devices of one
process `tf.distribute.MirroredStrategy`.
"""

import argparse
import contextlib
import functools
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from course_utils.environment import quiet_stderr, usable_cores
from course_utils.scaling import parallel

TRANSLATION = "course_utils.scaling.parallel:translation"
LOST_PEER, NO_PEER = 3, 4  # exit statuses of a worker; 2 is a wrong call
# How long a ready worker stays: others may still fetch its part of the last sum.
LAST_SECONDS = 2
GRACE_SECONDS = 5  # for the other workers to end by themselves, after one has died
POLL_SECONDS = 0.02


class WorkerError(RuntimeError):
    """A worker ended before its work was done; the message says how."""


def free_ports(number):
    """Return ports of this machine that nobody listens on."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def cluster_config(addresses, index):
    """Return the text of TF_CONFIG for one worker.

    Example:
        >>> cluster_config(["a:1"], 0)
        '{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}}'
    """
    if not 0 <= index < len(addresses):
        raise ValueError(
            f"distributed: there are {len(addresses)} addresses, so index must be from "
            f"0 to {len(addresses) - 1}, but it is {index}."
        )
    task = {"type": "worker", "index": index}
    return json.dumps({"cluster": {"worker": list(addresses)}, "task": task})


def wait_for_peers(addresses, index, patience):
    """Wait until every other worker listens at its address, for so many seconds.

    TensorFlow, too, waits for all workers before it begins, but without an end.

    Args:
        addresses: "host:port" of every worker.
        index: which of them is this worker's.
        patience: seconds.
    Returns:
        The addresses at which nobody answered.
    """
    missing = [place for i, place in enumerate(addresses) if i != index]
    end = time.monotonic() + patience
    with socket.create_server(("", _port(addresses[index]))):
        while missing and time.monotonic() < end:
            missing = [place for place in missing if not _answers(place)]
            time.sleep(POLL_SECONDS)
    return missing


def _answers(address):
    """Tell whether somebody listens at an address."""
    host = address.rpartition(":")[0]
    try:
        socket.create_connection((host, _port(address)), timeout=1).close()
    except OSError:
        return False
    return True


def _port(address):
    port = address.rpartition(":")[2]
    if not port.isdecimal():
        raise ValueError(
            f"distributed: the address {address!r} has no port; write host:port."
        )
    return int(port)


class Cluster:
    """Workers of one training, as processes of this machine. For a ``with`` block.

    Args:
        steps: number of steps of the whole training.
        output: directory of logs, backup and weights.
        workers: number of processes.
        task: "module:function" that returns the `Task`.
        options: keyword arguments of that function.
        backup_every: steps from one backup to the next.
        devices: logical devices into which one worker divides the processor.
        keep: numbers of steps after which each worker writes its weights as well.
    """

    def __init__(
        self,
        steps,
        output,
        workers=2,
        task=TRANSLATION,
        options=None,
        backup_every=10,
        devices=1,
        keep=(),
    ):
        if workers < 1:
            raise ValueError(
                f"distributed: workers is {workers}; it must be 1 or more."
            )
        self.output, self.processes, self.old_lines = Path(output), [], 0
        self.command = [sys.executable, "-m", "course_utils.scaling.distributed"]
        self.command += ["--steps", str(steps), "--output", str(output)]
        self.command += ["--task", task, "--options", json.dumps(options or {})]
        self.command += ["--backup-every", str(backup_every)]
        self.command += ["--devices", str(devices)]
        self.command += ["--keep", *map(str, keep)]
        self.addresses = [f"127.0.0.1:{port}" for port in free_ports(workers)]

    def __enter__(self):
        self.output.mkdir(parents=True, exist_ok=True)
        self.old_lines = len(parallel.read_log(self.output))
        for index in range(len(self.addresses)):
            self.processes.append(self._start(index))
        return self

    def __exit__(self, *error):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()

    def _start(self, index):
        variables = {k: v for k, v in os.environ.items() if k != "TF_CONFIG"}
        root = str(Path(__file__).resolve().parents[2])
        variables["PYTHONPATH"] = os.pathsep.join(
            [root, *filter(None, [variables.get("PYTHONPATH")])]
        )
        # The workers share the cores of this machine.
        threads = max(1, usable_cores() // len(self.addresses))
        variables.setdefault("TF_NUM_INTRAOP_THREADS", str(threads))
        place = ["--addresses", ",".join(self.addresses), "--index", str(index)]
        with open(self._messages(index), "w", encoding="utf-8") as messages:
            return subprocess.Popen(
                [*self.command, *place],
                env=variables,
                stdout=messages,
                stderr=subprocess.STDOUT,
            )

    def _messages(self, index):
        return self.output / f"worker-{index}.txt"

    def wait_for_step(self, step, timeout=300):
        """Return when worker 0 has made a step.

        Raises:
            WorkerError: a worker ended before that, or the time is over.
        """
        end = time.monotonic() + timeout
        while self._steps_done() < step:
            self._check()
            if time.monotonic() > end:
                raise WorkerError(
                    f"step {step} wasn't reached within {timeout} seconds; worker 0 "
                    f"is at step {self._steps_done()}."
                )
            time.sleep(POLL_SECONDS)

    def kill(self, index):
        """End a worker at once, as a power cut would."""
        self.processes[index].send_signal(signal.SIGKILL)
        self.processes[index].wait()

    def wait(self, timeout=600):
        """Return when all workers have done their work.

        Raises:
            WorkerError: a worker ended before, or the time is over. The others are
                ended, too.
        """
        end = time.monotonic() + timeout
        while any(process.poll() is None for process in self.processes):
            self._check()
            if time.monotonic() > end:
                self.__exit__()
                raise WorkerError(f"the workers weren't ready in {timeout} seconds.")
            time.sleep(POLL_SECONDS)
        self._check()

    def _check(self):
        """Raise a WorkerError if a worker has failed, after the others have ended."""
        failed = [i for i, p in enumerate(self.processes) if p.poll() not in (None, 0)]
        if not failed:
            return
        # Who lost its peer isn't the one that failed first.
        failed.sort(key=lambda i: self.processes[i].returncode in (LOST_PEER, NO_PEER))
        index, status = failed[0], self.processes[failed[0]].returncode
        end = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < end and None in [p.poll() for p in self.processes]:
            time.sleep(POLL_SECONDS)
        self.__exit__()
        how = f"exit status {status}"
        if status < 0:
            how = f"signal {signal.Signals(-status).name}"
        words = self._messages(index).read_text("utf-8", "replace").strip()
        said = f" ({words.splitlines()[-1].strip()})" if words else ""
        backup = "there is no backup yet, so the next start begins anew"
        if (self.output / parallel.BACKUP).exists():
            backup = "the same call again goes on from the last backup"
        done = self._steps_done()
        raise WorkerError(
            f"worker {index} ended by {how} after step {done}{said}; {backup}."
        )

    def _steps_done(self):
        return parallel.steps_done(self.output, after=self.old_lines)


# The program


def main(arguments=None):
    """Start workers, or be one of them; return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        if options.addresses or os.environ.get("TF_CONFIG"):
            return _work(options)
        with Cluster(
            options.steps,
            options.output,
            options.workers,
            options.task,
            json.loads(options.options),
            options.backup_every,
            options.devices,
            options.keep,
        ) as cluster:
            cluster.wait(options.timeout)
        print(f"{options.steps} steps done; the weights are in {options.output}")
        return 0
    except KeyboardInterrupt:
        return 130  # what a shell calls a program that was interrupted
    except (OSError, ValueError, WorkerError) as error:
        print(
            f"distributed: {str(error).removeprefix('distributed: ')}", file=sys.stderr
        )
        return 2


def _parser():
    parser = argparse.ArgumentParser(prog="python -m course_utils.scaling.distributed")
    add = parser.add_argument
    add("--workers", type=int, default=2, help="processes on this machine")
    add("--addresses", help="host:port of every worker, with commas between them")
    add("--index", type=int, default=0, help="which of the addresses is this worker's")
    add("--devices", type=int, default=1, help="logical devices of one worker")
    add("--task", default=TRANSLATION, help="module:function that returns a Task")
    add("--options", default="{}", help="keyword arguments of that function, as JSON")
    add("--steps", type=int, default=60, help="steps of the whole training")
    add("--backup-every", type=int, default=10, help="steps between two backups")
    add("--keep", type=int, nargs="*", default=[], help="steps whose weights are kept")
    add("--output", required=True, help="directory that all workers see")
    add("--timeout", type=float, default=86400, help="seconds for all of the training")
    add(
        "--patience",
        type=float,
        default=60,
        help="seconds to wait for the other workers",
    )
    return parser


def _work(options):
    """Be one worker; return its exit status."""
    if options.addresses:
        addresses = options.addresses.split(",")
        os.environ["TF_CONFIG"] = cluster_config(addresses, options.index)
    config = json.loads(os.environ["TF_CONFIG"])
    make_task = functools.partial(_task(options.task), **json.loads(options.options))
    index, addresses = config["task"]["index"], config["cluster"]["worker"]
    workers = len(addresses)
    old_lines = len(parallel.read_log(options.output, index))
    missing = wait_for_peers(addresses, index, options.patience)
    if missing:
        _leave(
            NO_PEER,
            f"worker {index}: {', '.join(missing)} didn't come within "
            f"{options.patience:g} seconds",
        )
    with quiet_stderr():
        import tensorflow as tf
    try:
        strategy = _strategy(workers, options.devices)
        parallel.train(
            make_task,
            options.steps,
            options.output,
            options.backup_every,
            strategy,
            index,
            options.keep,
        )
    except tf.errors.OpError as error:
        if workers == 1:
            raise
        reason = (error.message or type(error).__name__).splitlines()[0][:200]
        done = parallel.steps_done(options.output, index, after=old_lines)
        _leave(LOST_PEER, f"worker {index} lost the others after step {done}: {reason}")
    if workers > 1:
        time.sleep(LAST_SECONDS)
        _leave(0, f"worker {index} is ready")
    return 0


def _task(name):
    """Return the function that a "module:function" names."""
    module, _, function = name.partition(":")
    try:
        return getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"distributed: there is no task {name!r} ({error}); pass module:function."
        ) from error


def _strategy(workers, devices):
    """Return the strategy for so many workers, or devices of one worker."""
    import tensorflow as tf

    if workers > 1 and devices > 1:
        raise ValueError(
            f"distributed: there are {workers} workers with {devices} devices each; "
            "a processor is divided for one worker only."
        )
    if devices > 1:
        part = tf.config.LogicalDeviceConfiguration()
        processor = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(processor, [part] * devices)
        return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(devices)])
    if workers == 1:
        return tf.distribute.get_strategy()
    return tf.distribute.MultiWorkerMirroredStrategy()


def _leave(status, message):
    """End this process at once: TensorFlow would wait for its peers."""
    print(message, flush=True)
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
