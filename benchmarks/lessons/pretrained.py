"""MiniLM frozen, with LoRA and whole, for `benchmarks.pretrained`."""

import keras
import keras_hub
import numpy as np
import tensorflow as tf
from keras import layers, ops
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from course_utils import datasets
from course_utils.datasets.batches import classification_batches
from course_utils.kit import presets
from course_utils.text import pad
from course_utils.training import warmup_cosine

LENGTH = 128  # pieces of a review


def inputs_of(ids):
    """Return what KerasHub's BERT reads for ids (B, T), 0 = padding."""
    ids = ops.cast(ids, "int32")
    real = ops.cast(ops.not_equal(ids, 0), "int32")
    return {"token_ids": ids, "padding_mask": real, "segment_ids": ops.zeros_like(ids)}


def pooled(states, mask):
    """Return the mean over the real pieces: (B, T, D) and (B, T) give (B, D)."""
    states = ops.cast(states, "float32")  # bfloat16 would lose digits in a long sum
    real = ops.cast(mask, "float32")[..., None]  # (B, T, 1)
    return ops.sum(states * real, axis=1) / ops.sum(real, axis=1)


def with_pooling(encoder):
    """Return a model from ids (B, T) to one vector for each row, (B, D)."""
    ids = keras.Input((None,), dtype="int32")
    inputs = inputs_of(ids)
    states = encoder(inputs)["sequence_output"]  # (B, T, D)
    return keras.Model(ids, pooled(states, inputs["padding_mask"]))


def encoded(pieces, texts, length=LENGTH):
    """Return ids with [CLS] and [SEP]; of a long text its beginning and its end."""
    rows, half = [], length // 2 - 1
    for text in texts:
        ids = presets.token_ids(pieces, text)
        ids = ids if len(ids) <= 2 * half else ids[:half] + ids[-half:]
        rows.append([pieces.cls_token_id, *ids, pieces.sep_token_id])
    return rows


def as_graph(model):
    """Return a model as one graph for ids of all shapes."""
    ids = tf.TensorSpec((None, None), "int32")
    return tf.function(model, input_signature=[ids], autograph=False)


def apply(graph, rows, tokens=4096):
    """Return what a graph says about each row of ids, in their order."""
    order, found = np.argsort([len(row) for row in rows]), [None] * len(rows)
    for part in np.array_split(order, sum(map(len, rows)) // tokens + 1):
        if len(part):
            outputs = graph(tf.constant(pad([rows[i] for i in part]), "int32"))
            for i, output in zip(part, ops.convert_to_numpy(outputs), strict=True):
                found[i] = output
    return np.array(found)


def split(words):
    """Return "a b, c d" as ["a", "b"], ["c", "d"]."""
    return [both.split() for both in words.split(", ")]


class WithLora(layers.Layer):
    """Add x A B to what a dense layer says; only A (D, r) and B (r, N) are trained."""

    def __init__(self, dense, rank, **kwargs):
        super().__init__(**kwargs)
        self.dense, size = dense, dense.kernel.shape  # (D, N), or (D, H, d): N = H d
        self.a = self.add_weight((size[0], rank), "he_normal", name="a")
        self.b = self.add_weight((rank, int(np.prod(size[1:]))), "zeros", name="b")

    def call(self, x):
        straight = self.dense(x)  # (B, T, N) or (B, T, H, d)
        more = ops.matmul(ops.matmul(x, self.a), self.b)  # (B, T, N)
        return straight + ops.reshape(more, ops.shape(straight))


QUERY_KEY_VALUE = ("_query_dense", "_key_dense", "_value_dense")


def add_lora(encoder, rank):
    """Put two thin matrices beside the query, key and value matrices of all blocks."""
    for block in encoder.transformer_layers:
        attention = block._self_attention_layer
        attention._tracker.unlock()  # a built layer is closed for new parts
        for name in QUERY_KEY_VALUE:
            setattr(attention, name, WithLora(getattr(attention, name), rank))
        attention._tracker.lock()


def body_of(encoder, way, rank=16):
    """Return a copy to be trained: "all" its weights, "lora", or from "scratch"."""
    body = keras_hub.models.BertBackbone.from_config(encoder.get_config())
    if way != "scratch":  # the same form with random weights
        body.set_weights(encoder.get_weights())
    for weight in body.weights:  # "pooled": a layer on [CLS] that we don't use
        weight.trainable = way != "lora" and "pooled" not in weight.path
    if way == "lora":
        add_lora(body, rank)
    return body


def classifier(body):
    """Return a model from ids (B, T) to one logit for each row, (B, 1)."""
    read = with_pooling(body)
    return keras.Model(read.input, layers.Dense(1)(layers.Dropout(0.1)(read.output)))


def some(split, count, seed=0):
    """Return some texts of a split with their labels, drawn with a fixed seed."""
    texts, labels = datasets.imdb.load(split)
    chosen = np.random.default_rng(seed).permutation(len(texts))[:count]
    return [texts[i] for i in chosen], labels[chosen]


def fine_tune(model, rows, labels, peak, passes, seed=0, tokens=2048):
    """Train a classifier on ids in batches of like length."""
    data = classification_batches(rows, labels, tokens, seed=seed)
    steps = passes * len(data)
    rate = warmup_cosine(peak, steps, max(1, steps // 10))
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(rate, global_clipnorm=1.0)
    model.compile(optimizer, loss)
    model.fit(data, epochs=passes, shuffle=False, verbose=2)


def on_vectors(c=0.01):
    """Return a logistic regression that reads vectors."""
    return make_pipeline(StandardScaler(), LogisticRegression(C=c, max_iter=500))


def word_pairs(c=5):
    """Return lesson 05's baseline: words and pairs of words, counted."""
    counter = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2)
    return make_pipeline(counter, LogisticRegression(C=c, max_iter=200))
