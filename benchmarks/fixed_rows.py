"""Rows of one length for the recipes that pad all to it, and their decoding loop."""

import numpy as np
from keras import layers

from course_utils import metrics
from course_utils.text.vectorizers import END, START, SubwordVectorizer


def step_by_step(features, to_words, sources, vectorizer, batch=100):
    """Translate greedily, a column at a time, as the tutorials' loop does."""
    kernel, bias = to_words.get_weights()
    found = []
    for first in range(0, len(sources), batch):
        source = sources[first : first + batch]
        tokens = np.zeros(source.shape, "int64")
        tokens[:, 0] = vectorizer.start
        for t in range(source.shape[1] - 1):
            x = features.predict_on_batch([source, tokens])[:, t]
            tokens[:, t + 1] = (x @ kernel + bias).argmax(axis=-1)
            if (tokens == vectorizer.end).any(axis=1).all():
                break
        found.extend(tokens[:, 1:])
    return found


class Words:
    """Words without case and punctuation, by ``TextVectorization``."""

    def __init__(self, texts, vocab):
        self.layer = layers.TextVectorization(vocab, standardize=None)
        framed = [f"bos {metrics.normalise(text)} eos" for text in texts]
        self.layer.adapt(framed, batch_size=1024)
        self.words = self.layer.get_vocabulary()
        self.start, self.end = self.words.index("bos"), self.words.index("eos")

    def rows(self, texts, length, framed=False):
        """Return ids (N, length), cut or padded; framed by start and end if asked."""
        texts = [metrics.normalise(text) for text in texts]
        texts = [f"bos {text} eos" for text in texts] if framed else texts
        ids = self.layer(texts).numpy()[:, :length]
        return np.pad(ids, ((0, 0), (0, length - ids.shape[1])))

    def texts(self, rows):
        """Return the text of each row up to its end."""
        return [" ".join(self.words[i] for i in up_to(row, self.end)) for row in rows]


class Pieces:
    """Lower-cased subwords."""

    def __init__(self, texts, vocab):
        self.vectorizer = SubwordVectorizer.train([t.lower() for t in texts], vocab)
        self.start, self.end = START, END

    def rows(self, texts, length, framed=False):
        """Return ids (N, length), cut or padded; framed by start and end if asked."""
        ids = self.vectorizer.encode([text.lower() for text in texts])
        if framed:
            ids = [[self.start, *one, self.end] for one in ids]
        rows = np.zeros((len(ids), length), "int64")
        for row, one in zip(rows, ids, strict=True):
            row[: len(one)] = one[:length]
        return rows

    def texts(self, rows):
        """Return the text of each row up to its end."""
        return self.vectorizer.decode([up_to(row, self.end) for row in rows])


def up_to(row, end):
    """Return the ids before the first end, without padding."""
    row = list(row)
    return [i for i in row[: row.index(end) if end in row else len(row)] if i]
