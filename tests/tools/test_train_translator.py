"""The training of the shipped translator: recipe, batches, interruptions."""

import keras
import numpy as np
import pytest
from keras import ops

from course_utils import datasets
from course_utils.datasets.spa_eng import Splits
from course_utils.seq2seq import Translator
from tools import train_translator
from tools.eight_bits import in_eight_bits

QUICK = {
    **train_translator.TINY,
    "vocab_size": 300,
    "dropout": 0.2,
    "agreement": 1.0,
    "agreement_epochs": 1,
    "tokens_per_batch": 400,
    "epochs": 4,
    "falling_epochs": 2,
}


class Interruption(Exception):
    """Stands for the end of the program."""


@pytest.fixture(scope="module")
def splits():
    """A few sentence pairs."""
    corpus = datasets.phrasebook.load()
    return Splits(corpus.train[:120], corpus.validation[:20], [])


def weights_of(splits, recipe, folder, after_epoch=None):
    """Train; return the final translator's weights."""
    translator, _ = train_translator.train(splits, recipe, folder, 3, after_epoch)
    return translator.transformer.get_weights()


def stop_after(last_epoch):
    """Return a callback that ends the program after an epoch."""

    def after_epoch(translator, progress):
        if progress["epoch"] == last_epoch:
            raise Interruption

    return after_epoch


@pytest.fixture(scope="module")
def unbroken(splits, tmp_path_factory):
    """The weights after a training without interruptions."""
    recipe = train_translator.read_recipe(changes=QUICK)
    return weights_of(splits, recipe, tmp_path_factory.mktemp("unbroken"))


def assert_equal_weights(weights, others):
    assert len(weights) == len(others)
    for one, other in zip(weights, others, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_recipe_is_read_with_changes():
    recipe = train_translator.read_recipe()
    changed = train_translator.read_recipe(changes={"dropout": 0.35})
    assert changed == {**recipe, "dropout": 0.35}


def test_a_setting_that_does_not_exist_is_an_error():
    with pytest.raises(ValueError, match="no setting 'droput'.*dropout"):
        train_translator.read_recipe(changes={"droput": 0.3})


def test_the_rate_cannot_fall_for_longer_than_the_training():
    changes = {"epochs": 4, "falling_epochs": 5}
    with pytest.raises(ValueError, match="falling_epochs is 5.*epochs \\(4\\)"):
        train_translator.read_recipe(changes=changes)


def test_the_learning_rate_rises_stays_and_falls_to_zero():
    changes = {"peak": 2.0, "warmup_steps": 4, "epochs": 3, "falling_epochs": 1}
    changes |= {"agreement_epochs": 0}
    recipe = train_translator.read_recipe(changes=changes)
    rates = [train_translator.learning_rate(recipe, step, 10) for step in range(30)]
    assert rates[:4] == [0.5, 1.0, 1.5, 2.0]
    assert set(rates[4:21]) == {2.0}
    np.testing.assert_allclose(rates[20:], np.arange(10, 0, -1) / 5)


def test_a_training_that_was_interrupted_ends_like_an_unbroken_one(
    splits, unbroken, tmp_path
):
    recipe = train_translator.read_recipe(changes=QUICK)
    with pytest.raises(Interruption):
        weights_of(splits, recipe, tmp_path, stop_after(3))
    assert_equal_weights(unbroken, weights_of(splits, recipe, tmp_path))
    translator, progress = train_translator.train(splits, recipe, tmp_path, 3)
    assert_equal_weights(unbroken, translator.transformer.get_weights())
    assert progress["epoch"] == 4
    assert progress["held_out_loss"] > 0


def test_a_training_can_be_made_longer(splits, unbroken, tmp_path):
    changes = {**QUICK, "epochs": 2, "falling_epochs": 1}
    shorter = train_translator.read_recipe(changes=changes)
    weights_of(splits, shorter, tmp_path)
    epochs = []
    recipe = train_translator.read_recipe(changes=QUICK)
    weights = weights_of(
        splits, recipe, tmp_path, lambda _, x: epochs.append(x["epoch"])
    )
    assert epochs == [2, 3, 4]
    assert_equal_weights(unbroken, weights)


def test_a_training_can_begin_with_an_earlier_translator(splits, tmp_path):
    recipe = train_translator.read_recipe(changes={**QUICK, "epochs": 2})
    earlier, progress = train_translator.train(splits, recipe, tmp_path, 3)
    folder = tmp_path / "later"
    folder.mkdir()
    later, goes_on = train_translator.train(splits, recipe, folder, 4, earlier=earlier)
    assert later.vectorizer.get_config() == earlier.vectorizer.get_config()
    assert goes_on["epoch"] == 2
    assert goes_on["held_out_loss"] < progress["held_out_loss"]


def test_the_first_stage_reads_each_pair_in_both_directions():
    pairs = [[5, 6], [7]], [[8], [9, 10]]
    sources, targets = train_translator.with_other_direction(pairs)
    assert list(zip(sources, targets, strict=True)) == [
        ([5, 6], [8]),
        ([7], [9, 10]),
        ([8], [5, 6]),
        ([9, 10], [7]),
    ]


def test_stages_that_were_interrupted_end_like_unbroken_ones(splits, tmp_path):
    changes = {**QUICK, "epochs": 2, "falling_epochs": 1}
    recipes = train_translator.read_recipes(changes)
    folders = tmp_path / "unbroken", tmp_path / "broken"
    for folder in folders:
        folder.mkdir()
    unbroken, progress = train_translator.train_in_stages(splits, recipes, folders[0])
    assert progress["epoch"] == 4
    seen = []

    def after_epoch(translator, progress):
        seen.append(progress["epoch"])
        if len(seen) == 3:
            raise Interruption

    with pytest.raises(Interruption):
        train_translator.train_in_stages(
            splits, recipes, folders[1], after_epoch=after_epoch
        )
    broken, others = train_translator.train_in_stages(
        splits, recipes, folders[1], after_epoch=after_epoch
    )
    assert seen == [1, 2, 1, 2]
    assert (others["steps"], others["loss"]) == (progress["steps"], progress["loss"])
    weights = [x.transformer.get_weights() for x in (unbroken, broken)]
    assert_equal_weights(*weights)
    with pytest.raises(ValueError, match="with other settings \\(seed\\)"):
        train_translator.train_in_stages(splits, recipes, folders[0], seed=1)


def tiny_model(number):
    """Return a compiled model of a single parameter."""
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False)])
    model.compile("sgd", jit_compile=False)
    model.optimizer.build(model.trainable_variables)
    model.set_weights([np.array([[number]])])
    return model


