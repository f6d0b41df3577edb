"""Encoder, decoder and causal block: equal to references, masks, causality."""

from functools import partial
from pathlib import Path

import keras
import keras_hub
import layer_battery as lb
import mutant_blocks as mutants
import numpy as np
import pytest
import reference_weights as rw
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import layers

from course_utils.attention.transformer import (
    PositionalEmbedding,
    TransformerDecoder,
    TransformerEncoder,
)
from course_utils.language_models import CausalBlock

D, F, H, V = 8, 16, 2, 20
GOLDEN = Path(__file__).parents[1] / "golden"
both_forms = pytest.mark.parametrize("norm_first", [False, True])
LENGTH = st.integers(1, 5)
KINDS = [TransformerEncoder, TransformerDecoder, CausalBlock]
each_kind = pytest.mark.parametrize("kind", KINDS)
with_padding = pytest.mark.parametrize("kind", KINDS[:2])
SOURCE, TARGET = lb.padded_ids([3, 5, 1]), lb.padded_ids([4, 2, 6], seed=1)
SQUARE = lb.padded_ids([4, 2, 5], seed=1)  # as long as the source

MASKS = {  # the names of the masks in our call, and in KerasHub's
    TransformerEncoder: (["mask"], ["padding_mask"]),
    TransformerDecoder: (
        ["inputs_mask", "encoder_outputs_mask"],
        ["decoder_padding_mask", "encoder_padding_mask"],
    ),
    CausalBlock: (["mask"], ["decoder_padding_mask"]),
}
MUTANTS = {
    TransformerEncoder: [mutants.DeafEncoder, CausalBlock],
    TransformerDecoder: [mutants.MutedDecoder, mutants.PeekingDecoder],
    CausalBlock: [mutants.PeekingBlock],
}


def is_decoder(kind):
    return issubclass(kind, TransformerDecoder)


def arrays(kind, rows=3, length=4):
    """Return random inputs of a block: a target, and for a decoder a source."""
    x = lb.random_array(rows, length, D), lb.random_array(rows, 6, D, seed=1)
    return x if is_decoder(kind) else x[:1]


def built(kind, **options):
    """Return a block with random weights."""
    return lb.built(partial(kind, D, F, H), arrays(kind), **options)


def model_of(kind, embedding=None, scores=False, blocks=1, **options):
    """Return a model of ids and inputs for it; Keras alone carries the masks."""
    source, target = (keras.Input((None,), dtype="int64") for _ in range(2))
    embedding = embedding or PositionalEmbedding(16, V, D)
    x, encoded = embedding(target), embedding(source)
    for _ in range(blocks):
        if is_decoder(kind):
            encoded = TransformerEncoder(D, F, H, **options)(encoded)
            x = kind(D, F, H, **options)(x, encoded, return_attention_scores=scores)
        else:
            x = kind(D, F, H, **options)(x, return_attention_scores=scores)
    inputs = [source, target] if is_decoder(kind) else [target]
    return lb.randomize(keras.Model(inputs, x))


def run(model, source, target):
    """Call a model with as many of the ids as it takes."""
    return lb.to_numpy(model([source, target][-len(model.inputs) :]))


def assert_padding_changes_nothing(model):
    """More zeros after source or target leave the outputs of real tokens the same."""
    real = TARGET != 0
    expected = run(model, SOURCE, TARGET)[real]
    for more_source, more_target in ((4, 0), (0, 4), (1, 3)):
        ids = lb.lengthen(SOURCE, more_source), lb.lengthen(TARGET, more_target)
        output = run(model, *ids)[:, : TARGET.shape[1]][real]
        np.testing.assert_allclose(output, expected, atol=1e-5)
    alone = run(model, SOURCE[:1, :3], TARGET[:1, :4])
    np.testing.assert_allclose(alone[0], expected[:4], atol=1e-5)


def assert_no_peeking(layer, target, *source):
    lb.check_no_peeking(lambda target: layer(target, *source), target, least=1e-4)


def assert_sees_the_real_tokens(kind, **options):
    """Each position attends to every real token that it may see, and to no padding."""
    model = model_of(kind, scores=True, **options)
    weights = run(model, SOURCE, SQUARE)[1]
    seen = (SOURCE if is_decoder(kind) else SQUARE) != 0
    seen = seen[:, None, None, :] & (np.tri(5, dtype=bool) | (kind is not CausalBlock))
    np.testing.assert_array_equal(weights > 0, np.broadcast_to(seen, (3, H, 5, 5)))
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-5)


@each_kind
@both_forms
def test_battery(kind, norm_first):
    attentions = 2 if is_decoder(kind) else 1
    dense, norms = (D * F + F) + (F * D + D), (attentions + 1) * 2 * D
    lb.battery(
        partial(kind, D, F, H, activation="gelu", norm_first=norm_first),
        *arrays(kind, rows=2),
        weights=attentions * 4 * (D * D + D) + dense + norms,
        scores=True,
    )


@each_kind
@both_forms
def test_equals_keras_hub(kind, norm_first):
    x, ours = arrays(kind), built(kind, norm_first=norm_first)
    masks = [lb.padded_ids(lengths) != 0 for lengths in ([4, 2, 3], [1, 6, 4])]
    call, theirs_call = (dict(zip(names, masks, strict=False)) for names in MASKS[kind])
    decoder = kind is not TransformerEncoder
    hub = f"Transformer{'Decoder' if decoder else 'Encoder'}"
    theirs = getattr(keras_hub.layers, hub)(F, H, normalize_first=norm_first)
    theirs(*x)
    theirs.set_weights(rw.keras_hub_block(ours, decoder))
    lb.assert_close(ours(*x), theirs(*x))
    expected = lb.to_numpy(theirs(*x, **theirs_call))
    lb.assert_close(ours(*x, **call), expected)
    if not decoder:
        told = dict(return_attention_scores=True)
        lb.assert_close(ours(*x, **call, **told), theirs(*x, **theirs_call, **told))
    for mutant in MUTANTS[kind]:
        broken = lb.to_numpy(built(mutant, norm_first=norm_first)(*x, **call))
        assert np.abs(broken - expected).max() > 0.01


