"""Translators and readers that learn in turns, for `benchmarks.comparison`."""

import functools
import random
import time

import keras
import numpy as np
import sacrebleu
import tensorflow as tf
from keras import layers, ops

from course_utils import seq2seq
from course_utils.datasets.batches import translation_batches
from course_utils.kit import evidence
from course_utils.layers import PositionalEmbedding, TransformerEncoder
from course_utils.training import MaskedCrossEntropy


def new_gru(vocab_size, sequence_length, embed_dim, units):
    """Return lesson 07's translator with attention, untrained."""
    options = dict(decoder="attention", attention={"score": "general"})
    options |= dict(bidirectional=True, dropout=0.2)
    model = seq2seq.RecurrentSeq2Seq(
        vocab_size, sequence_length, embed_dim, units, **options
    )
    model.build()
    for layer in model.source_embedding, model.target_embedding:
        layer.embeddings.assign(keras.random.normal((vocab_size, embed_dim), 0, 0.5))
    return model


def new_transformer(vocab_size, sequence_length, embed_dim, dense_dim, blocks=2):
    """Return lesson 08's translator, untrained."""
    sizes = vocab_size, sequence_length, embed_dim, dense_dim
    model = seq2seq.TranslationTransformer(*sizes, num_heads=4, num_layers=blocks)
    model.build()
    return model


def product(rows, inner, columns):
    return 2 * rows * inner * columns


def gru_layer(B, T, width, units):
    step = product(B, width, 3 * units) + product(B, units, 3 * units)
    return T * step


def gru_flops(B, S, T, V, width, units):
    """Count the forward pass of lesson 07's translator with attention."""
    encoder, decoder = 2 * gru_layer(B, S, width, units), gru_layer(B, T, width, units)
    query, join = product(B * T, units, units), product(B * T, 2 * units, units)
    attention = 2 * product(B * T, units, S)  # scores, then the mixture
    return encoder + decoder + query + attention + join + product(B * T, units, V)


def attention_layer(B, T, S, width):
    """Count attention in heads: T tokens look at S tokens."""
    projections = 2 * product(B * T, width, width) + 2 * product(B * S, width, width)
    return projections + 2 * product(B * T, width, S)


def transformer_flops(B, S, T, V, width, dense, blocks=2):
    """Count the forward pass of lesson 08's translator."""
    encoder = attention_layer(B, S, S, width) + 2 * product(B * S, width, dense)
    decoder = attention_layer(B, T, T, width) + attention_layer(B, T, S, width)
    decoder += 2 * product(B * T, width, dense)
    return blocks * (encoder + decoder) + product(B * T, width, V)


def matrices(model):
    """Return the weights that Muon makes orthogonal."""
    weights = (w for w in model.trainable_variables if len(w.shape) == 2)
    return [w for w in weights if "embedding" not in w.path and "tokens" not in w.path]


def muon_flops(shape):
    n, m = sorted(shape)
    return 5 * (2 * product(n, m, n) + product(n, n, n))


def step_flops(model, forward):
    """Count a training step, from what its forward pass has."""
    return 3 * forward + sum(muon_flops(w.shape) for w in matrices(model))


def share_of_new(step):
    """Return which part of the growing average the newest weights become."""
    return 9 / (step + 8)


def rise(peak, steps=50):
    """Return a learning rate that rises for some steps and then stays."""

    class Rate(keras.optimizers.schedules.LearningRateSchedule):
        def __call__(self, step):
            return peak * ops.minimum(1.0, (ops.cast(step, "float32") + 1) / steps)

    return Rate()


class Trainee:
    """A model that learns, the growing average of its weights, and what it has spent.

    Args:
        new_model: a function that returns the untrained model.
        batches: a dataset of (inputs, labels).
        loss: a function of labels and the model's outputs.
        peak: the learning rate after a rise of 50 steps.
        flops: operations of a step, as a function of the batch's inputs.
    """

    def __init__(self, new_model, batches, loss, peak, flops):
        self.model, self.average, self.loss = new_model(), new_model(), loss
        self.average.set_weights(self.model.get_weights())
        options = dict(global_clipnorm=1.0, exclude_layers=["tokens"])
        self.optimizer = keras.optimizers.Muon(rise(peak), **options)
        self.optimizer.build(self.model.trainable_variables)
        self.batches, self.flops = iter(batches.repeat()), flops
        self.spent = {"minutes": 0.0, "operations": 0.0, "rows": 0}
        spec = batches.element_spec
        self.step = tf.function(self.one_step, input_signature=spec, autograph=False)
        self.step(*next(self.batches))  # builds the graph, which doesn't count

    def one_step(self, inputs, labels):
        weights = self.model.trainable_variables
        with tf.GradientTape() as tape:
            loss = self.loss(labels, self.model(inputs, training=True))
        self.optimizer.apply(tape.gradient(loss, weights))
        new = share_of_new(ops.cast(self.optimizer.iterations, "float32"))
        for mean, weight in zip(self.average.trainable_variables, weights, strict=True):
            mean.assign_add(new * (weight - mean))
        return loss

    def learn(self, seconds):
        """Take steps for so many seconds of the processor."""
        start = time.process_time()
        while time.process_time() - start < seconds:
            inputs, labels = next(self.batches)
            self.step(inputs, labels)
            self.spent["operations"] += self.flops(inputs) / 1e12
            self.spent["rows"] += len(labels)
        self.spent["minutes"] += (time.process_time() - start) / 60


