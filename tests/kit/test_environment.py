"""setup(): data mode, seeds, the summary, and quiet logs that hide no error."""

import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import course_utils
from course_utils.kit import environment


def python(code, *options, **variables):
    """Run code in a fresh interpreter, whose own setting of the logs is gone."""
    inherited = {k: v for k, v in os.environ.items() if k != "TF_CPP_MIN_LOG_LEVEL"}
    command = [sys.executable, *options, "-c", code]
    places = dict(env={**inherited, **variables}, timeout=1200)
    return subprocess.run(command, capture_output=True, text=True, **places)


def test_mode_from_the_variable(monkeypatch):
    monkeypatch.delenv("COURSE_DATA")
    assert environment.data_mode() == "full"
    for value, mode in {"": "full", "full": "full", "sample": "sample"}.items():
        monkeypatch.setenv("COURSE_DATA", value)
        assert environment.data_mode() == mode


MODES = "but it must be 'full' .*'sample'"


@pytest.mark.parametrize("value", ["smaple", "FULL", "0"])
def test_another_value_is_one_clear_sentence(monkeypatch, value):
    monkeypatch.setenv("COURSE_DATA", value)
    with pytest.raises(ValueError, match=f"COURSE_DATA is '{value}', {MODES}"):
        course_utils.setup()


def test_summary_shows_no_absolute_path(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path))
    course = course_utils.setup()
    shown = capsys.readouterr().out
    assert (course.data_mode, course.data_dir) == ("sample", tmp_path)
    assert "Data: sample" in shown and "$COURSE_DATA_DIR" in shown
    assert f"Keras {course.versions['Keras']}" in shown and course.device in shown
    assert str(tmp_path) not in shown
    monkeypatch.delenv("COURSE_DATA_DIR")
    default = "~/.cache/keras-attention-course"
    assert course_utils.setup().data_dir == Path(default).expanduser()
    shown = capsys.readouterr().out
    assert default in shown and str(Path.home()) not in shown.replace("~", "")


def test_setup_seeds_all_numbers_and_keeps_all_bits_of_float32_on_newer_gpus():
    import keras
    import tensorflow as tf

    tf.config.experimental.enable_tensor_float_32_execution(True)

    def numbers(seed):
        course_utils.setup(seed=seed)
        return np.random.rand(), float(keras.random.uniform(()))

    assert numbers(3) == numbers(3)
    assert numbers(3) != numbers(4)
    assert not tf.config.experimental.tensor_float_32_execution_enabled()


def test_a_variable_leaves_the_allocators_of_the_process_alone(monkeypatch):
    asked = []

    def library(name):
        asked.append(name)
        raise OSError("none here")

    monkeypatch.setattr(environment.ctypes, "CDLL", library)
    monkeypatch.setattr(environment, "usable_cores", lambda: 1)
    course_utils.setup()
    assert asked == [None]
    monkeypatch.delenv("TF_CPU_ALLOCATOR_USE_BFC", raising=False)
    monkeypatch.setenv("COURSE_MALLOC", "0")
    course_utils.setup()
    assert asked == [None] and "TF_CPU_ALLOCATOR_USE_BFC" not in os.environ


def test_no_model_is_compiled_by_xla_unless_it_is_asked_for(monkeypatch, tmp_path):
    """Where TensorFlow lists a GPU, Keras would choose XLA by itself."""
    import keras
    import tensorflow as tf

    course_utils.setup()
    course_utils.setup()  # a second time changes nothing
    gpu = types.SimpleNamespace(device_type="GPU")
    monkeypatch.setattr(tf.config, "list_physical_devices", lambda kind=None: [gpu])

    def new_model():
        return keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])

    model = new_model()
    assert not model.jit_compile  # so `predict` doesn't compile it either
    model.compile("sgd", "mse")
    assert model.jit_compile is False
    model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert loaded.compiled and loaded.jit_compile is False
    asked = new_model()
    asked.compile("sgd", "mse", jit_compile=True)
    assert asked.jit_compile is True
    asked.compile("sgd", "mse", jit_compile="auto")
    assert asked.jit_compile is True


def test_importing_the_package_or_the_dates_loads_no_tensorflow():
    done = python(
        "import sys, course_utils\n"
        "from course_utils.datasets import dates\n"
        "from course_utils.kit import results\n"
        "print(*{'tensorflow', 'keras'} & {*sys.modules})"
    )
    assert (done.stdout, done.stderr) == ("\n", "")


def test_setup_and_a_first_model_write_nothing_to_the_error_stream():
    done = python(
        "import course_utils; course_utils.setup()\n"
        "import keras, numpy as np\n"
        "model = keras.Sequential([keras.layers.Dense(1)])\n"
        "model.compile('sgd', 'mse')\n"
        "model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)\n",
        *("-W", "default::UserWarning"),
        COURSE_DATA="sample",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 4


def test_hidden_text_comes_back_with_an_exception():
    done = python(
        "import os\n"
        "from course_utils.kit.environment import quiet_stderr\n"
        "with quiet_stderr(): os.write(2, b'hidden\\n')\n"
        "os.write(2, b'seen\\n')\n"
        "with quiet_stderr():\n"
        "    os.write(2, b'cause\\n')\n"
        "    raise ImportError('no library')\n"
    )
    assert done.returncode == 1
    assert "hidden" not in done.stderr
    for text in ("seen", "cause", "ImportError: no library"):
        assert text in done.stderr


def test_hardware_names_cores_and_processor(monkeypatch):
    text = environment.hardware()
    assert text.startswith(f"{environment.usable_cores()} CPU core")
    assert "(R)" not in text and "(TM)" not in text
    monkeypatch.setattr(environment, "usable_cores", lambda: 1)
    assert environment.hardware().startswith("1 CPU core (")


def test_fastest_dtype_takes_the_measured_one(monkeypatch):
    expected = {0.5: "mixed_bfloat16", 0.95: "float32", 4.0: "float32"}
    for seconds, dtype in expected.items():
        measured = {"float32": 1.0, "bfloat16": seconds}
        monkeypatch.setattr(environment, "_matmul_seconds", measured.get)
        environment.fastest_dtype.cache_clear()
        assert environment.fastest_dtype() == dtype
    environment.fastest_dtype.cache_clear()


@pytest.mark.parametrize("mode, setting", [("full", 12), ("sample", 1)])
def test_the_mode_picks_a_setting(monkeypatch, capsys, mode, setting):
    monkeypatch.setenv("COURSE_DATA", mode)
    assert course_utils.setup().pick(full=12, sample=1) == setting
    assert ("figures differ" in capsys.readouterr().out) is (mode == "sample")
