"""Characters, words and subwords to ids and back; translators test the rest."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.datasets import dates
from course_utils.text import PatternVectorizer, SubwordVectorizer
from course_utils.text.characters import FIRST, CharacterVectorizer
from course_utils.text.vectorizers import (
    END,
    PAD,
    START,
    UNKNOWN,
    WordVectorizer,
    head_and_tail,
)
from course_utils.text.wordpiece import WordPieceVectorizer

# Keras can't save surrogates, and no text holds one alone.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@settings(max_examples=50, derandomize=True)
@given(st.lists(TEXT, min_size=1).filter(any))
def test_character_vectorizer_gives_back_the_text(texts):
    vectorizer = CharacterVectorizer.train(texts)
    ids = vectorizer.encode(texts)
    assert [len(one) for one in ids] == [len(text) for text in texts]
    assert vectorizer.decode(ids) == texts
    assert all(one.min(initial=FIRST) >= FIRST for one in ids)
    assert vectorizer.vocabulary_size == FIRST + len(set("".join(texts)))


def test_character_vectorizer_puts_frequent_characters_first():
    vectorizer = CharacterVectorizer.train(["abbccc", "c☃"], least=2)
    assert vectorizer.characters == "cb"
    assert vectorizer.encode(["abc☃"])[0].tolist() == [UNKNOWN, 5, 4, UNKNOWN]
    assert vectorizer.tokens("ab") == ["[unk]", "b"]


def test_character_vectorizer_decode_leaves_other_ids_out():
    vectorizer = CharacterVectorizer("ab")
    assert vectorizer.decode([[START, 4, UNKNOWN, 5, END, PAD], []]) == ["ab", ""]


def test_character_vectorizer_config_round_trip():
    vectorizer = CharacterVectorizer("né☃")
    config = keras.saving.serialize_keras_object(vectorizer)
    twin = keras.saving.deserialize_keras_object(config)
    assert twin.encode(["☃én"])[0].tolist() == [6, 5, 4]


@pytest.mark.parametrize("characters", ["", "aba"])
def test_impossible_sets_of_characters_are_refused(characters):
    with pytest.raises(ValueError, match="at least one character, and none of them"):
        CharacterVectorizer(characters)


def test_pattern_vectorizer_gives_back_the_text():
    texts = ["¿Qué hora es, Tom?", "I don't see it.", "A 2nd one!"]
    vectorizer = PatternVectorizer.train(texts)
    assert vectorizer.decode(vectorizer.encode(texts)) == texts
    for text in texts:
        ids, words = vectorizer.encode_with_words(text)
        assert list(words) == list(range(len(ids[0])))


def test_pattern_vectorizer_puts_frequent_words_first():
    vectorizer = PatternVectorizer.train(["a b a", "c a b"], vocab_size=6)
    assert vectorizer.vocabulary_size == 6
    assert [vectorizer.token(i) for i in (4, 5)] == ["▁a", "▁b"]
    assert vectorizer.encode(["c a x", "", " "]) == [[UNKNOWN, 4, UNKNOWN], [], []]


def test_pattern_vectorizer_reads_the_tokens_of_dates():
    lines = dates.load({"train": 300, "validation": 1, "test": 1}).train
    texts = [text for written, (canonical,) in lines for text in (written, canonical)]
    vectorizer = PatternVectorizer.train(texts, dates.PATTERN)
    for text in texts:
        assert vectorizer.tokens(text) == dates.tokenize(text)
    assert vectorizer.decode(vectorizer.encode(texts)) == texts


def test_subword_vectorizer_reads_special_tokens_as_text():
    texts = ["Press [end] to stop.", "[pad] [start]"]
    trained = SubwordVectorizer.train(texts, 60)
    loaded = SubwordVectorizer.from_config(trained.get_config())
    for vectorizer in (trained, loaded):
        ids = vectorizer.encode(texts)
        assert min(min(row) for row in ids) > END
        assert vectorizer.decode(ids) == texts
        assert min(vectorizer.encode_with_words(texts[0])[0][0]) > END
        assert "[end]" not in vectorizer.tokens(texts[0])


def train_each_vectorizer(texts):
    """Return one of each kind, as functions that train it."""
    return {
        "characters": lambda: CharacterVectorizer.train(texts),
        "subwords": lambda: SubwordVectorizer.train(texts, 40),
        "patterns": lambda: PatternVectorizer.train(texts),
        "words": lambda: WordVectorizer.train(texts, 40),
        "pieces": lambda: WordPieceVectorizer.train(texts, 40),
    }


KINDS = ["characters", "subwords", "patterns", "words", "pieces"]


@pytest.mark.parametrize("kind", KINDS)
def test_encode_refuses_one_string(kind):
    vectorizer = train_each_vectorizer(["I see it."] * 9)[kind]()
    assert len(vectorizer.encode(["I see"])) == 1
    with pytest.raises(ValueError, match="texts is one string; pass a list"):
        vectorizer.encode("I see")


@pytest.mark.parametrize("kind", KINDS)
def test_train_refuses_one_string(kind):
    with pytest.raises(ValueError, match="texts is one string; pass a list"):
        train_each_vectorizer("I see it.")[kind]()


@pytest.mark.parametrize("length, expected", [(4, [1, 2, 5, 6]), (3, [1, 2, 6])])
def test_head_and_tail_of_lists_and_arrays(length, expected):
    assert head_and_tail([1, 2, 3, 4, 5, 6], length) == expected
    found = head_and_tail(np.arange(1, 7), length)
    assert isinstance(found, np.ndarray) and found.tolist() == expected


def test_head_and_tail_of_a_short_sequence_is_itself():
    assert head_and_tail([1, 2], 4) == [1, 2]
    assert head_and_tail([1, 2, 3, 4, 5, 6], 1) == [1]
    assert head_and_tail([1, 2, 3, 4, 5, 6], 0) == []
