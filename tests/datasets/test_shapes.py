"""The shapes: what is drawn is what is said, and no split knows another's secrets."""

import hashlib
import itertools

import numpy as np
import pytest

from course_utils.datasets.generated import shapes
from course_utils.datasets.generated.shapes import Scene, Thing

# Of the pixels of the first 50 test scenes; they must not change between machines.
PIXELS = "e4dce3c5d51b375e0592980df426e381c4f321c2586418c3926b10fb5d115446"


@pytest.fixture(scope="module")
def scenes():
    return {split: shapes.load(split) for split in shapes.SIZES}


def names(scene):
    return [(thing.colour, thing.shape) for thing in shapes.named(scene)]


def arrangement(scene):
    """Return what the caption says, or None for one object."""
    things = shapes.named(scene)
    if len(things) == 1:
        return None
    one, other = names(scene)
    return one, shapes.relation(*things), other


def thing(shape, radius=8, row=20, column=24, colour="red"):
    return Thing(colour, shape, radius, row, column)


# What is said


def test_captions_say_what_is_there(scenes):
    for scene in itertools.chain(*scenes.values()):
        things = shapes.named(scene)
        assert scene.caption == shapes.describe(things)
        assert len(things) in (1, 2)
        assert list(scene.things[: len(things)]) == list(things)  # grey comes last
        if len(things) == 2:
            assert things[0].radius >= min(shapes.LARGE) > max(shapes.SMALL)
            assert things[1].radius <= max(shapes.SMALL)
            assert names(scene)[0] != names(scene)[1]


def test_relations_of_clear_places_only():
    middle = thing("circle", row=20, column=20)
    for row, column, expected in (
        (10, 20, "above"),
        (30, 25, "below"),
        (20, 10, "left of"),
        (16, 30, "right of"),
        (30, 26, None),
    ):
        assert shapes.relation(thing("square", 5, row, column), middle) == expected


def test_every_word_is_common_in_training(scenes):
    counts = {}
    for scene in scenes["train"]:
        for word in scene.caption.split():
            counts[word] = counts.get(word, 0) + 1
    words = {*shapes.COLOURS, *shapes.SHAPES, "a", "above", "below", "left", "right"}
    assert set(counts) == words | {"of"}
    assert min(counts.values()) > 1_000


def test_named_objects_of_right_and_wrong_captions():
    caption = "a red circle left of a blue square"
    assert shapes.named_objects(caption.split()) == [-1, 0, 0, -1, -1, -1, 1, 1]
    assert shapes.named_objects(["a", "red"]) == [-1, 0]
    too_many = ["a", "red", "circle", "above"] * 3
    assert shapes.named_objects(too_many)[5:] == [1, 1, -1, -1, -1, -1, -1]


# No leakage


def test_new_pairs_stand_in_their_split_only(scenes):
    for split, new in shapes.NEW_PAIRS.items():
        for other, rows in scenes.items():
            found = {pair for scene in rows for pair in names(scene)} & set(new)
            assert found == (set(new) if other == split else set())


def test_new_pairs_are_made_of_known_words(scenes):
    known = {pair for scene in scenes["train"] for pair in names(scene)}
    for colour, shape in itertools.chain(*shapes.NEW_PAIRS.values()):
        assert sum(pair[0] == colour for pair in known) >= 3
        assert sum(pair[1] == shape for pair in known) >= 3


def test_no_arrangement_stands_in_two_splits(scenes):
    found = {
        split: {arrangement(scene) for scene in rows} - {None}
        for split, rows in scenes.items()
    }
    for one, other in itertools.combinations(found.values(), 2):
        assert not one & other


def test_no_caption_of_the_test_stands_in_training(scenes):
    train = {scene.caption for scene in scenes["train"]}
    for split in ("validation", "test"):
        assert not train & {scene.caption for scene in scenes[split]}


def test_half_of_the_test_has_a_new_pair(scenes):
    for split in ("validation", "test"):
        share = np.mean([shapes.has_new_pair(scene) for scene in scenes[split]])
        assert share == 0.5
    assert not any(shapes.has_new_pair(scene) for scene in scenes["train"])