def race(trainees, budgets, turn):
    """Let models learn in turns; yield (name, kind, budget) when one is spent.

    Args:
        trainees: name to Trainee.
        budgets: list of (kind, how much): "minutes", or 10^12 "operations".
        turn: seconds that a model learns at a time.
    """
    waiting = {name: [[*one] for one in budgets] for name in trainees}
    while any(waiting.values()):
        for name, trainee in trainees.items():
            if waiting[name]:
                trainee.learn(turn)
            for kind, budget in list(waiting[name]):
                if trainee.spent[kind] >= budget:
                    waiting[name].remove([kind, budget])
                    yield name, kind, budget


TRIALS = [(1600, 0.5), (1600, 1), (1600, 2), (1600, 4), (4096, 4), (4096, 8)]


NAMES = {"transformer": "Transformer", "gru": "GRU with attention"}


def of_trial(rows, kind, trial, figure):
    """Return a figure of a trial: "gru_loss", or "gru_loss_2" after 2 minutes."""
    variant = "_".join(map(str, (kind, *trial)))
    return evidence.values(rows, f"comparison.{variant}.{figure}")[0]


def chosen(rows, name, trials, kind="trial", mark=0):
    """Return a model's trial of the lowest validation loss, at its end or at a mark."""
    figure = f"{name}_loss_{mark}" if mark else f"{name}_loss"
    return min(trials, key=lambda trial: of_trial(rows, kind, trial, figure))


LONGEST = 96  # positions


def encode(vectorizer, rows):
    """Return source and target ids of the pairs that the positions suffice for."""
    pairs = [(english, s) for english, several in rows for s in several]
    sources = vectorizer.encode([source for source, _ in pairs])
    targets = vectorizer.encode([target for _, target in pairs])
    lengths = [max(len(s), len(t)) for s, t in zip(sources, targets, strict=True)]
    short = [i for i, length in enumerate(lengths) if length < LONGEST]
    return [sources[i] for i in short], [targets[i] for i in short]


BUILD = dict(gru=(new_gru, gru_flops), transformer=(new_transformer, transformer_flops))


def translator(name, sizes, pairs, vocab_size, tokens, peak, seed=0):
    """Return the trainee of a translator, with all that it needs."""
    build, forward = BUILD[name]
    keras.utils.set_random_seed(seed)
    batches = translation_batches(*pairs, tokens, seed=seed)

    def flops(inputs):
        shapes = *inputs[0].shape, inputs[1].shape[1]  # B, S, T
        return step_flops(trainee.model, forward(*shapes, vocab_size, *sizes))

    def new_model():
        return build(vocab_size, LONGEST, *sizes)

    trainee = Trainee(new_model, batches, MaskedCrossEntropy(), peak, flops)
    return trainee


def loss_on(model, batches):
    """Return the nats per token of a model on batches of pairs."""
    total, count, loss = 0.0, 0, MaskedCrossEntropy()
    for inputs, labels in batches:
        tokens = int(np.count_nonzero(labels))
        total += tokens * float(loss(labels, model(inputs)))
        count += tokens
    return total / count


def written(vectorizer, trainee, texts):
    """Translate greedily with the averaged weights."""
    return seq2seq.Translator(vectorizer, trainee.average).translate(texts)


def counts_of(texts, references):
    """Return each sentence's right n-grams, n-grams and lengths, (N, 10)."""
    scorer, found = sacrebleu.BLEU(effective_order=True), []
    for text, several in zip(texts, references, strict=True):
        one = scorer.sentence_score(text, several)
        found.append([*one.counts, *one.totals, one.sys_len, one.ref_len])
    return np.array(found, "float64")


def bleu_of(counts):
    """Return BLEU of sentences' counts (N, 10)."""
    right, written, (ours, theirs) = np.split(counts.sum(axis=0), [4, 8])
    if not (right.any() and written.all()):
        return 0.0
    none = right == 0  # of a length: the first time ½, the next time ¼
    right = np.where(none, 0.5 ** np.cumsum(none), right)
    short = min(0, 1 - theirs / ours)
    return 100 * np.exp(np.log(right / written).mean() + short)


