"""The script that trains the mini GPT: run on a few reviews, and interrupted."""

import itertools
import json
import types

import keras
import numpy as np
import pytest

from course_utils.datasets import character_windows
from course_utils.files import sha256
from course_utils.language_models import generate
from course_utils.text import START
from tools import pretrain_bert
from tools import train_gpt as script


def test_it_writes_a_model_and_goes_on_after_an_interruption(monkeypatch, tmp_path):
    parts = [texts[:size] for texts, size in zip(PARTS, (30, 20, 200), strict=True)]
    monkeypatch.setattr(script, "load_texts", lambda data: parts)
    seconds, stop_at = itertools.count(), 20

    def perf_counter():
        if (now := next(seconds)) == stop_at:
            raise KeyboardInterrupt
        return now

    clock = types.SimpleNamespace(perf_counter=perf_counter)
    monkeypatch.setattr(pretrain_bert, "time", clock)
    card = tmp_path / script.CARD
    card.write_text("<!-- mini_gpt:begin -->\n<!-- mini_gpt:end -->")
    options = f"--data sample --minutes 0.5 --output {tmp_path}".split()
    with pytest.raises(ValueError, match="can't spell every review"):
        script.train((parts[0], ["\u2603"], parts[2]), SMALL, 0.5, tmp_path / "other")
    with pytest.raises(KeyboardInterrupt):
        script.main(options)
    assert script.main(options) == 0
    path = tmp_path / script.MINI_GPT
    facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert facts["updates, subwords read, seed"] == "30, 15,360, 0"
    assert facts["sha256"] == f"`{sha256(path)}`"
    text = card.read_text("utf-8")
    assert all(f"| {name} | {value} |" in text for name, value in facts.items())
    writer = keras.models.load_model(path)
    for array in writer.get_weights():
        np.testing.assert_array_equal(array, array.astype("float16"))
    (text,) = writer.complete(["The film"], 20, temperature=0)
    ids = [START, *writer.vectorizer.encode(["The film"])[0]]
    new = generate(writer.model, [ids], 20, temperature=0)  # a space is kept
    assert writer.vectorizer.decode([[*ids, *new[0]]]) == ["The film" + text]


PARTS, SMALL = script.load_texts("sample"), script.RECIPES["sample"]


def test_real_reviews_are_lesson_13s(monkeypatch):
    texts = {s: [f"{s} {n}{n}!" for n in range(9)] for s in ("train", "test")}
    texts |= {"validation": ["Test, 00"], "unsupervised": ["TEST 11", "a ☃ train"]}
    load = lambda split: (texts[split], None)  # noqa: E731
    monkeypatch.setattr(character_windows.imdb, "load", load)
    parts = character_windows.imdb_parts((2, 3), least=2)
    assert [len(part) for part in parts] == [2, 3, 5]
    together = " ".join(itertools.chain(*parts)).lower()
    assert "test" not in together and "☃" not in together and "a train" in together