def test_relations_and_grey_objects_are_balanced(scenes):
    for rows in scenes.values():
        relations = [shapes.relation(*t) for t in map(shapes.named, rows) if len(t) > 1]
        for relation in shapes.RELATIONS:
            assert 0.2 < relations.count(relation) / len(relations) < 0.3
        assert 0.4 < np.mean([s.things[-1].colour == "grey" for s in rows]) < 0.6


# What is drawn


def test_things_lie_inside_and_apart(scenes):
    for scene in scenes["test"] + scenes["validation"]:
        drawn = np.stack([shapes.pixels(thing) for thing in scene.things])
        assert drawn.sum(axis=0).max() == 1
        for one in scene.things:
            for place in (one.row, one.column):
                assert one.radius <= place < shapes.IMAGE - one.radius


@pytest.mark.parametrize("shape", shapes.SHAPES)
@pytest.mark.parametrize("radius", [4, 6, 8, 10])
def test_shapes_are_symmetric_and_fill_their_box(shape, radius):
    inside = shapes.pixels(thing(shape, radius))
    rows, columns = np.nonzero(inside)
    assert inside[20, 24]
    assert (
        inside[:, 24 - radius : 25 + radius]
        == inside[:, 24 + radius : 23 - radius : -1]
    ).all()
    assert rows.min() >= 20 - radius and rows.max() <= 20 + radius
    assert columns.max() - columns.min() >= 1.3 * radius
    share = inside.sum() / (2 * radius + 1) ** 2
    assert 0.2 < share < 0.85


def test_no_two_shapes_look_alike():
    for radius in (4, 10):
        drawn = [shapes.pixels(thing(shape, radius)) for shape in shapes.SHAPES]
        for one, other in itertools.combinations(drawn, 2):
            assert (one != other).sum() > 0.15 * (one | other).sum()


def test_colours_are_drawn_where_the_masks_say(scenes):
    some = scenes["test"][:40]
    images, masks = shapes.render(some), shapes.masks(some)
    for scene, image, both in zip(some, images, masks, strict=True):
        for one, inside in zip(shapes.named(scene), both, strict=False):
            expected = np.array(shapes.COLOURS[one.colour])
            nearest = min(
                (*shapes.COLOURS.values(), shapes.GREY),
                key=lambda c: np.abs(image[inside].mean(axis=0) - c).sum(),
            )
            assert tuple(expected) == nearest
        rest = ~np.any([shapes.pixels(one) for one in scene.things], axis=0)
        assert image[rest].mean() > 150


def test_a_missing_object_has_an_empty_mask():
    alone = Scene(0, "a red circle", (thing("circle"),))
    masks = shapes.masks([alone])
    assert masks[0, 0].sum() == shapes.pixels(thing("circle")).sum()
    assert not masks[0, 1].any()


def test_an_image_depends_on_its_own_scene_only(scenes):
    some = scenes["train"][:6]
    together, alone = shapes.render(some), shapes.render(some[4:5])
    assert together.dtype == "uint8" and together.shape == (6, 48, 48, 3)
    np.testing.assert_array_equal(together[4], alone[0])
    again = shapes.render([some[4]._replace(number=1)])  # only the noise differs
    assert (again[0] != alone[0]).any()
    assert shapes.render([]).shape == (0, 48, 48, 3)


def test_many_scenes_are_drawn_in_parts(scenes):
    some = scenes["train"][:502]
    np.testing.assert_array_equal(shapes.render(some)[500:], shapes.render(some[500:]))


def test_the_same_pixels_on_every_machine(scenes):
    pixels = shapes.render(scenes["test"][:50]).tobytes()
    assert hashlib.sha256(pixels).hexdigest() == PIXELS


def test_scatter_is_even_and_depends_on_number_and_place():
    found = shapes.scatter(np.arange(50, dtype="uint32")[:, None], np.arange(200))
    assert len(np.unique(found)) == found.size
    assert abs(found.mean() / 2**32 - 0.5) < 0.01
    assert np.abs(np.corrcoef(found.astype("float64"))[0, 1:]).max() < 0.3
