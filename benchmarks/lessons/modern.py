"""Every form of a small decoder, from 2017 to today, for `benchmarks.modern`."""

import keras
import numpy as np
from keras import layers, ops

from course_utils.attention.rotary import rotate
from course_utils.datasets import character_windows as windows
from course_utils.layers import SinusoidalPositionalEncoding
from course_utils.text import PAD, START, CharacterVectorizer
from course_utils.training import warmup_cosine


class RMSNorm(layers.Layer):
    """Divide each vector by its root mean square, then scale each column."""

    def __init__(self, epsilon=1e-5):
        super().__init__()
        self.epsilon = epsilon

    def build(self, shape):
        self.scale = self.add_weight(shape[-1:], "ones", name="scale")

    def call(self, x):
        square = ops.mean(x * x, axis=-1, keepdims=True)  # (..., 1)
        return x * ops.rsqrt(square + self.epsilon) * self.scale


class SwiGLU(layers.Layer):
    """Feed-forward network with a gate: (B, T, D) -> (B, T, D)."""

    def __init__(self, width, hidden, bias=False):
        super().__init__()
        self.gate, self.up, self.down = (
            layers.Dense(size, use_bias=bias) for size in (hidden, hidden, width)
        )

    def build(self, shape):
        pass  # the first call builds the parts

    def call(self, x):
        return self.down(ops.silu(self.gate(x)) * self.up(x))


CLASSIC = dict(
    norm_first=False,
    norm="layer",
    bias=True,
    feed_forward="relu",
    positions="waves",
    heads=4,
    key_heads=4,
    qk_norm=False,
    optimizer="adam",
    tied=True,
    attention=True,
    residual=True,
    root=True,  # scores are divided by √d
    scaled_words=True,  # words are multiplied by √D before the waves are added
    base=10_000,  # of the rotary positions
)


def split(x, head_dim):
    """Cut columns into heads: (B, T, n d) -> (B, n, T, d)."""
    shape = -1, ops.shape(x)[1], x.shape[-1] // head_dim, head_dim
    return ops.transpose(ops.reshape(x, shape), (0, 2, 1, 3))


def join(x):
    """Put heads beside each other again: (B, n, T, d) -> (B, T, n d)."""
    x = ops.transpose(x, (0, 2, 1, 3))
    return ops.reshape(x, (-1, ops.shape(x)[1], x.shape[2] * x.shape[3]))


def mix(queries, keys, values, form, start=0):
    """Attend to what came before: (B, H, T, d), (B, K, S, d) twice -> (B, H, T, d)."""
    heads, group = form["heads"], form["heads"] // keys.shape[1]
    keys, values = (ops.repeat(y, group, axis=1) for y in (keys, values))
    scores = queries @ ops.swapaxes(keys, -1, -2)  # (B, H, T, S)
    if form["root"]:
        scores = scores / queries.shape[-1] ** 0.5
    asks = start + ops.arange(ops.shape(queries)[2])
    distance = asks[:, None] - ops.arange(ops.shape(keys)[2])  # (T, S)
    if form["positions"] == "alibi":
        slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)  # (H,)
        slopes = ops.cast(slopes[:, None, None], scores.dtype)
        scores = scores - slopes * ops.cast(distance, scores.dtype)
    return ops.softmax(ops.where(distance >= 0, scores, -1e9)) @ values


