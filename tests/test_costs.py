"""The table of costs is read out of the stored lessons, and its sizes are theirs."""

import json

import pytest
from conftest import build_notebook, stream

from course_utils import costs, results, scaling
from course_utils.recurrent import RecurrentSeq2Seq

STORED = {
    recipe.lesson: json.loads(
        (costs.LESSONS / f"{recipe.lesson}.ipynb").read_text(encoding="utf-8")
    )
    for recipe in costs.RECIPES
}
by_model = pytest.mark.parametrize("recipe", costs.RECIPES, ids=lambda r: r.model)


@by_model
def test_sizes_stand_in_the_lesson(recipe):
    cells = STORED[recipe.lesson]["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells)
    code = " ".join(code.split())
    for piece in recipe.sizes:
        assert piece in code, f"{recipe.lesson} no longer has {piece!r}"


@by_model
def test_every_figure_of_a_full_run_is_found(recipe):
    if STORED[recipe.lesson]["metadata"]["course"]["data_mode"] != "full":
        pytest.skip("awaits its full run")
    row = costs.cost(recipe, STORED[recipe.lesson])
    for figure in (row.weights, row.flops, row.minutes, row.score):
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
