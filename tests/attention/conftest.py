"""Queries and keys for the tests of scores, windows and hard choice."""

import layer_battery as lb
import numpy as np
import pytest
from scored_layers import B, D, S, T


@pytest.fixture
def query():
    return lb.random_array(B, T, D, seed=1)


@pytest.fixture
def value():
    return lb.random_array(B, S, D, seed=2)


@pytest.fixture
def real():
    """(B, S): rows of 6, 4 and 2 real keys."""
    return np.arange(S)[None] < np.array([6, 4, 2])[:, None]
