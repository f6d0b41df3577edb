"""The script that makes the tiny presets: a few sentences, one epoch, loaded again."""

import json

import keras_hub
import pytest

from course_utils import models, presets
from course_utils.datasets.generated import chinese, reviews
from tools import make_presets as script


@pytest.fixture
def few_sentences(monkeypatch):
    sentences, (texts, labels) = chinese.load("train")[:64], reviews.load("train")
    monkeypatch.setattr(chinese, "load", lambda split: sentences)
    monkeypatch.setattr(reviews, "load", lambda split: (texts[:64], labels[:64]))


def test_it_writes_preset_record_and_card(few_sentences, tmp_path, monkeypatch):
    output = tmp_path / "presets"
    output.mkdir()
    card = output / "README.md"
    card.write_text("# Card\n\n<!-- presets:begin -->\n<!-- presets:end -->\n\nEnd.\n")
    arguments = ["tiny_bert_zh", "--output", str(output), "--epochs", "1"]
    assert script.main(arguments) == 0
    (fact,) = json.loads((output / "presets.json").read_text("utf-8")).values()
    assert fact["sha256"] == script.sha256(output / "tiny_bert_zh.zip")
    text = card.read_text("utf-8")
    assert fact["sha256"] in text and text.endswith("End.\n")
    monkeypatch.setattr(models, "CHECKOUT", tmp_path)
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path / "data"))
    loaded = presets.load(keras_hub.models.MaskedLM, "tiny_bert_zh")
    assert loaded.count_params() == fact["weights"]
    assert script.filled(loaded, "我有三", "书。") == fact["told"]
    assert loaded.optimizer.iterations == 0  # stored without the optimizer's state


KINDS = ["tiny_bert_en", "tiny_gpt2_en"]
KINDS += ["tiny_t5_en"] * hasattr(keras_hub.models, "T5Seq2SeqLM")  # not in 0.26


@pytest.mark.parametrize("name", KINDS)
def test_the_other_kinds_can_be_made(name, few_sentences):
    parts, told = script.MAKERS[name](1)
    assert parts[0].count_params() < 400_000 and told


def test_byte_pairs_are_those_of_the_library():
    pieces, merges = script.byte_pairs(["low lower lowest", "newer wider"] * 5, 280)
    assert pieces[script.END] == len(pieces) - 1 < 280
    assert set(range(len(pieces))) == set(pieces.values())
    tokenizer = keras_hub.tokenizers.GPT2Tokenizer(pieces, merges)
    assert str(tokenizer.detokenize(tokenizer("lower 书"))) == "lower 书"
