"""Settings of all tests: bundled data, quiet logs, and one notebook to play with."""

import contextlib
import gc
import os
import shutil
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("COURSE_DATA", "sample")
os.environ.setdefault("COURSE_STRICT", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("MPLBACKEND", "agg")
# For the tests of the site's parts.
sys.path.append(str(Path(__file__).parents[1] / "website"))

import hypothesis
import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from course_utils.kit.files import DataError
from course_utils.kit.results import MIME_TYPE

ROOT = Path(__file__).parents[1]


def pytest_collection_finish():
    """Keep what was imported and collected out of every later garbage collection.

    Keras collects once for each layer that it rounds, and that is a second where there
    are millions of objects.
    """
    gc.collect()
    gc.freeze()


# An example may take as long as a busy machine needs.
hypothesis.settings.register_profile(
    "any clock", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any clock")


def stream(text):
    """Return a printed text as a cell's output."""
    return new_output("stream", name="stdout", text=text)


def recorded(name, value, unit="", **bounds):
    """Return a figure as the output of the cell that records it."""
    payload = {"name": name, "value": value, "unit": unit, **bounds}
    return new_output("display_data", {MIME_TYPE: payload, "text/plain": name})


def build_notebook(sources, outputs=None):
    """Return a notebook of code cells that look as if they had run in order.

    Args:
        sources: the text of each code cell.
        outputs: position in `sources` -> list of that cell's outputs.
    """
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = new_notebook(metadata={"kernelspec": kernel})
    for count, source in enumerate(sources):
        kept = (outputs or {}).get(count, [])
        cell = new_code_cell(source, execution_count=count + 1, outputs=kept)
        notebook.cells.append(cell)
    return notebook


@contextlib.contextmanager
def data_error(*parts):
    """Expect an error that has these parts and says how to go on without data."""
    with pytest.raises(DataError) as caught:
        yield
    for part in ("COURSE_DATA=sample", *parts):
        assert part in str(caught.value)


@pytest.fixture
def make_notebook():
    """The function `build_notebook`."""
    return build_notebook


@pytest.fixture
def good_lesson():
    """A notebook that keeps every rule of the contract."""
    return nbformat.read(Path(__file__).with_name("good_lesson.json"), 4)


@pytest.fixture
def write_notebook(tmp_path):
    """A function that writes a notebook to a file and returns the path."""

    def write(notebook, name="00_tiny.ipynb"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)
        return path

    return write


@pytest.fixture
def make():
    """A function that calls make at the top of the course."""
    if not shutil.which("make"):
        pytest.skip("make is not installed")

    def make(*asked):
        options = dict(cwd=ROOT, capture_output=True, text=True)
        return subprocess.run(["make", "-s", *asked], **options)

    return make


@pytest.fixture
def only_installed(monkeypatch, tmp_path):
    """Pretend that there is no checkout; return the data directory."""
    from course_utils import models

    monkeypatch.setattr(models, "CHECKOUT", tmp_path / "nowhere")
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(models, "_public_files", lambda: "https://x.org/raw/v1.2")
    return tmp_path / "data"


@pytest.fixture(scope="session")
def translation_models():
    """Translation models with random weights, for the tests of decoding."""
    from search_models import tiny_recurrent, tiny_transformer

    attention = {"score": "dot", "window": "monotonic", "half_width": 1}
    return {
        "transformer": tiny_transformer(num_layers=2),
        "peeky": tiny_recurrent(decoder="peeky"),
        "attention": tiny_recurrent(decoder="attention"),
        "monotonic": tiny_recurrent(decoder="attention", attention=attention),
    }


@pytest.fixture(scope="session")
def transformer(translation_models):
    """The Transformer among them."""
    return translation_models["transformer"]


@pytest.fixture(params=["transformer", "peeky", "attention", "monotonic"])
def translation_model(request, translation_models):
    """Each of them, one after another."""
    return translation_models[request.param]


@pytest.fixture(scope="session")
def sources():
    """Sentences of different lengths for it."""
    rng = np.random.default_rng(7)
    return [rng.integers(4, 12, n).tolist() for n in (3, 9, 1, 6, 5, 2, 8, 4)]
