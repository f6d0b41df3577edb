"""The public layers of the course in one place.

>>> from course_utils.layers import PositionalEmbedding, TransformerEncoder
"""

from course_utils.attention import MultiHeadAttention
from course_utils.transformer import (
    MaskedGlobalMaxPooling1D,
    PositionalEmbedding,
    SinusoidalPositionalEncoding,
    TransformerDecoder,
    TransformerEncoder,
)

__all__ = [
    "MaskedGlobalMaxPooling1D",
    "MultiHeadAttention",
    "PositionalEmbedding",
    "SinusoidalPositionalEncoding",
    "TransformerDecoder",
    "TransformerEncoder",
]
