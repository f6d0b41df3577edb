"""One call at the top of every lesson: seeds, data mode, device, versions, quiet logs.

TensorFlow is imported inside the functions, so that importing this module is quick.
"""

import contextlib
import ctypes
import dataclasses
import functools
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DATA_MODES = {"full": "the real corpora", "sample": "the course's bundled corpora"}
DEFAULT_DATA_DIR = "~/.cache/keras-attention-course"
FEW_CORES = 8
# The numbers that malloc.h gives to these options.
M_TRIM_THRESHOLD = -1
M_MMAP_THRESHOLD = -3
M_ARENA_MAX = -8
PACKAGES = {
    "TensorFlow": "tensorflow",
    "Keras": "keras",
    "KerasHub": "keras-hub",
    "NumPy": "numpy",
}


@dataclasses.dataclass(frozen=True)
class Environment:
    """Where a lesson runs: the answer of `setup()`.

    Attributes:
        data_mode: "full" or "sample".
        data_dir: the directory of downloaded and generated data.
        device: such as "CPU" or "GPU (NVIDIA T4)".
        seed: the seed of Python's, NumPy's and Keras's random numbers.
        versions: name -> version of Python and the packages that matter.
    """

    data_mode: str
    data_dir: Path
    device: str
    seed: int
    versions: dict

    def pick(self, *, full, sample):
        """Return one of two settings: that of the data mode in force.

        Example:
            epochs = course.pick(full=12, sample=1)
        """
        return full if self.data_mode == "full" else sample


def data_mode():
    """Return "full" or "sample" from the variable COURSE_DATA ("full" if unset).

    Raises:
        ValueError: COURSE_DATA has another value.
    """
    value = os.environ.get("COURSE_DATA", "").strip() or "full"
    if value not in DATA_MODES:
        raise ValueError(
            f"COURSE_DATA is {value!r}, but it must be 'full' (real corpora) or "
            "'sample' (bundled corpora)."
        )
    return value


def strict():
    """Tell whether a missed bound is an error: COURSE_STRICT=1, as in the tests."""
    return os.environ.get("COURSE_STRICT", "").strip() == "1"


def data_dir():
    """Return the data directory, from COURSE_DATA_DIR or in the user's cache."""
    configured = os.environ.get("COURSE_DATA_DIR", "").strip()
    return Path(configured or DEFAULT_DATA_DIR).expanduser()


def weights_dir():
    """Return the directory of checkpoints that COURSE_WEIGHTS_DIR names, or None."""
    configured = os.environ.get("COURSE_WEIGHTS_DIR", "").strip()
    return Path(configured).expanduser() if configured else None


def setup(seed=0):
    """Prepare a lesson and print in a few lines where it runs.

    Products of float32 numbers keep float32's precision on every device, and models
    are compiled without XLA, see `xla_only_when_asked`. On Linux it also changes how
    freed memory is kept, see `tune_malloc`; COURSE_MALLOC=0 leaves that alone.

    Args:
        seed: the seed of every random number generator.

    Returns:
        An `Environment`.

    Raises:
        ValueError: COURSE_DATA is neither "full" nor "sample".

    Example:
        course = course_utils.setup()
        corpus = course.pick(full=datasets.imdb, sample=datasets.reviews)
    """
    mode = data_mode()
    tune_malloc()
    with quiet_stderr():
        import keras
        import tensorflow as tf

        gpus = tf.config.list_physical_devices("GPU")
        # Newer GPUs round float32 products to 10 bits (TF32). Lessons prove that two
        # computations agree up to 1e-5, which needs all 23.
        tf.config.experimental.enable_tensor_float_32_execution(False)
    xla_only_when_asked()
    keras.utils.set_random_seed(seed)  # Python's and NumPy's, too
    course = Environment(
        data_mode=mode,
        data_dir=data_dir(),
        device=_device_name(tf, gpus),
        seed=seed,
        versions=versions(),
    )
    place = "$COURSE_DATA_DIR"
    if not os.environ.get("COURSE_DATA_DIR", "").strip():
        place = DEFAULT_DATA_DIR
    print(f"Data: {mode} ({DATA_MODES[mode]}), files in {place}")
    if mode == "sample":
        print("Small data: your figures differ from those in the text.")
    print(f"Device: {course.device}; machine: {hardware()}")
    print(" · ".join(f"{name} {number}" for name, number in course.versions.items()))
    return course


