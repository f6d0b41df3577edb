"""The path of accelerators, forced on the CPU: few shapes, the same losses, XLA."""

import ast
import json

import keras
import numpy as np
import pytest
from keras import layers

import course_utils
from course_utils import datasets
from course_utils.bert.classifier import BertClassifier
from course_utils.bert.masking import SentencePairs, pretraining_batches
from course_utils.bert.model import BertEncoder
from course_utils.datasets import character_windows
from course_utils.datasets.batches import classification_batches, translation_batches
from course_utils.kit import environment
from course_utils.layers import TransformerEncoder
from course_utils.metrics import MaskedAccuracy
from course_utils.seq2seq import TranslationTransformer
from course_utils.text.vectorizers import SubwordVectorizer, WordVectorizer
from course_utils.training import MaskedCrossEntropy
from tools import cells
from tools import notebook_contract as contract

SHAPES = 8  # of each function


@pytest.fixture
def accelerated(monkeypatch):
    monkeypatch.setenv("COURSE_ACCELERATOR", "1")


@pytest.mark.parametrize("value, expected", [("1", True), ("0", False), ("", False)])
def test_a_variable_or_the_machine_decides(monkeypatch, capsys, value, expected):
    import tensorflow as tf

    monkeypatch.setattr(tf.config, "list_physical_devices", lambda kind: [])
    monkeypatch.setenv("COURSE_ACCELERATOR", value)
    assert course_utils.setup().jit_compile is expected
    monkeypatch.setattr(tf.config, "list_physical_devices", lambda kind: ["a GPU"])
    assert environment.accelerator() is (value != "0")


# How many shapes there are


@pytest.fixture(scope="module")
def pairs():
    """Lesson 09's ids of the embedded pairs: a function of the split."""
    splits = datasets.phrasebook.load()
    texts = [t for e, several in splits.train[:2000] for t in (e, *several)]
    vectorizer = SubwordVectorizer.train(texts, 1000)

    def encoded(name):
        both = [(e, s) for e, several in getattr(splits, name) for s in several]
        return [vectorizer.encode(side) for side in zip(*both, strict=True)]

    return encoded


@pytest.fixture(scope="module")
def reviews():
    """Ids and labels of the embedded reviews: a function of the split."""
    vectorizer = WordVectorizer.train(datasets.reviews.load("train")[0], 2000)

    def encoded(name):
        texts, labels = datasets.reviews.load(name)
        return vectorizer.encode(texts), labels

    return encoded


def signatures(*several):
    """Return the shapes and dtypes of all batches of data sets, an epoch of each."""
    return {
        tuple((array.shape, str(array.dtype)) for array in keras.tree.flatten(batch))
        for dataset in several
        for batch in dataset.take(400).as_numpy_iterator()
    }


@pytest.mark.parametrize(
    "batches, options, more_than",
    [
        (translation_batches, (1024, 0), 3 * SHAPES),
        (classification_batches, (2048, 0, 48), 2 * SHAPES),
    ],
)
def test_few_shapes(batches, options, more_than, pairs, reviews, monkeypatch):
    def data(name, *options):
        ids, labels = (pairs if batches is translation_batches else reviews)(name)
        return batches(ids, labels, *options)

    monkeypatch.setenv("COURSE_ACCELERATOR", "0")
    assert len(signatures(data("train", *options))) > more_than
    monkeypatch.setenv("COURSE_ACCELERATOR", "1")
    assert 2 < len(signatures(data("train", *options))) <= SHAPES
    held_out = [data(name, 8192) for name in ("validation", "test")]
    assert 2 < len(signatures(*held_out)) <= SHAPES


def test_windows_and_masked_texts_have_one_shape(reviews):
    ids, _ = reviews("train")
    pretraining = pretraining_batches(SentencePairs(ids, 32, [5]), 2000, 64)
    stream = character_windows.stream(ids[:500])
    windows = character_windows.training_batches(stream, 32, 8)
    assert len(signatures(pretraining)) == len(signatures(windows)) == 1


# The same losses as with the shapes of CPUs


def tiny_translation():
    model = TranslationTransformer(1000, 96, 8, 16, 2, 1, dropout=0.0)
    model.build()
    return model, MaskedCrossEntropy(label_smoothing=0.1), MaskedAccuracy("accuracy")


def tiny_encoder():
    inputs = keras.Input((None,), dtype="int32")
    x = layers.Embedding(2000, 8, mask_zero=True)(inputs)
    x = TransformerEncoder(8, 16, 2)(x)
    x = layers.GlobalAveragePooling1D()(x)
    return keras.Model(inputs, layers.Dense(1, activation="sigmoid")(x))


def tiny_bert():
    encoder = BertEncoder(2000, 16, 8, 16, 2, 1, dropout=0.0)
    return BertClassifier(encoder, dropout=0.0)