class Attention(layers.Layer):
    """Causal attention, H query heads over K key heads: (B, T, D) -> (B, T, D)."""

    def __init__(self, width, form):
        super().__init__()
        self.form, self.head_dim = form, width // form["heads"]
        fewer = form["key_heads"] * self.head_dim
        self.query_dense, self.key_dense, self.value_dense, self.output_dense = (
            layers.Dense(size, use_bias=form["bias"])
            for size in (width, fewer, fewer, width)
        )
        self.query_norm, self.key_norm = RMSNorm(), RMSNorm()

    def build(self, shape):
        pass  # the first call builds the parts

    def call(self, x, cache=None):
        form, start = self.form, 0 if cache is None else ops.shape(cache[0])[2]
        parts = self.query_dense, self.key_dense, self.value_dense
        queries, keys, values = (split(dense(x), self.head_dim) for dense in parts)
        if form["qk_norm"]:
            queries, keys = self.query_norm(queries), self.key_norm(keys)
        if form["positions"] == "rotary":
            queries, keys = (rotate(y, start, form["base"]) for y in (queries, keys))
        if cache is not None:
            pairs = zip(cache, (keys, values), strict=True)
            keys, values = (ops.concatenate(pair, axis=2) for pair in pairs)
        mixed = mix(queries, keys, values, form, start)  # (B, H, T, d)
        return self.output_dense(join(mixed)), (keys, values)


def new_norm(form):
    """Return the norm of a form."""
    if form["norm"] == "layer":
        return layers.LayerNormalization(epsilon=1e-5, center=form["bias"])
    return RMSNorm() if form["norm"] == "rms" else layers.Identity()


