"""Published weights through KerasHub: loading and using them.

`course_utils.presets` describes each preset that the course uses. Most are
published and fetched by KerasHub on first use. The tiny ones come with the course, in
`models/presets/`; they are trained by `tools/make_presets.py` on the generated
corpora and take the same way through the code. Where only the package is installed, as
in Colab, they are fetched from the repository's address and checked.
"""

import contextlib
import os
import shutil
import tempfile
import warnings
import zipfile
from pathlib import Path

import numpy as np
from keras import ops

from course_utils.environment import data_dir, quiet_stderr
from course_utils.files import (
    DataError,
    atomic_write,
    make_directory,
    reason,
    sha256,
    shown,
)
from course_utils.models import model_path
from course_utils.presets.cards import CARDS, describe, find_card

MASK = "[MASK]"  # how texts mark the place to fill, whatever the model's own sign


def load(kind, name, **options):
    """Print the size of a preset, then load it.

    Args:
        kind: a class with `from_preset`, such as `keras_hub.models.MaskedLM`.
        name: a name of `CARDS`.
        options: for `from_preset`, such as `num_classes=2` or `load_weights=False`.

    Returns:
        What `from_preset` returns.

    Raises:
        ValueError: there is no such preset.
        DataError: it can't be fetched or read.
    """
    print(describe(name))
    return _load(kind, name, **options)


def _load(kind, name, **options):
    place = str(folder(name)) if find_card(name).sha256 else name
    try:
        with _without_notes():
            return kind.from_preset(place, **options)
    except Exception as error:  # KerasHub passes on whatever its sources raise
        cause = f"Could not load the preset {name} ({reason(error)})"
        if find_card(name).sha256:
            raise DataError(f"{cause}; it comes with the course.") from error
        raise DataError(
            f"{cause}; either check the connection to kaggle.com, where KerasHub "
            f"fetches it on first use, or set COURSE_DATA=sample to use the tiny "
            f"presets that come with the course."
        ) from error


@contextlib.contextmanager
def _without_notes():
    """Hide two notes that ask for nothing while a T5 is built or traced.

    Its attention layers get their masks as arguments, and Keras warns that they drop
    the mask of the embedding; SentencePiece's C++ code says that a text stays as it is.
    """
    with quiet_stderr(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="(?s).*T5.*mask attached to it")
        yield


def folder(name):
    """Return the directory of one of the course's own presets, unpacked.

    Args:
        name: a name of `CARDS` with a `sha256`.
    Raises:
        DataError: it isn't there and can't be fetched, or can't be unpacked.
    """
    zipped = model_path(f"presets/{name}.zip", CARDS[name].sha256, "preset")
    # The name holds the checksum, so that a preset made anew is unpacked anew.
    target = data_dir() / "presets" / f"{name}-{sha256(zipped)[:12]}"
    if not target.is_dir():
        make_directory(target.parent)
        staging = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=target.parent))
        try:
            with zipfile.ZipFile(zipped) as archive:
                archive.extractall(staging)
            with contextlib.suppress(OSError):  # another process was faster
                os.replace(staging, target)
        except (zipfile.BadZipFile, OSError) as error:
            raise DataError(
                f"Could not unpack the preset {shown(zipped)} ({reason(error)}); get "
                f"this file again."
            ) from error
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return target


def pack(parts, path):
    """Write a preset as one zip file: what `save_to_preset` writes, packed.

    Args:
        parts: KerasHub tasks, backbones or tokenizers that make up the preset.
        path: the file to write; it is complete under that name, or not there.
    """
    with tempfile.TemporaryDirectory() as place:
        for part in parts:
            part.save_to_preset(place)
            head = Path(place) / "task.weights.h5"
            if head.exists():
                # KerasHub 0.26 looks in this file for all weights of the task, 0.32
                # only for those outside the backbone; with all, both can load it.
                part.save_weights(head)
        with atomic_write(path, "wb") as file, zipfile.ZipFile(file, "w") as archive:
            for found in sorted(Path(place).rglob("*")):
                if found.is_file():
                    name = found.relative_to(place).as_posix()
                    # without the time of writing, so that equal contents are equal
                    info = zipfile.ZipInfo(name)
                    info.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(info, found.read_bytes())


def token_ids(tokenizer, text):
    """Return a text's ids as a list, whatever the KerasHub tokenizer returns."""
    return np.asarray(ops.convert_to_numpy(tokenizer(text))).astype("int32").tolist()


