"""Captions for images: encoders of images, recurrent and Transformer decoders."""

from course_utils.captions.captioner import attention_weights, write_captions
from course_utils.captions.cells import cut_patches, recolour, touched_cells
from course_utils.captions.encoders import ConvEncoder, PatchEncoder
from course_utils.captions.recurrent import (
    RecurrentCaptioner,
    doubly_stochastic_penalty,
)
from course_utils.captions.transformer import TransformerCaptioner
from course_utils.text.vectorizers import decoder_inputs_and_labels as caption_arrays
