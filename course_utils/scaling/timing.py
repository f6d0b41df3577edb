"""What a layer costs: time and peak memory."""

import collections
import threading
import time
import tracemalloc

import keras
import numpy as np
import psutil

CPU = "CPU:0"
SAMPLING_SECONDS = 0.001


Seconds = collections.namedtuple("Seconds", "elapsed processor")


def interleave(functions, rounds, rest=0.0):
    """Call functions in turns; return {name: list of what each call returned}.

    A disturbance of a second then hits all of them alike. The order is turned round
    from one round to the next, so that none is always the first.

    Args:
        functions: dict from name to function.
        rounds: how many rounds, or a list with one input of all functions for each.
        rest: seconds to wait before each call.
    Raises:
        ValueError: there is no round.
    """
    inputs = [()] * rounds if isinstance(rounds, int) else [(one,) for one in rounds]
    if not inputs:
        raise ValueError("interleave: there are no rounds; pass one or more.")
    answers = {name: [] for name in functions}
    for number, arguments in enumerate(inputs):
        for name in list(functions)[:: 1 if number % 2 else -1]:
            time.sleep(rest)
            answers[name].append(functions[name](*arguments))
    return answers


def interleaved_seconds(functions, rounds=5):
    """Time functions in turns, after one call of each that isn't timed.

    Elapsed time includes waiting, also for other programs. Processor time adds up what
    all cores worked for this process, so it follows the number of operations, whatever
    else the machine does. The first call lets a backend compile.

    Args:
        functions: dict from name to a function that ends when its work is done.
        rounds: as for `interleave`.
    Returns:
        A dict from name to `Seconds(elapsed, processor)`, two arrays with one number
        for each round.
    Raises:
        ValueError: there is no round.
    """

    def timed(function):
        def call(*arguments):
            start = time.perf_counter(), time.process_time()
            function(*arguments)
            return time.perf_counter() - start[0], time.process_time() - start[1]

        return call

    timers = {name: timed(function) for name, function in functions.items()}
    interleave(timers, min(rounds, 1) if isinstance(rounds, int) else rounds[:1])
    times = interleave(timers, rounds)
    return {name: Seconds(*np.transpose(pairs)) for name, pairs in times.items()}


def numpy_peak_bytes(function):
    """Return the most memory that NumPy arrays made in a call take at one time.

    Args:
        function: takes no argument. What it returns is counted too.

    Example:
        >>> numpy_peak_bytes(lambda: np.ones(1_000_000, "uint8").sum()) // 1_000_000
        1
    """
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        function()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak - before


def peak_bytes(function):
    """Return the most memory that a call of a Keras model on the CPU takes at a time.

    TensorFlow keeps its memory for later calls, so the size of the process says
    little; but its allocator counts what is in use. Where it doesn't (another backend,
    or a processor without oneDNN), a thread watches the size of the process, which
    can miss a short peak. Call the function once before, so that compiling isn't
    measured.

    Args:
        function: takes no argument and ends when the work is done.
    """
    if not _allocator_counts():
        return _sampled_peak(function)
    import tensorflow as tf

    tf.config.experimental.reset_memory_stats(CPU)
    before = tf.config.experimental.get_memory_info(CPU)["current"]
    function()
    return tf.config.experimental.get_memory_info(CPU)["peak"] - before


def _allocator_counts():
    """Tell whether TensorFlow can say how much memory is in use."""
    if keras.backend.backend() != "tensorflow":
        return False
    import tensorflow as tf

    try:
        tf.config.experimental.get_memory_info(CPU)
    except (ValueError, tf.errors.OpError):
        return False
    return True


def _sampled_peak(function):
    """Return the growth of the process that a second thread sees during the call."""
    process = psutil.Process()
    before = process.memory_info().rss
    highest, done = [before], threading.Event()

    def watch():
        while not done.wait(SAMPLING_SECONDS):
            highest.append(process.memory_info().rss)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        function()
        highest.append(process.memory_info().rss)
    finally:
        done.set()
        watcher.join()
    return max(highest) - before
