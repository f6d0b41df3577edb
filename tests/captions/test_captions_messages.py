"""What the captioner and the encoders refuse, each in one sentence."""

import numpy as np
from caption_models import IMAGES, build
from refusals import one_sentence

from course_utils.captions import ConvEncoder, PatchEncoder, cut_patches

LONG = IMAGES, np.full((3, 6), 2)
MESSAGES = [
    (lambda: build("patches", context_dropout=1), "context_dropout is 1; it must be"),
    (lambda: build("patches")(LONG), "at most caption_length=5"),
    (lambda: ConvEncoder(50), "squares of 6 pixels don't fill 50 pixels"),
    (lambda: PatchEncoder(48, patch_size=7), "squares of 7 pixels don't fill"),
    (lambda: PatchEncoder(48, num_blocks=0), "num_blocks is 0"),
    (lambda: PatchEncoder(48, 10, num_heads=4), "divisible by num_heads"),
    (lambda: cut_patches(np.zeros((1, 6, 5, 3)), 2), "don't fill 5 pixels"),
    (lambda: ConvEncoder(48)(np.zeros((1, 40, 48, 3))), "the images have the shape"),
]

test_bad_input_is_told_in_one_sentence = one_sentence(
    (call, (), said) for call, said in MESSAGES
)
