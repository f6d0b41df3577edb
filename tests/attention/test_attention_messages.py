"""Each bad input to a layer gives one clear sentence."""

import re

import numpy as np
import pytest
from keras import ops
from refusals import REFUSED, one_sentence, refuses

from course_utils import layers
from course_utils.attention import scores

NARROW, WIDE = np.ones((2, 3, 8), "float32"), np.ones((2, 3, 9), "float32")
LONG = np.ones((1, 7), "int32")
WIDTH = "has width 9, but embed_dim is 8"
WIDTHS = "pairs the columns of query and keys, but the query has width 8 and the keys 9"
TOO_LONG = (
    "the input has 7 tokens from position 0 on, but there are positions for "
    "sequence_length=6 tokens only"
)
TOO_FEW = "there are 3 keys, but weights for 2 positions only"
CALLS = [  # (layer, its sizes, inputs, sentence)
    ("MultiHeadAttention", (8, 2), (NARROW, WIDE), f"the value {WIDTH}"),
    ("MultiHeadAttention", (8, 2), (WIDE, NARROW), f"the query {WIDTH}"),
    ("TransformerEncoder", (8, 16, 2), (WIDE,), WIDTH),
    ("TransformerEncoder", (8, 16, 2, 1.5), (NARROW,), "1.5"),  # dropout
    ("TransformerDecoder", (8, 16, 2), (NARROW, WIDE), f"the value {WIDTH}"),
    ("PositionalEmbedding", (6, 20, 8), (LONG,), TOO_LONG),
    ("ScoredAttention", ("location", None, 2), (NARROW, NARROW), TOO_FEW),
]


test_impossible_options = one_sentence(
    (getattr(layers, name), sizes, f"{name}: .*{re.escape(sentence)}")
    for name, sizes, sentence in REFUSED["sizes"]
)


@pytest.mark.parametrize("name, sizes, inputs, sentence", CALLS)
def test_impossible_calls(name, sizes, inputs, sentence):
    with refuses(sentence):
        getattr(layers, name)(*sizes)(*inputs)


@pytest.mark.parametrize("start", [6, -1])
def test_impossible_positions(start):
    with refuses(f"1 tokens from position {start} on"):
        layers.PositionalEmbedding(6, 20, 8)(LONG[:, :1], start=start)


@pytest.mark.parametrize("score", scores.SAME_WIDTH)
def test_widths_that_a_score_can_not_pair(score):
    tensors = [ops.convert_to_tensor(x) for x in (NARROW, WIDE)]
    for function in (layers.ScoredAttention(score), getattr(scores, f"{score}_score")):
        with pytest.raises(ValueError, match=f"score '{score}' {WIDTHS}; make the two"):
            function(*tensors)
