"""Tiny captioners with random weights, for the tests of captions."""

import layer_battery as lb
import numpy as np

from course_utils.captions import ConvEncoder, PatchEncoder, RecurrentCaptioner

SIZE, D, V, T, E, U = 12, 6, 11, 5, 4, 7
WORDS = np.array([[2, 6, 7, 8, 9], [2, 5, 9, 0, 0], [2, 4, 0, 0, 0]], "int32")
IMAGES = np.random.default_rng(0).integers(0, 256, (3, SIZE, SIZE, 3)).astype("uint8")
KINDS = ["convolutions", "patches"]


def make_encoder(kind="convolutions", **options):
    if kind == "patches":
        sizes = dict(patch_size=4, num_blocks=2, dense_dim=5, num_heads=2)
        return PatchEncoder(SIZE, D, **sizes, **options)
    return ConvEncoder(SIZE, D, **options)


def build(kind, encoder=None, **options):
    model = RecurrentCaptioner(encoder or make_encoder(kind), V, T, E, U, **options)
    model.build()
    return lb.randomize(model)


def run(model, images=IMAGES, words=WORDS):
    return lb.to_numpy(model((images, words)))
