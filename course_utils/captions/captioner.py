"""Captions for images: what the decoders share that attend to cells before each word.

The cells come from an encoder of ``course_utils.captions.encoders``. Either captioner
works with either encoder: ``recurrent`` holds a GRU with one attention step before each
word, ``transformer`` decoder blocks with cross-attention. Both have the step functions
that ``greedy_search`` and ``beam_search`` ask for. An image goes there as one row of
whole numbers, its pixels.

Shapes use the letters of the course: B images, S cells, D their width, T words, R rows
of the decoder, E width of a word's vector, U width of the GRU's state, V vocabulary.
"""

import keras
import numpy as np
from keras import ops

from course_utils.attention.multi_head import KeepsOptions, check_sizes

# Keras then knows the encoders of a saved captioner, too.
from course_utils.captions.encoders import ConvEncoder, PatchEncoder  # noqa: F401
from course_utils.classification import TokenDropout
from course_utils.generation.search import greedy_in_parts
from course_utils.text.text_model import KeepsParts


class Captioner(KeepsParts, KeepsOptions, keras.Model):
    """What both captioners share: an encoder, images as rows of numbers, config.

    A subclass has ``call``, ``cross_attention`` and the step functions. Training hides
    some of the words that it reads: a decoder that trusts the word "blue" before
    "circle" more than the image will never write a pair that it hasn't read.
    """

    def __init__(self, options, **kwargs):
        super().__init__(**kwargs)
        self.encoder, self.options = options.pop("encoder"), options
        self.caption_length = options["caption_length"]
        sizes = {name: options[name] for name in ("vocab_size", "caption_length")}
        check_sizes(type(self).__name__, **sizes)
        self.drop_words = TokenDropout(options["word_dropout"], options.get("seed", 0))

    def build_encoder(self):
        """Create the weights of the encoder, which may have been built before."""
        if not self.encoder.built:
            size = self.encoder.image_size
            self.encoder.build((None, size, size, 3))

    def encode_rows(self, rows):
        """Return the cells (B, S, D) of images whose pixels stand in rows."""
        size = self.encoder.image_size
        return self.encoder(ops.reshape(rows, (-1, size, size, 3)))

    def check_length(self, words):
        """Raise a ValueError for more words than the model was made for."""
        length = words.shape[1]
        if length is None or length > self.caption_length:
            raise ValueError(
                f"{type(self).__name__}: the captions have {length} columns; expected "
                f"a known number, at most caption_length={self.caption_length}."
            )

    def compute_output_shape(self, input_shape):
        return (*input_shape[1], self.options["vocab_size"])


def write_captions(model, images, batch_size=250):
    """Caption images greedily.

    Args:
        model: a captioner.
        images: (N, H, W, 3) whole numbers from 0 to 255.
        batch_size: how many images are captioned at a time.
    Returns:
        (N, T) ids; after the end there is padding.
    """
    rows = np.reshape(images, (len(images), -1))  # greedy_search takes rows of numbers
    return greedy_in_parts(model, rows, model.caption_length, batch_size)


def attention_weights(model, images, words, batch_size=250):
    """Return the weights (N, T, S) with which a captioner attends before each word.

    Those of a Transformer are those of its last block, the mean of all heads.

    Args:
        model: a captioner.
        images: (N, H, W, 3).
        words: (N, T) the words it reads, with the start.
    """
    parts = []
    for i in range(0, len(images), batch_size):
        part = slice(i, i + batch_size)
        weights = model.cross_attention((images[part], words[part]))[-1]
        parts.append(ops.convert_to_numpy(ops.mean(weights, axis=1)))
    return np.concatenate(parts)