def in_notebook():
    """Tell whether a Jupyter kernel runs this, which shows more than text."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def xla_only_when_asked():
    """Make False the default of `jit_compile`, where Keras has "auto".

    On a GPU, "auto" compiles a model with XLA, which compiles anew for every shape of a
    batch: about 8 s each for a translation model, whose batches have 200 shapes. Here
    `model.compile(...)` doesn't, nor does `predict` of a model that isn't compiled.
    Who writes `model.compile(..., jit_compile=True)` gets XLA.
    """
    import keras

    # The class that defines `compile`: Keras doesn't compile a model that it loads
    # where a subclass of that one has a method of its own.
    (trainer,) = (kind for kind in keras.Model.__mro__ if "compile" in vars(kind))
    if hasattr(trainer.compile, "xla_only_when_asked"):
        return
    keras_compile = trainer.compile
    keras_jit_compile = trainer.jit_compile

    @functools.wraps(keras_compile)
    def compile(self, *arguments, jit_compile=False, **options):
        return keras_compile(self, *arguments, jit_compile=jit_compile, **options)

    def jit_compile(self):
        if not self.compiled:
            return None  # nobody has asked
        return keras_jit_compile.fget(self)

    compile.xla_only_when_asked = True
    trainer.compile = compile
    trainer.jit_compile = property(jit_compile, keras_jit_compile.fset)


def tune_malloc():
    """Let freed memory be used again, before TensorFlow is imported.

    On a CPU, a training otherwise gives much of its memory back to the system in each
    step and asks for it again, which can take a third of the time. TensorFlow's own
    allocator keeps that of tensors; glibc, on Linux, that of the rest. The options hold
    for the whole process; COURSE_MALLOC=0 leaves both allocators as they are.
    """
    if os.environ.get("COURSE_MALLOC", "").strip() == "0":
        return
    os.environ.setdefault("TF_CPU_ALLOCATOR_USE_BFC", "true")
    if usable_cores() > FEW_CORES:  # many threads would wait for the single arena
        return
    with contextlib.suppress(AttributeError, OSError, TypeError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_TRIM_THRESHOLD, 2**30)  # bytes
        mallopt(M_MMAP_THRESHOLD, 2**25)  # bytes
        mallopt(M_ARENA_MAX, 1)


@contextlib.contextmanager
def quiet_stderr():
    """Hide what C++ code writes to the error stream, unless the block fails.

    TensorFlow prints notes about its build while it is imported, before any setting
    of its own can stop them. They go to file descriptor 2, so this is where they are
    caught; Python's exceptions pass through, with the hidden text printed before.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as hidden:
        os.dup2(hidden.fileno(), 2)
        try:
            yield
        except BaseException:
            os.dup2(saved, 2)
            hidden.seek(0)
            sys.stderr.write(hidden.read().decode("utf-8", "replace"))
            raise
        finally:
            os.dup2(saved, 2)
            os.close(saved)


def versions(**more):
    """Return the versions of Python and of the main packages, name to number.

    Args:
        more: further packages by the name to show, such as ``PyTorch="torch"``.
    """
    found = {"Python": platform.python_version()}
    for name, package in {**PACKAGES, **more}.items():
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(package)
    return found


def usable_cores():
    """Return how many cores this process may use, which can be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def hardware():
    """Describe the machine, to stand beside a measured time.

    Returns:
        A string such as "2 CPU cores (Intel Xeon @ 2.50GHz)", followed by the names
        of the GPUs when there are any.
    """
    cores = usable_cores()
    text = f"{cores} CPU core{'s' if cores != 1 else ''} ({_cpu_model()})"
    return " + ".join([text, *_gpu_names()])


@functools.cache
def fastest_dtype():
    """Measure whether this machine multiplies matrices faster in bfloat16.

    Takes about a second, once per process. Some processors have no instructions for
    bfloat16 and are several times slower with it, so the name of the processor or
    the presence of a GPU isn't a safe guide.

    Returns:
        "mixed_bfloat16" when it is at least 1.2 times as fast, else "float32".

    Example:
        keras.mixed_precision.set_dtype_policy(fastest_dtype())
    """
    seconds = {dtype: _matmul_seconds(dtype) for dtype in ("float32", "bfloat16")}
    faster = seconds["float32"] > 1.2 * seconds["bfloat16"]
    return "mixed_bfloat16" if faster else "float32"


def _matmul_seconds(dtype, size=768, budget=0.3):
    """Return the best time of one (size, size) product within `budget` seconds."""
    with quiet_stderr():
        import tensorflow as tf
    matrix = tf.cast(tf.random.stateless_uniform((size, size), seed=(0, 1)), dtype)
    product = tf.function(lambda: tf.reduce_sum(tf.matmul(matrix, matrix)))
    float(product())  # builds the graph
    best, start = float("inf"), time.perf_counter()
    while time.perf_counter() - start < budget:
        before = time.perf_counter()
        float(product())
        best = min(best, time.perf_counter() - before)
    return best


def _device_name(tf, gpus):
    """Return "CPU", or "GPU" with the name of the first one."""
    if not gpus:
        return "CPU"
    details = tf.config.experimental.get_device_details(gpus[0])
    name = details.get("device_name")
    return f"GPU ({name})" if name else "GPU"


def _cpu_model():
    """Return the processor's name without trademark signs."""
    found = None
    with contextlib.suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        found = re.search(r"^model name\s*:(.*)", text, re.MULTILINE)
    name = found[1].strip() if found else platform.processor()
    name = name or platform.machine() or "unknown processor"
    name = re.sub(r"\((R|TM)\)|\b(CPU|Processor)\b", " ", name, flags=re.IGNORECASE)
    return " ".join(name.split())


@functools.cache
def _gpu_names():
    """Return the names of NVIDIA GPUs, as a tuple that is empty without one."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return ()
    command = [program, "--query-gpu=name", "--format=csv,noheader"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    if answer.returncode != 0:
        return ()
    return tuple(line.strip() for line in answer.stdout.splitlines() if line.strip())
