"""Presets: sizes first, the course's own as recorded, one sentence for what fails."""

import json
from types import SimpleNamespace
from unittest import mock

import keras_hub
import pytest
from keras_hub.src.utils.preset_utils import BUILTIN_PRESETS

from course_utils import models
from course_utils.kit import files, presets
from course_utils.kit.presets import loading

OWN = [name for name, card in presets.CARDS.items() if card.sha256]
HUB = [name for name, card in presets.CARDS.items() if card.hub]
FOLDER = models.CHECKOUT / "presets"
TOLD = json.loads((FOLDER / "presets.json").read_text("utf-8"))


def test_cards_give_the_numbers_of_kerashub():
    for name in set(presets.CARDS) - set(OWN + HUB):
        parameters = BUILTIN_PRESETS[name]["metadata"]["params"]
        # KerasHub 0.26 doesn't know the size of every T5.
        assert parameters in (0, presets.CARDS[name].parameters)


def test_a_line_says_size_and_origin():
    assert presets.describe("bert_base_zh") == (
        "bert_base_zh: 102,267,648 weights, Apache 2.0, about 409 MB to download on "
        "first use"
    )
    assert presets.describe("tiny_bert_zh").endswith(" MB, comes with the course")


def test_the_size_is_printed_before_the_loading_begins(capsys):
    def from_preset(source, **options):
        assert capsys.readouterr().out == presets.describe("gpt2_base_en") + "\n"
        return source, options

    watched = SimpleNamespace(from_preset=from_preset)
    answer = presets.load(watched, "gpt2_base_en", load_weights=False)
    assert answer == ("gpt2_base_en", {"load_weights": False})


MESSAGES = {
    "bert_base_zh": r"Could not load the preset bert_base_zh \(no network\); either "
    r"check the connection to kaggle\.com.* or set COURSE_DATA=sample .*\.$",
    "tiny_bert_zh": r"\(no network\); it comes with the course\.$",
    "bert_huge": "^presets: there is no 'bert_huge'; the presets are minilm, .*\\.$",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_what_cannot_be_loaded_is_one_sentence_and_no_other_preset(name):
    def from_preset(source):
        raise OSError("no\nnetwork")

    with pytest.raises((files.DataError, ValueError), match=MESSAGES[name]) as caught:
        presets.load(SimpleNamespace(from_preset=from_preset), name)
    assert "\n" not in str(caught.value)


def test_the_files_are_those_that_the_card_describes():
    card = (FOLDER / "README.md").read_text("utf-8")
    assert sum((FOLDER / f"{name}.zip").stat().st_size for name in OWN) <= 6e6
    assert sorted(OWN) == sorted(TOLD)
    for name in OWN:
        path = FOLDER / f"{name}.zip"
        assert files.sha256(path) == presets.CARDS[name].sha256 == TOLD[name]["sha256"]
        assert presets.CARDS[name].parameters == TOLD[name]["weights"]
        assert f"| `{name}` | {TOLD[name]['weights']:,} |" in card
        assert TOLD[name]["sha256"] in card


def test_the_generator_writes_what_is_recorded():
    model = presets.load(keras_hub.models.CausalLM, "tiny_gpt2_en")
    model.compile(sampler="greedy")
    assert model.generate("The plot is", max_length=40) == TOLD["tiny_gpt2_en"]["told"]


def test_a_preset_is_unpacked_once(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path))
    folder = loading.folder("tiny_bert_zh")
    assert folder.parent == tmp_path / "presets"
    assert (folder / "model.weights.h5").is_file()
    (folder / "mark").touch()
    assert loading.folder("tiny_bert_zh") == folder and (folder / "mark").exists()


def test_a_damaged_file_is_one_sentence_and_leaves_nothing(only_installed, monkeypatch):
    """How a file is fetched, and from where, is tested with the other models."""
    damaged = only_installed / "half.zip"
    damaged.parent.mkdir()
    damaged.write_bytes(b"half a file")
    fetch = mock.Mock(return_value=damaged)
    monkeypatch.setattr(loading, "model_path", fetch)
    with pytest.raises(files.DataError, match="Could not unpack .*get this file again"):
        loading.folder("tiny_bert_zh")
    checksum = presets.CARDS["tiny_bert_zh"].sha256
    fetch.assert_called_once_with("presets/tiny_bert_zh.zip", checksum, "preset")
    assert list((only_installed / "presets").iterdir()) == []
