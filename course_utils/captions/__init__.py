"""Captions for images: encoders of images, recurrent and Transformer decoders."""

from course_utils.captions.captioner import (
    attention_weights,
    caption_arrays,
    write_captions,
)
from course_utils.captions.cells import cut_patches, recolour, touched_cells
from course_utils.captions.encoders import ConvEncoder, PatchEncoder
from course_utils.captions.recurrent import (
    RecurrentCaptioner,
    doubly_stochastic_penalty,
)
from course_utils.captions.transformer import TransformerCaptioner
