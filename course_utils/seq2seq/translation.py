"""The translation Transformer, and a translator that carries its vectorizer."""

import os
import zipfile

import keras
import numpy as np
from keras import layers, ops

from course_utils.attention.blocks import TransformerDecoder, TransformerEncoder
from course_utils.attention.positions import PositionalEmbedding
from course_utils.attention.quantization import QuantizedParts
from course_utils.generation.search import beam_search, greedy_search
from course_utils.seq2seq.recurrent import RecurrentSeq2Seq  # noqa: F401  for Translator.load
from course_utils.text.text_model import TextModel
from course_utils.text.vectorizers import END, PAD, START, pad


@keras.saving.register_keras_serializable(package="course_utils")
class TranslationTransformer(QuantizedParts, keras.Model):
    """Encoder–decoder Transformer with one embedding matrix for all three uses.

    Vaswani et al. (2017), in the pre-norm form of Xiong et al. (2020): both stacks
    end with a layer normalisation. Source tokens, target tokens and the output
    layer share one (V, D) matrix (Press and Wolf, 2017).

    Args:
        vocab_size: V, of the vocabulary that both languages share.
        sequence_length: largest number of tokens of a sentence, start or end included.
        embed_dim, dense_dim, num_heads, dropout: as in ``TransformerEncoder``.
        num_layers: number of encoder blocks, and of decoder blocks.

    Call arguments:
        inputs: a pair of id arrays, source (B, S) and target (B, T).
    Returns:
        (B, T, V) logits of the next target token.
    """

    def __init__(
        self,
        vocab_size,
        sequence_length,
        embed_dim=192,
        dense_dim=768,
        num_heads=4,
        num_layers=2,
        dropout=0.1,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.options = dict(
            vocab_size=vocab_size,
            sequence_length=sequence_length,
            embed_dim=embed_dim,
            dense_dim=dense_dim,
            num_heads=num_heads,
            num_layers=num_layers,
            dropout=dropout,
        )
        self.sequence_length = sequence_length
        block = dict(dropout=dropout, norm_first=True, dtype=self.dtype_policy)
        size = (embed_dim, dense_dim, num_heads)
        self.embedding = PositionalEmbedding(
            sequence_length,
            vocab_size,
            embed_dim,
            scale_tokens=True,
            dtype=self.dtype_policy,
        )
        self.dropout_layer = layers.Dropout(dropout, dtype=self.dtype_policy)
        self.encoder_blocks = [
            TransformerEncoder(*size, **block) for _ in range(num_layers)
        ]
        self.encoder_norm = layers.LayerNormalization(
            epsilon=1e-5, dtype=self.dtype_policy
        )
        self.decoder_blocks = [
            TransformerDecoder(*size, **block) for _ in range(num_layers)
        ]
        self.decoder_norm = layers.LayerNormalization(
            epsilon=1e-5, dtype=self.dtype_policy
        )

    def build(self, input_shape=None):
        shape = (None, None, self.options["embed_dim"])
        self.embedding.build((None, None))
        for block in self.encoder_blocks:
            block.build(shape)
        for block in self.decoder_blocks:
            block.build(shape, shape)
        self.encoder_norm.build(shape)
        self.decoder_norm.build(shape)

    def encode(self, source, training=False):
        """Return (B, S, D) vectors for source ids (B, S)."""
        mask = ops.not_equal(source, 0)
        x = self.dropout_layer(self.embedding(source), training=training)
        for block in self.encoder_blocks:
            x = block(x, mask=mask, training=training)
        return self.encoder_norm(x)

    def call(self, inputs, training=False):
        source, target = inputs
        encoded = self.encode(source, training)
        x = self.dropout_layer(self.embedding(target), training=training)
        for block in self.decoder_blocks:
            x = block(
                x,
                encoded,
                inputs_mask=ops.not_equal(target, 0),
                encoder_outputs_mask=ops.not_equal(source, 0),
                training=training,
            )
        return self.embedding.predict_tokens(self.decoder_norm(x))

    def cross_attention(self, inputs):
        """Return the cross-attention weights (L, B, H, T, S) of all L blocks.

        Args:
            inputs: source ids (B, S) and decoder input ids (B, T).
        """
        source, target = inputs
        encoded = self.encode(source)
        x = self.embedding(target)
        all_weights = []
        for block in self.decoder_blocks:
            x, weights = block(
                x,
                encoded,
                inputs_mask=ops.not_equal(target, 0),
                encoder_outputs_mask=ops.not_equal(source, 0),
                return_attention_scores=True,
            )
            all_weights.append(weights)
        return ops.stack(all_weights)

    def encode_for_steps(self, source):
        """Encode (B, S) ids once; returns what every ``step`` needs of the source."""
        encoded = self.encode(source)
        keys_values = [
            block.cross_attention.project_keys_values(encoded)
            for block in self.decoder_blocks
        ]
        return keys_values, ops.not_equal(source, 0)

    def empty_cache(self, rows, length):
        """Return zeros for the keys and values of ``length`` target positions."""
        heads = self.options["num_heads"]
        shape = (rows, heads, length, self.options["embed_dim"] // heads)
        zeros = ops.zeros(shape, dtype=self.compute_dtype)
        return [(zeros, zeros) for _ in self.decoder_blocks]

    def step(self, tokens, position, cache, encoded_source):
        """Score the token after ``tokens``, the newest ones, with a key/value cache.

        Args:
            tokens: (R,) ids at ``position``; R = B × beam rows.
            position: scalar index of these tokens.
            cache: from ``empty_cache`` or the step before.
            encoded_source: from ``encode_for_steps``.
        Returns:
            (R, V) logits and the updated cache.
        """
        keys_values, source_mask = encoded_source
        x = self.embedding(ops.expand_dims(tokens, 1), start=position)  # (R, 1, D)
        new_cache = []
        for block, block_cache, memory in zip(
            self.decoder_blocks, cache, keys_values, strict=True
        ):
            x, block_cache = block.step(x, position, block_cache, memory, source_mask)
            new_cache.append(block_cache)
        logits = self.embedding.predict_tokens(self.decoder_norm(x))
        return ops.squeeze(logits, 1), new_cache

    def compute_output_shape(self, input_shape):
        return (*input_shape[1], self.options["vocab_size"])

    def get_config(self):
        return {**super().get_config(), **self.options}


def _length(ids):
    """Return the number of ids before the end or the padding."""
    ends = np.flatnonzero((ids == END) | (ids == PAD))
    return int(ends[0]) if len(ends) else len(ids)


@keras.saving.register_keras_serializable(package="course_utils")
class Translator(TextModel):
    """A translation model together with its vectorizer, in one file.

    Args:
        vectorizer: a ``SubwordVectorizer`` for both languages.
        transformer: a ``TranslationTransformer`` or ``RecurrentSeq2Seq`` of the same
            vocabulary.

    Example (not run here, for it needs a trained model):
        ``Translator.load("translator.keras").translate(["I like green tea."])``
    """

    PART = "transformer"

    def __init__(self, vectorizer, transformer, **kwargs):
        if not transformer.built:
            transformer.build()
        vocab_size = transformer.options["vocab_size"]
        super().__init__(vectorizer, transformer, vocab_size, **kwargs)

    @classmethod
    def load(cls, path):
        """Read a translator saved with ``translator.save("name.keras")``.

        Raises:
            ValueError: when there is no such file, it is damaged, or it holds another
                model.
        """
        if not os.path.isfile(path):
            raise ValueError(f"Translator.load: there is no file {path}.")
        try:
            with zipfile.ZipFile(path) as file:
                damaged = file.testzip()
        except zipfile.BadZipFile as error:
            damaged = error
        if damaged:
            raise ValueError(
                f"Translator.load: {path} is damaged or incomplete ({damaged}); save "
                f"or download it again."
            )
        model = keras.models.load_model(path)
        if not isinstance(model, cls):
            raise ValueError(
                f"Translator.load: {path} holds a {type(model).__name__}; expected a "
                f"Translator saved with translator.save(path)."
            )
        return model

    def encode_texts(self, texts):
        """Return ids of the texts, or raise a ValueError that names the bad one."""
        texts = self.list_texts(texts)
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
        if method not in ("greedy", "beam"):
            raise ValueError(
                f"Translator: method is {method!r}; expected 'greedy' or 'beam'."
            )
        if batch_size < 1:
            raise ValueError(
                f"Translator: batch_size is {batch_size}; it must be at least 1."
            )
        sources = self.encode_texts(texts)
        order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
        targets = [None] * len(sources)
        attention = [None] * len(sources)
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            batch = pad([sources[i] for i in rows])
            # Each text has its own limit: its translation can't depend on the others.
            limits = [self._limit(sources[i]) for i in rows]
            if method == "greedy":
                found = greedy_search(self.transformer, batch, limits)
            else:
                found, _ = beam_search(
                    self.transformer, batch, limits, beam_width, length_penalty
                )
            for i, row in zip(rows, found, strict=True):
                targets[i] = row[: _length(row)].tolist()
            if return_attention:
                weights = self._cross_attention(batch, found)
                for i, one in zip(rows, weights, strict=True):
                    attention[i] = self._describe(sources[i], targets[i], one)
        translations = self.vectorizer.decode(targets)
        return (translations, attention) if return_attention else translations

    def _limit(self, source):
        """Return the largest number of tokens of a translation, the end included."""
        return min(self.transformer.sequence_length, 2 * len(source) + 8)

    def _cross_attention(self, source, target):
        """Return the weights that chose each target token, (B, L, H, T, S)."""
        start = np.full((len(target), 1), START, dtype="int32")
        shifted = np.concatenate([start, target[:, :-1]], axis=1)
        weights = self.transformer.cross_attention((source, shifted))
        weights = ops.cast(weights, "float32")  # NumPy has no bfloat16
        return np.swapaxes(ops.convert_to_numpy(weights), 0, 1)

    def _describe(self, source, target, weights):
        """Return the tokens of one sentence and its weights without padding."""
        source_tokens, target_tokens = (
            [self.vectorizer.token(i) for i in ids] for ids in (source, target)
        )
        return source_tokens, target_tokens, weights[:, :, : len(target), : len(source)]
