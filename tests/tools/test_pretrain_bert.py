"""The script that pre-trains the small BERT: on a few reviews, and interrupted."""

import json
import types

import keras
import numpy as np
import pytest

from tools import pretrain_bert as script

MINUTES = 0.5  # by the clock below: 30 steps


@pytest.fixture
def few_reviews(monkeypatch):
    """Let the sample recipe learn from 300 reviews, by a clock of a second a step."""
    texts, held_out = script.load_texts("sample")
    few = texts[:300], held_out[:60]
    monkeypatch.setattr(script, "load_texts", lambda data: few)
    seconds = iter(range(10**6))
    clock = types.SimpleNamespace(perf_counter=lambda: next(seconds))
    monkeypatch.setattr(script, "time", clock)
    return few


@pytest.fixture
def train(few_reviews, tmp_path):
    """Return a function that trains for some minutes with the same backup."""

    def train(minutes=MINUTES):
        backup = tmp_path / "backup"
        return script.train(*few_reviews, script.RECIPES["sample"], minutes, backup)

    return train


@pytest.fixture
def begun(monkeypatch):
    """Note the seed of each training's windows."""
    seeds, batches = [], script.batches

    def noted(vectorizer, ids, recipe, seed):
        if seed != script.SEED:  # that one is of the held-out reviews
            seeds.append(seed)
        return batches(vectorizer, ids, recipe, seed)

    monkeypatch.setattr(script, "batches", noted)
    return seeds


def interrupt(monkeypatch, after_rounds):
    """Let the state be saved so many times, and then interrupt the training."""
    saved, save_state = [], script.save_state

    def save_and_stop(path, network, progress):
        save_state(path, network, progress)
        saved.append((path.name, [w.numpy() for w in network.weights]))
        if len(saved) == after_rounds:
            raise KeyboardInterrupt

    monkeypatch.setattr(script, "save_state", save_and_stop)
    return saved


def test_it_writes_a_model_its_figures_and_the_table_of_the_card(few_reviews, tmp_path):
    card = tmp_path / script.CARD
    card.write_text(
        "# Card\n\n<!-- mini_bert:begin -->\n<!-- mini_bert:end -->\nEnd.\n"
    )
    options = ["--data", "sample", "--minutes", "0.1", "--output", str(tmp_path)]
    assert script.main(options) == 0
    path = tmp_path / script.NAME
    facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert facts["sha256"] == f"`{script.sha256(path)}`"
    assert facts["sha256"] in card.read_text("utf-8")
    assert card.read_text("utf-8").endswith("End.\n")
    loaded = keras.models.load_model(path)
    assert len(loaded.fill_mask("The film is [MASK].")[0]) == 5
    assert getattr(loaded.network, "optimizer", None) is None
    for array in loaded.get_weights():
        np.testing.assert_array_equal(array, array.astype("float16"))
    assert path.stat().st_size < 4 * loaded.count_params()  # smaller than float32
    names = {path.name for path in tmp_path.iterdir()}
    texts, _ = few_reviews
    backup = script.backup_name(texts, script.RECIPES["sample"])
    assert names == {script.NAME, script.CARD, "mini_bert.json", backup}


def test_no_copy_of_a_review_for_validation_or_testing_is_read(monkeypatch):
    parts = {
        "unsupervised": ["one", "two", "three"],
        "train": ["four", "five"],
        "validation": ["two", "six"],
        "test": ["four", "seven"],
    }
    monkeypatch.setattr(
        script.datasets.imdb, "load", lambda split: (parts[split], None)
    )
    texts, held_out = script.load_texts("full")
    assert texts == ["one", "three", "five"]
    assert held_out == ["two", "six"]


def test_a_state_serves_the_same_texts_and_recipe_only():
    recipe = script.RECIPES["sample"]
    name = script.backup_name(["one", "two"], recipe)
    assert name == script.backup_name(["one", "two"], dict(recipe))
    assert name != script.backup_name(["one", "too"], recipe)
    assert name != script.backup_name(["one", "two"], {**recipe, "peak": 1e-3})


def test_an_interrupted_training_goes_on_from_its_last_round(train, begun, monkeypatch):
    saved = interrupt(monkeypatch, after_rounds=1)
    with pytest.raises(KeyboardInterrupt):
        train()
    loaded, load_state = [], script.load_state

    def noted(path, network):
        progress = load_state(path, network)
        loaded.append([w.numpy() for w in network.weights])
        assert network.optimizer.iterations == 10
        return progress

    monkeypatch.setattr(script, "load_state", noted)
    _, _, progress = train()
    assert progress["steps"] == 30
    assert begun == [[0, 0], [0, 10]]  # other windows than in the first round
    names = ["before.npz", "falling-0.5.npz", "falling-0.5.npz"]
    assert [name for name, _ in saved] == names
    for stored, again in zip(saved[0][1], loaded[0], strict=True):
        np.testing.assert_array_equal(stored, again)


def test_a_finished_training_can_be_saved_again_or_go_on_before_its_fall(train, begun):
    first, figures, progress = train()
    again, same_figures, same_progress = train()
    assert begun == [[0, 0]]
    assert (figures, progress) == (same_figures, same_progress)
    for one, other in zip(first.get_weights(), again.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    _, _, progress = train(2 * MINUTES)
    assert begun == [[0, 0], [0, 10]]
    assert progress["steps"] == 60


def test_the_rate_rises_stays_and_falls():
    shares = [0.0, 0.01, 0.02, 0.3, 0.6, 0.8, 1.0, 1.1]
    rates = [script.rate(share) for share in shares]
    assert rates == pytest.approx([0, 0.5, 1, 1, 1, 0.5, 0, 0])


def test_a_pause_counts_a_few_seconds_only(few_reviews, tmp_path, monkeypatch):
    moments = iter([0, 1000, 1001])
    clock = types.SimpleNamespace(perf_counter=lambda: next(moments))
    monkeypatch.setattr(script, "time", clock)
    progress = {"seconds": 0.0, "steps": 0}
    recipe = script.RECIPES["sample"]
    callback = script.Minutes(recipe, 60, progress, tmp_path)
    callback.on_epoch_begin(0)
    callback.on_train_batch_end(0)
    callback.on_train_batch_end(1)
    assert progress["seconds"] == script.LONGEST_STEP + 1


def test_an_interrupted_save_leaves_the_old_file(tmp_path):
    class Model:
        def save(self, path):
            path.write_text("half a model")
            raise KeyboardInterrupt

    path = tmp_path / script.NAME
    path.write_text("the old model")
    with pytest.raises(KeyboardInterrupt):
        script.save(Model(), path)
    assert path.read_text() == "the old model"
    assert [found.name for found in tmp_path.iterdir()] == [script.NAME]
