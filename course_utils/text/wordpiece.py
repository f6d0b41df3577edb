"""WordPiece: text to pieces of words, with the special tokens of BERT.

The ids 0 to 3 mean what they mean in ``course_utils.text``; BERT calls the start
[CLS] and the end [SEP], and adds [MASK].
"""

import unicodedata

import keras
import tokenizers
from tokenizers import decoders, normalizers, pre_tokenizers, trainers

from course_utils.text.vectorizers import (
    END,
    PAD,
    START,
    UNKNOWN,
    SubwordVectorizer,
    refuse_string,
)

CLS, SEP, MASK = START, END, 4
SPECIAL_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SENTENCE_ENDS = (".", "!", "?")


@keras.saving.register_keras_serializable(package="course_utils")
class WordPieceVectorizer(SubwordVectorizer):
    """WordPiece (Wu et al., 2016, section 4.1) by the ``tokenizers`` library.

    The library chooses pieces by how often their parts stand side by side, where the
    paper takes those that make the training texts most probable.

    As in the uncased BERT, text is lower-cased and loses its accents, and signs are
    pieces of their own. A word is cut from the left into the longest known pieces; all
    but the first begin with "##". A word with a character that was never seen in
    training becomes [UNK] as a whole. A special token that stands in a text, such as
    "[SEP]", is read as plain characters; only ``encode_masked`` knows [MASK].

    Args:
        tokenizer: the JSON text of a trained tokenizer; use ``train`` to get one.

    Example:
        >>> texts = ["Unseen films", "I have seen a film"] * 9
        >>> vectorizer = WordPieceVectorizer.train(texts, 60)
        >>> vectorizer.decode(vectorizer.encode(["Films unseen"]))
        ['films unseen']
    """

    @classmethod
    def train(cls, texts, vocab_size):
        """Learn at most ``vocab_size`` pieces from training texts.

        The pieces of one letter come on top of them when there are more letters than
        room.
        """
        refuse_string("WordPieceVectorizer.train", texts)
        texts = list(texts)
        learner = _tokenizer({})
        # Pieces get their numbers in the order in which the library meets them, which
        # differs from run to run; letters that are numbered first keep their order.
        characters = set()
        for text in texts:
            characters.update(text.lower())
        letters = []
        for character in sorted(characters):
            letters.extend(_normal_letters(learner, character))
        inside = [f"##{letter}" for letter in dict.fromkeys(letters)]
        trainer = trainers.WordPieceTrainer(
            vocab_size=vocab_size,
            special_tokens=SPECIAL_TOKENS + inside,
            show_progress=False,
        )
        learner.train_from_iterator(texts, trainer)
        # Only BERT's own tokens are special in the tokenizer that is kept.
        tokenizer = _tokenizer(learner.get_vocab(with_added_tokens=True))
        tokenizer.add_special_tokens(SPECIAL_TOKENS)
        return cls(tokenizer.to_str())

    @property
    def vocabulary(self):
        """The list of all pieces, in the order of their ids."""
        return [self.token(i) for i in range(self.vocabulary_size)]

    @property
    def sentence_ends(self):
        """The ids of the signs that end a sentence, as far as there are any."""
        ids = [self._tokenizer.token_to_id(sign) for sign in SENTENCE_ENDS]
        return [i for i in ids if i is not None]

    def decode(self, sequences):
        """Return one text per sequence of ids; of the special tokens only [MASK]."""
        rows = [[int(i) for i in row if i > END] for row in sequences]
        return self._tokenizer.decode_batch(rows, skip_special_tokens=False)

    def encode_masked(self, text):
        """Return the ids of one text in which "[MASK]" stands for the mask token.

        Raises:
            ValueError: when the text has no [MASK].
        """
        mask = SPECIAL_TOKENS[MASK]
        if mask not in text:
            raise ValueError(
                f"WordPieceVectorizer: the text {text!r} has no {mask}; write {mask}, "
                f"in capitals, in place of the word to be predicted."
            )
        parts = self.encode(text.split(mask))
        ids = list(parts[0])
        for part in parts[1:]:
            ids.append(MASK)
            ids.extend(part)
        return ids


def add_special_tokens(first, second=None):
    """Put [CLS] before the first segment and [SEP] after each.

    Args:
        first: list of ids.
        second: list of ids, or None where there is one segment only.
    Returns:
        The ids, and as many segment numbers, 0 for the first segment (with [CLS] and
        its [SEP]) and 1 for the second.

    Example:
        >>> add_special_tokens([7, 8], [9])
        ([2, 7, 8, 3, 9, 3], [0, 0, 0, 0, 1, 1])
    """
    ids = [CLS, *first, SEP]
    segments = [0] * len(ids)
    if second is not None:
        ids += [*second, SEP]
        segments += [1] * (len(second) + 1)
    return ids, segments


def is_special(ids):
    """Tell which ids of an array are [PAD], [CLS] or [SEP], never to be masked."""
    return (ids == PAD) | (ids == CLS) | (ids == SEP)


def _tokenizer(vocabulary):
    """Return a tokenizer with BERT's rules: piece -> id, longest piece first."""
    unknown = SPECIAL_TOKENS[UNKNOWN]
    model = tokenizers.models.WordPiece(vocabulary, unk_token=unknown)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def _normal_letters(tokenizer, character):
    """Return what becomes of a character, without signs: they are never in a word."""
    letters = []
    for c in tokenizer.normalizer.normalize_str(character):
        is_sign = unicodedata.category(c)[0] in "PZC"
        if c.isalnum() or not (c.isascii() or is_sign):
            letters.append(c)
    return letters
