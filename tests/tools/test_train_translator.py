"""The script that makes the course's translator: run on a few phrases."""

import json

import pytest

from course_utils import datasets
from course_utils.datasets.spa_eng import Splits
from course_utils.files import sha256
from course_utils.seq2seq import Translator
from tools import train_translator as script
from tools.model_card import save_model


def test_it_writes_a_translator_and_its_card(tmp_path, monkeypatch):
    splits = datasets.phrasebook.load()
    few = Splits(splits.train[:200], splits.validation[:20], splits.test[:20])
    monkeypatch.setattr(datasets.phrasebook, "load", lambda: few)
    card = tmp_path / "README.md"
    card.write_text("# Card\n\n<!-- model:begin -->\n<!-- model:end -->\n\nEnd.\n")
    assert script.main(["--data", "sample", "--output", str(tmp_path)]) == 0
    path = tmp_path / script.NAME
    facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert facts["sha256"] == f"`{sha256(path)}`"
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
        save_model(Model(), path)
    assert path.read_text() == "the old model"
    assert [file.name for file in tmp_path.iterdir()] == [script.NAME]
