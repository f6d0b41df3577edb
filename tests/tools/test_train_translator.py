"""The script that makes the course's translator: run on a few phrases, interrupted."""

import json

import keras
import pytest

from course_utils import datasets
from course_utils.datasets.spa_eng import Splits
from course_utils.seq2seq import Translator
from tools import model_card
from tools import train_translator as script


def test_it_writes_a_translator_and_goes_on_after_an_interruption(
    tmp_path, monkeypatch, capsys
):
    splits = datasets.phrasebook.load()
    few = Splits(splits.train[:200], splits.validation[:20], splits.test[:20])
    monkeypatch.setattr(datasets.phrasebook, "load", lambda: few)
    monkeypatch.setitem(script.RECIPES["sample"], "epochs", 2)
    card = tmp_path / "README.md"
    card.write_text("# Card\n\n<!-- model:begin -->\n<!-- model:end -->\n\nEnd.\n")
    arguments = ["--data", "sample", "--output", str(tmp_path)]

    class Interrupted(keras.callbacks.BackupAndRestore):
        def on_epoch_begin(self, epoch, logs=None):
            if epoch == 1:
                raise KeyboardInterrupt
            super().on_epoch_begin(epoch, logs)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(keras.callbacks, "BackupAndRestore", Interrupted)
        script.main(arguments)
    assert not (tmp_path / script.NAME).exists()
    capsys.readouterr()
    assert script.main(arguments) == 0
    printed = capsys.readouterr().out
    assert "Epoch 2/2" in printed and "Epoch 1/2" not in printed
    path = tmp_path / script.NAME
    facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert facts["sha256"] == f"`{script.sha256(path)}`"
    assert "since an interruption" in facts["training"]
    text = card.read_text("utf-8")
    assert facts["sha256"] in text and text.endswith("End.\n")
    translator = Translator.load(path)
    assert len(translator.translate(["I see."])) == 1
    assert getattr(translator.transformer, "optimizer", None) is None
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"README.md", "en_es.keras", "en_es.json"}


def test_an_interrupted_save_leaves_the_old_file(tmp_path):
    class Model:
        def save(self, path):
            path.write_text("half a model")
            raise KeyboardInterrupt

    path = tmp_path / script.NAME
    path.write_text("the old model")
    with pytest.raises(KeyboardInterrupt):
        model_card.save_model(Model(), path)
    assert path.read_text() == "the old model"
    assert [file.name for file in tmp_path.iterdir()] == [script.NAME]


def test_pairs_that_are_too_long_are_left_out():
    vectorizer = script.SubwordVectorizer.train(["a b"], 10)
    rows = [("a", ["b"]), ("a " * (script.LONGEST + 1), ["b"])]
    sources, targets = script.encode_pairs(vectorizer, rows)
    assert len(sources) == len(targets) == 1
