"""The table of costs has what the lessons recorded, times what an update computes."""

import json

import pytest
from conftest import build_notebook
from nbformat.v4 import new_output

from course_utils import results
from course_utils.scaling import TRAINING_BY_FORWARD, trainings


def store(folder, name, mode="full", **figures):
    """Write a lesson that recorded some figures of the small BERT."""
    records = [{"name": f"imdb.bert.{key}", "value": figures[key]} for key in figures]
    outputs = [
        new_output("display_data", {results.MIME_TYPE: record}) for record in records
    ]
    notebook = build_notebook(["1"], {0: outputs})
    notebook.metadata["course"] = {"data_mode": mode}
    (folder / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")


def test_a_row_is_made_of_records_of_full_runs(tmp_path):
    store(tmp_path, "14_x", weights=70, updates=3, pretrain_minutes=2.5)
    store(tmp_path, "15_x", mode="sample", masked_accuracy=0.9)
    rows = trainings.cost_table(trainings.recorded_figures(tmp_path))
    (row,) = (row for row in rows if row.lesson == "14")
    operations = 3 * TRAINING_BY_FORWARD * trainings.FORWARD["imdb.bert"]
    assert (row.weights, row.flops, row.minutes) == (70, operations, 2.5)
    assert row.score is None  # the run with the embedded data isn't read
    (other,) = (row for row in rows if row.lesson == "09")
    assert other[2:-1] == (None,) * 4


@pytest.mark.parametrize("prefix", trainings.MODELS)
def test_each_lesson_records_what_the_table_reads(prefix):
    lesson, _, score, _ = trainings.MODELS[prefix]
    (path,) = trainings.LESSONS.glob(f"{lesson}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = "".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    for name in ("weights", "updates"):
        assert f'.{name}"' in code, f"lesson {lesson} doesn't record {prefix}.{name}"
    assert f"{prefix}.{score}" in trainings.recorded_figures()
