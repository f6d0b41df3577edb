"""Published and stored models by name, through KerasHub."""

from course_utils.presets.cards import CARDS, describe
from course_utils.presets.loading import (
    MASK,
    DataError,
    TextToText,
    fill_mask,
    load,
    mask_probabilities,
    token_ids,
    unknown_share,
    word,
)
