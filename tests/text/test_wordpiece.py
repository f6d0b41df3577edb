"""WordPiece: cutting words, special tokens, unknown characters, the same every time."""

import keras
import keras_hub
import layer_battery as lb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.text import wordpiece
from course_utils.text.vectorizers import UNKNOWN
from course_utils.text.wordpiece import MASK, SPECIAL_TOKENS, WordPieceVectorizer

TEXTS = [
    "An unseen film. I have seen it!",
    "Unwatchable? It was watchable, not a bad film.",
    "Café [x] scenes: seen, unseen and bad.",
] * 9


@pytest.fixture(scope="module")
def vectorizer():
    return WordPieceVectorizer.train(TEXTS, 110)


def cut(word, vocabulary):
    """Cut one word by the rule of the paper, without the library."""
    pieces, start = [], 0
    while start < len(word):
        for stop in range(len(word), start, -1):
            piece = "##" * (start > 0) + word[start:stop]
            if piece in vocabulary:
                break
        else:
            return [SPECIAL_TOKENS[UNKNOWN]]
        pieces.append(piece)
        start = stop
    return pieces


def test_add_special_tokens_surrounds_segments(vectorizer):
    assert vectorizer.vocabulary[:5] == SPECIAL_TOKENS
    assert len(set(vectorizer.vocabulary)) == vectorizer.vocabulary_size
    special = wordpiece.is_special(np.arange(6))
    assert special.tolist() == [True, False, True, True, False, False]
    add = wordpiece.add_special_tokens
    assert add([7, 8]) == ([2, 7, 8, 3], [0, 0, 0, 0])
    assert add([7], [8, 9]) == ([2, 7, 3, 8, 9, 3], [0, 0, 0, 1, 1, 1])


@settings(max_examples=50)
@given(word=st.text("abcdefhilmnostuvwx", min_size=1, max_size=12))
def test_tokens_are_the_longest_pieces_from_the_left(vectorizer, word):
    assert vectorizer.tokens(word) == cut(word, set(vectorizer.vocabulary))


def test_encode_drops_case_and_accents(vectorizer):
    assert vectorizer.tokens("CAFÉ") == vectorizer.tokens("cafe")
    (text,) = vectorizer.decode(vectorizer.encode(["An Unseen film. Bad!"]))
    assert text == "an unseen film. bad!"
    assert vectorizer.encode(["", " \n"]) == [[], []]


def test_encode_of_a_word_with_an_unknown_character(vectorizer):
    assert vectorizer.encode(["☃"]) == [[UNKNOWN]]
    known, unknown, again = vectorizer.encode(["film", "fi☃lm", "film ☃ film"])
    assert unknown == [UNKNOWN]
    assert again == [*known, UNKNOWN, *known]


@pytest.mark.parametrize("special", SPECIAL_TOKENS)
def test_encode_reads_special_tokens_as_text(vectorizer, special):
    (ids,) = vectorizer.encode([f"film {special} film"])
    assert not set(ids) & {0, 2, 3, 4}
    assert len(ids) > 3


def test_encode_masked_reads_masks(vectorizer):
    ids = vectorizer.encode_masked("A [MASK] film,[MASK]")
    assert ids.count(MASK) == 2
    parts = vectorizer.encode(["A", "film,"])
    assert ids == [*parts[0], MASK, *parts[1], MASK]
    assert vectorizer.decode([ids]) == ["a [MASK] film, [MASK]"]


def test_sentence_ends_as_far_as_there_are_any(vectorizer):
    assert vectorizer.encode([". ! ?"]) == [vectorizer.sentence_ends]
    assert WordPieceVectorizer.train(["a b"], 20).sentence_ends == []


def test_train_gives_the_same_pieces_every_time(vectorizer):
    code = "from course_utils.text.wordpiece import WordPieceVectorizer\n"
    code += f"print(WordPieceVectorizer.train({TEXTS!r}, 110).vocabulary)"
    assert lb.run_python(code).strip() == str(vectorizer.vocabulary)
    assert WordPieceVectorizer.train(TEXTS, 110).vocabulary == vectorizer.vocabulary


def test_encode_equals_keras_hub(vectorizer):
    options = {"lowercase": True, "strip_accents": True}
    theirs = keras_hub.models.BertTokenizer(vectorizer.vocabulary, **options)
    for text in [*TEXTS[:3], "Unseen CAFÉ films!", "film ☃ film"]:
        ids = keras.ops.convert_to_numpy(theirs(text)).tolist()
        assert ids == vectorizer.encode([text])[0]
