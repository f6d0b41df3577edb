"""The shapes: what is drawn is what is said, and no split knows another's secrets."""

import collections
import hashlib
import itertools

import numpy as np
import pytest

from course_utils.datasets import shapes
from course_utils.datasets.shapes import Scene, Thing
from tools.corpora.shapes import LARGE, SMALL

# Of the pixels of the first 50 test scenes; they must not change between machines.
PIXELS = "e4dce3c5d51b375e0592980df426e381c4f321c2586418c3926b10fb5d115446"
NEW_PAIRS = set(itertools.chain(*shapes.NEW_PAIRS.values()))


@pytest.fixture(scope="module")
def scenes():
    return {split: shapes.load(split) for split in shapes.SIZES}


def names(scene):
    return [(thing.colour, thing.shape) for thing in shapes.named(scene)]


def thing(shape, radius=8, row=20, column=24):
    return Thing("red", shape, radius, row, column)


def test_captions_say_what_is_there(scenes):
    for scene in itertools.chain(*scenes.values()):
        things = shapes.named(scene)
        assert scene.caption == shapes.describe(things)
        assert len(things) in (1, 2)
        assert list(scene.things[: len(things)]) == list(things)  # grey comes last
        if len(things) == 2:
            assert things[0].radius >= min(LARGE) > max(SMALL)
            assert things[1].radius <= max(SMALL)
            assert names(scene)[0] != names(scene)[1]


PLACES = [(10, 20, "above"), (30, 25, "below"), (20, 10, "left of")]
PLACES += [(16, 30, "right of"), (30, 26, None)]


@pytest.mark.parametrize("row, column, expected", PLACES)
def test_relations_hold_where_they_are_clear_only(row, column, expected):
    middle = thing("circle", row=20, column=20)
    assert shapes.relation(thing("square", 5, row, column), middle) == expected


def test_every_word_is_common_in_training(scenes):
    words = " ".join(scene.caption for scene in scenes["train"]).split()
    counts = collections.Counter(words)
    relations = " ".join(shapes.RELATIONS).split()
    assert set(counts) == {*shapes.COLOURS, *shapes.SHAPES, *relations, "a"}
    assert min(counts.values()) > 1_000


@pytest.mark.parametrize(
    "caption, expected",
    [
        ("a red circle left of a blue square", [-1, 0, 0, -1, -1, -1, 1, 1]),
        ("a red", [-1, 0]),
        ("a red circle above " * 3, [-1, 0, 0, -1, -1, 1, 1, -1, -1, -1, -1, -1]),
    ],
)
def test_named_objects_of_right_and_wrong_captions(caption, expected):
    assert shapes.named_objects(caption.split()) == expected


def test_new_pairs_of_known_words_stand_in_their_split_only(scenes):
    pairs = {split: {*itertools.chain(*map(names, s))} for split, s in scenes.items()}
    for split, new in {"train": (), **shapes.NEW_PAIRS}.items():
        assert pairs[split] & NEW_PAIRS == set(new)
        rate = np.mean([shapes.has_new_pair(scene) for scene in scenes[split]])
        assert rate == (0.5 if new else 0)
    for pair, kind in itertools.product(NEW_PAIRS, range(2)):
        assert sum(known[kind] == pair[kind] for known in pairs["train"]) >= 3


def test_no_arrangement_and_no_caption_stands_in_two_splits(scenes):
    for one, other in itertools.combinations(scenes.values(), 2):
        two = ({s.caption for s in rows if len(names(s)) == 2} for rows in (one, other))
        assert not set.intersection(*two)
    train = {scene.caption for scene in scenes["train"]}
    assert not train & {s.caption for s in scenes["validation"] + scenes["test"]}


def test_relations_and_grey_objects_are_balanced(scenes):
    for rows in scenes.values():
        relations = [shapes.relation(*t) for t in map(shapes.named, rows) if len(t) > 1]
        for relation in shapes.RELATIONS:
            assert 0.2 < relations.count(relation) / len(relations) < 0.3
        assert 0.4 < np.mean([s.things[-1].colour == "grey" for s in rows]) < 0.6


def test_things_lie_inside_and_apart(scenes):
    for scene in scenes["test"] + scenes["validation"]:
        assert sum(map(shapes.pixels, scene.things), np.zeros(())).max() == 1
        for one in scene.things:
            for centre in (one.row, one.column):
                assert one.radius <= centre < shapes.IMAGE - one.radius


@pytest.mark.parametrize("radius", [4, 6, 8, 10])
def test_shapes_are_symmetric_fill_their_box_and_differ(radius):
    drawn = [shapes.pixels(thing(shape, radius)) for shape in shapes.SHAPES]
    for inside in drawn:
        box = inside[20 - radius : 21 + radius, 24 - radius : 25 + radius]
        assert inside[20, 24] and box.sum() == inside.sum()
        assert (box == box[:, ::-1]).all()
        assert np.ptp(np.nonzero(box)[1]) >= 1.3 * radius
        assert 0.2 < box.mean() < 0.85
    for one, other in itertools.combinations(drawn, 2):
        assert (one != other).sum() > 0.15 * (one | other).sum()


def test_colours_are_drawn_where_the_masks_say(scenes):
    some = scenes["test"][:40]
    images, masks = shapes.render(some), shapes.masks(some)
    palette = np.array([*shapes.COLOURS.values(), shapes.GREY])
    for scene, image, both in zip(some, images, masks, strict=True):
        for one, inside in zip(shapes.named(scene), both, strict=False):
            distances = np.abs(image[inside].mean(axis=0) - palette).sum(axis=1)
            assert [*shapes.COLOURS, "grey"][distances.argmin()] == one.colour
        rest = ~np.any([shapes.pixels(one) for one in scene.things], axis=0)
        assert image[rest].mean() > 150
    (first, second) = shapes.masks([Scene(0, "a red circle", (thing("circle"),))])[0]
    assert (first == shapes.pixels(thing("circle"))).all() and not second.any()


def test_an_image_depends_on_its_own_scene_only(scenes):
    some = scenes["train"][:502]  # more than are drawn at once
    together = shapes.render(some)
    assert together.dtype == "uint8" and together.shape == (502, 48, 48, 3)
    np.testing.assert_array_equal(together[4], shapes.render(some[4:5])[0])
    np.testing.assert_array_equal(together[500:], shapes.render(some[500:]))
    again = shapes.render([some[4]._replace(number=1)])  # only the noise differs
    assert (again[0] != together[4]).any()
    assert shapes.render([]).shape == (0, 48, 48, 3)


def test_the_same_pixels_on_every_machine(scenes):
    pixels = shapes.render(scenes["test"][:50]).tobytes()
    assert hashlib.sha256(pixels).hexdigest() == PIXELS


def test_scatter_is_even_and_depends_on_number_and_position():
    scattered = shapes.scatter(np.arange(50, dtype="uint32")[:, None], np.arange(200))
    assert len(np.unique(scattered)) == scattered.size
    assert abs(scattered.mean() / 2**32 - 0.5) < 0.01
    assert np.abs(np.corrcoef(scattered.astype("float64"))[0, 1:]).max() < 0.3
