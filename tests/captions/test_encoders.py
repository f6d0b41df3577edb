"""Image encoders: loops, what a cell sees, config, half precision; what is refused."""

import keras
import layer_battery as lb
import numpy as np
import pytest
from caption_models import IMAGES, KINDS, D, build, make_encoder

from course_utils.attention.transformer import TransformerEncoder
from course_utils.captions import ConvEncoder, PatchEncoder, cut_patches


def test_patches_equal_the_loop():
    pictures = lb.random_array(2, 6, 4, 3)
    found = lb.to_numpy(cut_patches(pictures, 2))
    assert found.shape == (2, 6, 12)
    for row, image in zip(found, pictures, strict=True):
        corners = [(i, j) for i in (0, 2, 4) for j in (0, 2)]
        squares = [image[i : i + 2, j : j + 2].ravel() for i, j in corners]
        np.testing.assert_array_equal(row, squares)


def test_patch_encoder_is_the_text_encoder_on_patches():
    encoder = make_encoder("patches")
    encoder(IMAGES)
    found = lb.to_numpy(lb.randomize(encoder)(IMAGES))
    x = IMAGES.astype("float32") / 127.5 - 1
    x = encoder.patch_dense(cut_patches(x, 4)) + encoder.positions
    for block in encoder.blocks:
        assert type(block) is TransformerEncoder
        x = block(x)
    np.testing.assert_allclose(found, encoder.norm(x), **lb.TOLERANCE)


def test_a_cell_of_the_convolutions_sees_itself_and_its_neighbours():
    keras.utils.set_random_seed(0)
    encoder = ConvEncoder(48, 32)  # of few channels, ReLU may silence all
    pictures = np.zeros((97, 48, 48, 3), "float32")  # the first one stays black
    for place in range(48):
        pictures[1 + place, place, 25] = pictures[49 + place, 25, place] = 255.0
    cells = lb.to_numpy(encoder(pictures)).reshape(97, 8, 8, 32)
    seen = (cells[1:, 4, 4] != cells[0, 4, 4]).any(axis=-1)
    expected = np.isin(np.arange(48), np.arange(24 - 6, 30 + 6))
    np.testing.assert_array_equal(seen, [*expected, *expected])


def test_cells_of_an_empty_image_differ_by_their_place_only():
    encoder = ConvEncoder(48, D)
    cells = encoder(np.full((1, 48, 48, 3), 127.5, "float32"))  # scaled: zeros
    kernel, bias = encoder.join.get_weights()
    rows, columns = np.divmod(np.arange(64), 8)
    places = np.stack([rows, columns], axis=1) / 3.5 - 1  # from -1 to 1
    expected = encoder.norm(np.maximum(places @ kernel[-2:] + bias, 0))
    np.testing.assert_allclose(cells[0], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_encoder_shapes_config_gradients_and_half_precision(kind):
    def make(**options):
        return make_encoder(kind, **options)

    lb.check_config(make, (IMAGES,))
    lb.check_gradients(make, (IMAGES,))
    encoder = make()
    assert encoder(IMAGES).shape == encoder.compute_output_shape(IMAGES.shape)
    expected = lb.to_numpy(lb.randomize(encoder)(IMAGES))
    half = make(dtype="mixed_bfloat16")
    found = half(IMAGES)
    assert keras.backend.standardize_dtype(found.dtype) == "bfloat16"
    half.set_weights(encoder.get_weights())
    np.testing.assert_allclose(lb.to_numpy(half(IMAGES)), expected, rtol=0.2, atol=0.2)


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


@pytest.mark.parametrize("call, said", MESSAGES)
def test_impossible_captioners_are_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