def ahead(one, other, draws=1000, seed=0):
    """Return how many BLEU one is ahead, and the 95 % interval: counts (N, 10)."""
    rng, size = np.random.default_rng(seed), len(one)
    drawn = [rng.integers(size, size=size) for _ in range(draws)]
    gaps = [bleu_of(one[rows]) - bleu_of(other[rows]) for rows in drawn]
    return bleu_of(one) - bleu_of(other), *np.quantile(gaps, [0.025, 0.975])


LENGTHS = {1: 4, 5: 7, 8: 11, 12: 99}  # words of the English sentence: from, to


def of_length(texts, least):
    """Tell which texts have at least so many words and belong to that class."""
    words = np.array([len(text.split()) for text in texts])
    return (words >= least) & (words <= LENGTHS[least])


NOUNS = ["dog", "cat", "boy", "girl", "bird", "horse", "car", "tree", "house", "king"]


VERBS = ["sees", "hears", "likes", "knows", "finds"]  # without the s: plural


NEAR = ["near", "behind", "under", "beside"]


ADVERBS = ["today", "often", "again", "slowly"]


FORMS = [*NOUNS, *(n + "s" for n in NOUNS), *VERBS, *(v[:-1] for v in VERBS)]


WORDS = ["the", "that", ".", "?", *FORMS, *NEAR, *ADVERBS]


INDEX = {word: i for i, word in enumerate(WORDS, start=1)}


LENGTH = 64


DISTANCES = (0, 5, 10, 20, 40)


def noun(rng):
    """Return a noun, and whether it is plural."""
    plural = rng.random() < 0.5
    return rng.choice(NOUNS) + "s" * plural, plural


def verb(rng, plural):
    return rng.choice(VERBS)[: -1 if plural else None]


def between(rng, count):
    """Return so many words that may stand between a subject and its verb."""
    words = []
    while left := count - len(words):
        kind, (one, plural) = rng.randrange(3), noun(rng)
        if kind == 2 and left >= 4:
            words += ["that", "the", one, verb(rng, plural)]
        elif kind == 1 and left >= 3:
            words += [rng.choice(NEAR), "the", one]
        else:
            words.append(rng.choice(ADVERBS))
    return words


def question(rng, distance=None):
    """Return a text that ends where a verb has to come, and whether it is plural."""
    if distance is None:  # each equally often
        distance = rng.randrange(41)
    elif distance == "rare":  # the far ones: half of all have less than 6 words
        distance = int(42 ** rng.random()) - 1
    subject, plural = noun(rng)
    text = ["the", subject, *between(rng, distance), "?"]
    while len(text) < LENGTH:
        one, many = noun(rng)
        before = ["the", one, *between(rng, rng.randrange(8)), verb(rng, many), "."]
        text = before + text
    return text[-LENGTH:], plural


@functools.cache  # the same ones are asked again and again
def questions(count, seed, distance=None):
    """Return ids (N, LENGTH), and 1 for plural (N, 1)."""
    rng = random.Random(f"{seed} {distance}")
    texts, answers = zip(*(question(rng, distance) for _ in range(count)), strict=True)
    ids = [[INDEX[word] for word in text] for text in texts]
    return np.array(ids, "int32"), np.float32(answers)[:, None]


def new_reader(kind):
    """Return a model from ids (B, LENGTH) to one logit: above 0 means plural."""
    ids = keras.Input((LENGTH,), dtype="int32")
    if kind == "attention":
        x = PositionalEmbedding(LENGTH, len(INDEX) + 1, 64)(ids)
        for _ in range(2):
            x = TransformerEncoder(64, 128, 4, norm_first=True)(x)
        x = layers.LayerNormalization(epsilon=1e-5)(x)
    else:
        half = keras.initializers.RandomNormal(stddev=0.5)
        x = layers.Embedding(len(INDEX) + 1, 64, half)(ids)
        for _ in range(2):
            x = layers.GRU(80, return_sequences=True)(x)
    return keras.Model(ids, layers.Dense(1)(x[:, -1]))


def reader(kind, data, rate, seed=0):
    """Return the trainee of a reader."""
    keras.utils.set_random_seed(seed)
    batches = tf.data.Dataset.from_tensor_slices(data)
    batches = batches.shuffle(len(data[0]), seed).batch(64, drop_remainder=True)
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    return Trainee(lambda: new_reader(kind), batches, loss, rate, lambda inputs: 0)


def accuracy_at(model, distance, count, part="validation"):
    """Return how often a reader is right at a distance."""
    ids, plural = questions(count, part, distance)
    said = ops.convert_to_numpy(model(ids)) > 0
    return float((said == (plural > 0)).mean())


READERS = {"attention": "self-attention", "recurrent": "GRU"}


RATES = [(1,), (2,), (4,), (8,), (16,)]  # in thousandths; trials of a minute