@with_padding
@both_forms
def test_equals_pytorch(kind, norm_first):
    golden = np.load(GOLDEN / f"{'decoder' if is_decoder(kind) else 'encoder'}.npz")
    sides = ("target", "source") if is_decoder(kind) else ("source",)
    x, masks = [golden[side] for side in sides], [golden[f"{s}_mask"] for s in sides]
    call, real = dict(zip(MASKS[kind][0], masks, strict=True)), masks[0]
    layer = kind(D, F, H, norm_first=norm_first)
    layer(*x)
    rw.set_pytorch_block(layer, golden)
    output = lb.to_numpy(layer(*x, **call))
    forms = ("output_pre", "output_post")
    expected, other = (golden[form] for form in forms[:: 1 if norm_first else -1])
    lb.assert_close(output[real], expected[real])
    assert np.abs(output - other)[real].max() > 0.01


@with_padding
@both_forms
@pytest.mark.parametrize("embedding", ["PositionalEmbedding", "Embedding"])
def test_padding_changes_nothing_in_stacked_blocks(kind, norm_first, embedding):
    """Nor does a training on rows of padding only; the mask is still there after it."""
    plain = layers.Embedding(V, D, mask_zero=True) if embedding == "Embedding" else None
    with lb.no_warnings():
        model = model_of(kind, plain, blocks=2, norm_first=norm_first, dropout=0.1)
        model.compile("sgd", "mse", run_eagerly=True)
        ids = [lb.padded_ids([0, 3]), lb.padded_ids([2, 0])][-len(model.inputs) :]
        model.fit(ids, np.zeros((2, 2, D)), verbose=0)
        output = model(ids)
        assert np.isfinite(lb.to_numpy(output)).all()
        np.testing.assert_array_equal(output._keras_mask, ids[-1] != 0)
        assert_padding_changes_nothing(model)


@both_forms
@each_kind
def test_every_position_sees_the_real_tokens_and_no_padding(kind, norm_first):
    with lb.no_warnings():
        assert_sees_the_real_tokens(kind, norm_first=norm_first)


def test_lost_and_swapped_masks_are_caught():
    deaf, muted = mutants.DeafEncoder, mutants.MutedDecoder
    unmasked = TransformerEncoder, layers.Embedding(V, D)
    for arguments in (deaf,), (muted,), unmasked:
        with pytest.raises(AssertionError):
            assert_padding_changes_nothing(model_of(*arguments))
    # A swapped mask of another length than the source's is an error by itself.
    for kind in deaf, muted, mutants.SwappedDecoder:
        with pytest.raises(AssertionError):
            assert_sees_the_real_tokens(kind)


@with_padding
@given(
    lengths=st.lists(st.tuples(LENGTH, LENGTH), min_size=1, max_size=3),
    extra=st.tuples(st.integers(0, 4), st.integers(0, 4)),
    seed=st.integers(0, 99),
)
@settings(max_examples=12, derandomize=True)
def test_padding_changes_nothing_for_any_lengths(kind, lengths, extra, seed):
    sides = [*zip(*lengths, strict=True)][: 1 + is_decoder(kind)]
    ids = [lb.padded_ids(side, vocab_size=V, seed=seed) for side in sides]
    embedding, layer = PositionalEmbedding(12, V, D), built(kind)
    embedding.build((None, None))
    lb.randomize(embedding, seed)
    short = lb.to_numpy(layer(*[embedding(x) for x in ids]))
    longer = [lb.lengthen(x, more) for x, more in zip(ids, extra, strict=False)]
    long = lb.to_numpy(layer(*[embedding(x) for x in longer]))[:, : ids[0].shape[1]]
    real = ids[0] != 0
    np.testing.assert_allclose(long[real], short[real], atol=1e-5)


@pytest.mark.parametrize("kind", [TransformerDecoder, CausalBlock])
@both_forms
def test_no_peeking(kind, norm_first):
    assert_no_peeking(built(kind, norm_first=norm_first), *arrays(kind, length=6))


# An encoder sees what comes later, and must.
PEEKING = [mutants.PeekingDecoder, mutants.PeekingBlock, TransformerEncoder]


@pytest.mark.parametrize("kind", PEEKING)
@both_forms
def test_peeking_is_caught(kind, norm_first):
    with pytest.raises(AssertionError):
        assert_no_peeking(built(kind, norm_first=norm_first), *arrays(kind))


def test_without_positions_order_does_not_matter():
    (x,), order = arrays(TransformerEncoder), [3, 0, 1, 2]
    layer = built(TransformerEncoder)
    lb.assert_close(layer(x[:, order]), lb.to_numpy(layer(x))[:, order])


@each_kind
def test_dropout_acts_in_training_only(kind):
    x, layer = arrays(kind), built(kind, dropout=0.5)
    quiet = lb.to_numpy(built(kind)(*x))
    np.testing.assert_array_equal(layer(*x), quiet)
    assert np.abs(lb.to_numpy(layer(*x, training=True)) - quiet).max() > 0.1
