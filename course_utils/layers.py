"""The public layers of the course in one place.

Importing it is all that ``keras.models.load_model`` needs, also for the course's
encoder–decoders, and for a model compiled with the loss or the metric of the course.

>>> from course_utils.layers import PositionalEmbedding, TransformerEncoder
"""

# Keras then knows their names, too.
from course_utils import (  # noqa: F401
    bert_classifier,
    metrics,
    recurrent_captioner,
    seq2seq,
    training,
    transformer_captioner,
)
from course_utils.attention import MultiHeadAttention
from course_utils.language_models import CausalBlock
from course_utils.positions import PositionalEmbedding, SinusoidalPositionalEncoding
from course_utils.scores import ScoredAttention
from course_utils.transformer import (
    MaskedGlobalMaxPooling1D,
    TransformerDecoder,
    TransformerEncoder,
)

__all__ = [
    "CausalBlock",
    "MaskedGlobalMaxPooling1D",
    "MultiHeadAttention",
    "PositionalEmbedding",
    "ScoredAttention",
    "SinusoidalPositionalEncoding",
    "TransformerDecoder",
    "TransformerEncoder",
]
