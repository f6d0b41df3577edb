"""Attention, positions and the Transformer's blocks, the layers of the course."""

from course_utils.attention.blocks import TransformerDecoder, TransformerEncoder
from course_utils.attention.multi_head import (
    MultiHeadAttention,
    causal_mask,
    scaled_dot_product_attention,
)
from course_utils.attention.scored_attention import ScoredAttention
from course_utils.attention.scores import SCORES, hard_weights
