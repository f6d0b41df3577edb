"""Small images with captions, in which the position of every named object is known.

An image shows one or two coloured objects on a light, noisy ground: "a red circle above
a blue square". The caption begins with the larger object. In half of the images there
is also a grey object, which no caption names. The file holds the scenes as text;
`render` draws the pixels, and `masks` tells which of them belong to which named object,
so that a model's attention can be scored.

Training never shows what the other splits ask for: half of their scenes have a colour
and a shape that training shows only apart (a *new pair*), the others two known objects
in an arrangement, such as (red circle, above, blue square), that is in no training
caption (a *new arrangement*).

Example:
    >>> from course_utils.datasets import shapes
    >>> scenes = shapes.load("test")
    >>> shapes.render(scenes[:2]).shape, shapes.masks(scenes[:2]).shape
    ((2, 48, 48, 3), (2, 2, 48, 48))
"""

import collections
import itertools

import numpy as np

from course_utils.datasets import bundled

SIZES = {"train": 8_000, "validation": 500, "test": 1_000}
IMAGE = 48  # rows and columns of an image
COLOURS = {  # red, green and blue of each
    "red": (214, 40, 40),
    "green": (40, 150, 60),
    "blue": (40, 90, 210),
    "yellow": (232, 200, 20),
    "purple": (145, 60, 185),
    "black": (30, 30, 30),
}
GREY = (125, 125, 125)
SHAPES = ("circle", "square", "triangle", "cross", "diamond")
RELATIONS = ("above", "below", "left of", "right of")
# Pairs of a colour and a shape that stand in one split only.
NEW_PAIRS = {
    "validation": (("green", "diamond"), ("purple", "square")),
    "test": (("red", "triangle"), ("blue", "cross"), ("yellow", "circle")),
}
NOT_SHOWN = set(itertools.chain(*NEW_PAIRS.values()))  # in training

Thing = collections.namedtuple("Thing", "colour shape radius row column")
Scene = collections.namedtuple("Scene", "number caption things")


def load(split):
    """Return the scenes of one split.

    Args:
        split: "train" (8,000 scenes), "validation" (500) or "test" (1,000).

    Returns:
        A list of `Scene(number, caption, things)`; the things stand in the order of the
        caption, after them the grey one, if there is one.

    Raises:
        ValueError: there is no such split.
    """
    bundled.check_split("shapes.load", split, SIZES)
    rows = bundled.rows("shapes", split)
    return [Scene(int(number), text, read_things(row)) for number, text, row in rows]


def read_things(text):
    """Read the last column of the file.

    Example:
        >>> read_things("red circle 9 20 14")
        (Thing(colour='red', shape='circle', radius=9, row=20, column=14),)
    """
    things = []
    for one in text.split(", "):
        colour, shape, *numbers = one.split()
        things.append(Thing(colour, shape, *map(int, numbers)))
    return tuple(things)


def named(scene):
    """Return the one or two things that the caption names, in its order."""
    return tuple(thing for thing in scene.things if thing.colour != "grey")


def describe(things):
    """Write the caption of one or two things; the first of two is the larger one.

    Example:
        >>> large = Thing("red", "circle", 9, row=10, column=20)
        >>> describe([large, Thing("blue", "square", 5, row=40, column=24)])
        'a red circle above a blue square'
    """
    names = [f"a {thing.colour} {thing.shape}" for thing in things]
    return f" {relation(*things)} ".join(names) if len(names) > 1 else names[0]


def relation(one, other):
    """Say where one thing is, seen from another; None when it isn't clear.

    It is clear when the distance along one axis is at least twice that along the other.
    """
    down, right = one.row - other.row, one.column - other.column
    if abs(down) >= 2 * abs(right):
        return "above" if down < 0 else "below"
    if abs(right) >= 2 * abs(down):
        return "left of" if right < 0 else "right of"
    return None


