"""SmolLM2 asked for a label, and how fast it writes, for `benchmarks.pretrained`."""

import itertools

import numpy as np
import tensorflow as tf
from keras import ops

from course_utils.kit import presets
from course_utils.text import pad

SYSTEM = (
    "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by "
    "Hugging Face<|im_end|>\n"
)
USER = f"{SYSTEM}<|im_start|>user\n"
ASSISTANT = "<|im_end|>\n<|im_start|>assistant\n"
ASK = "Is this film review positive or negative?"

# What stands before a review and behind it, the two answers, and what ends an example.
PROMPTS = {
    "label": ("Review:", "\nSentiment:", (" negative", " positive"), "\n\n"),
    "question": (
        "Review:",
        f"\n{ASK}\nAnswer:",
        (" negative", " positive"),
        "\n\n",
    ),
    "taste": ("Review:", "\nIn short, the film is", (" bad", " good"), "\n\n"),
    "chat": (
        f"{USER}{ASK}\n\n",
        ASSISTANT,
        ("Negative", "Positive"),
        "<|im_end|>\n",
    ),
}

# `place` is a number that changes from step to step: one graph for all of them.
GRAPH_OPTIONS = {"reduce_retracing": True, "autograph": False}


class Writer:
    """A causal language model of KerasHub, read step by step with its cache.

    Args:
        model: a ``keras_hub.models.CausalLM``.
    """

    def __init__(self, model):
        self.body = model.backbone
        self.pieces = model.preprocessor.tokenizer
        self.step = tf.function(model.call_with_cache, **GRAPH_OPTIONS)

    def ids_of(self, text):
        return presets.token_ids(self.pieces, text)

    def text_of(self, ids):
        """Return the text of some ids; older KerasHubs give it as bytes."""
        if not ids:
            return ""
        (text,) = np.asarray(self.pieces.detokenize([ids])).reshape(-1).tolist()
        return text.decode() if isinstance(text, bytes) else text

    def empty_cache(self, rows, length):
        """Return room for the keys and values of all blocks: (B, L, 2, T, H, d)."""
        heads = getattr(self.body, "num_query_heads", None) or self.body.num_heads
        shared = getattr(self.body, "num_key_value_heads", None) or heads
        width = self.body.hidden_dim // heads
        return ops.zeros((rows, self.body.num_layers, 2, length, shared, width))

    def read(self, ids, cache, place):
        """Read ids (B, T) from a place on; return logits (B, T, V), a fuller cache."""
        ids = ops.convert_to_tensor(np.asarray(ids, "int32"))
        place = tf.constant(np.asarray(place, "int32"))
        logits, _, cache = self.step(ids, cache, place)
        return ops.convert_to_numpy(logits), cache

    def go_on(self, text, count=24):
        """Return a text with the most probable pieces after it, and their number."""
        new = self.ids_of(text)
        cache = self.empty_cache(1, len(new) + count)
        place = 0
        written = []
        while len(written) < count:
            logits, cache = self.read([new], cache, place)
            place += len(new)
            new = [int(logits[0, -1].argmax())]
            if new[0] == self.pieces.end_token_id:
                break
            written += new
        return text + self.text_of(written), len(written)

    def log_odds(self, prefix, texts, suffix, answers, rows=4):
        """Return the log-odds of answers[1] against answers[0] after each text, (N,).

        The prefix is read once, and its cache is shared by all texts.

        Raises:
            ValueError: an answer is more than one piece.
        """
        pieces = [self.ids_of(answer) for answer in answers]
        if [len(ids) for ids in pieces] != [1, 1]:
            raise ValueError(f"Each of the answers {answers} has to be one piece.")
        (no,), (yes,) = pieces
        shared = self.ids_of(prefix)
        parts = [self.ids_of(text + suffix) for text in texts]
        longest = max(len(part) for part in parts)
        _, cache = self.read([shared], self.empty_cache(1, len(shared) + longest), 0)
        odds = []
        for start in range(0, len(parts), rows):
            some = parts[start : start + rows]
            caches = ops.repeat(cache, len(some), axis=0)
            logits, _ = self.read(pad(some), caches, len(shared))  # padding comes last
            ends = [len(part) - 1 for part in some]
            last = logits[np.arange(len(some)), ends]  # (B, V)
            odds.extend(last[:, yes] - last[:, no])
        return np.array(odds)


def short(text, words):
    """Return the beginning and the end of a text."""
    all_words = text.split()
    if len(all_words) <= 2 * words:
        return text
    return " ".join([*all_words[:words], "...", *all_words[-words:]])


def labelled(scores, neutral):
    """Return labels of log-odds (N,) in three ways; neutral is that of no review."""
    shifts = {
        "as it says": 0,
        "calibrated": neutral,
        "half and half": np.median(scores),
    }
    return {name: (scores > shift).astype(int) for name, shift in shifts.items()}


def with_examples(examples, prefix, suffix, answers, end):
    """Return a prefix that shows examples (text, label) first."""
    shown = [f" {text}{suffix}{answers[label]}{end}" for text, label in examples]
    again = prefix.removeprefix(SYSTEM)  # the system speaks once, at the beginning
    return prefix + again.join([*shown, ""])


def orders_of(texts, labels, shots):
    """Return the examples, some of each label, in every order of their labels."""
    of_label = []
    for wanted in (0, 1):
        chosen = [t for t, label in zip(texts, labels, strict=True) if label == wanted]
        of_label.append(chosen[:shots])
    orders = {}
    for pattern in sorted(set(itertools.permutations([0] * shots + [1] * shots))):
        rows = []
        for i, label in enumerate(pattern):
            rows.append((of_label[label][pattern[:i].count(label)], label))
        orders["".join("-+"[label] for label in pattern)] = rows
    return orders
