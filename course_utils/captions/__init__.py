"""Captions for images: encoders that make cells, and a GRU that attends."""

from course_utils.captions.captioner import RecurrentCaptioner
from course_utils.captions.encoders import ConvEncoder, PatchEncoder, cut_patches
