"""Lesson 19's exercises; their likely mistakes and values by hand are in the table."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from exercise_battery import proof

TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@pytest.mark.parametrize("check", TABLE)
def test_an_exercise(check):
    wrong, by_hand = TABLE[check]["wrong"], TABLE[check]["by_hand"]
    if check[0] == "m":  # those on arrays
        by_hand = [(tuple(map(np.array, x)), y) for x, y in by_hand]
    proof("19", check, *map(tuple, wrong), by_hand=by_hand)()
