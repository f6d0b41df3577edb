"""Two of the course's own presets, loaded once."""

import keras_hub
import pytest

from course_utils import presets


@pytest.fixture(scope="session")
def english():
    return presets.load(keras_hub.models.MaskedLM, "tiny_bert_en")


@pytest.fixture(scope="session")
def t5():
    return presets.TextToText.load("tiny_t5_en", source_length=64)
