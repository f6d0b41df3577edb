"""From text to ids and back: words, subwords, characters, word vectors."""

from course_utils.text.characters import CharacterVectorizer
from course_utils.text.vectorizers import (
    END,
    PAD,
    START,
    UNKNOWN,
    PatternVectorizer,
    SubwordVectorizer,
    WordVectorizer,
    head_and_tail,
    pad,
)
from course_utils.text.word_pairs import choose_pairs, join_pairs
from course_utils.text.word_vectors import train_word_vectors
from course_utils.text.wordpiece import WordPieceVectorizer
