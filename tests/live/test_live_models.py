"""The site's JavaScript says what Keras says: pieces, logits, maps, translations."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from course_utils.datasets import phrasebook
from course_utils.models import load_translator
from course_utils.text.vectorizers import START, pad

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "website"))
import export_models  # noqa: E402

RUN = Path(__file__).with_name("run.mjs")
ODD = "¿Qué? naïve 12▁x  ok", "[end] Ａ½ cafe\u0301\u00a0\tx", "a\u200bb ▁▁ 5th_x's", "😀日!"


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """A function that asks the exported translator in Node.js."""
    if not shutil.which("node"):
        pytest.skip("node isn't installed; the tests of the site run a browser")
    folder = tmp_path_factory.mktemp("models")
    export_models.main(["--output", str(folder)])

    def ask(what, **request):
        text = json.dumps({"folder": str(folder), "ask": what, **request})
        done = subprocess.run(["node", RUN], input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask


def test_it_says_what_keras_says_with_the_same_rounded_weights(ask):
    rows, *_ = phrasebook.load()
    texts = [english for english, _ in rows[:: len(rows) // 199]][:200]
    translator = load_translator()
    model, vectorizer = translator.transformer, translator.vectorizer
    unrounded = translator.translate(texts)
    halves = [array.astype("float16") for array in model.get_weights()]
    model.set_weights([array.astype("float32") for array in halves])

    ids = vectorizer.encode([*texts, *ODD])
    assert ask("encode", texts=[*texts, *ODD])["answer"] == ids
    assert ask("decode", rows=ids)["answer"] == vectorizer.decode(ids)
    ids = ids[: len(texts)]

    found = ask("steps", rows=ids)
    written = [[step["token"] for step in steps] for steps in found["answer"]]
    inputs = pad(ids), pad([[START, *row[:-1]] for row in written])
    logits = np.array(model(inputs))
    maps = np.array(model.cross_attention(inputs)).swapaxes(0, 1)  # (B, L, H, T, S)
    for i, steps in enumerate(found["answer"]):
        ours = np.array([step["logits"] for step in steps])
        np.testing.assert_allclose(ours, logits[i, : len(ours)], atol=1e-3)
        cross = np.array([step["cross"] for step in steps]).transpose(1, 2, 0, 3)
        expected = maps[i, :, :, : len(ours), : len(ids[i])]
        np.testing.assert_allclose(cross, expected, atol=1e-4)
    texts = vectorizer.decode(written)
    same = np.mean([a == b for a, b in zip(texts, unrounded, strict=True)])
    print(f"{same:.1%} as unrounded, {sum(map(len, written)) / found['seconds']:.0f} /s")
    assert same >= 0.98

    some = ids[:40]
    beams = translator.translate(vectorizer.decode(some), method="beam")
    answers = ask("beam", rows=some)["answer"]
    assert [vectorizer.decode([one["ids"]])[0] for one in answers] == beams
    assert all(sum(o["kept"] >= 0 for o in s) == 4 for a in answers for s in a["tree"])


def test_heads_and_draws(ask):
    rows, how = [[142, 366, 1317, 15]], {"removed": ["cross.0.1", "encoder.1.3"]}
    (plain,), (without,) = (ask("steps", rows=rows, how=h)["answer"] for h in ({}, how))
    assert not np.allclose(plain[0]["logits"], without[0]["logits"], atol=1e-2)
    logits = [0.0, 2.0, 1.0, 2.0]
    for how, kept in (((1, 3), [1, 2, 3]), ((1, None, 0.5), [1, 3]), ((1, 1), [1])):
        answer = ask("kept", logits=logits, how=how)["answer"]
        assert [token for token, _ in answer] == kept
