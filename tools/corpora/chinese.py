"""Writes the sentences of `course_utils.datasets.chinese`; there is what they show."""

import itertools
import random

from course_utils.datasets.chinese import FISH, NOODLE_SHARES, NOODLES, SIZES, TOPICS
from tools.corpora import common

HEADER = common.header("split, topic, key (city or measure word), text")
WORDS = common.words("chinese")
MEASURES = WORDS["measures"]  # measure word -> what stands before the noun, the nouns


def generate(seed=common.SEED, sizes=None):
    """Generate the corpus; the same seed gives the same rows on every machine.

    Args:
        seed: an integer.
        sizes: a dict from split to the numbers of sentences of `TOPICS`; that about
            food must be a multiple of 30, so that the shares are exact.

    Returns:
        A list of `(split, topic, key, text)`, all strings. No text occurs twice.
    """
    rng = random.Random(seed)
    sizes = SIZES if sizes is None else sizes
    pools = {"errand": errands(), "measure": measures()}
    pools |= {"opposite": opposites(), "season": seasons()}
    pools |= {(city, food): meals(city, food) for city, food in habits()}
    for pool in pools.values():
        rng.shuffle(pool)
    rows = []
    for split, counts in sizes.items():
        numbers = dict(zip(TOPICS, counts, strict=True))
        part = [
            (split, topic, *pools[topic].pop())
            for topic, number in numbers.items()
            if topic != "food"
            for _ in range(number)
        ]
        for (city, food), share in habits().items():
            number = round(share * numbers["food"] / len(NOODLE_SHARES))
            part += [(split, "food", *pools[city, food].pop()) for _ in range(number)]
        rng.shuffle(part)
        rows += part
    return rows


def habits():
    """Return the planted share of each (city, food).

    Example:
        >>> habits()["北京", NOODLES]
        0.8
    """
    shares = {(city, NOODLES): share for city, share in NOODLE_SHARES.items()}
    return shares | {(city, FISH): 1 - share for (city, _), share in shares.items()}


def combinations(*names):
    """Return every combination of one word from each list of these names."""
    return itertools.product(*(WORDS[name] for name in names))


def meals(city, food):
    """List every sentence that says that a city likes a food, as (key, text)."""
    return [
        (city, f"{saying}{city}人{meal}{much}爱吃{food}。")
        for saying, meal, much in combinations("sayings", "meals", "much")
    ]


def errands():
    """List who goes where and what for, as (key, text)."""
    return [
        ("-", f"{person}{time}去{place}{purpose}。")
        for person, time in combinations("people", "times")
        for place, purposes in WORDS["errands"].items()
        for purpose in purposes
    ]


def measures():
    """List who has how many of what, as (measure word, text)."""
    return [
        (measure, f"{person}{verb}{number}{measure}{before}{noun}。")
        for person, verb, number in combinations("people", "verbs", "numbers")
        for measure, (describing, nouns) in MEASURES.items()
        for before, noun in itertools.product(describing, nouns)
    ]


def opposites():
    """List what is not this but that, as (key, text)."""
    rows = []
    for *pair, kinds in WORDS["opposites"]:
        for measure, (said, denied) in itertools.product(kinds, (pair, pair[::-1])):
            for noun, this, pattern in itertools.product(
                MEASURES[measure][1], ("这", "那"), WORDS["denials"]
            ):
                thing = measure + noun
                text = pattern.format(this=this, thing=thing, denied=denied, said=said)
                rows.append(("-", text))
    return rows


def seasons():
    """List how the seasons are in the cities, as (key, text)."""
    return [
        ("-", f"{saying}{season}{city}{very}{weather}。")
        for saying, city, very in combinations("sayings", "cities", "very")
        for season, weather in WORDS["seasons"].items()
    ]
