"""The script that makes the tiny presets: a few sentences, one epoch, loaded again."""

import json

import keras_hub
import pytest

from course_utils import models, presets
from course_utils.datasets.generated import chinese, reviews
from tools import make_presets as script
from tools import preset_training


@pytest.fixture
def few_sentences(monkeypatch):
    """Let the recipes learn from 64 Chinese sentences and 64 reviews."""
    sentences, (texts, labels) = chinese.load("train")[:64], reviews.load("train")
    monkeypatch.setattr(chinese, "load", lambda split: sentences)
    monkeypatch.setattr(reviews, "load", lambda split: (texts[:64], labels[:64]))


def test_it_writes_preset_record_and_card(few_sentences, tmp_path, monkeypatch):
    output = tmp_path / "presets"
    output.mkdir()
    card = output / "README.md"
    card.write_text("# Card\n\n<!-- presets:begin -->\n<!-- presets:end -->\n\nEnd.\n")
    arguments = ["--only", "tiny_bert_zh", "--output", str(output), "--epochs", "1"]
    assert script.main(arguments) == 0
    facts = json.loads((output / "presets.json").read_text("utf-8"))
    assert list(facts) == ["tiny_bert_zh"]
    fact = facts["tiny_bert_zh"]
    assert fact["sha256"] == script.sha256(output / "tiny_bert_zh.zip")
    text = card.read_text("utf-8")
    assert fact["sha256"] in text and text.endswith("End.\n")
    monkeypatch.setattr(models, "CHECKOUT", tmp_path)
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path / "data"))
    loaded = presets.load(keras_hub.models.MaskedLM, "tiny_bert_zh")
    assert loaded.count_params() == fact["weights"]
    assert script.said(presets.fill_mask(loaded, "我有三[MASK]书。")) == fact["told"]
    assert loaded.optimizer.iterations == 0  # stored without the optimizer's state


def test_the_other_kinds_can_be_made(few_sentences):
    pytest.importorskip("sentencepiece")
    for maker in (script.tiny_bert_en, script.tiny_t5_en, script.tiny_gpt2_zh):
        parts, weights, told = maker(1)
        assert weights < 400_000 and parts and told


def test_by_character_no_piece_spans_two_characters():
    texts = ["妈妈去公园", "妈妈去商店"] * 5
    vocabulary, merges = preset_training.byte_pairs(texts, 400, by_character=True)
    tokenizer = keras_hub.tokenizers.GPT2Tokenizer(vocabulary, merges)
    assert len(presets.token_ids(tokenizer, "妈妈去公园")) == 5


def test_byte_pairs_are_those_of_the_tokenizers_library():
    texts = ["low lower lowest", "newer wider"] * 5
    vocabulary, merges = preset_training.byte_pairs(texts, 280)
    assert vocabulary[preset_training.END] == len(vocabulary) - 1 < 280
    assert set(range(len(vocabulary))) == set(vocabulary.values())
    tokenizer = keras_hub.tokenizers.GPT2Tokenizer(vocabulary, merges)
    assert str(tokenizer.detokenize(tokenizer("lower 书"))) == "lower 书"
