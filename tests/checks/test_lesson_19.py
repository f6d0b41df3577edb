"""Lesson 19's exercises; their likely mistakes and values by hand are in the table."""

import tomllib
from pathlib import Path

import numpy as np
from exercise_battery import proof_of

TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def made(check):
    wrong, by_hand = TABLE[check]["wrong"], TABLE[check]["by_hand"]
    arrays = [
        (tuple(map(np.array, x)) if check[0] == "m" else x, y) for x, y in by_hand
    ]
    return proof_of("19", check)(*map(tuple, wrong), by_hand=arrays)


test_cache_bytes, test_mixture, test_mended_weights, test_useful_rates = map(
    made, TABLE
)
