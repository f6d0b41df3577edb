"""Each bad input to a layer gives one clear sentence."""

import re

import numpy as np
import pytest
from keras import ops

from course_utils import layers
from course_utils.attention import scores

NARROW, WIDE = np.ones((2, 3, 8), "float32"), np.ones((2, 3, 9), "float32")
LONG = np.ones((1, 7), "int32")
SIZES = {  # layer -> its sizes and the sentence
    "MultiHeadAttention": [
        ((10, 4), "embed_dim (10) must be divisible by num_heads (4"),
        ((0, 1), "embed_dim is 0"),
        ((8, -2), "num_heads is -2"),
        ((8, 2.0), "num_heads is 2.0"),
    ],
    "TransformerEncoder": [
        ((100, 8, 8), "embed_dim (100) must be divisible by num"),
        ((-8, 8, 2), "embed_dim is -8"),
        ((8, 0, 2), "dense_dim is 0"),
        ((8, 8, 0), "num_heads is 0"),
        ((8, 8, "2"), "num_heads is '2'"),
    ],
    "TransformerDecoder": [
        ((10, 8, 4), "embed_dim (10) must be divisible by num"),
        ((8, -8, 4), "dense_dim is -8"),
    ],
    "PositionalEmbedding": [
        ((0, 20, 8), "sequence_length is 0"),
        ((6, -1, 8), "vocab_size is -1"),
        ((6, 20, 0.5), "embed_dim is 0.5"),
    ],
    "ScoredAttention": [
        (("dot", 0), "units is 0"),
        (("dot", None, -1), "max_length is -1"),
        (("dot", None, None, None, 0.5), "half_width is 0.5"),
        (("cos",), "score is 'cos'; expected one of ('cosine'"),
        (("dot", 4, 9, "local"), "window is 'local'; expected one of"),
        (("dot", 4, 9, None, 2, "hard"), "selection is 'hard'; expected one of"),
        (("location",), "pass max_length"),
    ],
}
WIDTH = "has width 9, but embed_dim is 8"
WIDTHS = "pairs the columns of query and keys, but the query has width 8 and the keys 9"
TOO_LONG = (
    "the input has 7 tokens from position 0 on, but there are positions for "
    "sequence_length=6 tokens only"
)
CALLS = [  # (layer, its sizes, inputs, sentence)
    ("MultiHeadAttention", (8, 2), (NARROW, WIDE), f"the value {WIDTH}"),
    ("MultiHeadAttention", (8, 2), (WIDE, NARROW), f"the query {WIDTH}"),
    ("TransformerEncoder", (8, 16, 2), (WIDE,), WIDTH),
    ("TransformerEncoder", (8, 16, 2, 1.5), (NARROW,), "1.5"),  # dropout
    ("TransformerDecoder", (8, 16, 2), (NARROW, WIDE), f"the value {WIDTH}"),
    ("PositionalEmbedding", (6, 20, 8), (LONG,), TOO_LONG),
    (
        "ScoredAttention",
        ("location", None, 2),
        (NARROW, NARROW),
        "there are 3 keys, but weights for 2 positions only",
    ),
]


@pytest.mark.parametrize(
    "name, sizes, sentence",
    [(name, *case) for name, cases in SIZES.items() for case in cases],
)
def test_impossible_options(name, sizes, sentence):
    with pytest.raises(ValueError, match=f"{name}: .*{re.escape(sentence)}"):
        getattr(layers, name)(*sizes)


@pytest.mark.parametrize("name, sizes, inputs, sentence", CALLS)
def test_impossible_calls(name, sizes, inputs, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        getattr(layers, name)(*sizes)(*inputs)


@pytest.mark.parametrize("start", [6, -1])
def test_impossible_positions(start):
    with pytest.raises(ValueError, match=f"1 tokens from position {start} on"):
        layers.PositionalEmbedding(6, 20, 8)(LONG[:, :1], start=start)


@pytest.mark.parametrize("score", scores.SAME_WIDTH)
def test_widths_that_a_score_can_not_pair(score):
    tensors = [ops.convert_to_tensor(x) for x in (NARROW, WIDE)]
    for function in (layers.ScoredAttention(score), getattr(scores, f"{score}_score")):
        with pytest.raises(ValueError, match=f"score '{score}' {WIDTHS}; make the two"):
            function(*tensors)
