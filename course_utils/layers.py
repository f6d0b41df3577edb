"""The public layers of the course in one place.

Importing it is all that ``keras.models.load_model`` needs, also for a model that was
compiled with the loss or the metric of the course.

>>> from course_utils.layers import PositionalEmbedding, TransformerEncoder
"""

from course_utils import metrics, training  # noqa: F401  Keras then knows their names
from course_utils.attention import MultiHeadAttention
from course_utils.positions import PositionalEmbedding, SinusoidalPositionalEncoding
from course_utils.transformer import (
    MaskedGlobalMaxPooling1D,
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
