"""setup(): data mode, seeds, the summary, and quiet logs that hide no error."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import course_utils
from course_utils import environment


def python(code, **variables):
    """Run code in a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
        timeout=300,
    )


def test_full_is_the_default(monkeypatch):
    monkeypatch.delenv("COURSE_DATA", raising=False)
    assert environment.data_mode() == "full"
    monkeypatch.setenv("COURSE_DATA", "")
    assert environment.data_mode() == "full"


@pytest.mark.parametrize("mode", ["full", "sample"])
def test_mode_from_the_variable(monkeypatch, mode):
    monkeypatch.setenv("COURSE_DATA", mode)
    assert environment.data_mode() == mode


@pytest.mark.parametrize("value", ["smaple", "FULL", "0"])
def test_unknown_mode_is_one_clear_sentence(monkeypatch, value):
    monkeypatch.setenv("COURSE_DATA", value)
    with pytest.raises(ValueError, match=f"COURSE_DATA is '{value}'.*'full'.*'sample'"):
        course_utils.setup()


def test_data_dir(monkeypatch, tmp_path):
    monkeypatch.delenv("COURSE_DATA_DIR", raising=False)
    default = Path("~/.cache/keras-attention-course").expanduser()
    assert environment.data_dir() == default
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path))
    assert environment.data_dir() == tmp_path


def test_summary_shows_no_absolute_path(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("COURSE_DATA", "sample")
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path))
    course = course_utils.setup()
    shown = capsys.readouterr().out
    assert course.data_mode == "sample"
    assert course.data_dir == tmp_path
    assert "Data: sample" in shown and "$COURSE_DATA_DIR" in shown
    assert f"Keras {course.versions['Keras']}" in shown
    assert course.device in shown
    assert str(tmp_path) not in shown
    monkeypatch.delenv("COURSE_DATA_DIR")
    course_utils.setup()
    shown = capsys.readouterr().out
    assert "~/.cache/keras-attention-course" in shown
    assert str(Path.home()) not in shown.replace("~", "")


def test_same_seed_same_numbers(capsys):
    import keras

    def numbers(seed):
        course_utils.setup(seed=seed)
        return np.random.rand(), float(keras.random.uniform(()))

    assert numbers(3) == numbers(3)
    assert numbers(3) != numbers(4)


def test_importing_the_package_loads_no_tensorflow():
    done = python(
        "import sys, course_utils; course_utils.results; "
        "assert 'tensorflow' not in sys.modules and 'keras' not in sys.modules"
    )
    assert done.returncode == 0, done.stderr


def test_setup_keeps_all_bits_of_float32_on_newer_gpus():
    import tensorflow as tf

    tf.config.experimental.enable_tensor_float_32_execution(True)
    environment.setup()
    assert not tf.config.experimental.tensor_float_32_execution_enabled()


def test_setup_and_a_first_model_write_nothing_to_the_error_stream():
    code = (
        "import course_utils; course_utils.setup()\n"
        "import keras, numpy as np\n"
        "model = keras.Sequential([keras.layers.Dense(1)])\n"
        "model.compile('sgd', 'mse')\n"
        "model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)\n"
    )
    variables = {**os.environ, "COURSE_DATA": "sample"}
    variables.pop("TF_CPP_MIN_LOG_LEVEL", None)  # setup() sees to it
    done = subprocess.run(
        [sys.executable, "-W", "default::UserWarning", "-c", code],
        capture_output=True,
        text=True,
        env=variables,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 3


def test_hidden_text_comes_back_with_an_exception():
    code = (
        "import os\n"
        "from course_utils.environment import quiet_stderr\n"
        "with quiet_stderr(): os.write(2, b'hidden\\n')\n"
        "os.write(2, b'seen\\n')\n"
        "with quiet_stderr():\n"
        "    os.write(2, b'cause\\n')\n"
        "    raise ImportError('no library')\n"
    )
    done = python(code)
    assert done.returncode == 1
    assert "hidden" not in done.stderr
    for text in ("seen", "cause", "ImportError: no library"):
        assert text in done.stderr


def test_hardware_names_cores_and_processor():
    text = environment.hardware()
    assert " CPU core" in text
    assert text.split()[0].isdigit()
    assert "(R)" not in text and "(TM)" not in text


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ({"float32": 1.0, "bfloat16": 0.5}, "mixed_bfloat16"),
        ({"float32": 1.0, "bfloat16": 4.0}, "float32"),
        ({"float32": 1.0, "bfloat16": 0.95}, "float32"),
    ],
)
def test_fastest_dtype_takes_the_measured_one(monkeypatch, seconds, expected):
    monkeypatch.setattr(environment, "_matmul_seconds", seconds.get)
    environment.fastest_dtype.cache_clear()
    assert environment.fastest_dtype() == expected
    environment.fastest_dtype.cache_clear()


def test_fastest_dtype_measures_this_machine():
    environment.fastest_dtype.cache_clear()
    assert environment.fastest_dtype() in ("mixed_bfloat16", "float32")
