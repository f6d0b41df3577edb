"""Published and stored models by name, through KerasHub."""

from course_utils.files import DataError
from course_utils.presets.cards import CARDS, describe
from course_utils.presets.loading import load, load_quietly, without_notes
from course_utils.presets.tokens import token_ids
