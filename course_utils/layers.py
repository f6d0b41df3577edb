"""The public layers of the course in one place.

Importing it is all that ``keras.models.load_model`` needs, also for the course's
encoder–decoders, and for a model compiled with the loss or the metric of the course.

>>> from course_utils.layers import PositionalEmbedding, TransformerEncoder
"""

# Keras then knows their names, too.
from course_utils import bert, captions, metrics, seq2seq, training  # noqa: F401
from course_utils.attention.pooling import MaskedGlobalMaxPooling1D
from course_utils.attention.positions import SinusoidalPositionalEncoding
from course_utils.attention.rotary import RotaryAttention, RotaryTransformerEncoder
from course_utils.attention.scored_attention import ScoredAttention
from course_utils.attention.transformer import (
    MultiHeadAttention,
    PositionalEmbedding,
    TransformerDecoder,
    TransformerEncoder,
)
from course_utils.language_models.mini_gpt import CausalBlock

__all__ = [
    "CausalBlock",
    "MaskedGlobalMaxPooling1D",
    "MultiHeadAttention",
    "PositionalEmbedding",
    "RotaryAttention",
    "RotaryTransformerEncoder",
    "ScoredAttention",
    "SinusoidalPositionalEncoding",
    "TransformerDecoder",
    "TransformerEncoder",
]
