"""The rungs of lesson 09's ladder differ in what they say, and get the same minutes."""

from types import SimpleNamespace

import keras
import layer_battery as lb
import numpy as np
import pytest
from keras import ops

from benchmarks import ladder
from course_utils.seq2seq import TranslationTransformer
from course_utils.text.vectorizers import END, START

SMALL = dict(width=8, dense=16, heads=2, pieces=40, vocab=40, columns=6)
SOURCE = np.array([[9, 8, 7, 6, 5]])
TARGET = np.array([[START, 5, 6, 7]])
ENCODED = np.random.default_rng(1).normal(size=(1, 5, 8)).astype("float32")


def small(arm):
    """Return a rung's settings and model in small sizes, the weights moved apart."""
    settings = ladder.ARMS[arm] | SMALL
    model = ladder.Rung(settings, 30, 30)
    model((SOURCE, TARGET))
    return settings, lb.vary(model, 0.3)


def test_each_rung_keeps_the_changes_before_it():
    assert ladder.ARMS["classic"] == ladder.CLASSIC
    below = ladder.CLASSIC
    for rung in ladder.CHANGES:
        settings = ladder.ARMS[rung]
        changed = {k: v for k, v in settings.items() if v != below[k]}
        assert changed == ladder.CHANGES[rung]
        below = settings


@pytest.mark.parametrize("arm", ladder.CHANGES)
def test_no_rung_peeks_and_each_has_its_masks(arm):
    settings, model = small(arm)
    before = lb.to_numpy(model((SOURCE, TARGET)))
    after = lb.to_numpy(model((SOURCE, np.array([[START, 5, 6, 9]]))))
    assert np.abs(before - after)[:, :3].max() == 0 < np.abs(before - after).max()
    padded = lb.to_numpy(model((np.pad(SOURCE, ((0, 0), (0, 2))), TARGET)))
    assert np.abs(padded - before).max() < 1e-5
    encoded = ENCODED.copy()
    scores = model.decode(TARGET, encoded, SOURCE)
    encoded[:, 2] += 1  # the book's masks hide it from the first two target positions
    changed = np.abs(scores - model.decode(TARGET, encoded, SOURCE)).max(axis=(0, 2))
    assert (changed > 0).tolist() == [settings["masks"] != "book"] * 2 + [True] * 2


@pytest.mark.parametrize("masks", ["book", "padding"])
def test_whose_padding_hides_columns_of_the_source(masks):
    """Padding may stand in the middle here, so that the two can be told apart."""
    settings, model = small("classic" if masks == "book" else "masks")
    encoded = ENCODED.copy()
    ids = TARGET * [[1, 0, 1, 1]], SOURCE * [[1, 1, 0, 1, 1]]
    assert settings["masks"] == masks
    scores = model.decode(ids[0], encoded, ids[1])
    encoded[:, 1 if masks == "book" else 2] += 1
    assert np.abs(scores - model.decode(ids[0], encoded, ids[1])).max() == 0


def test_the_last_rung_is_the_packages_model():
    vectorizers = [SimpleNamespace(vocabulary_size=30)] * 2
    ours = ladder.build(ladder.ARMS["ours"] | SMALL, vectorizers)
    assert isinstance(ours, TranslationTransformer) and ours.optimizer.use_ema
    assert ours.count_params() == small("schedule")[1].count_params()
    gru = ladder.build(ladder.ARMS["gru"], vectorizers)
    assert gru.decoder_kind == "attention" and not gru.optimizer.use_ema


def test_the_budget_counts_processor_minutes_after_the_first_step(monkeypatch):
    now, rates = SimpleNamespace(seconds=500.0), []
    monkeypatch.setattr(ladder.time, "process_time", lambda: now.seconds)
    budget = ladder.Budget(10, rate=2.0, planned=True, warm_up=200)
    model = SimpleNamespace(optimizer=SimpleNamespace(), stop_training=False)
    budget.set_model(model)
    for seconds in (0, 60, 240, 300):
        budget.steps += 99
        budget.on_train_batch_begin(0)
        rates.append(model.optimizer.learning_rate)
        now.seconds += seconds
        budget.on_train_batch_end(0)
    assert rates == pytest.approx([1.0, 2.0, 1.9511, 1.0], rel=1e-3)
    assert model.stop_training


@pytest.mark.parametrize("arm", ["classic", "sizes"])
def test_translations_follow_the_model(monkeypatch, arm):
    """A model that copies its source must come out as a copy, in the order asked."""
    settings, model = small(arm)
    ends = np.float32(np.eye(40)[END])
    vectorizer = SimpleNamespace(
        encode=lambda texts: [[*map(int, text.split())] for text in texts],
        decode=lambda rows: [" ".join(str(i) for i in row if i > END) for row in rows],
    )

    def copy(target, encoded, source):
        place = ops.shape(target)[1] - 1
        source = ops.pad(source, ((0, 0), (0, 20)))
        rows = ops.one_hot(ops.take(source, place, axis=1), 40)
        return ops.where(rows[:, :1] == 1, ends, rows)[:, None]

    model.decode = copy
    texts = ["5 6 7", "8", "9 10"]
    found = ladder.translate(model, settings, (vectorizer, vectorizer), texts, rows=2)
    assert found == texts


def test_words_and_subwords_make_batches():
    rows = [("I see.", ["Veo."]), ("You see it!", ["¿Lo ves?", "Lo ves."])] * 9
    for arm in "classic", "batches", "ours":
        keras.utils.set_random_seed(0)
        settings = ladder.ARMS[arm] | SMALL
        _, batches = ladder.data(settings, rows)
        (source, target), labels = next(iter(batches))
        assert target.shape == labels.shape and (target[:, 0] == START).numpy().all()
        assert (source.shape[1] == 6) == (arm == "classic")
