"""Tiny captioners with random weights, for the tests of captions."""

import layer_battery as lb
import numpy as np

from course_utils.captions.encoders import ConvEncoder, PatchEncoder
from course_utils.captions.recurrent import RecurrentCaptioner
from course_utils.captions.transformer import TransformerCaptioner

SIZE, D, V, T, E, U = 8, 6, 11, 5, 4, 7
WORDS = np.array([[2, 6, 7, 8, 9], [2, 5, 9, 0, 0], [2, 4, 0, 0, 0]], "int32")
IMAGES = np.random.default_rng(0).integers(0, 256, (3, SIZE, SIZE, 3)).astype("uint8")
ATTENTIONS = {
    "mean": {"attention": "mean"},
    "soft": {},
    "additive": {"score": "additive"},
    "hard": {"attention": "hard"},
}
KINDS = [*ATTENTIONS, "transformer", "patches"]


def make_encoder(kind="soft", **options):
    if kind == "patches":
        return PatchEncoder(
            SIZE, D, patch_size=2, num_blocks=2, dense_dim=5, num_heads=2, **options
        )
    return ConvEncoder(SIZE, D, filters=(3, 4), strides=(2, 2), **options)


def steady_encoder():
    """An encoder of 4 cells that computes the same in training: no batch norm."""
    return PatchEncoder(SIZE, D, patch_size=4, dense_dim=5, num_heads=2)


def build(kind, encoder=None, **options):
    encoder = encoder or make_encoder(kind)
    if kind in ATTENTIONS:
        model = RecurrentCaptioner(
            encoder, V, T, E, U, **{**ATTENTIONS[kind], **options}
        )
    else:
        model = TransformerCaptioner(encoder, V, T, 5, 2, num_blocks=2, **options)
    model.build()
    return lb.randomize(model)


def steady_twins(kind, **options):
    """Return a steady captioner and one with options, alike outside training."""
    plain = build(kind, steady_encoder())
    other = build(kind, steady_encoder(), **options)
    other.set_weights(plain.get_weights())
    np.testing.assert_array_equal(run(other), run(plain))
    return plain, other


def run(model, images=IMAGES, words=WORDS):
    return lb.to_numpy(model((images, words)))