def test_a_steady_training_cannot_be_made_shorter(splits, tmp_path):
    recipe = train_translator.read_recipe(changes=QUICK)
    states = train_translator.States(tmp_path, splits, recipe, seed=0)
    states.save(tiny_model(1.0), {**train_translator.START, "epoch": 2})
    shorter = {**recipe, "epochs": 2, "falling_epochs": 1}
    states = train_translator.States(tmp_path, splits, shorter, seed=0)
    with pytest.raises(ValueError, match="has 2 epochs at a steady.*recipe has 1"):
        states.load(tiny_model(0.0))


def test_an_interrupted_write_leaves_the_state_before_it(tmp_path, splits, monkeypatch):
    recipe = train_translator.read_recipe(changes=QUICK)
    states = train_translator.States(tmp_path, splits, recipe, seed=0)
    progress = {**train_translator.START, "epoch": 1}
    states.save(tiny_model(1.0), progress)

    def half(file, **arrays):
        file.write(b"half a state")
        raise Interruption

    monkeypatch.setattr(np, "savez", half)
    with pytest.raises(Interruption):
        states.save(tiny_model(2.0), {**progress, "epoch": 2})
    monkeypatch.undo()
    model = tiny_model(3.0)
    assert states.load(model) == progress
    assert model.get_weights()[0].item() == 1.0
    assert len(list(tmp_path.iterdir())) == 1


def test_other_settings_are_another_training(tmp_path, splits):
    recipe = train_translator.read_recipe(changes=QUICK)
    model = tiny_model(1.0)
    progress = {**train_translator.START, "epoch": 1}
    train_translator.States(tmp_path, splits, recipe, seed=0).save(model, progress)
    other = {**recipe, "dropout": 0.5}
    for states in (
        train_translator.States(tmp_path, splits, recipe, seed=1),
        train_translator.States(tmp_path, splits, other, seed=0),
    ):
        assert states.load(model) == train_translator.START


def test_the_batches_of_an_epoch_depend_on_its_number_alone():
    pairs = [[4] * n for n in range(1, 40)], [[5] * n for n in range(1, 40)]

    def batches(epoch):
        return [
            [array.tolist() for array in batch]
            for batch in train_translator.epoch_batches(pairs, 60, 0, epoch)
        ]

    assert batches(1) == batches(1)
    assert batches(1) != batches(2)
    assert sorted(map(str, batches(1))) == sorted(map(str, batches(2)))


