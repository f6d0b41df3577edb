"""Start the processes of one training on this machine, and end them together.

    python -m course_utils.scaling.launch --processes 2 --output run train.py --epochs 3

starts ``train.py`` twice. Each process finds its number, how many there are and where
the first one listens in the variables that ``keras.distribution.initialize()`` reads.
When one fails, the others would wait for it, so all are ended; started again, here with
``--restarts``, they go on from what the program has backed up. On several machines a
manager of clusters, or a shell, sets the same three variables.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
POLL_SECONDS = 0.02


class WorkerError(RuntimeError):
    """A process ended before its work was done; the message says how."""


class Workers:
    """The processes of one training, for a ``with`` block, which ends them.

    Args:
        arguments: the program and its arguments, without the interpreter.
        processes: how many; one alone is no cluster and gets no variables.
        output: directory for ``worker-0.txt``, ``worker-1.txt``: what they print.
        variables: environment variables for all of them.
    """

    def __init__(self, arguments, processes=2, output=".", **variables):
        if processes < 1:
            raise ValueError(f"launch: processes is {processes}; it must be 1 or more.")
        self.command = [sys.executable, *map(str, arguments)]
        self.output = Path(output)
        self.number = processes
        self.running = []
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        self.variables = {**os.environ, "PYTHONPATH": path, **variables}

    def __enter__(self):
        self.output.mkdir(parents=True, exist_ok=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = f"127.0.0.1:{free.getsockname()[1]}"
        for index in range(self.number):
            variables = dict(self.variables)
            if self.number > 1:
                variables["KERAS_DISTRIBUTION_JOB_ADDRESSES"] = address
                variables["KERAS_DISTRIBUTION_NUM_PROCESSES"] = str(self.number)
                variables["KERAS_DISTRIBUTION_PROCESS_ID"] = str(index)
            with open(self.log_path(index), "w", encoding="utf-8") as log:
                process = subprocess.Popen(
                    self.command, env=variables, stdout=log, stderr=subprocess.STDOUT
                )
            self.running.append(process)
        return self

    def __exit__(self, *error):
        for index in range(len(self.running)):
            self.kill(index)

    def log_path(self, index):
        """Return the file with what a process prints."""
        return self.output / f"worker-{index}.txt"

    def kill(self, index):
        """End a process at once, as a power cut would; nothing if it has ended."""
        self.running[index].kill()
        self.running[index].wait()

    def wait(self, text=None):
        """Return when all have done their work, or when the first one says a text.

        Raises:
            WorkerError: one has failed; then all are ended.
        """
        while True:
            ended = [process.poll() for process in self.running]
            for index, status in enumerate(ended):
                if status:
                    self.__exit__()
                    raise WorkerError(self._failure_message(index, status))
            printed = self.log_path(0).read_text("utf-8", "replace")
            if None not in ended or (text is not None and text in printed):
                return
            time.sleep(POLL_SECONDS)

    def _failure_message(self, index, status):
        cause = f"exit status {status}"
        if status < 0:
            cause = f"signal {signal.Signals(-status).name}"
        printed = self.log_path(index).read_text("utf-8", "replace")
        last_words = " ".join(printed.split())[-300:]
        return f"worker {index} ended by {cause}: {last_words}"


def main(arguments=None):
    """Start what the command line says; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m course_utils.scaling.launch")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--output", default=".", help="directory for what they say")
    parser.add_argument("--restarts", type=int, default=0, help="after a failure")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="and its arguments")
    options = parser.parse_args(arguments)
    for _ in range(options.restarts + 1):
        try:
            with Workers(options.program, options.processes, options.output) as workers:
                workers.wait()
            return 0
        except (ValueError, WorkerError) as error:
            print(f"launch: {str(error).removeprefix('launch: ')}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
