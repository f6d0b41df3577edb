"""The scripts that make the course's models: run on a few texts, and interrupted."""

import itertools
import json
import re
import types

import keras
import keras_hub
import numpy as np
import pytest

from course_utils import datasets
from course_utils.datasets import character_windows
from course_utils.datasets.spa_eng import Splits
from course_utils.kit.files import sha256
from course_utils.language_models import generate
from course_utils.seq2seq import Translator
from course_utils.text import START
from tools import (
    half_an_hour,
    make_presets,
    pretrain_bert,
    train_gpt,
    train_translator,
)
from tools.model_card import save_model


def make_card(path, name):
    path.write_text(f"# Card\n<!-- {name}:begin -->\n<!-- {name}:end -->\nEnd.\n")
    return path


def facts_of(path, card):
    """Return what stands beside a model's file; the card has it, and keeps its rest."""
    facts, text = json.loads(path.with_suffix(".json").read_text()), card.read_text()
    assert facts["sha256"] == f"`{sha256(path)}`" and text.endswith("End.\n")
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", text, re.MULTILINE)
    assert rows and all(str(facts[name]) == value for name, value in rows)
    return facts


def tick(monkeypatch, stop_at=None):
    """Let a step take a second; a KeyboardInterrupt comes at second `stop_at`."""
    seconds = itertools.count()

    def perf_counter():
        if (now := next(seconds)) == stop_at:
            raise KeyboardInterrupt
        return now

    clock = types.SimpleNamespace(perf_counter=perf_counter)
    monkeypatch.setattr(pretrain_bert, "time", clock)


# The translator


def test_it_writes_a_translator_and_its_card(tmp_path, monkeypatch):
    splits = datasets.phrasebook.load()
    few = Splits(splits.train[:200], splits.validation[:20], splits.test[:20])
    monkeypatch.setattr(datasets.phrasebook, "load", lambda: few)
    card = make_card(tmp_path / "README.md", "model")
    options = ["--data", "sample", "--output", str(tmp_path)]
    assert train_translator.main(options) == 0
    path = tmp_path / train_translator.NAME
    assert facts_of(path, card)
    translator = Translator.load(path)
    assert len(translator.translate(["I see."])) == 1
    assert getattr(translator.transformer, "optimizer", None) is None
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"README.md", "en_es.keras", "en_es.json"}


def test_half_an_hour_adds_its_score_to_the_figures(tmp_path, monkeypatch):
    splits = datasets.phrasebook.load()
    few = Splits(splits.train[:200], splits.validation[:20], splits.test[:20])
    monkeypatch.setattr(datasets.phrasebook, "load", lambda: few)
    path = tmp_path / "en_es.json"
    path.write_text('{"bleu": 50.0}')
    options = ["--data", "sample", "--output", str(tmp_path)]
    assert half_an_hour.main(options) == 0
    facts = json.loads(path.read_text("utf-8"))
    assert facts["bleu"] == 50
    assert 0 < facts["thirty_minutes_bleu"] <= 100
    assert facts["thirty_minutes_decoding"] in train_translator.DECODINGS


def test_an_interrupted_save_leaves_the_old_file(tmp_path):
    class Model:
        def save(self, path):
            path.write_text("half a model")
            raise KeyboardInterrupt

    path = tmp_path / "model.keras"
    path.write_text("the old model")
    with pytest.raises(KeyboardInterrupt):
        save_model(Model(), path)
    assert path.read_text() == "the old model"
    assert [file.name for file in tmp_path.iterdir()] == ["model.keras"]


# The small BERT

RECIPE = pretrain_bert.RECIPES["sample"]


@pytest.fixture
def pretrain(monkeypatch, tmp_path, capsys):
    """A function that runs the sample recipe on 300 reviews, at a step a second.

    It returns facts and printed text.
    """
    texts, held_out = pretrain_bert.load_texts("sample")
    few = texts[:300], held_out[:60]
    monkeypatch.setattr(pretrain_bert, "load_texts", lambda data: few)
    card = make_card(tmp_path / pretrain_bert.CARD, "mini_bert")

    def run(minutes, stop_at=None):
        tick(monkeypatch, stop_at)
        options = ["--data", "sample", "--minutes", minutes, "--output", str(tmp_path)]
        assert pretrain_bert.main(options) == 0
        return facts_of(tmp_path / pretrain_bert.NAME, card), capsys.readouterr().out

    return run


def test_it_writes_a_bert_and_its_card(pretrain, tmp_path):
    facts, printed = pretrain("0.5")
    assert facts["steps, seed"] == "30, 0" and "goes on" not in printed
    path = tmp_path / pretrain_bert.NAME
    model = keras.models.load_model(path)
    assert len(model.fill_mask("The film is [MASK].")[0]) == 5
    assert getattr(model.network, "optimizer", None) is None
    for array in model.get_weights():
        np.testing.assert_array_equal(array, array.astype("float16"))
    assert path.stat().st_size < 4 * model.count_params()  # smaller than float32
    names = {path.name for path in tmp_path.iterdir()}
    backup = pretrain_bert.backup_name(pretrain_bert.load_texts("sample")[0], RECIPE)
    assert names == {path.name, pretrain_bert.CARD, "mini_bert.json", backup}


