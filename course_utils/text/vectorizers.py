"""Text to token ids and back: words or subwords behind one interface.

Every vectorizer offers ``train``, ``encode``, ``decode``, ``tokens`` and
``vocabulary_size``, and can be saved inside a Keras model's file. Id 0 is padding and
id 1 an unknown token everywhere; subwords also have a start (2) and an end (3).
"""

import keras
import numpy as np
import tokenizers
from tokenizers import Regex, decoders, normalizers, pre_tokenizers, trainers

PAD, UNKNOWN, START, END = range(4)
SPECIAL_TOKENS = ["[pad]", "[unk]", "[start]", "[end]"]
# A word with its apostrophe part, or one sign; each with the space before it, "▁".
WORD = r"▁?\w+(?:'\w+)?|▁?[^\w▁]"


def pad(sequences, length=None, rows=None):
    """Stack lists of ids into one array, filled up with padding on the right.

    Args:
        sequences: lists of ids, none longer than ``length``.
        length: T, number of columns; the longest sequence decides if it is None.
        rows: number of rows; rows past the last sequence are all padding.
    Returns:
        (rows, T) int32 array.

    Example:
        >>> pad([[5, 6], [7]]).tolist()
        [[5, 6], [7, 0]]
    """
    longest = max((len(sequence) for sequence in sequences), default=0)
    length = longest if length is None else length
    if longest > length:
        raise ValueError(
            f"pad: the longest sequence has {longest} ids, but length is {length}; "
            f"truncate the sequences first or pass a larger length."
        )
    batch = np.zeros((rows or len(sequences), length), dtype="int32")
    for row, sequence in zip(batch, sequences, strict=False):
        row[: len(sequence)] = sequence
    return batch


def decoder_inputs_and_labels(targets, length=None):
    """Shift targets by one for teacher forcing: the decoder reads the right tokens.

    Args:
        targets: N lists of ids, without start and end.
        length: T, number of columns; the longest target decides if it is None.
    Returns:
        Decoder inputs (start + target) and labels (target + end), both (N, T).

    Example:
        >>> inputs, labels = decoder_inputs_and_labels([[5, 6]], 4)
        >>> inputs.tolist(), labels.tolist()
        ([[2, 5, 6, 0]], [[5, 6, 3, 0]])
    """
    inputs = pad([[START, *target] for target in targets], length)
    labels = pad([[*target, END] for target in targets], length)
    return inputs, labels


def head_and_tail(ids, length):
    """Keep the first and the last half of a sequence that is longer than ``length``.

    A film review often gives its verdict at the start and again at the end.

    Args:
        ids: a list or an array of ids.
        length: the largest number of ids that are kept.
    Returns:
        A list or an array, as ``ids`` is.

    Example:
        >>> head_and_tail([1, 2, 3, 4, 5, 6], 4)
        [1, 2, 5, 6]
    """
    if len(ids) <= length:
        return ids
    tail_length = length // 2
    head = ids[: length - tail_length]
    tail = ids[len(ids) - tail_length :]
    if isinstance(ids, np.ndarray):
        return np.concatenate([head, tail])
    return head + tail


def refuse_string(owner, texts, name="texts"):
    """Raise a ValueError for one string in the place of a list of strings.

    It would be read letter by letter.
    """
    if isinstance(texts, str):
        raise ValueError(
            f"{owner}: {name} is one string; pass a list, such as [{name[:-1]}]."
        )


class Vectorizer:
    """What Keras asks for to load a vectorizer with a model."""

    @classmethod
    def from_config(cls, config):
        return cls(**config)


@keras.saving.register_keras_serializable(package="course_utils")
class SubwordVectorizer(Vectorizer):
    """Byte-pair encoding (Sennrich et al., 2016) by the ``tokenizers`` library.

    Case and punctuation are kept, and decoding gives back the text as it was, apart
    from runs of white space and characters that training never saw. A space belongs to
    the word after it, written "▁". A special token that stands in a text, such as
    "[end]", is read as plain text.

    Args:
        tokenizer: the JSON text of a trained tokenizer; use ``train`` to get one.

    Example:
        >>> vectorizer = SubwordVectorizer.train(["I see.", "I see it."], 60)
        >>> vectorizer.decode(vectorizer.encode(["I see it."]))
        ['I see it.']
    """

    def __init__(self, tokenizer):
        self._tokenizer = tokenizers.Tokenizer.from_str(tokenizer)
        self._tokenizer.encode_special_tokens = True  # as plain text

    @classmethod
    def train(cls, texts, vocab_size):
        """Learn at most ``vocab_size`` subwords from training texts."""
        refuse_string("SubwordVectorizer.train", texts)
        model = tokenizers.models.BPE(unk_token=SPECIAL_TOKENS[UNKNOWN])
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size, special_tokens=SPECIAL_TOKENS, show_progress=False
        )
        return cls(train_tokenizer(model, trainer, texts, WORD))

    @property
    def vocabulary_size(self):
        """Number of ids, special tokens included."""
        return self._tokenizer.get_vocab_size()

    def encode(self, texts):
        """Return one list of ids per text, without start and end."""
        refuse_string(type(self).__name__, texts)
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def decode(self, sequences):
        """Return one text per sequence of ids; special tokens are left out."""
        rows = [[int(i) for i in row if i > END] for row in sequences]
        return self._tokenizer.decode_batch(rows)

    def tokens(self, text):
        """Return the subwords of one text as strings."""
        return self._tokenizer.encode(text, add_special_tokens=False).tokens

    def encode_with_words(self, text):
        """Return ``encode([text])`` and the index of each token's word.

        Words and signs count from 0, so that weights of tokens can be put together
        into weights of words.
        """
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return [encoding.ids], list(encoding.word_ids)

    def token(self, token_id):
        """Return the string of one id."""
        return self._tokenizer.id_to_token(token_id)

    def get_config(self):
        return {"tokenizer": self._tokenizer.to_str()}


