"""The script that pre-trains the small BERT: on a few reviews, and interrupted."""

import json

import keras
import pretrain_bert as script
import pytest


@pytest.fixture
def few_reviews(monkeypatch):
    """Let the sample recipe learn from 300 reviews."""
    texts, held_out = script.load_texts("sample")
    few = texts[:300], held_out[:60]
    monkeypatch.setattr(script, "load_texts", lambda data: few)
    return few


def test_it_writes_a_model_and_its_figures(few_reviews, tmp_path):
    assert script.main(["--data", "sample", "--output", str(tmp_path)]) == 0
    path = tmp_path / script.NAME
    facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert facts["sha256"] == f"`{script.sha256(path)}`"
    loaded = keras.models.load_model(path)
    assert len(loaded.fill_mask("The film is [MASK].")[0]) == 5
    assert getattr(loaded.network, "optimizer", None) is None
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"mini_bert.keras", "mini_bert.json"}


def test_an_interrupted_training_goes_on_with_other_windows(
    few_reviews, tmp_path, monkeypatch
):
    begun, seeds = [], []
    batches = script.batches

    class Interrupted(keras.callbacks.BackupAndRestore):
        def on_epoch_begin(self, epoch, logs=None):
            begun.append(epoch)
            if begun == [0, 1]:
                raise KeyboardInterrupt
            super().on_epoch_begin(epoch, logs)

    def noted(vectorizer, texts, recipe, seed):
        seeds.append(seed)
        return batches(vectorizer, texts, recipe, seed)

    monkeypatch.setattr(script.keras.callbacks, "BackupAndRestore", Interrupted)
    monkeypatch.setattr(script, "batches", noted)
    arguments = *few_reviews, script.RECIPES["sample"], tmp_path / "backup"
    with pytest.raises(KeyboardInterrupt):
        script.train(*arguments)
    script.train(*arguments)
    assert begun == [0, 1, 1]
    assert [seed for seed in seeds if seed != script.SEED] == [[0, 0], [0, 1]]


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
