"""A tiny BERT and three texts, for the tests of BERT."""

import layer_battery as lb
import numpy as np

from course_utils.bert.classifier import BertClassifier
from course_utils.bert.mini_bert import MiniBert
from course_utils.bert.model import BertEncoder, BertPretraining
from course_utils.text.wordpiece import WordPieceVectorizer

D, F, H, L, V, T = 8, 16, 2, 2, 40, 12
TEXTS = ["A good film!", "Not a bad film, not good.", "It was bad; I left."] * 9


def make_encoder(vocab_size=V, **options):
    return BertEncoder(vocab_size, T, D, F, H, L, **options)


def make_mini_bert():
    vectorizer = WordPieceVectorizer.train(TEXTS, 60)
    encoder = make_encoder(vectorizer.vocabulary_size)
    network = BertPretraining(encoder)
    network.build()
    return MiniBert(vectorizer, lb.randomize(network))


def make_classifier(**options):
    """Return a classifier with random weights."""
    model = BertClassifier(make_encoder(), **options)
    model.build()
    return lb.randomize(model)


def example():
    """Return ids, segments and positions of three texts."""
    ids = lb.padded_ids([10, 6, 3], vocab_size=V)
    segments = (np.arange(10) > 4) * (ids > 0)
    return ids, segments, np.array([[1, 8], [0, 5], [2, 0]])
