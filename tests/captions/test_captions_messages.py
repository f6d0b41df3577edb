"""What captioners and encoders refuse, each in one sentence."""

import numpy as np
from caption_models import IMAGES, build
from keras import ops
from refusals import one_sentence

from course_utils.captions import (
    ConvEncoder,
    PatchEncoder,
    caption_arrays,
    cut_patches,
    recolour,
    touched_cells,
)
from course_utils.captions.encoders import PatchConvolution

LONG = IMAGES, np.full((3, 6), 2)
MESSAGES = [
    (lambda: build("soft", attention="hart"), "attention is 'hart'; expected one of"),
    (lambda: build("soft", score="best"), "score is 'best'"),
    (lambda: build("soft", context_dropout=1), "context_dropout is 1; it must be"),
    (lambda: caption_arrays([[5] * 9], 4), "length is 4"),
    (lambda: build("soft")(LONG), "at most caption_length=5"),
    (lambda: build("transformer")(LONG), "at most caption_length=5"),
    (lambda: ConvEncoder(50), "squares of 6 pixels don't fill 50 pixels"),
    (lambda: PatchEncoder(48, patch_size=7), "squares of 7 pixels don't fill"),
    (lambda: PatchEncoder(48, num_blocks=0), "num_blocks is 0"),
    (lambda: PatchEncoder(48, 10, num_heads=4), "divisible by num_heads"),
    (lambda: cut_patches(np.zeros((1, 6, 5, 3)), 2), "don't fill 5 pixels"),
    (lambda: touched_cells(np.zeros((6, 6)), 4), "don't fill 6 pixels"),
    (lambda: ConvEncoder(48)(np.zeros((1, 40, 48, 3))), "the images have the shape"),
    (
        lambda: PatchConvolution(4, 3, strides=3)(ops.zeros((1, 7, 6, 2))),
        "squares of 3 pixels don't fill 7 pixels",
    ),
    *(
        (
            lambda shape=shape: recolour(np.zeros(shape), np.random.default_rng(0)),
            r"recolour: the images have the shape .* 3\)",
        )
        for shape in ((8, 8, 3), (2, 8, 8, 1))
    ),
]

test_bad_input_is_told_in_one_sentence = one_sentence(
    (call, (), said) for call, said in MESSAGES
)
