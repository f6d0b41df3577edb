"""Attention mechanisms on the phrasebook: right translations, and right maps.

    python -m benchmarks.alignment [--arm cosine --seed 0]

Lesson 03 builds all arms in view and trains two of them; none was tuned. All have the
same updates, batches and rate. Errors count one link for each target token, that with
the most weight.
"""

import time

import keras
import numpy as np
from keras import layers, ops

import course_utils
from benchmarks import evidence
from course_utils import metrics, seq2seq, training
from course_utils.attention import SCORES
from course_utils.datasets import phrasebook
from course_utils.datasets.batches import translation_batches

WINDOWS = ("monotonic", "predictive")
ARMS = {
    "none": None,
    **{score: {"score": score} for score in SCORES},
    **{w: {"score": "dot", "window": w, "half_width": 3} for w in WINDOWS},
    "bahdanau": {"score": "additive"},
    "guided": {"score": "dot"},
}
SEEDS = (0, 1, 2)
EMBED_DIM, UNITS, UPDATES, TOKENS, PEAK = 64, 128, 1_200, 1_024, 8e-3


class ReadingCell(layers.Layer):
    """A GRU step that attends first, with the state from before."""

    def __init__(self, units, attention):
        super().__init__()
        self.gru, self.attention = layers.GRUCell(units), attention
        self.state_size = self.output_size = units

    def build(self, shape):
        self.gru.build((None, shape[-1] + self.state_size))

    def call(self, x, states):
        outputs, _, mask = self.encoded
        context = self.attention(states[0][:, None], outputs, value_mask=mask)
        return self.gru(ops.concatenate([x, context[:, 0]], axis=-1), states)


class Bahdanau(seq2seq.RecurrentSeq2Seq):
    """Attention before the step, with the state from before; for greedy search only."""

    def __init__(self, *sizes, **options):
        super().__init__(*sizes, **options)
        cell = ReadingCell(self.units, self.attention)
        self.decoder = layers.RNN(cell, return_sequences=True)

    def _decode(self, inputs, training=False):
        encoded = self.decoder.cell.encoded = self.encode(inputs[0], training)
        x, first = self.target_embedding(inputs[1]), encoded[1]
        states = self.decoder(x, initial_state=first)  # (B, T, U)
        before = ops.concatenate([first[:, None], states[:, :-1]], axis=1)
        return self._say(before, states, encoded)

    def step(self, tokens, position, cache, encoded_source):
        self.decoder.cell.encoded = encoded_source
        before = ops.where(ops.equal(position, 0), encoded_source[1], cache[0][0])
        state, _ = self.decoder.cell(self.target_embedding(tokens), [before])
        logits, _ = self._say(before[:, None], state[:, None], encoded_source)
        return logits[:, 0], [(state,)]

    def _say(self, queries, states, encoded):
        options = {"value_mask": encoded[2], "return_attention_scores": True}
        context, weights = self.attention(queries, encoded[0], **options)
        joined = ops.concatenate([context, states], axis=-1)
        return self.output_dense(self.combine(joined)), weights


class Guided(seq2seq.RecurrentSeq2Seq):
    """Is told where to look: each target id carries the place of its source word."""

    def call(self, inputs, training=False):
        ids, places = inputs[1] % self.vocab_size, inputs[1][:, 1:] // self.vocab_size
        logits, weights = self._decode((inputs[0], ids), training)
        found = ops.take_along_axis(
            weights[:, :-1], ops.maximum(places - 1, 0)[..., None], 2
        )
        linked = ops.cast(places > 0, "float32")  # place 0: no link
        nats = -ops.sum(linked * ops.log(found[..., 0] + 1e-6))
        self.add_loss(nats / (ops.sum(linked) + 1e-6))
        return logits


def links_of(model, sources, targets):
    """Link each target token to the source token with the most weight."""
    arrays, _ = seq2seq.teacher_forcing_arrays(sources, targets)
    parts = (np.array_split(one, 1 + len(sources) // 500) for one in arrays)
    maps = [model.cross_attention(part)[0, :, 0] for part in zip(*parts, strict=True)]
    best = [row for one in maps for row in np.array(one).argmax(-1)]  # N times (T,)
    pairs = zip(best, targets, strict=True)
    return [{(int(row[j]), j) for j in range(len(ids))} for row, ids in pairs]


def measure(arm, seed):
    """Train one arm; return its figures."""
    course_utils.setup(seed)
    gold = {part: phrasebook.alignments(part) for part in phrasebook.SIZES}
    words = sorted({t for row in gold["train"] for side in row[:2] for t in side})
    index = {word: i for i, word in enumerate(words, 4)}
    data = {
        part: [[[index[t] for t in row[side]] for row in rows] for side in (0, 1)]
        for part, rows in gold.items()
    }
    keras.utils.set_random_seed(seed)
    kinds = {"bahdanau": Bahdanau, "guided": Guided}
    kind, (source, target) = kinds.get(arm, seq2seq.RecurrentSeq2Seq), data["train"]
    options = {"decoder": "attention" if ARMS[arm] else "vanilla"}
    options |= {"attention": ARMS[arm], "bidirectional": True}
    model = kind(size := len(index) + 4, 40, EMBED_DIM, UNITS, **options)
    model.build()
    if arm == "guided":
        links = [{j: i for i, j in row[2]} for row in gold["train"]]
        target = [
            [t + size * (1 + one.get(j, -1)) for j, t in enumerate(ids)]
            for one, ids in zip(links, target, strict=True)
        ]
    nats = training.MaskedCrossEntropy()
    rate = training.warmup_cosine(PEAK, UPDATES, UPDATES // 10)
    muon = keras.optimizers.Muon(rate, clipnorm=1.0)
    # XLA can't compile the program that GPUs have for a GRU.
    model.compile(muon, lambda y, p: nats(y % size, p), jit_compile=False)
    start, rows = time.perf_counter(), translation_batches(source, target, TOKENS, seed)
    model.fit(rows.repeat(), steps_per_epoch=UPDATES, shuffle=False, verbose=0)
    minutes = (time.perf_counter() - start) / 60
    figures = {f"alignment.{arm}.train_minutes": minutes}
    for part in ("validation", "test"):
        right = seq2seq.exact_matches(model, *data[part])[0].mean()
        figures[f"alignment.{arm}.{part}_exact"] = float(right)
        if ARMS[arm]:
            links = links_of(model, *data[part]), [row[2] for row in gold[part]]
            error = metrics.alignment_error_rate(*links)
            figures[f"alignment.{arm}.{part}_error"] = error
    return figures


if __name__ == "__main__":
    evidence.main("alignment")
