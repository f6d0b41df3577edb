"""The script that pre-trains the small BERT: run on a few reviews, and interrupted."""

import itertools
import json
import types

import keras
import numpy as np
import pytest

from course_utils.files import sha256
from tools import pretrain_bert as script

RECIPE = script.RECIPES["sample"]


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    """A function that runs the sample recipe on 300 reviews, at a step a second.

    It returns facts and printed text; a KeyboardInterrupt comes at second `stop_at`.
    """
    texts, held_out = script.load_texts("sample")
    monkeypatch.setattr(script, "load_texts", lambda data: (texts[:300], held_out[:60]))
    card = tmp_path / script.CARD
    card.write_text("# Card\n<!-- mini_bert:begin -->\n<!-- mini_bert:end -->\nEnd.\n")

    def run(minutes, stop_at=None):
        seconds = itertools.count()

        def perf_counter():
            if (now := next(seconds)) == stop_at:
                raise KeyboardInterrupt
            return now

        clock = types.SimpleNamespace(perf_counter=perf_counter)
        monkeypatch.setattr(script, "time", clock)
        options = ["--data", "sample", "--minutes", minutes, "--output", str(tmp_path)]
        assert script.main(options) == 0
        facts = (tmp_path / script.NAME).with_suffix(".json").read_text("utf-8")
        return json.loads(facts), capsys.readouterr().out

    return run


def test_it_writes_a_model_and_can_go_on_before_its_fall(run, tmp_path):
    facts, printed = run("0.5")
    assert facts["steps, seed"] == "30, 0" and "goes on" not in printed
    path = tmp_path / script.NAME
    card = (tmp_path / script.CARD).read_text("utf-8")
    assert facts["sha256"] == f"`{sha256(path)}`"
    assert all(f"| {name} | {value} |" in card for name, value in facts.items())
    assert card.endswith("End.\n")
    model = keras.models.load_model(path)
    assert len(model.fill_mask("The film is [MASK].")[0]) == 5
    assert getattr(model.network, "optimizer", None) is None
    for array in model.get_weights():
        np.testing.assert_array_equal(array, array.astype("float16"))
    assert path.stat().st_size < 4 * model.count_params()  # smaller than float32
    names = {path.name for path in tmp_path.iterdir()}
    backup = script.backup_name(script.load_texts("sample")[0], RECIPE)
    assert names == {script.NAME, script.CARD, "mini_bert.json", backup}
    again, printed = run("0.5")  # nothing is left to train
    assert "goes on after 0.5 minutes" in printed
    changed = dict(again.items() - facts.items())
    assert again.keys() == facts.keys()
    assert changed.keys() <= {"sha256", "made with"}  # they hold the time of writing
    longer, printed = run("1")
    assert "goes on after 0.2 minutes" in printed
    assert longer["steps, seed"] == "60, 0"


def test_an_interrupted_training_goes_on_from_its_last_round(run):
    with pytest.raises(KeyboardInterrupt):
        run("0.5", stop_at=20)  # in the second round of ten steps
    facts, printed = run("0.5")
    assert "goes on after 0.2 minutes" in printed and facts["steps, seed"] == "30, 0"


def test_a_state_serves_the_same_texts_and_recipe_only():
    name = script.backup_name(["one", "two"], RECIPE)
    assert name == script.backup_name(["one", "two"], dict(RECIPE))
    assert name != script.backup_name(["one", "too"], RECIPE)
    assert name != script.backup_name(["one", "two"], {**RECIPE, "peak": 1e-3})


def test_no_copy_of_a_review_for_validation_or_testing_is_read(monkeypatch):
    parts = dict(validation=["two", "six"], test=["four", "seven"])
    parts |= dict(unsupervised=["one", "two", "three"], train=["four", "five"])
    monkeypatch.setattr(script.datasets.imdb, "load", lambda split: (parts[split], 0))
    assert script.load_texts("full") == (["one", "three", "five"], ["two", "six"])


def test_the_rate_rises_stays_and_falls():
    elapsed = [0.0, 0.01, 0.02, 0.3, 0.6, 0.8, 1.0, 1.1]
    rates = [script.rate(fraction) for fraction in elapsed]
    assert rates == pytest.approx([0, 0.5, 1, 1, 1, 0.5, 0, 0])


def test_a_pause_counts_a_few_seconds_only(tmp_path, monkeypatch):
    clock = types.SimpleNamespace(perf_counter=iter([0, 1000, 1001]).__next__)
    monkeypatch.setattr(script, "time", clock)
    progress = {"seconds": 0.0, "steps": 0}
    callback = script.Minutes(RECIPE, 60, progress, tmp_path)
    callback.on_epoch_begin(0)
    for batch in range(2):
        callback.on_train_batch_end(batch)
    assert progress["seconds"] == script.LONGEST_STEP + 1