def compiled(model, loss="binary_crossentropy", metric="accuracy", jit_compile=False):
    options = {"jit_compile": jit_compile, "run_eagerly": not jit_compile}
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=[metric], **options)
    return model


def trimmed(batch):
    """Take away the columns of a batch that are padding in all rows."""

    def cut(ids):
        longest = np.flatnonzero(ids.any(axis=0)).max() + 1
        return ids[:, :longest]

    inputs, labels = batch
    inputs = keras.tree.map_structure(cut, inputs)
    return inputs, cut(labels) if labels.ndim == 2 else labels


def losses(model, batches):
    return [model.train_on_batch(*batch, return_dict=True)["loss"] for batch in batches]


@pytest.mark.usefixtures("accelerated")
@pytest.mark.parametrize("task", ["translation", "encoder", "BERT"])
def test_training_has_the_losses_of_unpadded_batches(task, pairs, reviews):
    if task == "translation":
        dataset = translation_batches(*pairs("test"), 512, 0)
    else:
        dataset = classification_batches(*reviews("test"), 512, 0)
    batches = list(dataset.take(8).as_numpy_iterator())
    found = {}
    for name, several in {"fixed": batches, "cut": map(trimmed, batches)}.items():
        keras.utils.set_random_seed(0)
        model = {"encoder": tiny_encoder, "BERT": tiny_bert}.get(task)
        model = compiled(*tiny_translation()) if model is None else compiled(model())
        found[name] = losses(model, several)
    assert len(signatures(dataset.take(8))) > 2
    np.testing.assert_allclose(found["fixed"], found["cut"], rtol=1e-5)


@pytest.mark.parametrize("task", [tiny_encoder, tiny_bert])
def test_an_evaluation_scores_each_text_once(task, reviews):
    model, scores = compiled(task()), []
    for fixed in (False, True):
        data = classification_batches(*reviews("test"), 4096, fixed_shapes=fixed)
        scores.append(model.evaluate(data, verbose=0))
    np.testing.assert_allclose(*scores, rtol=1e-5)


def test_an_evaluation_scores_each_token_once(pairs):
    model, loss, accuracy = tiny_translation()
    totals = []
    for fixed in (False, True):
        data = translation_batches(*pairs("test"), 4096, fixed_shapes=fixed)
        total = count = 0
        accuracy.reset_state()
        for inputs, labels in data:
            logits, tokens = model(inputs), np.count_nonzero(labels)
            total, count = total + float(loss(labels, logits)) * tokens, count + tokens
            accuracy.update_state(labels, logits)
        totals.append((total / count, count, float(accuracy.result())))
    np.testing.assert_allclose(*totals, rtol=1e-5)


@pytest.mark.slow
def test_xla_really_compiles_an_encoder(reviews):
    ids, labels = reviews("test")
    data = classification_batches(ids[:200], labels[:200], 1024, 0, fixed_shapes=True)
    batches = 3 * [next(data.as_numpy_iterator())]  # one shape: it takes long
    found = []
    for jit_compile in (False, True):
        keras.utils.set_random_seed(0)
        model = compiled(tiny_encoder(), jit_compile=jit_compile)
        found.append(losses(model, batches))
        assert model.jit_compile is jit_compile
    np.testing.assert_allclose(*found, rtol=1e-4)


# jit_compile stands at every compile()


def compiles(tree, silent):
    """Return the calls of compile; the silent ones leave XLA to Keras, if asked for."""
    return [
        ast.unparse(call)
        for name, call, words in cells.calls(tree)
        if name.endswith(".compile") and name != "re.compile"
        if not silent or "jit_compile" not in words
    ]


def trees():
    """Yield (where, syntax tree) of all lessons and the code that trains for them."""
    for folder in ("course_utils", "tools", "benchmarks"):
        for path in sorted((contract.ROOT / folder).rglob("*.py")):
            yield str(path), ast.parse(path.read_text(encoding="utf-8"))
    for path in contract.all_notebooks():
        for number, tree, _ in cells.code(json.loads(path.read_text("utf-8"))):
            yield f"{path.name}, cell {number}", tree


def test_every_compile_says_whether_xla_is_used():
    """Keras would take it on every GPU."""
    code = dict(trees())
    assert sum(len(compiles(tree, silent=False)) for tree in code.values()) > 20
    silent = {where: compiles(tree, silent=True) for where, tree in code.items()}
    assert {where: calls for where, calls in silent.items() if calls} == {}


@pytest.mark.parametrize("call", ["model.compile('sgd')", "x[0].net.compile(loss=a)"])
def test_a_compile_that_says_nothing_is_found(call):
    tree = ast.parse(f"import re\nre.compile('a')\nif 1:\n    {call}\n")
    assert compiles(tree, silent=True)
