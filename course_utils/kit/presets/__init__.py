"""Published and stored models by name, through KerasHub."""

from course_utils.kit.files import DataError
from course_utils.kit.presets.cards import CARDS, describe
from course_utils.kit.presets.loading import load, load_quietly, without_notes
from course_utils.kit.presets.tokens import token_ids