def unknown_share(tokenizer, texts):
    """Return the share of tokens that the tokenizer doesn't know.

    Args:
        tokenizer: a KerasHub tokenizer. Byte-level ones have no unknown tokens.
        texts: a list of texts.
    Returns:
        A share between 0 and 1 of all tokens, special ones not counted.
    Raises:
        ValueError: there is no token at all.
    """
    known = set(tokenizer.get_vocabulary())
    signs = {tokenizer.token_to_id(sign) for sign in {"[UNK]", "<unk>"} & known}
    ids = [i for text in texts for i in token_ids(tokenizer, text)]
    if not ids:
        raise ValueError("unknown_share: the texts have no tokens; pass some words.")
    return sum(i in signs for i in ids) / len(ids)


def mask_probabilities(masked_lm, texts):
    """Return what a masked language model expects at the mask of each text.

    Args:
        masked_lm: a KerasHub `MaskedLM` task with its preprocessor.
        texts: B texts, each with exactly one "[MASK]".
    Returns:
        (B, V) probabilities.
    Raises:
        ValueError: a text has no mask or several, or is too long for the model.
    """
    tokenizer = masked_lm.preprocessor.tokenizer
    rows = [_ids_with_mask(tokenizer, text) for text in texts]
    longest, limit = max(map(len, rows)), masked_lm.backbone.max_sequence_length
    if longest > limit:
        raise ValueError(
            f"mask_probabilities: a text has {longest} tokens, but the model reads at "
            f"most {limit}; shorten it around its mask."
        )
    ids = np.full((len(rows), longest), tokenizer.pad_token_id, dtype="int32")
    for filled, row in zip(ids, rows, strict=True):
        filled[: len(row)] = row
    lengths = np.array([[len(row)] for row in rows])  # (B, 1)
    inputs = {
        "token_ids": ids,  # (B, T)
        "padding_mask": (np.arange(longest) < lengths).astype("int32"),
        "mask_positions": np.argmax(ids == tokenizer.mask_token_id, axis=1)[:, None],
    }
    if "segment_ids" in masked_lm.input:
        inputs["segment_ids"] = np.zeros_like(ids)
    logits = masked_lm(inputs)[:, 0]  # (B, V)
    return ops.convert_to_numpy(ops.softmax(ops.cast(logits, "float32")))


def _ids_with_mask(tokenizer, text):
    """Return the ids of a text with the model's mask, its start and its end."""
    if text.count(MASK) != 1:
        raise ValueError(
            f"A text to fill needs exactly one {MASK}, but this one has "
            f"{text.count(MASK)}: {text!r}."
        )
    before, after = text.split(MASK)
    # Byte-level models write the space before a word as a part of the word. Theirs
    # is a part of the mask, so the text before it ends without one.
    return [
        tokenizer.start_token_id,
        *token_ids(tokenizer, before.rstrip()),
        tokenizer.mask_token_id,
        *token_ids(tokenizer, after),
        tokenizer.end_token_id,
    ]


def word(tokenizer, token_id):
    """Return a token without the signs for "a space before me" and "no space"."""
    return tokenizer.id_to_token(int(token_id)).replace("Ġ", "").removeprefix("##")


def fill_mask(masked_lm, text, top=5):
    """Return the most probable words for the "[MASK]" of a text.

    Args:
        masked_lm: a KerasHub `MaskedLM` task with its preprocessor.
        text: a text with exactly one "[MASK]".
        top: how many words.
    Returns:
        A list of (word, probability), the most probable first.
    Raises:
        ValueError: the text has no mask or several, or is too long for the model.
    """
    (probabilities,) = mask_probabilities(masked_lm, [text])
    tokenizer = masked_lm.preprocessor.tokenizer
    best = np.argsort(-probabilities)[:top]
    return [(word(tokenizer, i), float(probabilities[i])) for i in best]


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
        tokenizer = _load(keras_hub.tokenizers.T5Tokenizer, name)
        return cls(backbone, tokenizer, source_length)

    def encode(self, texts):
        """Return ids (B, S) that end with the end token, cut at `source_length`."""
        ids = np.full(
            (len(texts), self.source_length), self.tokenizer.pad_token_id, dtype="int32"
        )
        for row, text in zip(ids, texts, strict=True):
            found = token_ids(self.tokenizer, text)[: self.source_length - 1]
            row[: len(found) + 1] = [*found, self.tokenizer.end_token_id]
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
        for place in range(max_length):
            with _without_notes():
                outputs = self.backbone.predict_on_batch(inputs)
            states = outputs["decoder_sequence_output"]  # (B, T, D)
            logits = self.logits(states[:, place])  # (B, V)
            chosen = ops.convert_to_numpy(ops.argmax(logits, axis=-1))
            answer[:, place + 1] = np.where(done, pad, chosen)
            done |= chosen == end
            if done.all():
                break
        return [self._decode(row) for row in answer[:, 1:].tolist()]

    def logits(self, states):
        """Turn the decoder's states (…, D) into logits (…, V)."""
        return text_to_text_logits(self.backbone, states)

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
