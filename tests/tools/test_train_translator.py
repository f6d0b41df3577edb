"""The script that makes the course's translator: on a few phrases, and interrupted."""

import json

import pytest

from course_utils import datasets
from course_utils.datasets.spa_eng import Splits
from course_utils.seq2seq import Translator
from tools import train_translator as script


@pytest.fixture
def few_phrases(monkeypatch):
    """Let the sample recipe learn from 200 phrases."""
    splits = datasets.phrasebook.load()
    few = Splits(splits.train[:200], splits.validation[:20], splits.test[:20])
    monkeypatch.setattr(datasets.phrasebook, "load", lambda: few)


@pytest.fixture
def small():
    """Return an untrained translator."""
    vectorizer = script.SubwordVectorizer.train(["I see.", "Veo."], 60)
    model = script.build(script.RECIPES["sample"], vectorizer.vocabulary_size)
    return Translator(vectorizer, model)


def test_it_writes_a_translator_its_figures_and_the_table_of_the_card(
    few_phrases, tmp_path
):
    card = tmp_path / "README.md"
    card.write_text("# Card\n\n<!-- model:begin -->\n<!-- model:end -->\n\nEnd.\n")
    assert script.main(["--data", "sample", "--output", str(tmp_path)]) == 0
    path = tmp_path / script.NAME
    facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert facts["sha256"] == f"`{script.sha256(path)}`"
    assert facts["sha256"] in card.read_text("utf-8")
    assert card.read_text("utf-8").endswith("End.\n")
    loaded = Translator.load(path)
    assert len(loaded.translate(["I see."])) == 1
    assert getattr(loaded.transformer, "optimizer", None) is None
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"README.md", "en_es.keras", "en_es.json"}


def test_an_interrupted_training_goes_on_where_its_last_epoch_ended(
    few_phrases, tmp_path, monkeypatch
):
    begun = []

    class Interrupted(script.keras.callbacks.BackupAndRestore):
        def on_epoch_begin(self, epoch, logs=None):
            begun.append(epoch)
            if begun == [0, 1]:
                raise KeyboardInterrupt
            super().on_epoch_begin(epoch, logs)

    monkeypatch.setattr(script.keras.callbacks, "BackupAndRestore", Interrupted)
    recipe = {**script.RECIPES["sample"], "epochs": 2}
    arguments = datasets.phrasebook.load(), recipe, tmp_path / "backup"
    with pytest.raises(KeyboardInterrupt):
        script.train(*arguments)
    script.train(*arguments)
    assert begun == [0, 1, 1]


def test_an_interrupted_save_leaves_the_old_file(small, tmp_path, monkeypatch):
    path = tmp_path / script.NAME
    path.write_text("the old model")

    def interrupted(self, target):
        target.write_text("half a model")
        raise KeyboardInterrupt

    monkeypatch.setattr(Translator, "save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        script.save(small, path)
    assert path.read_text() == "the old model"
    assert [found.name for found in tmp_path.iterdir()] == [script.NAME]


def test_pairs_that_are_too_long_are_left_out():
    vectorizer = script.SubwordVectorizer.train(["a b"], 10)
    rows = [("a", ["b"]), ("a " * (script.LONGEST + 1), ["b"])]
    sources, targets = script.encode_pairs(vectorizer, rows)
    assert len(sources) == len(targets) == 1
