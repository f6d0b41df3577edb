"""Published and stored models by name, through KerasHub."""

from course_utils.files import DataError
from course_utils.presets.cards import CARDS, describe
from course_utils.presets.loading import load, load_quietly
from course_utils.presets.masks import (
    MASK,
    fill_mask,
    mask_probabilities,
    token_ids,
    token_text,
    unknown_rate,
)
from course_utils.presets.text_to_text import TextToText, text_to_text_logits