def test_an_interrupted_training_goes_on_from_its_last_round(pretrain):
    with pytest.raises(KeyboardInterrupt):
        pretrain("0.5", stop_at=20)  # in the second round of ten steps
    facts, printed = pretrain("0.5")
    assert "goes on after 0.2 minutes" in printed and facts["steps, seed"] == "30, 0"


def test_a_state_serves_the_same_texts_and_recipe_only():
    name_of = pretrain_bert.backup_name
    name = name_of(["one", "two"], RECIPE)
    assert name == name_of(["one", "two"], dict(RECIPE))
    others = (["one", "too"], RECIPE), (["one", "two"], {**RECIPE, "peak": 1e-3})
    assert name not in [name_of(*other) for other in others]


def test_no_copy_of_a_review_for_validation_or_testing_is_read(monkeypatch):
    parts = dict(validation=["two", "six"], test=["four", "seven"])
    parts |= dict(unsupervised=["one", "two", "three"], train=["four", "five"])
    monkeypatch.setattr(datasets.imdb, "load", lambda split: (parts[split], 0))
    found = pretrain_bert.load_texts("full")
    assert found == (["one", "three", "five"], ["two", "six"])


def test_the_rate_rises_stays_and_falls():
    elapsed = [0.0, 0.01, 0.02, 0.3, 0.6, 0.8, 1.0, 1.1]
    rates = [pretrain_bert.rate(fraction) for fraction in elapsed]
    assert rates == pytest.approx([0, 0.5, 1, 1, 1, 0.5, 0, 0])


def test_a_pause_counts_a_few_seconds_only(tmp_path, monkeypatch):
    clock = types.SimpleNamespace(perf_counter=iter([0, 1000, 1001]).__next__)
    monkeypatch.setattr(pretrain_bert, "time", clock)
    progress = {"seconds": 0.0, "steps": 0}
    callback = pretrain_bert.Minutes(RECIPE, 60, progress, tmp_path)
    callback.on_epoch_begin(0)
    for batch in range(2):
        callback.on_train_batch_end(batch)
    assert progress["seconds"] == pretrain_bert.LONGEST_STEP + 1


# The mini GPT


def test_it_writes_a_gpt_and_goes_on_after_an_interruption(monkeypatch, tmp_path):
    parts, recipe = train_gpt.load_texts("sample"), train_gpt.RECIPES["sample"]
    parts = [texts[:size] for texts, size in zip(parts, (30, 20, 200), strict=True)]
    monkeypatch.setattr(train_gpt, "load_texts", lambda data: parts)
    tick(monkeypatch, stop_at=20)
    card = make_card(tmp_path / train_gpt.CARD, "mini_gpt")
    options = f"--data sample --minutes 0.5 --output {tmp_path}".split()
    unspelt = parts[0], ["\u2603"], parts[2]
    with pytest.raises(ValueError, match="can't spell every review"):
        train_gpt.train(unspelt, recipe, 0.5, tmp_path / "other")
    with pytest.raises(KeyboardInterrupt):
        train_gpt.main(options)
    assert train_gpt.main(options) == 0
    path = tmp_path / train_gpt.MINI_GPT
    facts = facts_of(path, card)
    assert facts["updates, subwords read, seed"] == "30, 15,360, 0"
    writer = keras.models.load_model(path)
    for array in writer.get_weights():
        np.testing.assert_array_equal(array, array.astype("float16"))
    (text,) = writer.complete(["The film"], 20, temperature=0)
    ids = [START, *writer.vectorizer.encode(["The film"])[0]]
    new = generate(writer.model, [ids], 20, temperature=0)  # a space is kept
    assert writer.vectorizer.decode([[*ids, *new[0]]]) == ["The film" + text]


def test_real_reviews_are_lesson_13s(monkeypatch):
    texts = {s: [f"{s} {n}{n}!" for n in range(9)] for s in ("train", "test")}
    texts |= {"validation": ["Test, 00"], "unsupervised": ["TEST 11", "a ☃ train"]}
    monkeypatch.setattr(datasets.imdb, "load", lambda split: (texts[split], None))
    parts = character_windows.imdb_parts((2, 3), least=2)
    assert [len(part) for part in parts] == [2, 3, 5]
    together = " ".join(itertools.chain(*parts)).lower()
    assert "test" not in together and "☃" not in together and "a train" in together


# The tiny presets


def test_byte_pairs_are_those_of_the_library():
    texts = ["low lower lowest", "newer wider"] * 5
    pieces, merges = make_presets.byte_pairs(texts, 280)
    assert pieces[make_presets.END] == len(pieces) - 1 < 280
    assert set(range(len(pieces))) == set(pieces.values())
    tokenizer = keras_hub.tokenizers.GPT2Tokenizer(pieces, merges)
    assert str(tokenizer.detokenize(tokenizer("lower 书"))) == "lower 书"
