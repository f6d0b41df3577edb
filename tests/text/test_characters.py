"""Characters to ids and back."""

import keras
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.text.characters import FIRST, CharacterVectorizer
from course_utils.text.vectorizers import END, PAD, START, UNKNOWN

# Keras can't save surrogates, and no text holds one alone.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@settings(max_examples=50, derandomize=True, deadline=None)
@given(st.lists(TEXT, min_size=1).filter(any))
def test_decoding_gives_back_the_text(texts):
    vectorizer = CharacterVectorizer.train(texts)
    ids = vectorizer.encode(texts)
    assert [len(one) for one in ids] == [len(text) for text in texts]
    assert vectorizer.decode(ids) == texts
    assert all(one.min(initial=FIRST) >= FIRST for one in ids)
    assert vectorizer.vocabulary_size == FIRST + len(set("".join(texts)))


def test_frequent_characters_come_first_and_rare_ones_are_unknown():
    vectorizer = CharacterVectorizer.train(["abbccc", "c☃"], least=2)
    assert vectorizer.characters == "cb"
    assert vectorizer.encode(["abc☃"])[0].tolist() == [UNKNOWN, 5, 4, UNKNOWN]
    assert vectorizer.tokens("ab") == ["[unk]", "b"]


def test_ids_that_are_no_character_are_left_out():
    vectorizer = CharacterVectorizer("ab")
    assert vectorizer.decode([[START, 4, UNKNOWN, 5, END, PAD], []]) == ["ab", ""]


def test_an_empty_text_has_no_ids():
    assert CharacterVectorizer("ab").encode([""])[0].tolist() == []


def test_configuration():
    vectorizer = CharacterVectorizer("né☃")
    config = keras.saving.serialize_keras_object(vectorizer)
    twin = keras.saving.deserialize_keras_object(config)
    assert twin.encode(["☃én"])[0].tolist() == [6, 5, 4]


@pytest.mark.parametrize("characters", ["", "aba"])
def test_impossible_vocabularies(characters):
    with pytest.raises(ValueError, match="at least one character, and none of them"):
        CharacterVectorizer(characters)
