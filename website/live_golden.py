"""Write what Keras says of the exported models, for the tests of the JavaScript.

    python website/live_golden.py

It writes `tests/live/golden.json`: English sentences as pieces, greedy and beam
translations, and for each step some logits and weights, all with the weights rounded as
`export_models.py` rounds them, and the greedy translations without rounding.
"""

import gzip
import json
import sys

import numpy as np
import sacrebleu
from export_models import ROOT, TRANSLATOR, export

from course_utils.datasets import phrasebook
from course_utils.generation import beam_search, greedy_search
from course_utils.kit.files import atomic_write
from course_utils.seq2seq import Translator
from course_utils.text.vectorizers import END, START, SubwordVectorizer, pad
from tools.eight_bits import in_eight_bits

GOLDEN = ROOT / "tests/live/golden.json.gz"
SENTENCES = 200
BEAMS = 40
PLAIN = {"smooth_method": "none", "force": True}
PAIRS = [
    ["the the boat is on the lake", "the boat is on a lake"],
    ["the boat is on", "the boat is on a lake"],
    ["¿Qué hora es, Tom?", "¿Qué hora es?"],
    [
        "It cost 3.50 (or 1,000) - no: x-ray, 12-13.",
        "It cost 3.50 or 1,000: x-ray, 12-13.",
    ],
    ["A b c d e f", "a b c d e f"],
]
EVERY = 331  # such columns of the logits are kept
ODD = [
    "¿Qué? naïve 12▁x  ok",
    "[end] Ａ½ cafe\u0301\u00a0\tx",
    "a\u200bb ▁ ▁▁ 5th_x's",
    "😀日!",
]


def main():
    """Write the file; return the exit status."""
    translator = Translator.load(TRANSLATOR)
    model, vectorizer = translator.transformer, translator.vectorizer
    splits = phrasebook.load()
    rows = [english for part in splits for english, _ in part]
    texts = rows[:: len(rows) // SENTENCES][:SENTENCES]
    ids = vectorizer.encode(texts)
    unrounded = written(greedy_search, model, ids)
    rounded(model)
    greedy = written(greedy_search, model, ids)
    inputs = pad(ids), pad([[START, *row[:-1]] for row in greedy])
    logits, maps = np.array(model(inputs)), np.array(model.cross_attention(inputs))
    sizes = list(zip(map(len, greedy), map(len, ids), strict=True))
    texts += ODD
    found = {
        "sha256": export(TRANSLATOR)[0]["sha256"],
        "texts": texts,
        "ids": vectorizer.encode(texts),
        "decoded": vectorizer.decode(vectorizer.encode(texts)),
        "unrounded": unrounded,
        "greedy": greedy,
        "every": EVERY,
        # (T, V / EVERY) of each sentence, and (L, H, T, S).
        "logits": [short(logits[i, :t, ::EVERY]) for i, (t, _) in enumerate(sizes)],
        "cross": [short(maps[:, i, :, :t, :s]) for i, (t, s) in enumerate(sizes)],
        "bleu": [
            [*pair, sacrebleu.corpus_bleu(pair[:1], [pair[1:]], **PLAIN).score]
            for pair in PAIRS
        ],
        "merges": merges(texts[:50]),
        "beams": written(lambda *given: beam_search(*given)[0], model, ids[:BEAMS]),
    }
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    with atomic_write(GOLDEN, "wb") as file:
        file.write(gzip.compress(text.encode("utf-8"), mtime=0))
    return 0


def rounded(model):
    """Round a model's weights as its export does."""
    weights = model.get_weights()
    model.set_weights([in_eight_bits(array) for array in weights])


def written(search, model, ids):
    """Translate one sentence at a time, as the page does; return ids with the end."""
    rows = [search(model, pad([row]), 2 * len(row) + 8)[0].tolist() for row in ids]
    return [row[: row.index(END) + 1] if END in row else row for row in rows]


def merges(texts):
    """Return the first merges that byte-pair encoding learns from texts."""
    tokenizer = SubwordVectorizer.train(texts, 150).get_config()["tokenizer"]
    return json.loads(tokenizer)["model"]["merges"]


def short(array):
    return np.round(array.astype("float64"), 4).tolist()


if __name__ == "__main__":
    sys.exit(main())
