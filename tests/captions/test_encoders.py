"""Image encoders: loops, what a cell sees, config, half precision, bad input."""

import keras
import layer_battery as lb
import numpy as np
import pytest
from caption_models import IMAGES, SIZE, D, make_encoder
from keras import layers

from course_utils.attention.blocks import TransformerEncoder
from course_utils.captions.cells import (
    cut_patches,
    grid_positions,
    recolour,
    touched_cells,
)
from course_utils.captions.encoders import ConvEncoder, PatchConvolution


def test_patches_equal_the_loop():
    pictures = lb.random_array(2, 6, 4, 3)
    found = lb.to_numpy(cut_patches(pictures, 2))
    assert found.shape == (2, 6, 12)
    for row, image in zip(found, pictures, strict=True):
        corners = [(i, j) for i in (0, 2, 4) for j in (0, 2)]
        squares = [image[i : i + 2, j : j + 2].ravel() for i, j in corners]
        np.testing.assert_array_equal(row, squares)


@pytest.mark.parametrize("dtype, tolerance", [("float32", 1e-4), ("bfloat16", 0.2)])
def test_windows_side_by_side_are_a_convolution(dtype, tolerance):
    pictures = keras.random.uniform((2, 12, 6, 5), seed=0)
    options = dict(strides=3, padding="same", dtype=dtype)
    usual, patches = layers.Conv2D(4, 3, **options), PatchConvolution(4, 3, **options)
    usual.build(pictures.shape)
    patches.build(pictures.shape)
    patches.set_weights([w + 1 for w in usual.get_weights()])  # a bias that isn't zero
    usual.set_weights(patches.get_weights())
    expected, found = usual(pictures), patches(pictures)
    assert found.shape == expected.shape == (2, 4, 2, 4)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(*lb.to_numpy([found, expected]), atol=tolerance)


def test_patch_encoder_is_the_text_encoder_on_patches():
    encoder = make_encoder("patches")
    encoder(IMAGES)
    found = lb.to_numpy(lb.randomize(encoder)(IMAGES))
    x = IMAGES.astype("float32") / 127.5 - 1
    x = encoder.patch_dense(cut_patches(x, 2)) + encoder.positions
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
    encoder = ConvEncoder(48, D, filters=(3, 4))
    cells = encoder(np.full((1, 48, 48, 3), 127.5, "float32"))  # scaled: zeros
    kernel, bias = encoder.join.get_weights()
    places = lb.to_numpy(grid_positions(8)) @ kernel[-2:]
    expected = encoder.norm(np.maximum(places + bias, 0))
    np.testing.assert_allclose(cells[0], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["soft", "patches"])
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


def test_touched_cells_equal_the_loop():
    masks = np.random.default_rng(0).random((2, 3, 6, 6)) < 0.15
    found = touched_cells(masks, 3)
    assert found.shape == (2, 3, 9) and 0 < found.mean() < 1
    for place in np.ndindex(2, 3, 3, 3):
        *which, row, column = place
        square = masks[*which, 2 * row : 2 * row + 2, 2 * column : 2 * column + 2]
        assert found[*which, 3 * row + column] == square.any()


def test_recolouring_keeps_its_input_greys_and_the_sum_of_the_colours():
    pictures = IMAGES.copy()
    pictures[:, :4] = pictures[:, :4, :, :1]  # the upper half is grey
    before = pictures.copy()
    found, again = (recolour(pictures, np.random.default_rng(0)) for _ in range(2))
    np.testing.assert_array_equal(found, again)
    np.testing.assert_array_equal(pictures, before)
    assert (found != pictures).any()
    assert found.dtype == np.uint8 and found.shape == pictures.shape
    np.testing.assert_array_equal(found[:, :4], pictures[:, :4])
    difference = found.astype(int) - pictures
    assert np.abs(difference.sum(axis=-1)).max() <= 1  # of three rounded numbers
    assert recolour(IMAGES[:0], np.random.default_rng(0)).shape == (0, SIZE, SIZE, 3)


def test_recolouring_gives_each_image_one_mixture_of_two_orders():
    pictures = np.zeros((150, 2, 2, 3), "uint8")  # more than are mixed at a time
    pictures[..., 0] = 200  # pure red
    found = recolour(pictures, np.random.default_rng(0))
    assert (found == found[:, :1, :1]).all()  # the same for all pixels of an image
    colours = found[:, 0, 0]
    assert (colours.min(axis=1) == 0).all()  # two of three colours at most
    assert (colours.max(axis=1) >= 100).all()
    assert set(colours.argmax(axis=1)) == {0, 1, 2}
