"""Captions for images: encoders of images, recurrent and Transformer decoders."""

from course_utils.captions.captioner import caption_arrays, looks_of, write_captions
from course_utils.captions.encoders import (
    ConvEncoder,
    PatchEncoder,
    cut_patches,
    recolour,
    touched_cells,
)
from course_utils.captions.recurrent import RecurrentCaptioner, unequal_looks
from course_utils.captions.transformer import TransformerCaptioner
