"""The site's JavaScript says what Keras says: pieces, logits, maps, translations."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from course_utils.datasets import phrasebook
from course_utils.generation import beam_search
from course_utils.models import load_translator
from course_utils.text.vectorizers import END, START, pad
from website import export_models

RUN = Path(__file__).with_name("run.mjs")
ODD = ["¿Qué? naïve 12▁x  ok", "[end] Ａ½ cafe\u0301\u00a0\tx", "a\u200bb ▁ ▁▁ 5th_x's", "😀 日本!"]

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="needs Node.js")


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """A function that asks the exported translator in Node.js."""
    folder = tmp_path_factory.mktemp("models")
    export_models.main(["--output", str(folder)])

    def ask(what, **request):
        text = json.dumps({"folder": str(folder), "ask": what, **request})
        done = subprocess.run(["node", RUN], input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask


@pytest.fixture(scope="module")
def translators():
    """The translator, and the same with its weights rounded as those of the site."""
    whole, rounded = load_translator(), load_translator()
    halves = [w.astype("float16") for w in whole.transformer.get_weights()]
    rounded.transformer.set_weights([half.astype("float32") for half in halves])
    return whole, rounded


@pytest.fixture(scope="module")
def texts():
    """English sentences, each with other words."""
    rows, _, test = phrasebook.load()
    return [english for english, *_ in [*rows, *test]][:: len(rows) // 199][:200]


def test_the_file_is_whole(ask):
    assert ask("hash")["answer"] is True


def test_texts_are_cut_alike(ask, translators, texts):
    vectorizer, some = translators[0].vectorizer, [*texts, *ODD]
    rows = vectorizer.encode(some)
    assert ask("encode", texts=some)["answer"] == rows
    assert ask("decode", rows=rows)["answer"] == vectorizer.decode(rows)


def test_logits_and_maps_are_those_of_keras(ask, translators, texts):
    model, rows = translators[1].transformer, translators[1].vectorizer.encode(texts)
    for ids, steps in zip(rows, ask("steps", rows=rows, how={})["answer"], strict=True):
        read = [START, *(step["token"] for step in steps[:-1])]
        inputs = np.array([ids]), np.array([read])
        logits = np.array([step["logits"] for step in steps])
        np.testing.assert_allclose(logits, model(inputs)[0], atol=1e-3)
        expected = np.array(model.cross_attention(inputs))[:, 0]  # (L, H, T, S)
        cross = np.array([step["cross"] for step in steps]).transpose(1, 2, 0, 3)
        np.testing.assert_allclose(cross, expected, atol=1e-4)


def test_translations_stay_when_weights_are_rounded(ask, translators, texts):
    whole = translators[0]
    rows = whole.vectorizer.encode(texts)
    found = ask("translate", rows=rows, how={})
    written = whole.vectorizer.decode(found["answer"])
    same = np.mean([a == b for a, b in zip(written, whole.translate(texts), strict=True)])
    tokens = sum(map(len, found["answer"])) / found["seconds"]
    print(f"{same:.3f} of the translations are the same; {tokens:.0f} tokens/s in Node.js")
    assert same >= 0.98


def test_beams_are_those_of_keras(ask, translators, texts):
    translator = translators[1]
    rows = translator.vectorizer.encode(texts[:40])
    found = ask("beam", rows=rows, how={"width": 4})["answer"]
    for ids, one in zip(rows, found, strict=True):
        tokens, scores = beam_search(translator.transformer, pad([ids]), 2 * len(ids) + 8)
        assert one["ids"] == [i for i in tokens[0].tolist() if i > END]
        assert abs(one["score"] - scores[0]) < 1e-3
        assert all(sum(o["kept"] >= 0 for o in step) == 4 for step in one["tree"][1:])
