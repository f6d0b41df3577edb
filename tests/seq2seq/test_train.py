"""The command that trains a translator on pairs of a user's: from a file to a file."""

import re

import numpy as np
import pytest

from course_utils import __main__ as command
from course_utils import datasets
from course_utils.datasets import spa_eng
from course_utils.seq2seq import Translator, train
from course_utils.text.vectorizers import SubwordVectorizer


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A function that trains on 200 phrases; it returns status, output and errors."""
    rows = datasets.phrasebook.load().train[:200]
    lines = [f"{english}\t{spanish}\n" for english, (spanish,) in rows]
    (tmp_path / "pairs.tsv").write_text("".join(lines), encoding="utf-8")
    tiny = dict(embed_dim=16, dense_dim=16, num_layers=1)
    monkeypatch.setattr(train, "SMALLER", {5000: tiny})
    monkeypatch.chdir(tmp_path)

    def run(*options):
        status = command.main(["train-translator", "pairs.tsv", *options])
        return status, *capsys.readouterr()

    return run


def test_an_interrupted_training_goes_on(run, tmp_path, monkeypatch, capsys):
    def interrupt(self, epoch, logs=None):
        if epoch == 1:
            raise KeyboardInterrupt

    options = "--epochs", "3", "--vocabulary", "150"
    with monkeypatch.context() as patch:
        patch.setattr(train.EpochEnds, "on_epoch_begin", interrupt)
        status, printed, error = run(*options)
    assert status == 130 and "the same command goes on" in error
    assert "180 pairs for the training; 10 sentences to follow it, 10 for" in printed
    assert "epoch 1 of 3: loss" in printed and "epoch 2" not in printed
    (state,) = tmp_path.glob(".translator-*.npz")
    assert not (tmp_path / "translator.keras").exists()
    status, printed, error = run(*options)
    assert (status, error) == (0, "") and "goes on after epoch 1 of 3" in printed
    assert "epoch 1 of 3: loss" not in printed and "epoch 3 of 3: loss" in printed
    assert re.search(r"about \d+\.\d minutes left\n", printed)
    scores = r"BLEU \d.*, chrF \d.*, 10 of 10 sentences for the test\n$"
    assert re.search(scores, printed)
    assert {p.name for p in tmp_path.iterdir()} == {"pairs.tsv", "translator.keras"}
    translator = Translator.load(tmp_path / "translator.keras")
    assert translator.vectorizer.vocabulary_size == 150
    assert command.main(["translate", "I see.", "--model", "translator.keras"]) == 0
    assert capsys.readouterr().out.splitlines() == translator.translate(["I see."])


def test_a_resumed_training_is_the_unbroken_one(run, tmp_path, monkeypatch):
    """Same batches, same dropout masks, so the same weights, up to rounding."""

    def interrupt(self, epoch, logs=None):
        if epoch == 2:
            raise KeyboardInterrupt

    options = "--epochs", "4", "--vocabulary", "150"
    assert run(*options, "--output", "unbroken.keras")[0] == 0
    with monkeypatch.context() as patch:
        patch.setattr(train.EpochEnds, "on_epoch_begin", interrupt)
        assert run(*options, "--output", "resumed.keras")[0] == 130
    status, printed, _ = run(*options, "--output", "resumed.keras")
    assert status == 0 and "goes on after epoch" in printed
    weights = [
        Translator.load(tmp_path / f"{name}.keras").transformer.get_weights()
        for name in ("unbroken", "resumed")
    ]
    for unbroken, resumed in zip(*weights, strict=True):
        # Two unbroken trainings differ by their rounding alone; other masks or batches
        # change the weights by 1e-3.
        np.testing.assert_allclose(unbroken, resumed, rtol=0, atol=1e-5)


def test_an_interrupted_save_is_made_up_for(run, tmp_path, monkeypatch):
    def half(self, path):
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Translator, "save", half)
        assert run("--epochs", "1")[0] == 130
    kept = {p.suffix for p in tmp_path.iterdir()}
    assert kept == {".tsv", ".npz"}  # the pairs, and the training's state
    status, printed, _ = run("--epochs", "1")
    assert status == 0 and "epoch 1 of 1: loss" not in printed
    assert {p.name for p in tmp_path.iterdir()} == {"pairs.tsv", "translator.keras"}


def test_minutes_become_epochs(run):
    status, printed, _ = run("--minutes", "0.0001", "--output", "x.keras")
    assert status == 0 and "epoch 1 of 1: loss" in printed


BAD_OPTIONS = [
    (["--epochs", "0"], "--epochs is 0"),
    (["--minutes", "-2.5"], "--minutes is -2.5"),
    (["--output", "model.h5"], "it must end with .keras"),
    (["--output", "nowhere/model.keras"], "a folder that is there"),
    ([], "pairs.tsv: line 2 has 1 column;"),
]


@pytest.mark.parametrize("options, words", BAD_OPTIONS)
def test_bad_input_is_one_sentence(run, tmp_path, options, words):
    (tmp_path / "pairs.tsv").write_text("a\tb\nc\n")
    status, printed, error = run(*options)
    assert (status, printed) == (2, "") and error.count("\n") == 1
    assert error.startswith("train-translator: ") and words in error


@pytest.mark.parametrize("part", ["train", "validation", "test"])
def test_sentences_that_are_all_too_long_are_said_before_the_training(
    part, tmp_path, capsys
):
    recipe = train.recipe_for(100, vocab_size=150, epochs=1) | {"longest": 20}
    rows = datasets.phrasebook.load().train[:60]
    long = [(" ".join([e] * 30), [" ".join([s] * 30)]) for e, (s,) in rows[40:]]
    parts = {"train": rows[:40], "validation": rows[40:50], "test": rows[50:]}
    splits = spa_eng.Splits(**{**parts, part: long})
    with pytest.raises(ValueError, match="have more than 2. tokens"):
        train.train(splits, recipe, tmp_path / "state.npz")
    assert "epoch" not in capsys.readouterr().out


def test_few_pairs_get_a_small_model_and_many_epochs():
    few, some, many = (train.recipe_for(n) for n in (1_000, 20_000, 100_000))
    assert many == train.RECIPE and few["epochs"] == train.MOST_EPOCHS
    assert few["embed_dim"] < some["embed_dim"] < many["embed_dim"]
    assert many["epochs"] < some["epochs"] < few["epochs"]


def test_another_training_has_another_state(tmp_path):
    splits, recipe = datasets.phrasebook.load(), train.recipe_for(100)
    others = splits._replace(train=splits.train[1:]), recipe | {"epochs": 1}
    trainings = (splits, recipe, 0), (others[0], recipe, 0), (splits, others[1], 0)
    trainings += ((splits, recipe, 1),)
    path = tmp_path / "a.keras"
    assert len({train.state_path(path, *training) for training in trainings}) == 4


def test_pairs_that_are_too_long_are_left_out():
    vectorizer = SubwordVectorizer.train(["a b"], 10)
    rows = [("a", ["b"]), ("a " * 9, ["b"])]
    sources, targets = train.encode_pairs(vectorizer, rows, 8)
    assert len(sources) == len(targets) == 1
    with pytest.raises(ValueError, match="All pairs have more than 8 tokens"):
        train.encode_pairs(vectorizer, rows[1:], 8)