def named_objects(words):
    """Tell which object each word of a caption names: 0, 1, or -1 for neither.

    Example:
        >>> named_objects("a red circle above a blue square".split())
        [-1, 0, 0, -1, -1, 1, 1]
    """
    shapes_so_far, numbers = 0, []
    for word in words:
        names_one = word in COLOURS or word in SHAPES
        # A wrong caption can have more shapes than there are objects.
        numbers.append(shapes_so_far if names_one and shapes_so_far < 2 else -1)
        shapes_so_far += word in SHAPES
    return numbers


def has_new_pair(scene):
    """Tell whether a scene has a colour and a shape that training shows only apart."""
    return any((thing.colour, thing.shape) in NOT_SHOWN for thing in scene.things)


def render(scenes):
    """Draw scenes: a (N, 48, 48, 3) array of uint8.

    Whole numbers only, so that every machine draws the same pixels.
    """
    parts = [_render(scenes[i : i + 500]) for i in range(0, len(scenes), 500)]
    return np.concatenate(parts) if parts else np.zeros((0, IMAGE, IMAGE, 3), "uint8")


def masks(scenes):
    """Return the pixels of the named objects: a (N, 2, 48, 48) array of booleans.

    The mask of a second object that isn't there is empty.
    """
    inside = np.zeros((len(scenes), 2, IMAGE, IMAGE), bool)
    for number, scene in enumerate(scenes):
        for index, thing in enumerate(named(scene)):
            inside[number, index] = pixels(thing)
    return inside


def pixels(thing):
    """Return the pixels of a thing: a (48, 48) array of booleans."""
    grid = np.arange(IMAGE)
    down, right = (grid - thing.row)[:, None], (grid - thing.column)[None]
    up_down, left_right = abs(down), abs(right)
    radius = thing.radius
    if thing.shape == "circle":
        return down**2 + right**2 <= radius**2 + radius // 2
    if thing.shape == "square":
        return np.maximum(up_down, left_right) <= radius * 4 // 5
    if thing.shape == "triangle":
        inside = (down >= -radius) & (down <= radius * 3 // 4)
        return inside & (2 * left_right <= down + radius)
    if thing.shape == "cross":
        thin = np.minimum(up_down, left_right) <= radius // 4
        return thin & (np.maximum(up_down, left_right) <= radius)
    return up_down + left_right <= radius  # a diamond


def _render(scenes):
    """Draw some scenes at once; each thing covers what was drawn before it."""
    numbers = np.array([scene.number for scene in scenes], "uint32")[:, None]
    noise = scatter(numbers, np.arange(IMAGE * IMAGE * 3))  # (N, 48 * 48 * 3)
    noise = (noise % 17).astype("int16").reshape(-1, IMAGE, IMAGE, 3) - 8
    choice = scatter(numbers, IMAGE * IMAGE * 3 + np.arange(5))  # (N, 5)
    choice = choice.astype("int64")
    ground = 190 + choice[:, 0] % 40  # the ground's own grey, and how it changes
    slope = choice[:, 1] % 41 - 20  # from left to right
    images = noise + ground.astype("int16")[:, None, None, None]
    steps = slope[:, None] * (np.arange(IMAGE) - IMAGE // 2) // IMAGE  # (N, 48)
    images += steps.astype("int16")[:, None, :, None]
    for number, scene in enumerate(scenes):
        for index, thing in enumerate(scene.things):
            light = choice[number, 2 + index] % 51 - 25
            colour = np.array(COLOURS.get(thing.colour, GREY)) + light
            inside = pixels(thing)
            images[number, inside] = noise[number, inside] + colour
    return images.clip(0, 255).astype("uint8")


def scatter(numbers, positions):
    """Return random-looking uint32 that depend on a number and a position only.

    The mixing steps are those of the integer hash "lowbias32" (Wellons, 2018). Unlike
    NumPy's generators they give the same bits in all versions.
    """
    x = np.asarray(numbers, "uint32") * np.uint32(0x9E3779B1)
    x = x + np.asarray(positions, "uint32") * np.uint32(0x85EBCA77)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = (x ^ (x >> np.uint32(shift))) * np.uint32(factor)
    return x ^ (x >> np.uint32(16))
