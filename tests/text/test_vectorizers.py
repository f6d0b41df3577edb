"""The vectorizer with one id per word; that of subwords is tested with the models."""

from course_utils.datasets.generated import dates
from course_utils.text.vectorizers import (
    END,
    UNKNOWN,
    PatternVectorizer,
    SubwordVectorizer,
)


def test_words_come_back_as_they_were():
    texts = ["¿Qué hora es, Tom?", "I don't see it.", "A 2nd one!"]
    vectorizer = PatternVectorizer.train(texts)
    assert vectorizer.decode(vectorizer.encode(texts)) == texts
    for text in texts:
        ids, words = vectorizer.encode_with_words(text)
        assert list(words) == list(range(len(ids[0])))


def test_frequent_words_get_the_first_ids_and_unknown_ones_share_one():
    vectorizer = PatternVectorizer.train(["a b a", "c a b"], vocab_size=6)
    assert vectorizer.vocabulary_size == 6
    assert [vectorizer.token(i) for i in (4, 5)] == ["▁a", "▁b"]
    assert vectorizer.encode(["c a x", "", " "]) == [[UNKNOWN, 4, UNKNOWN], [], []]


def test_vectorizer_reads_the_tokens_of_the_dates():
    lines = dates.load({"train": 300, "validation": 1, "test": 1}).train
    texts = [text for written, (canonical,) in lines for text in (written, canonical)]
    vectorizer = PatternVectorizer.train(texts, dates.PATTERN)
    for text in texts:
        assert vectorizer.tokens(text) == dates.tokenize(text)
    assert vectorizer.decode(vectorizer.encode(texts)) == texts


def test_special_tokens_in_a_text_are_plain_text():
    texts = ["Press [end] to stop.", "[pad] [start]"]
    trained = SubwordVectorizer.train(texts, 60)
    loaded = SubwordVectorizer.from_config(trained.get_config())
    for vectorizer in (trained, loaded):
        ids = vectorizer.encode(texts)
        assert min(min(row) for row in ids) > END
        assert vectorizer.decode(ids) == texts
        assert min(vectorizer.encode_with_words(texts[0])[0][0]) > END
        assert "[end]" not in vectorizer.tokens(texts[0])
