"""Filling masks with a masked language model of KerasHub's, and its tokens."""

import numpy as np
from keras import ops

MASK = "[MASK]"  # how texts mark the position to fill, whatever the model's own sign


def token_ids(tokenizer, text):
    """Return a text's ids as a list, whatever the KerasHub tokenizer returns."""
    return np.asarray(ops.convert_to_numpy(tokenizer(text))).astype("int32").tolist()


def unknown_rate(tokenizer, texts):
    """Return the rate of tokens that the tokenizer doesn't know.

    Args:
        tokenizer: a KerasHub tokenizer. Byte-level ones have no unknown tokens.
        texts: a list of texts.
    Returns:
        A rate between 0 and 1 of all tokens, special ones not counted.
    Raises:
        ValueError: there is no token at all.
    """
    known = set(tokenizer.get_vocabulary())
    signs = {tokenizer.token_to_id(sign) for sign in {"[UNK]", "<unk>"} & known}
    ids = [i for text in texts for i in token_ids(tokenizer, text)]
    if not ids:
        raise ValueError("unknown_rate: the texts have no tokens; pass some words.")
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


def token_text(tokenizer, token_id):
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
    return [(token_text(tokenizer, i), float(probabilities[i])) for i in best]
