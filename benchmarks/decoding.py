"""Decoding with the course's trained translator: our searches beside KerasHub's.

The same weights stand in three programs: ours, a Transformer made of KerasHub's layers
under KerasHub's samplers, and the loop of many tutorials, which calls ``predict`` once
per token of each sentence. KerasHub's samplers run in two ways: over the whole model
at each step, as in its translation example, and over its layers' own caches.
"""

import time

import numpy as np
from keras import ops

from benchmarks.hub_translator import HubTranslator
from benchmarks.ladder import splits
from benchmarks.peers import Peers
from course_utils import metrics, models
from course_utils.seq2seq.translator import length_before_end
from course_utils.text.text_model import batch_by_length
from course_utils.text.vectorizers import END, START

SENTENCES = 1000
BATCH = 256
BEAMS = 4
SLOW_SENTENCES = 20  # for the loop over ``predict``, which takes seconds for each


def sentences(count=SENTENCES):
    """Return test sentences and the references of each."""
    return [list(side) for side in zip(*splits().test[:count], strict=True)]


class Search:
    """What the peers share: the model, the sentences, batches of like length."""

    def __init__(self):
        self.translator = models.load_lesson_translator()
        self.vectorizer = self.translator.vectorizer
        self.transformer = self.translator.transformer
        self.rows = range(SENTENCES)
        self.texts, self.references = sentences()

    def prepare(self, method):
        """Compile by a first run; return the translations and which texts they are."""
        return self.translate(method), list(self.rows)

    def speed(self, method):
        """Return how many sentences a second are translated."""
        start = time.perf_counter()
        self.translate(method)
        return len(self.texts) / (time.perf_counter() - start)

    def batches(self):
        """Yield (rows, source ids, limit) of sentences of like length, as ours."""
        sources = self.vectorizer.encode(self.texts)
        for rows, batch in batch_by_length(sources, BATCH):
            yield rows, batch, self.limit(batch)

    def limit(self, source):
        """Return the largest number of target tokens, where a start stands before."""
        return min(self.transformer.sequence_length - 1, 2 * source.shape[1] + 8)

    def texts_of(self, targets):
        """Return the texts of rows of ids, up to the first end."""
        rows = [row[: length_before_end(row)] for row in targets]
        return self.vectorizer.decode(rows)


class OursPeer(Search):
    """``Translator.translate``."""

    def translate(self, method):
        options = {"method": method, "beam_width": BEAMS, "batch_size": BATCH}
        return self.translator.translate(self.texts, **options)


class PredictPeer(Search):
    """One ``predict`` for each token of each sentence, nothing kept between them."""

    def __init__(self):
        super().__init__()
        self.rows = np.linspace(0, SENTENCES - 1, SLOW_SENTENCES).astype(int).tolist()
        self.texts = [self.texts[i] for i in self.rows]

    def translate(self, method):
        sources = self.vectorizer.encode(self.texts)
        return self.texts_of([self.one(np.array([source])) for source in sources])

    def one(self, source):
        """Return the ids of one translation."""
        tokens = np.full((1, 1), START)
        for _ in range(self.limit(source)):
            logits = self.transformer.predict((source, tokens), verbose=0)
            best = logits[:, -1].argmax(axis=-1)
            tokens = np.concatenate([tokens, best[:, None]], axis=1)
            if best[0] == END:
                break
        return tokens[0, 1:]


class HubPeer(Search):
    """A Transformer of KerasHub's layers with our weights, under its samplers."""

    def __init__(self):
        super().__init__()
        self.model = HubTranslator(self.transformer)
        self.loops = {}

    def translate(self, method):
        targets = [None] * len(self.texts)
        for rows, source, limit in self.batches():
            found = self.loop(method)(source, np.int32(limit)).numpy()
            for i, row in zip(rows, found, strict=True):
                targets[i] = row[1:]  # without the start
        return self.texts_of(targets)

    def loop(self, method):
        """Return the compiled search, made once."""
        import keras_hub
        import tensorflow as tf

        if method not in self.loops:
            sampler, beams = keras_hub.samplers.GreedySampler(), 1
            if method == "beam":
                sampler, beams = keras_hub.samplers.BeamSampler(BEAMS), BEAMS
            integers = [tf.TensorSpec(shape, "int32") for shape in ((None, None), ())]
            self.loops[method] = tf.function(
                lambda source, limit: self.search(sampler, beams, source, limit),
                input_signature=integers,
            )
        return self.loops[method]

    def search(self, sampler, beams, source, limit):
        """Let a sampler continue rows of one start and ``limit`` paddings.

        A subclass has ``decoder``, which returns what the sampler calls for each
        token, and the cache at the beginning, if there is one.
        """
        encoded, mask = self.model.encode(source)
        rows = ops.shape(source)[0]
        start = ops.full((rows, 1), START, dtype="int32")
        prompt = ops.concatenate([start, ops.zeros((rows, limit), "int32")], axis=1)
        next_token, cache = self.decoder(beams, limit, encoded, mask)
        return sampler(next_token, prompt, cache, index=1, stop_token_ids=[END])


class HubUncachedPeer(HubPeer):
    """The decoder reads the whole prompt at each step, as in KerasHub's example."""

    def decoder(self, beams, limit, *encoded):
        encoded = [ops.repeat(x, beams, axis=0) for x in encoded]

        def next_token(prompt, cache, index):
            return self.model.decode(prompt, *encoded)[:, index - 1, :], None, cache

        return next_token, None


class HubCachedPeer(HubPeer):
    """The decoder reads one token at a time, with the caches of KerasHub's layers."""

    def decoder(self, beams, limit, encoded, mask):
        cross = self.model.cross_caches(encoded)
        repeated = [ops.repeat(x, beams, axis=0) for x in (encoded, mask, *cross)]

        def next_token(prompt, cache, index):
            rest = *repeated[:2], repeated[2:]
            return self.model.step(prompt, cache, index - 1, *rest)

        return next_token, self.model.empty_cache(ops.shape(encoded)[0], limit + 1)


GREEDY = {
    "ours": OursPeer,
    "KerasHub's sampler, cached layers": HubCachedPeer,
    "KerasHub's sampler, whole prompt": HubUncachedPeer,
    "one predict per token": PredictPeer,
}
BEAM = {name: GREEDY[name] for name in list(GREEDY)[:2]}  # the others take too long


def measure(repeats=5):
    """Return one row per search and peer.

    Returns:
        A list of dictionaries with search, peer, sentences (how many were timed), speed
        (sentences a second of every turn), bleu (of all sentences) and same_as_ours
        (share of equal translations).
    """
    rows, references = [], sentences()[1]
    for method, peers in (("greedy", GREEDY), ("beam", BEAM)):
        with Peers(peers) as running:
            found = running.ask_all("prepare", method)
            speed = running.turns("speed", method, repeats=repeats)
        ours = found["ours"][0]
        for name, (texts, chosen) in found.items():
            same = [text == ours[i] for text, i in zip(texts, chosen, strict=True)]
            row = dict(search=method, peer=name, sentences=len(texts))
            row |= {"speed": speed[name], "same_as_ours": float(np.mean(same))}
            if len(texts) == len(references):
                row["bleu"] = metrics.bleu(texts, references)
            rows.append(row)
            print(row, flush=True)
    return rows
