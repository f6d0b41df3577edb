"""Each bad input to a layer gives one clear sentence."""

import re

import numpy as np
import pytest
from keras import ops

from course_utils import layers
from course_utils.attention import scores

NARROW, WIDE = np.ones((2, 3, 8), "float32"), np.ones((2, 3, 9), "float32")
LONG = np.ones((1, 7), "int32")
SIZES = [  # (layer, its sizes, sentence)
    (
        "MultiHeadAttention",
        (10, 4),
        "embed_dim (10) must be divisible by num_heads (4",
    ),
    ("MultiHeadAttention", (0, 1), "embed_dim is 0"),
    ("MultiHeadAttention", (8, -2), "num_heads is -2"),
    ("MultiHeadAttention", (8, 2.0), "num_heads is 2.0"),
    ("TransformerEncoder", (100, 8, 8), "embed_dim (100) must be divisible by num"),
    ("TransformerEncoder", (-8, 8, 2), "embed_dim is -8"),
    ("TransformerEncoder", (8, 0, 2), "dense_dim is 0"),
    ("TransformerEncoder", (8, 8, 0), "num_heads is 0"),
    ("TransformerEncoder", (8, 8, "2"), "num_heads is '2'"),
    ("TransformerDecoder", (10, 8, 4), "embed_dim (10) must be divisible by num"),
    ("TransformerDecoder", (8, -8, 4), "dense_dim is -8"),
    ("PositionalEmbedding", (0, 20, 8), "sequence_length is 0"),
    ("PositionalEmbedding", (6, -1, 8), "vocab_size is -1"),
    ("PositionalEmbedding", (6, 20, 0.5), "embed_dim is 0.5"),
    ("ScoredAttention", ("dot", 0), "units is 0"),
    ("ScoredAttention", ("dot", None, -1), "max_length is -1"),
    ("ScoredAttention", ("dot", None, None, None, 0.5), "half_width is 0.5"),
    ("ScoredAttention", ("cos",), "score is 'cos'; expected one of ('cosine'"),
    ("ScoredAttention", ("dot", 4, 9, "local"), "window is 'local'; expected one of"),
    (
        "ScoredAttention",
        ("dot", 4, 9, None, 2, "hard"),
        "selection is 'hard'; expected one of",
    ),
    ("ScoredAttention", ("location",), "pass max_length"),
]
WIDTHS = "pairs the columns of query and keys, but the query has width 8 and the keys 9"
CALLS = [
    (
        lambda: layers.MultiHeadAttention(8, 2)(NARROW, WIDE),
        "the value has width 9, but embed_dim is 8",
    ),
    (
        lambda: layers.MultiHeadAttention(8, 2)(WIDE, NARROW),
        "the query has width 9, but embed_dim is 8",
    ),
    (
        lambda: layers.TransformerEncoder(8, 16, 2)(WIDE),
        "width 9, but embed_dim is 8",
    ),
    (
        lambda: layers.TransformerDecoder(8, 16, 2)(NARROW, WIDE),
        "the value has width 9, but embed_dim is 8",
    ),
    (lambda: layers.TransformerEncoder(8, 16, 2, dropout=1.5), "1.5"),
    (
        lambda: layers.PositionalEmbedding(6, 20, 8)(LONG),
        "the input has 7 tokens from position 0 on, but there are positions for "
        "sequence_length=6 tokens only",
    ),
    (
        lambda: layers.PositionalEmbedding(6, 20, 8)(LONG[:, :1], start=6),
        "1 tokens from position 6 on",
    ),
    (
        lambda: layers.PositionalEmbedding(6, 20, 8)(LONG[:, :1], start=-1),
        "from position -1 on",
    ),
    (
        lambda: layers.ScoredAttention("location", max_length=2)(NARROW, NARROW),
        "there are 3 keys, but weights for 2 positions only",
    ),
    *(
        (call, f"score '{score}' {WIDTHS}; make the two equal")
        for score in ("cosine", "dot", "scaled_dot")
        for call in (
            lambda score=score: layers.ScoredAttention(score)(NARROW, WIDE),
            lambda score=score: getattr(scores, f"{score}_score")(
                ops.convert_to_tensor(NARROW), ops.convert_to_tensor(WIDE)
            ),
        )
    ),
]


@pytest.mark.parametrize("name, sizes, sentence", SIZES)
def test_impossible_options(name, sizes, sentence):
    with pytest.raises(ValueError, match=f"{name}: .*{re.escape(sentence)}"):
        getattr(layers, name)(*sizes)


@pytest.mark.parametrize("call, sentence", CALLS)
def test_impossible_calls(call, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        call()
