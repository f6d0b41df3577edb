"""A translator: a translation model that carries its vectorizer, in one file."""

import json
import os
import zipfile
import zlib

import keras
import numpy as np
from keras import ops

from course_utils.arguments import check_option, check_sizes
from course_utils.generation.fast_search import fast_beam_search, fast_greedy_search
from course_utils.text.text_model import (
    batch_by_length,
    check_vocabulary,
    list_texts,
)
from course_utils.text.vectorizers import END, PAD, START, pad

CONFIG = "config.json"  # in the file of each Keras model


def length_before_end(ids):
    """Return the number of ids before the end or the padding."""
    ends = np.flatnonzero((ids == END) | (ids == PAD))
    return int(ends[0]) if len(ends) else len(ids)


def _check_file(path):
    """Raise a ValueError for a file that isn't a whole one of a translator."""
    if not os.path.isfile(path):
        raise ValueError(f"Translator.load: there is no file {path}.")
    try:
        with zipfile.ZipFile(path) as file:
            damaged = file.testzip()
            names = file.namelist()
            config = file.read(CONFIG) if CONFIG in names else b""
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        damaged = error
    if damaged:
        raise ValueError(
            f"Translator.load: {path} is damaged or incomplete ({damaged}); save "
            f"or download it again."
        )
    expected = "expected a Translator saved with translator.save(path)"
    try:
        class_name = json.loads(config)["class_name"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"Translator.load: {path} is no file of a Keras model; {expected}."
        ) from error
    if class_name != "Translator":
        raise ValueError(f"Translator.load: {path} holds a {class_name}; {expected}.")


@keras.saving.register_keras_serializable(package="course_utils")
class Translator(keras.Model):
    """A translation model together with its vectorizer, in one file.

    Saved with ``save("name.keras")`` and read with ``Translator.load``, it needs
    nothing else to translate.

    Args:
        vectorizer: a ``SubwordVectorizer`` for both languages.
        transformer: a ``TranslationTransformer`` or ``RecurrentSeq2Seq`` of the same
            vocabulary.
    Raises:
        ValueError: the vectorizer has another number of ids.

    Example (not run here, for it needs a trained model):
        ``Translator.load("translator.keras").translate(["I like green tea."])``
    """

    def __init__(self, vectorizer, transformer, **kwargs):
        super().__init__(**kwargs)
        check_vocabulary(
            "Translator", vectorizer, "transformer", transformer.vocab_size
        )
        if not transformer.built:
            transformer.build()
        self.vectorizer = vectorizer
        self.transformer = transformer
        self.built = True

    def call(self, inputs, training=False):
        return self.transformer(inputs, training=training)

    def get_config(self):
        config = super().get_config()
        config["vectorizer"] = keras.saving.serialize_keras_object(self.vectorizer)
        config["transformer"] = keras.saving.serialize_keras_object(self.transformer)
        return config

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        for name in ("vectorizer", "transformer"):
            config[name] = keras.saving.deserialize_keras_object(config[name])
        return cls(**config)

    @classmethod
    def load(cls, path):
        """Read a translator saved with ``translator.save("name.keras")``.

        Raises:
            ValueError: when there is no such file, it is damaged, or it holds another
                model.
        """
        _check_file(path)
        try:
            return keras.models.load_model(path)
        except (KeyError, OSError, TypeError, ValueError) as error:
            reason = str(error).split("\n")[0]
            raise ValueError(
                f"Translator.load: {path} can't be read by this version of the course "
                f"({reason[:80]}); save or download it again."
            ) from error

    def encode_texts(self, texts):
        """Return ids of the texts, or raise a ValueError that names the bad one."""
        texts = list_texts("Translator", texts)
        sequences = self.vectorizer.encode(texts)
        limit = self.transformer.sequence_length
        for text, ids in zip(texts, sequences, strict=True):
            if not ids:
                raise ValueError(
                    f"Translator: the text {text!r} is empty; leave it out or pass at "
                    f"least one word."
                )
            if len(ids) > limit:
                raise ValueError(
                    f"Translator: a text has {len(ids)} tokens, but the model reads "
                    f"{limit} at most; split it into sentences. It starts with "
                    f"{text[:40]!r}."
                )
        return sequences

    def translate(
        self,
        texts,
        method="greedy",
        beam_width=4,
        length_penalty=1.0,
        return_attention=False,
        batch_size=256,
    ):
        """Translate texts; sentences of like length are decoded together.

        Args:
            texts: list of N strings.
            method: "greedy" or "beam".
            beam_width, length_penalty: for "beam" only, see ``beam_search``.
            return_attention: also return, for each text, its tokens and weights.
            batch_size: how many texts are decoded at a time.
        Returns:
            A list of N strings. With ``return_attention`` a second list of N tuples
            (source tokens, target tokens, cross-attention weights (L, H, T, S) of L
            blocks); row t holds the weights that chose target token t.
        Raises:
            ValueError: for an empty or too long text, or an unknown method.
        """
        check_option("Translator", "method", method, ("greedy", "beam"))
        check_sizes("Translator", batch_size=batch_size)
        source_ids = self.encode_texts(texts)
        longest = self.transformer.sequence_length
        target_ids = [None] * len(source_ids)
        attention = [None] * len(source_ids)
        for indices, batch in batch_by_length(source_ids, batch_size):
            # Each text has its own limit: its translation can't depend on the others.
            limits = [min(longest, 2 * len(source_ids[i]) + 8) for i in indices]
            if method == "greedy":
                written = fast_greedy_search(self.transformer, batch, limits)
            else:
                written, _ = fast_beam_search(
                    self.transformer, batch, limits, beam_width, length_penalty
                )
            for i, row in zip(indices, written, strict=True):
                target_ids[i] = row[: length_before_end(row)].tolist()
            if return_attention:
                weights = self._cross_attention(batch, written)  # (B, L, H, T, S)
                for i, sentence_weights in zip(indices, weights, strict=True):
                    attention[i] = self._describe(
                        source_ids[i], target_ids[i], sentence_weights
                    )
        translations = self.vectorizer.decode(target_ids)
        if return_attention:
            return translations, attention
        return translations

    def _cross_attention(self, source, target):
        """Return the weights that chose each target token, (B, L, H, T, S)."""
        shifted = pad([[START, *row[:-1]] for row in target])  # (B, T)
        weights = self.transformer.cross_attention((source, shifted))
        weights = ops.cast(weights, "float32")  # NumPy has no bfloat16
        return np.swapaxes(ops.convert_to_numpy(weights), 0, 1)

    def _describe(self, source_ids, target_ids, weights):
        """Return the tokens of one sentence and its weights without padding."""
        source_tokens = [self.vectorizer.token(i) for i in source_ids]
        target_tokens = [self.vectorizer.token(i) for i in target_ids]
        weights = weights[:, :, : len(target_ids), : len(source_ids)]
        return source_tokens, target_tokens, weights
