"""T5 with KerasHub's weights: the task in front of the text, the answer after it."""

import numpy as np
from keras import ops

from course_utils.presets.loading import load, load_quietly, without_notes
from course_utils.presets.masks import token_ids


class TextToText:
    """A T5 model: the text it reads begins with the task, what it writes is the answer.

    KerasHub 0.26 has T5's weights, but no task that decodes with them, so greedy
    decoding is done here, as in lesson 11 without a cache (Raffel et al., 2020).

    Args:
        backbone: a KerasHub `T5Backbone`.
        tokenizer: its `T5Tokenizer`.
        source_length: S; longer texts are cut.
    """

    def __init__(self, backbone, tokenizer, source_length=128):
        self.backbone = backbone
        self.tokenizer = tokenizer
        self.source_length = source_length

    @classmethod
    def load(cls, name, source_length=128):
        """Load a preset of `CARDS`; prints its size first.

        Raises:
            ValueError, DataError: as for `load`.
        """
        import keras_hub

        backbone = load(keras_hub.models.T5Backbone, name)
        tokenizer = load_quietly(keras_hub.tokenizers.T5Tokenizer, name)
        return cls(backbone, tokenizer, source_length)

    def encode(self, texts):
        """Return ids (B, S) that end with the end token, cut at `source_length`."""
        ids = np.full(
            (len(texts), self.source_length), self.tokenizer.pad_token_id, dtype="int32"
        )
        for row, text in zip(ids, texts, strict=True):
            tokens = token_ids(self.tokenizer, text)[: self.source_length - 1]
            row[: len(tokens) + 1] = [*tokens, self.tokenizer.end_token_id]
        return ids

    def generate(self, texts, max_length=32):
        """Write an answer to each text, always with the most probable token.

        Args:
            texts: B texts, each with the name of a task in front.
            max_length: most tokens of an answer.
        Returns:
            A list of B texts.
        """
        pad, end = self.tokenizer.pad_token_id, self.tokenizer.end_token_id
        source = self.encode(texts)  # (B, S)
        # An answer begins with padding: T5 has no start token.
        answer = np.full((len(texts), max_length + 1), pad, dtype="int32")
        inputs = {
            "encoder_token_ids": source,
            "encoder_padding_mask": (source != pad).astype("int32"),
            "decoder_token_ids": answer,
            "decoder_padding_mask": np.ones_like(answer),
        }
        done = np.zeros(len(texts), dtype=bool)
        for step in range(max_length):
            with without_notes():
                outputs = self.backbone.predict_on_batch(inputs)
            states = outputs["decoder_sequence_output"]  # (B, T, D)
            logits = text_to_text_logits(self.backbone, states[:, step])  # (B, V)
            chosen = ops.convert_to_numpy(ops.argmax(logits, axis=-1))
            answer[:, step + 1] = np.where(done, pad, chosen)
            done |= chosen == end
            if done.all():
                break
        return [self._decode(row) for row in answer[:, 1:].tolist()]

    def _decode(self, ids):
        end, pad = self.tokenizer.end_token_id, self.tokenizer.pad_token_id
        text = ids[: ids.index(end)] if end in ids else [i for i in ids if i != pad]
        if not text:
            return ""
        (decoded,) = np.asarray(self.tokenizer.detokenize([text])).reshape(-1).tolist()
        return decoded.decode("utf-8") if isinstance(decoded, bytes) else str(decoded)


def text_to_text_logits(backbone, states):
    """Turn a T5 decoder's states (…, D) into logits (…, V).

    Where the output shares the table of the embedding, the states are scaled first
    (Raffel et al., 2020, in the published code).
    """
    if backbone.tie_embedding_weights:
        states = states * backbone.hidden_dim**-0.5
    return backbone.token_embedding(states, reverse=True)
