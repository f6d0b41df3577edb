"""Writes the scenes of `course_utils.datasets.shapes`, which draws them."""

import itertools
import random

from course_utils.datasets.shapes import (
    COLOURS,
    IMAGE,
    NEW_PAIRS,
    NOT_SHOWN,
    RELATIONS,
    SHAPES,
    SIZES,
    Thing,
    describe,
    relation,
)
from tools.corpora import common

HEADER = common.header(
    "split, number, caption, objects (colour, shape, radius, row, column)"
)
LARGE = (8, 10)  # smallest and largest radius, in pixels
SMALL = (4, 6)
ONE_OBJECT = 0.1  # fraction of scenes with a single named object
FRACTIONS = {"train": 0.8, "validation": 0.07, "test": 0.13}  # of all arrangements


def generate(seed=common.SEED, sizes=None):
    """Generate the corpus; the same seed gives the same rows on every machine.

    Args:
        seed: an integer.
        sizes: a dict from split to its number of scenes.

    Returns:
        A list of `(split, number, caption, objects)`, all strings; the number is also
        the seed of the scene's noise.
    """
    rng = random.Random(seed)
    rows = []
    for split, size in (SIZES if sizes is None else sizes).items():
        for number in range(size):
            # Every second scene outside of training has a new pair.
            new_pair = split in NEW_PAIRS and number % 2 == 0
            things = scene_of(rng, split, new_pair)
            text = ", ".join(" ".join(map(str, thing)) for thing in things)
            about = [thing for thing in things if thing.colour != "grey"]
            rows.append((split, str(len(rows)), describe(about), text))
    return rows


def scene_of(rng, split, new_pair):
    """Draw the things of one scene for a split.

    Args:
        rng: a `random.Random`.
        split: whose arrangements may be drawn.
        new_pair: whether one of the things is a new pair of the split. Where it is not,
            a scene outside of training has two things.
    """
    may_be_one = split == "train" or new_pair
    while True:
        count = 1 if may_be_one and rng.random() < ONE_OBJECT else 2
        pairs = rng.sample(_known_pairs(), count)
        if new_pair:
            pairs[rng.randrange(count)] = rng.choice(NEW_PAIRS[split])
        where = rng.choice(RELATIONS) if count == 2 else None
        if new_pair or count == 1 or split_of(pairs[0], where, pairs[1]) == split:
            return _positioned(rng, pairs, where)


def split_of(one, where, other):
    """Return the split in which an arrangement of two known pairs may stand.

    Example:
        >>> split_of(("red", "circle"), "above", ("blue", "square"))
        'train'
    """
    text = " ".join((*one, where, *other))
    return common.split_of(text, FRACTIONS)


def _known_pairs():
    """Return the pairs of a colour and a shape that training shows."""
    every = itertools.product(COLOURS, SHAPES)
    return [pair for pair in every if pair not in NOT_SHOWN]


def _positioned(rng, pairs, where):
    """Draw sizes and positions until nothing touches and the relation is as wanted."""
    ranges = (LARGE, SMALL) if len(pairs) == 2 else (rng.choice((LARGE, SMALL)),)
    sized = list(zip(pairs, ranges, strict=True))
    if rng.random() < 0.5:
        sized.append((("grey", rng.choice(SHAPES)), SMALL))
    while True:
        things = [_drawn(rng, *drawn) for drawn in sized]
        apart = all(_apart(*two) for two in itertools.combinations(things, 2))
        if apart and (where is None or relation(*things[:2]) == where):
            return tuple(things)


def _drawn(rng, pair, between):
    """Draw the radius and the position of a thing that lies inside the image."""
    radius = rng.randint(*between)
    row, column = (rng.randint(radius, IMAGE - 1 - radius) for _ in range(2))
    return Thing(*pair, radius, row, column)


def _apart(one, other):
    """Tell whether there is a free pixel or more between the boxes of two things."""
    distance = max(abs(one.row - other.row), abs(one.column - other.column))
    return distance > one.radius + other.radius + 1