def test_disagreement_is_the_mean_of_both_divergences():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(4, 3, 5)).astype("float32")  # two passes of two rows
    labels = np.array([[1, 2, 3], [4, 0, 0]])
    probs = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    divergences = []
    for row, place in np.argwhere(labels):
        one, other = probs[row, place], probs[row + 2, place]
        divergences.append(np.sum(one * np.log(one / other)))
        divergences.append(np.sum(other * np.log(other / one)))
    expected = np.mean(divergences)
    found = train_translator.disagreement(ops.array(logits), ops.array(labels))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    same = ops.array(np.concatenate([logits[:2], logits[:2]]))
    assert float(train_translator.disagreement(same, ops.array(labels))) == 0.0


def loss_of_a_step(dropout, agreement):
    """Return the loss of the first step of a tiny model, and the weights after it."""
    changes = {**QUICK, "dropout": dropout}
    recipe = train_translator.read_recipe(changes=changes)
    keras.utils.set_random_seed(0)
    model = train_translator.build(recipe, 30)
    model.compile(train_translator.make_optimizer(recipe), jit_compile=False)
    model.optimizer.build(model.trainable_variables)
    source = np.array([[5, 6, 7], [8, 9, 0]], "int32")
    decoder_input = np.array([[2, 5, 6], [2, 7, 0]], "int32")
    labels = np.array([[5, 6, 3], [7, 3, 0]], "int32")
    step = train_translator.make_step(model, recipe["label_smoothing"], agreement)
    loss = step(source, decoder_input, labels)
    return float(loss), model.get_weights()


def test_agreement_counts_in_the_last_epochs():
    changes = {**QUICK, "agreement": 5.0, "agreement_epochs": 1}
    recipe = train_translator.read_recipe(changes=changes)
    epochs = range(recipe["epochs"])
    found = [train_translator.agreement_in(recipe, epoch) for epoch in epochs]
    assert found == [0.0, 0.0, 0.0, 5.0]


def test_without_dropout_agreement_changes_nothing():
    loss, weights = loss_of_a_step(0.0, 0.0)
    with_agreement, others = loss_of_a_step(0.0, 5.0)
    np.testing.assert_allclose(with_agreement, loss, rtol=1e-5)
    for one, other in zip(weights, others, strict=True):
        np.testing.assert_allclose(other, one, atol=1e-4)


def test_with_dropout_disagreement_costs():
    losses = [loss_of_a_step(0.4, agreement)[0] for agreement in (1.0, 2.0, 1001.0)]
    assert losses[0] < losses[1] < losses[2]
    # The disagreement itself, twice as found by each difference.
    np.testing.assert_allclose(
        losses[2] - losses[0], 1000 * (losses[1] - losses[0]), rtol=0.01
    )


def test_a_recipe_with_a_deeper_encoder_can_be_saved(splits, tmp_path):
    changes = {**QUICK, "encoder_layers": 3, "decoder_layers": 1}
    recipe = train_translator.read_recipe(changes=changes)
    vectorizer = train_translator.train_vectorizer(splits, recipe)
    model = train_translator.build(recipe, vectorizer.vocabulary_size)
    assert len(model.encoder_blocks) == 3
    assert len(model.decoder_blocks) == 1
    Translator(vectorizer, model).save(tmp_path / "deep.keras")
    loaded = Translator.load(tmp_path / "deep.keras").transformer
    source = ops.array([[4, 5, 6]])
    np.testing.assert_allclose(loaded.encode(source), model.encode(source), atol=1e-6)


def test_rounded_weights_are_those_of_the_eight_bits(splits):
    recipe = train_translator.read_recipe(changes=QUICK)
    vectorizer = train_translator.train_vectorizer(splits, recipe)
    model = train_translator.build(recipe, vectorizer.vocabulary_size)
    before = model.get_weights()
    train_translator.round_weights(Translator(vectorizer, model))
    for old, new in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(new, in_eight_bits(old))


def test_scores_tell_known_translations_and_single_references_apart(splits):
    recipe = train_translator.read_recipe(changes=QUICK)
    vectorizer = train_translator.train_vectorizer(splits, recipe)
    model = train_translator.build(recipe, vectorizer.vocabulary_size)
    english, spanish = splits.train[0]
    test = [(english, spanish), ("A new one.", ["Algo nuevo.", "Una cosa nueva."])]
    parts = Splits(splits.train, splits.validation[:2], test)
    figures = train_translator.scores(Translator(vectorizer, model), parts)
    assert figures["decoding"] in train_translator.DECODINGS
    assert figures["bleu_low"] <= figures["bleu"] <= figures["bleu_high"]
    assert len(train_translator.shown(figures)) == 9
    known_only = Splits(splits.train, splits.validation[:2], test[:1] * 2)
    figures = train_translator.scores(Translator(vectorizer, model), known_only)
    assert figures["clean_bleu"] is None
    assert figures["single_bleu"] == figures["bleu"]
