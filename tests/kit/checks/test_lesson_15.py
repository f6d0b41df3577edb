"""Lesson 15's exercises; their likely mistakes and values by hand are in the table."""

import tomllib
from pathlib import Path

import numpy as np
from exercise_battery import proof

TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def proved(check):
    wrong, by_hand = TABLE[check]["wrong"], TABLE[check]["by_hand"]
    if check[0] == "m":  # those on arrays
        by_hand = [(tuple(map(np.array, x)), y) for x, y in by_hand]
    return proof("15", check, *map(tuple, wrong), by_hand=by_hand)


test_cache_bytes, test_mixture, test_mended_weights, test_useful_rates = map(
    proved, TABLE
)