def train_tokenizer(model, trainer, texts, pattern):
    """Train a tokenizer that cuts texts by a pattern; return it as a string."""
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFC(),
            normalizers.Replace(Regex(r"\s+"), " "),
            normalizers.Strip(),
            normalizers.Replace(Regex("^(?=.)| "), "▁"),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(pattern), "isolated")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer.to_str()


@keras.saving.register_keras_serializable(package="course_utils")
class PatternVectorizer(SubwordVectorizer):
    """One id per match of a pattern: by default a word or a sign.

    It has the methods of ``SubwordVectorizer``, and decoding gives back the text as it
    was, apart from unknown words.

    Example:
        >>> vectorizer = PatternVectorizer.train(["I see.", "I see it."])
        >>> vectorizer.tokens("I see it.")
        ['▁I', '▁see', '▁it', '.']
        >>> vectorizer.decode(vectorizer.encode(["I see it."]))
        ['I see it.']
    """

    @classmethod
    def train(cls, texts, pattern=WORD, vocab_size=30_000):
        """Give ids to what matches in training texts, the frequent matches first.

        Args:
            texts: training texts.
            pattern: regular expression of a token; "▁" is the space before it.
            vocab_size: largest number of ids, the four special ones included.
        """
        refuse_string("PatternVectorizer.train", texts)
        model = tokenizers.models.WordLevel(unk_token=SPECIAL_TOKENS[UNKNOWN])
        trainer = trainers.WordLevelTrainer(
            vocab_size=vocab_size, special_tokens=SPECIAL_TOKENS, show_progress=False
        )
        return cls(train_tokenizer(model, trainer, texts, pattern))


@keras.saving.register_keras_serializable(package="course_utils")
class WordVectorizer(Vectorizer):
    """One id per word, by Keras's ``TextVectorization``.

    Text is lower-cased and stripped of punctuation, so decoding can't bring back
    the text as it was.

    Args:
        vocabulary: the words of ids 2, 3, …; use ``train`` to get one.

    Example:
        >>> vectorizer = WordVectorizer.train(["Good film.", "Bad film!"], 10)
        >>> vectorizer.tokens("A good film")
        ['[UNK]', 'good', 'film']
    """

    def __init__(self, vocabulary):
        self.vocabulary = list(vocabulary)
        self._layer = keras.layers.TextVectorization(
            ragged=True, vocabulary=self.vocabulary
        )
        self._words = np.array(self._layer.get_vocabulary())

    @classmethod
    def train(cls, texts, vocab_size):
        """Keep the ``vocab_size - 2`` most frequent words of training texts."""
        refuse_string("WordVectorizer.train", texts)
        layer = keras.layers.TextVectorization(max_tokens=vocab_size)
        layer.adapt(list(texts), batch_size=1024)
        return cls(layer.get_vocabulary(include_special_tokens=False))

    @property
    def vocabulary_size(self):
        """Number of ids, padding (0) and unknown (1) included."""
        return len(self._words)

    def encode(self, texts):
        """Return one list of ids per text."""
        refuse_string("WordVectorizer", texts)
        return self._layer(list(texts)).to_list()

    def decode(self, sequences):
        """Return the known and unknown words of each sequence, joined by spaces."""
        texts = []
        for row in sequences:
            ids = [i for i in row if i != PAD]
            texts.append(" ".join(self._words[ids]))
        return texts

    def tokens(self, text):
        """Return the words of one text as strings, unknown ones as "[UNK]"."""
        return [str(word) for word in self._words[self.encode([text])[0]]]

    def get_config(self):
        return {"vocabulary": [str(word) for word in self.vocabulary]}
