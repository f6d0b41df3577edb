"""What BERT's parts refuse, each in one sentence."""

import numpy as np
from refusals import one_sentence
from tiny_bert import D, F, H, T, V, make_encoder, make_mini_bert

from course_utils.bert import BertClassifier, BertEncoder, MiniBert, SentencePairs
from course_utils.bert.masking import mask_tokens, pretraining_batches
from course_utils.text.wordpiece import WordPieceVectorizer


def encoder(**options):
    sizes = dict(vocab_size=V, embed_dim=D, dense_dim=F, num_heads=H)
    return BertEncoder(**{**sizes, **options})


def mask(vocab_size=V, rate=0.15):
    return mask_tokens([[2, 7, 8, 9, 3]], vocab_size, np.random.default_rng(0), rate)


def other_vectorizer():
    return MiniBert(WordPieceVectorizer.train(["a b"], 20), make_mini_bert().network)


LONG, TWO = "film " * T, lambda length: SentencePairs([[7, 8], [9, 7]], length, [5])
UNMASKED, NO_MASK = ("A film.", "A [mask] film.", ""), r"no \[MASK\]; write \[MASK\]"
MESSAGES = [
    (lambda: encoder(num_heads=3), "must be divisible by num_heads"),
    (lambda: encoder(num_layers=0), "num_layers is 0"),
    (lambda: encoder(vocab_size=0), "vocab_size is 0"),
    (lambda: make_encoder()(np.ones((1, T + 1), "int64")), f"length={T} tokens only"),
    (lambda: BertClassifier(make_encoder(), pooling="max"), "pooling is 'max'"),
    *((lambda t=t: make_mini_bert().fill_mask(t), NO_MASK) for t in UNMASKED),
    (lambda: make_mini_bert().fill_mask(f"[MASK] {LONG}"), r"with \[CLS\] and \[SEP\]"),
    (other_vectorizer, "the vectorizer has"),
    *((lambda r=r: mask(rate=r), f"rate is {r}") for r in (0, -0.1, 1.1)),
    (lambda: mask(vocab_size=5), "vocab_size is 5"),
    (lambda: TWO(4), "at least 5"),
    (lambda: SentencePairs([[7, 8], [9], []], 9, [5]), "at least two texts"),
    (lambda: pretraining_batches(TWO(9), V, 3), "2 windows don't fill a batch of 3"),
]

test_what_cannot_be_is_told_in_one_sentence = one_sentence(MESSAGES)
