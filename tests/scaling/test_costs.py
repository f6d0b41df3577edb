"""The table of costs is read out of the stored lessons, and its sizes are theirs."""

import json

import keras
import numpy as np
import pytest
from conftest import build_notebook, stream

from course_utils import results
from course_utils.bert.masking import places_to_guess
from course_utils.bert.model import BertEncoder, BertPretraining
from course_utils.distillation import Neighbours
from course_utils.scaling import costs
from course_utils.scaling import flops as scaling
from course_utils.seq2seq.recurrent import RecurrentSeq2Seq


def stored_lesson(recipe):
    """Return the notebook of a recipe; skip the test where there is none yet."""
    path = costs.LESSONS / f"{recipe.lesson}.ipynb"
    if not path.exists():
        pytest.skip("awaits its lesson")
    return json.loads(path.read_text(encoding="utf-8"))


by_model = pytest.mark.parametrize("recipe", costs.RECIPES, ids=lambda r: r.model)


@by_model
def test_sizes_stand_in_the_lesson(recipe):
    cells = stored_lesson(recipe)["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells)
    code = " ".join(code.split())
    for piece in recipe.sizes:
        assert piece in code, f"{recipe.lesson} no longer has {piece!r}"


@by_model
def test_every_figure_of_a_full_run_is_found(recipe):
    notebook = stored_lesson(recipe)
    if notebook["metadata"].get("course", {}).get("data_mode") != "full":
        pytest.skip("awaits its full run")
    row = costs.cost(recipe, notebook)
    assert (row.minutes is None) == (recipe.minutes is None)
    for figure in (row.weights, row.flops, row.minutes or 1, row.score):
        assert figure is not None and figure > 0


def recipe(**changes):
    fields = dict(
        model="m",
        lesson="99_x",
        weights=r"([\d,]+) weights",
        steps=r"(\d+) steps",
        epochs=2,
        step_flops=100,
        minutes="a.minutes",
        score="a.score",
        unit="BLEU",
        sizes=(),
    )
    return costs.Recipe(**{**fields, **changes})


def stored(text, mode="full", **figures):
    notebook = build_notebook(["1"], {0: [stream(text)]})
    for name, value in figures.items():
        payload = {"name": name.replace("_", "."), "value": value, "unit": ""}
        output = {"output_type": "display_data", "data": {results.MIME_TYPE: payload}}
        notebook.cells[0].outputs.append(output)
    notebook.metadata["course"] = {"data_mode": mode}
    return notebook


def test_a_row_is_read_out_of_outputs():
    text = "1,234 weights\n7 steps\n"
    notebook = stored(text, a_minutes=3.5, a_score=40)
    row = costs.cost(recipe(), notebook)
    assert (row.weights, row.minutes, row.score) == (1234, 3.5, 40)
    assert row.flops == 7 * 2 * 100 * scaling.TRAINING_BY_FORWARD
    row = costs.cost(recipe(weights=5, minutes=r"(\d+) steps"), notebook)
    assert (row.weights, row.minutes) == (5, 7)
    assert costs.cost(recipe(minutes=None), notebook).minutes is None


PRINTED = {
    "14_bert_from_scratch": """3,000 weights, 2,000 of them in the table of the pieces
  120 steps: masked tokens 0.100, next sentence 0.500 right
  720 steps: masked tokens 0.300, next sentence 0.600 right
""",
    "16_distillation": """{'teacher': '9,000', 'student': '3,000'}
T, α, steps = (1.0, 0.0, 500): 0.8100
chosen: (1.0, 0.0, 500) alone, (2.0, 0.5, 720) with a teacher; standard error near
""",
}


@pytest.mark.parametrize("lesson", PRINTED)
def test_lines_of_lessons_that_await_their_run_are_found(lesson):
    """As the code of the lessons prints them, with other numbers."""
    (recipe,) = (recipe for recipe in costs.RECIPES if recipe.lesson == lesson)
    notebook = stored(PRINTED[recipe.lesson])
    notebook.cells[0].outputs += [
        {
            "output_type": "display_data",
            "data": {results.MIME_TYPE: {"name": name, "value": 0.5, "unit": ""}},
        }
        for name in filter(None, (recipe.score, recipe.minutes))
    ]
    row = costs.cost(recipe, notebook)
    forward = 720 * recipe.step_flops
    assert (row.weights, row.score) == (3000, 0.5)
    assert row.flops == scaling.TRAINING_BY_FORWARD * forward


def test_what_is_missing_is_none():
    row = costs.cost(recipe(), stored("nothing"))
    assert row.weights is row.flops is row.minutes is row.score is None
    sample = stored("9 weights 7 steps", mode="sample", a_score=1)
    assert costs.cost(recipe(), sample).weights is None


def test_without_lessons_the_error_says_so(tmp_path):
    with pytest.raises(ValueError, match="aren't beside the package"):
        costs.read(tmp_path)


def test_counted_weights_are_the_models():
    """Recurrent FLOPs follow the matrices of the model of lesson 08."""
    model = RecurrentSeq2Seq(40, 12, 6, 4, bidirectional=True)
    model.build()
    matrices = {
        w.path: int(w.shape[0]) * int(w.shape[1])
        for w in model.weights
        if "kernel" in w.path
    }
    encoder = sum(n for path, n in matrices.items() if "bidirectional" in path)
    others = sum(matrices.values()) - encoder
    rows = 30 // costs.TARGET
    expected = 2 * rows * (costs.SOURCE * encoder + costs.TARGET * others)
    assert costs._recurrent_translation_flops(30, 6, 4, 40, False) == expected


def test_counted_weights_of_the_classifier():
    # 132,609 are printed by lesson 05 for the same model without positions.
    assert costs._classifier_weights(0, 256, 128, 128) == 132_609


def test_counted_operations_are_those_of_the_graphs():
    """Of the small BERT and the student, whose sizes stand in two lessons."""
    sizes = dict(embed_dim=8, dense_dim=12, num_layers=2)
    bert = BertPretraining(BertEncoder(50, 20, num_heads=2, dropout=0, **sizes))
    ids = np.full((3, 20), 7, "int32")
    places = np.tile(np.arange(places_to_guess(20)), (3, 1)).astype("int32")
    counted = scaling.graph_flops(bert, (ids, np.zeros_like(ids), places))
    assert counted == costs._masked_model_flops(3, 20, sizes, 50)

    student = keras.Sequential([Neighbours(1), keras.layers.Dense(64)])
    vectors = np.ones((4, 2048, 32), "float32")
    (recipe,) = (r for r in costs.RECIPES if r.model == "distilled student")
    assert scaling.graph_flops(student, vectors) == recipe.step_flops
