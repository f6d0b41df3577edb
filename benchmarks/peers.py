"""Peers side by side: each in a process of its own, asked in turns.

A process of its own keeps the libraries' threads and memory apart, so that a peak of
memory belongs to one of them. Turns make a disturbance of the machine hit all peers
alike.

Example:
    >>> with Peers({"list": list, "set": set}) as peers:
    ...     peers.turns("__len__", repeats=2)
    {'list': [0, 0], 'set': [0, 0]}
"""

import contextlib
import functools
import multiprocessing
import os
import time
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

from course_utils.kit.environment import quiet_stderr

# So that freed memory is used again: TensorFlow's own allocator, and glibc's under
# PyTorch. With the defaults much time goes into returning and clearing pages.
ENVIRONMENT = {
    "TF_CPU_ALLOCATOR_USE_BFC": "true",
    "MALLOC_TRIM_THRESHOLD_": "4000000000",
    "MALLOC_MMAP_THRESHOLD_": "4000000000",
    "CUDA_VISIBLE_DEVICES": "-1",  # all on the processor
}
REST_SECONDS = 0.05  # between two turns, so that idle threads stop spinning
TURN_SECONDS = 0.3  # shorter calls are repeated within a turn


class PeerError(RuntimeError):
    """A peer's process raised an error or ended; the text names it."""


def _serve(asked, arguments):
    """Make the peer of this process, or call one of its methods, asked for by name."""
    global _peer
    try:
        if isinstance(asked, str):
            return getattr(_peer, asked)(*arguments)
        with quiet_stderr():
            _peer = asked(*arguments)
    except Exception as error:  # some errors of TensorFlow can't be sent themselves
        raise PeerError(f"{type(error).__name__}: {error}") from None


class Peers(contextlib.ExitStack):
    """One process per peer; a context manager that ends them.

    Args:
        makers: {name: function that makes the peer}, importable by name.
        arguments: for each maker.
    Raises:
        PeerError: a peer can't be made.
    """

    def __init__(self, makers, *arguments):
        os.environ.update(ENVIRONMENT)  # a new process reads them when it starts
        context = multiprocessing.get_context("spawn")
        super().__init__()
        self._processes = {
            name: self.enter_context(ProcessPoolExecutor(1, context)) for name in makers
        }
        try:
            for name, make in makers.items():
                self.ask(name, make, *arguments)
        except PeerError:
            self.close()
            raise

    def ask(self, name, asked, *parameters):
        """Call a method of one peer, or what makes the peer; return the result.

        Raises:
            PeerError: the method raised an error, or the process has ended.
        """
        try:
            return self._processes[name].submit(_serve, asked, parameters).result()
        except BrokenExecutor as error:
            raise PeerError(f"{name}: its process ended without an answer") from error
        except PeerError as error:
            raise PeerError(f"{name}: {error}") from error

    def ask_all(self, method, *parameters):
        """Call a method of each peer, one after the other; return {name: result}."""
        return {name: self.ask(name, method, *parameters) for name in self._processes}

    def turns(self, method, *parameters, repeats=5):
        """Let the peers take turns, in both orders; return {name: all answers}."""
        # Here and not above: a peer's process is to have no library but its own.
        from course_utils.scaling.timing import interleave

        asked = {
            name: functools.partial(self.ask, name, method, *parameters)
            for name in self._processes
        }
        return interleave(asked, repeats, REST_SECONDS)


def seconds_per_call(function, at_least=TURN_SECONDS):
    """Call a function until a turn's time is over; return the seconds per call."""
    calls, start = 0, time.perf_counter()
    while True:
        function()
        calls += 1
        elapsed = time.perf_counter() - start
        if elapsed >= at_least:
            return elapsed / calls


def process_memory(field):
    """Return a field of this process's memory in bytes, on Linux.

    Args:
        field: "VmRSS", the memory now, or "VmHWM", the highest so far.
    """
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    raise ValueError(f"process_memory: there is no field {field}.")
