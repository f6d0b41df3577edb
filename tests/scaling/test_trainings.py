"""The table of costs has what the lessons recorded, times what an update computes."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf
from conftest import build_notebook
from nbformat.v4 import new_output

from course_utils.bert.masking import num_masked
from course_utils.bert.model import BertEncoder, BertPretraining
from course_utils.distillation import Neighbours
from course_utils.kit import results
from course_utils.language_models import CharacterLSTM, MiniGPT
from course_utils.scaling import TRAINING_BY_FORWARD, graph_flops, trainings
from course_utils.seq2seq import RecurrentSeq2Seq, TranslationTransformer
from tools import lessons


def ids(*shape):
    return tf.TensorSpec(shape, "int32")


pairs, texts = (ids(160, 7), ids(160, 10)), ids(64, 128)
IN_GRAPH = {  # model and inputs of one update
    "translation.transformer": (TranslationTransformer(4000, 96), pairs),
    "imdb.language.gpt": (MiniGPT(79, 256, 128, 512), ids(8, 256)),
    "imdb.bert": (
        BertPretraining(BertEncoder(8000, 128, 192, 768, dropout=0)),
        (texts, texts, ids(64, num_masked(128))),
    ),
    "distillation.unlabelled": (
        [Neighbours(1), keras.layers.Dense(64)],
        tf.TensorSpec((64, 128, 32), "float32"),
    ),
}


@pytest.mark.parametrize("name", IN_GRAPH)
def test_operations_of_an_update_are_those_of_its_graph(name):
    model, inputs = IN_GRAPH[name]
    model = keras.Sequential(model) if isinstance(model, list) else model
    assert graph_flops(model, inputs) == trainings.MODELS[name]["forward"]


def matrix_sizes(model):
    """Return {path: numbers} of the matrices that multiply."""
    model.build()
    return {w.path: int(np.prod(w.shape)) for w in model.weights if "kernel" in w.path}


def test_recurrent_operations_are_two_for_each_weight_and_position():
    """A graph doesn't say how often its loops run, so the weights are counted."""
    expected = 2 * 16 * 256 * sum(matrix_sizes(CharacterLSTM(79)).values())
    assert trainings.MODELS["imdb.language.lstm"]["forward"] == expected
    source, target = 7, 10  # 204 rows are lesson 07's batch of 2,048 tokens
    for attention in (False, True):
        kind = dict(embed_dim=192, units=256, bidirectional=True)
        if attention:
            kind |= {"attention": {"score": "general"}, "decoder": "attention"}
        sizes = matrix_sizes(RecurrentSeq2Seq(4000, 96, **kind))
        encoder = sum(n for path, n in sizes.items() if "bidirectional" in path)
        numbers = source * encoder + target * (sum(sizes.values()) - encoder)
        if attention:  # its scores and its mixture have no weights
            numbers += target * 2 * 256 * source
        name = "translation.gru_attention" if attention else "translation.gru"
        assert trainings.MODELS[name]["forward"] == 2 * 204 * numbers


def store(folder, name, mode="full", **figures):
    """Write a lesson that recorded some figures of the small BERT."""
    records = [{"name": f"imdb.bert.{key}", "value": figures[key]} for key in figures]
    outputs = [new_output("display_data", {results.MIME_TYPE: r}) for r in records]
    notebook = build_notebook(["1"], {0: outputs})
    notebook.metadata["course"] = {"data_mode": mode}
    (folder / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")


def test_a_row_is_made_of_records_of_full_runs(tmp_path):
    store(tmp_path, "11_x", weights=7, updates=3, pretrain_minutes=2.5, train_minutes=9)
    store(tmp_path, "13_x", mode="sample", masked_accuracy=0.9)
    rows = trainings.cost_table(trainings.recorded_figures(tmp_path))
    (row,) = (row for row in rows if row.lesson == "11")
    operations = 3 * TRAINING_BY_FORWARD * trainings.MODELS["imdb.bert"]["forward"]
    assert (row.weights, row.flops, row.minutes) == (7, operations, 2.5)
    assert row.score is None  # the run with the bundled data isn't read
    (other,) = (row for row in rows if row.lesson == "08")
    assert other[2:-1] == (None,) * 4


@pytest.mark.parametrize("prefix", trainings.MODELS)
def test_each_lesson_records_what_the_table_reads(prefix):
    about = trainings.MODELS[prefix]
    lesson = about["lesson"]
    path = lessons.path_of(lesson)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = "".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    for name in ("weights", "updates"):
        assert f'.{name}"' in code, f"lesson {lesson} doesn't record {prefix}.{name}"
    assert f"{prefix}.{about['score']}" in trainings.recorded_figures()
