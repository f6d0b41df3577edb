"""Image encoders: loops, what a cell sees, config, half precision, bad input."""

import keras
import layer_battery as lb
import numpy as np
import pytest
from keras import layers, ops

from course_utils.attention.blocks import TransformerEncoder
from course_utils.captions import encoders as images
from course_utils.captions.encoders import (
    ConvEncoder,
    PatchConvolution,
    PatchEncoder,
    cut_patches,
    recolour,
    touched_cells,
)

SIZE, D = 8, 6
IMAGES = np.random.default_rng(0).integers(0, 256, (3, SIZE, SIZE, 3)).astype("uint8")


def make_encoder(kind, **options):
    if kind == "patches":
        return PatchEncoder(
            SIZE, D, patch_size=2, num_blocks=2, dense_dim=5, num_heads=2, **options
        )
    return ConvEncoder(SIZE, D, filters=(3, 4), strides=(2, 2), **options)


# Patches


def test_patches_equal_the_loop():
    pictures = lb.random_array(2, 6, 4, 3)
    found = lb.to_numpy(cut_patches(pictures, 2))
    assert found.shape == (2, 6, 12)
    for row, image in zip(found, pictures, strict=True):
        squares = [
            image[i : i + 2, j : j + 2].ravel() for i in (0, 2, 4) for j in (0, 2)
        ]
        np.testing.assert_array_equal(row, squares)


def test_a_dense_layer_on_patches_is_a_convolution():
    pictures = lb.random_array(2, 6, 6, 3)
    convolution, dense = layers.Conv2D(5, 3, strides=3), layers.Dense(5)
    expected = lb.to_numpy(convolution(pictures)).reshape(2, 4, 5)
    dense.build((None, 27))
    kernel, bias = convolution.get_weights()
    dense.set_weights([kernel.reshape(27, 5), bias])
    found = lb.to_numpy(dense(cut_patches(pictures, 3)))
    np.testing.assert_allclose(found, expected, **lb.TOLERANCE)


# Encoders


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_windows_side_by_side_are_a_convolution(dtype):
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
    tolerance = 1e-4 if dtype == "float32" else 0.2
    np.testing.assert_allclose(
        ops.convert_to_numpy(ops.cast(found, "float32")),
        ops.convert_to_numpy(ops.cast(expected, "float32")),
        atol=tolerance,
    )


def test_pixels_beside_the_last_window_are_refused():
    with pytest.raises(ValueError, match="squares of 3 pixels don't fill 7 pixels"):
        PatchConvolution(4, 3, strides=3)(ops.zeros((1, 7, 6, 2)))


def test_patch_encoder_is_the_text_encoder_on_patches():
    encoder = make_encoder("patches")
    encoder(IMAGES)
    found = lb.to_numpy(lb.randomize(encoder)(IMAGES))
    x = IMAGES.astype("float32") / 127.5 - 1
    x = encoder.patch_dense(cut_patches(x, 2)) + encoder.places
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
    gray = np.full((1, 48, 48, 3), 127.5, "float32")  # scaled: zeros
    cells = lb.to_numpy(encoder(gray))
    places = lb.to_numpy(images.grid_places(8))
    kernel, bias = encoder.join.get_weights()
    expected = encoder.norm(np.maximum(places @ kernel[-2:] + bias, 0))
    np.testing.assert_allclose(cells[0], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["convolution", "patches"])
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


# Cells


def test_touched_cells_equal_the_loop():
    masks = np.random.default_rng(0).random((2, 3, 6, 6)) < 0.15
    found = touched_cells(masks, 3)
    assert found.shape == (2, 3, 9) and 0 < found.mean() < 1
    for place in np.ndindex(2, 3, 3, 3):
        *which, row, column = place
        square = masks[*which, 2 * row : 2 * row + 2, 2 * column : 2 * column + 2]
        assert found[*which, 3 * row + column] == square.any()


# Bad input


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: ConvEncoder(50), "squares of 6 pixels don't fill 50 pixels"),
        (lambda: PatchEncoder(48, patch_size=7), "squares of 7 pixels don't fill"),
        (lambda: PatchEncoder(48, num_blocks=0), "num_blocks is 0"),
        (lambda: PatchEncoder(48, 10, num_heads=4), "divisible by num_heads"),
        (lambda: cut_patches(np.zeros((1, 6, 5, 3)), 2), "don't fill 5 pixels"),
        (lambda: touched_cells(np.zeros((6, 6)), 4), "don't fill 6 pixels"),
        (
            lambda: ConvEncoder(48)(np.zeros((1, 40, 48, 3))),
            "the images have the shape",
        ),
    ],
)
def test_bad_input_is_told_in_one_sentence(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# New colours


def test_recolouring_keeps_greys_and_the_sum_of_the_colours():
    pictures = IMAGES.copy()
    pictures[:, :4] = pictures[:, :4, :, :1]  # the upper half is grey
    found = recolour(pictures, np.random.default_rng(0))
    assert found.dtype == np.uint8 and found.shape == pictures.shape
    np.testing.assert_array_equal(found[:, :4], pictures[:, :4])
    sums = found.sum(axis=-1, dtype=int), pictures.sum(axis=-1, dtype=int)
    assert np.abs(sums[0] - sums[1]).max() <= 1  # of three rounded numbers


def test_recolouring_gives_each_image_one_mixture_of_two_orders():
    pictures = np.zeros((150, 2, 2, 3), "uint8")  # more than are mixed at a time
    pictures[..., 0] = 200  # pure red
    found = recolour(pictures, np.random.default_rng(0))
    assert (found == found[:, :1, :1]).all()  # the same for all pixels of an image
    colours = found[:, 0, 0]
    assert (colours.min(axis=1) == 0).all()  # two of three colours at most
    assert (colours.max(axis=1) >= 100).all()
    assert set(colours.argmax(axis=1)) == {0, 1, 2}


def test_recolouring_is_repeatable_and_leaves_its_input():
    pictures = IMAGES.copy()
    one, two = (recolour(pictures, np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(pictures, IMAGES)
    assert (one != IMAGES).any()


def test_recolouring_takes_an_empty_batch():
    assert recolour(IMAGES[:0], np.random.default_rng(0)).shape == (0, SIZE, SIZE, 3)


@pytest.mark.parametrize("shape", [(8, 8, 3), (2, 8, 8, 1)])
def test_recolouring_refuses_other_shapes(shape):
    with pytest.raises(ValueError, match=r"recolour: the images have the shape .* 3\)"):
        recolour(np.zeros(shape), np.random.default_rng(0))