def new_feed_forward(width, form):
    """Return the feed-forward network of a form; both kinds have 8 D² weights."""
    if form["feed_forward"] == "swiglu":
        return SwiGLU(width, 8 * width // 3, form["bias"])
    sizes = (4 * width, "relu"), (width, None)
    return keras.Sequential([layers.Dense(*s, use_bias=form["bias"]) for s in sizes])


class Block(layers.Layer):
    """Attention and a feed-forward network: (B, T, D) -> (B, T, D), and a cache."""

    def __init__(self, width, form):
        super().__init__()
        self.form = form
        self.attention, self.attention_norm = Attention(width, form), new_norm(form)
        self.feed_forward = new_feed_forward(width, form)
        self.feed_forward_norm = new_norm(form)

    def build(self, shape):
        pass  # the first call builds the parts

    def before(self, norm, x):
        return norm(x) if self.form["norm_first"] else x

    def after(self, norm, x, y):
        x = x + y if self.form["residual"] else y
        return x if self.form["norm_first"] else norm(x)

    def call(self, x, cache=None):
        if self.form["attention"]:
            y, cache = self.attention(self.before(self.attention_norm, x), cache)
            x = self.after(self.attention_norm, x, y)
        if self.form["feed_forward"]:
            y = self.feed_forward(self.before(self.feed_forward_norm, x))
            x = self.after(self.feed_forward_norm, x, y)
        return x, cache


class Decoder(keras.Model):
    """A decoder alone: ids (B, T) -> logits (B, T, V)."""

    def __init__(self, vocab_size, width, num_layers, form):
        super().__init__()
        self.form, self.factor = form, width**0.5 if form["scaled_words"] else 1.0
        start = keras.initializers.RandomNormal(stddev=width**-0.5)
        self.embedding = layers.Embedding(vocab_size, width, start)
        self.blocks = [Block(width, form) for _ in range(num_layers)]
        self.norm = new_norm(form) if form["norm_first"] else layers.Identity()
        self.waves = SinusoidalPositionalEncoding()
        self.logits_dense = layers.Dense(vocab_size, use_bias=False, name="logits")

    def build(self, shape):
        pass  # the first call builds the parts

    def call(self, ids):
        return self.read(ids)[0]

    def read(self, ids, caches=None):
        """Return logits (B, T, V), and the cache of each block (not with waves)."""
        x = self.factor * self.embedding(ids)  # (B, T, D)
        if self.form["positions"] == "waves":
            x = self.waves(x)
        caches, longer = caches or [None] * len(self.blocks), []
        for block, cache in zip(self.blocks, caches, strict=True):
            x, cache = block(x, cache)
            longer.append(cache)
        x = self.norm(x)
        if not self.form["tied"]:
            return self.logits_dense(x), longer
        return x @ ops.transpose(self.embedding.embeddings), longer


CHANGES = {
    "pre_norm": {"norm_first": True},
    "rms_norm": {"norm": "rms"},
    "no_biases": {"bias": False},
    "swiglu": {"feed_forward": "swiglu"},
    "rotary": {"positions": "rotary"},
    "untied": {"tied": False},
    "grouped": {"key_heads": 2},
    "qk_norm": {"qk_norm": True},
    "muon": {"optimizer": "muon"},
}


def ladder():
    """Return the forms from that of 2017 to today's, by the newest change."""
    forms = {"classic": CLASSIC}
    for name, change in CHANGES.items():
        forms[name] = {**[*forms.values()][-1], **change}
    return forms


MODERN = ladder()["muon"]


PARTS = {
    "query_dense": "_query_dense",
    "key_dense": "_key_dense",
    "value_dense": "_value_dense",
    "output_dense": "_output_dense",
}


AROUND = {
    "attention_norm": "_self_attention_layernorm",
    "feed_forward_norm": "_feedforward_layernorm",
}


GATED = {"gate": "gate", "up": "intermediate", "down": "output"}


def take_block(ours, theirs):
    """Give our block the weights of KerasHub's Llama block."""
    inner, attention = ours.feed_forward, theirs._self_attention_layer
    pairs = [(ours, own, theirs, name) for own, name in AROUND.items()]
    pairs += [(ours.attention, own, attention, name) for own, name in PARTS.items()]
    pairs += [(inner, o, theirs, f"_feedforward_{n}_dense") for o, n in GATED.items()]
    for one, own, other, name in pairs:
        (new,), (old,) = getattr(one, own).weights, getattr(other, name).weights
        new.assign(ops.reshape(old, new.shape))


def as_ours(hub):
    """Return our model with the weights of a KerasHub Llama."""
    form = MODERN | dict(qk_norm=False, tied=True, scaled_words=False)
    form |= dict(
        base=hub.rope_max_wavelength,
        heads=hub.num_query_heads,
        key_heads=hub.num_key_value_heads,
    )
    model = Decoder(hub.vocabulary_size, hub.hidden_dim, hub.num_layers, form)
    model(np.ones((1, 2), "int32"))  # makes the weights
    model.embedding.embeddings.assign(hub.token_embedding.embeddings)
    model.norm.scale.assign(hub.layer_norm.scale)
    for block, theirs in zip(model.blocks, hub.transformer_layers, strict=True):
        take_block(block, theirs)
    return model


def prepared(texts, least):
    """Return vectorizer, stream, and the held-out texts: no text is in two parts."""
    texts = [windows.clean(text) for text in texts]
    validation, test, train = windows.split_texts(texts, (50, 150))
    vectorizer = CharacterVectorizer.train(train, least)
    return vectorizer, windows.stream(vectorizer.encode(train)), validation, test


RECIPE = dict(width=96, num_layers=3, length=128, rows=8, updates=1800)


def new_model(form, vocab_size, recipe, seed=0):
    """Return a model with all its weights, made from a seed."""
    keras.utils.set_random_seed(seed)
    model = Decoder(vocab_size, recipe["width"], recipe["num_layers"], form)
    model(np.ones((1, 2), "int32"))
    return model


def compile_model(model, rate, updates):
    """Choose loss and optimizer; the rate rises, then falls along a cosine."""
    rate = warmup_cosine(rate, updates, max(1, updates // 20))
    optimizer = keras.optimizers.Adam(rate, clipnorm=1.0)
    if model.form["optimizer"] == "muon":
        decay = dict(weight_decay=None, adam_weight_decay=None)
        options = dict(adam_lr_ratio=0.2, exclude_layers=["logits"], clipnorm=1.0)
        optimizer = keras.optimizers.Muon(rate, **decay, **options)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss)


def train_model(model, stream, recipe, rate, seed=0, looks=4):
    """Let a model read windows of the stream; return the loss at each look."""
    compile_model(model, rate, recipe["updates"])
    batches = windows.training_batches(stream, recipe["length"], recipe["rows"], seed)
    steps = dict(epochs=looks, steps_per_epoch=recipe["updates"] // looks)
    return model.fit(batches, **steps, shuffle=False, verbose=2).history["loss"]


def bits(model, inputs, targets, rows=64):
    """Return the bits that each target (N, T) needs, 0 where nothing is scored."""
    found, loss = [], keras.losses.sparse_categorical_crossentropy
    for first in range(0, len(inputs), rows):
        logits = model(inputs[first : first + rows])  # (B, T, V)
        nats = loss(targets[first : first + rows], logits, from_logits=True)
        found.append(ops.convert_to_numpy(nats) / np.log(2))
    return np.concatenate(found) * (targets != PAD)


def mean_bits(model, held_out):
    """Return the mean bits of all scored targets of (inputs, targets).

    A model that broke in training has those of guessing.
    """
    mean = bits(model, *held_out).sum() / np.count_nonzero(held_out[1])
    return np.fmin(mean, np.log2(model.embedding.input_dim))  # fmin: also for NaN


def scoring(vectorizer, texts, recipe):
    """Return windows that overlap by half, so that all but a text's first characters
    have something before them; each is scored once (lesson 10)."""
    sizes = recipe["length"], recipe["length"] // 2
    return windows.scoring_windows(vectorizer.encode(texts), *sizes)


UNTIED = CLASSIC | {"tied": False}  # 2017 with an output of its own


VARIANTS = {
    "no_residual": {"residual": False},
    "no_norm": {"norm": None, "qk_norm": False},
    "no_feed_forward": {"feed_forward": None},
    "attention_only": {"feed_forward": None},  # eleven blocks instead of three
    "no_attention": {"attention": False},
    "no_root": {"root": False},
    "no_positions": {"positions": None},
    "one_head": {"heads": 1, "key_heads": 1},
    "waves": {"positions": "waves"},
    "alibi": {"positions": "alibi"},
    "tied": {"tied": True},
    "tied_plain": {"tied": True, "scaled_words": False},
    "layer_norm": {"norm": "layer"},
    "relu": {"feed_forward": "relu"},
    "all_key_heads": {"key_heads": 4},
    "no_qk_norm": {"qk_norm": False},
}


def in_parts(model, inputs, targets, length):
    """Return the bits (N, T) with at most `length` ids read for each target."""
    step, found = length // 8, []
    for start in range(0, inputs.shape[1] - length + 1, step):
        part = slice(start, start + length)
        new = bits(model, inputs[:, part], targets[:, part])
        found.append(new[:, -step:] if start else new)
    return np.concatenate(found, axis=1)


def quarters(model, vectorizer, texts, recipe):
    """Return the bits in the quarters of windows of 4 T, by name: whole_1, … cut_4."""
    size = 4 * recipe["length"]
    ids = [[START, *row[:size]] for row in vectorizer.encode(texts) if len(row) >= size]
    inputs, targets = np.array(ids)[:, :-1], np.array(ids)[:, 1:]
    both = bits(model, inputs, targets), in_parts(model, inputs, targets, size // 4)
    found = {"long_reviews": len(ids)}
    for kind, each in zip(("whole", "cut"), both, strict=True):
        means = each.reshape(len(ids), 4, -1).mean(axis=(0, 2))
        means = np.nan_to_num(means, nan=np.log2(model.embedding.input_dim))  # guessing
        found |= {f"{kind}_{k}": mean for k, mean in enumerate(means, start=1)}
    return found


def write(model, ids, size):
    """Continue ids greedily; return all ids and the caches."""
    ids, (logits, caches) = list(ids), model.read(np.array([ids]))
    for _ in range(size):
        ids.append(int(ops.argmax(logits[0, -1])))
        logits, caches = model.read(np.array([ids[-1:]]), caches)
    return ids, caches
