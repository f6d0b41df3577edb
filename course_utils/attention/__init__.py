"""Attention, positions and the Transformer's blocks, the layers of the course."""

from course_utils.attention.scored_attention import ScoredAttention
from course_utils.attention.scores import SCORES, hard_weights
from course_utils.attention.transformer import (
    MultiHeadAttention,
    PositionalEmbedding,
    TransformerDecoder,
    TransformerEncoder,
    causal_mask,
    scaled_dot_product_attention,
)
