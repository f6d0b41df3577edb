"""Writing on: a language model continues prompts, token by token.

Shapes: B texts, T length, V vocabulary.
"""

import keras
import numpy as np
from keras import ops

from course_utils.attention.multi_head import check_sizes
from course_utils.generation.search import draw, keep_top_k, keep_top_p
from course_utils.generation.steps import NEVER, compiled
from course_utils.text.characters import CharacterVectorizer  # noqa: F401  for loading
from course_utils.text.text_model import TextModel
from course_utils.text.vectorizers import END, PAD, START, UNKNOWN, pad

NOT_WRITTEN = (PAD, UNKNOWN, START)  # ids that no text contains after its beginning


def generate(model, prompts, length, temperature=1.0, top_k=None, top_p=None, seed=0):
    """Continue prompts token by token, all of them in one compiled loop.

    The logits are divided by the temperature; then ``top_k``, and after it ``top_p``,
    leave only the most probable tokens to draw from. What a row gets depends on its
    prompt, the seed and its place in the batch, not on the other rows or ``length``.

    Args:
        model: a language model with ``empty_cache`` and ``step``.
        prompts: lists of ids, which may differ in length; the first id is ``START``.
        length: largest number of new tokens, the end included.
        temperature: 0 takes the most probable token; below 1 the probable tokens
            become more probable, above 1 less.
        top_k: draw from the k most probable tokens, see ``keep_top_k``; None for all.
        top_p: draw from the nucleus of this probability, see ``keep_top_p``; None for
            all tokens.
        seed: integer from 0; the same seed gives the same tokens.
    Returns:
        (B, length) NumPy array of the new ids; after the end there is padding.
    Raises:
        ValueError: for prompts that are empty or longer than the model's context,
            and for a length, temperature, ``top_k``, ``top_p`` or seed that isn't as
            described.
    """
    lengths = _check_prompts(model, prompts, length)
    _check_sampling(temperature, top_k, top_p, seed)
    rows = np.random.default_rng(seed).spawn(len(lengths))
    draws = np.stack([row.random(length, dtype="float32") for row in rows])
    loop = compiled(
        _generate_loop,
        model,
        greedy=temperature == 0,
        top_k=None if top_k is None else int(top_k),
        nucleus=top_p is not None,
    )
    heat, share = float(temperature), 1.0 if top_p is None else float(top_p)
    tokens = ops.convert_to_numpy(loop(pad(prompts), lengths, draws, heat, share))
    new = lengths[:, None] + np.arange(length)  # (B, length)
    return np.take_along_axis(tokens, new, axis=1)


def _check_prompts(model, prompts, length):
    """Return the number of ids of each prompt (B,), or raise a ValueError."""
    lengths = np.array([len(prompt) for prompt in prompts], dtype="int32")
    if not len(lengths):
        raise ValueError("generate: there is no prompt; pass at least one.")
    if not lengths.all():
        raise ValueError(
            f"generate: prompt {int(lengths.argmin())} is empty; begin each prompt "
            f"with START ({START})."
        )
    check_sizes("generate", length=length)
    context = getattr(model, "sequence_length", None)
    # The last new token is written, but never read.
    if context is not None and lengths.max() + length - 1 > context:
        raise ValueError(
            f"generate: a prompt of {lengths.max()} ids and {length} new ones don't "
            f"fit into the model's context of {context}; shorten one of them."
        )
    return lengths


def _check_sampling(temperature, top_k, top_p, seed):
    """Raise a ValueError for what ``generate`` can't draw with."""
    if not 0 <= temperature < float("inf"):
        raise ValueError(
            f"generate: temperature is {temperature}; it must be 0 (always the most "
            f"probable token) or above."
        )
    if top_k is not None:
        check_sizes("generate", top_k=top_k)
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(
            f"generate: top_p is {top_p}; it must be above 0 and at most 1."
        )
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(
            f"generate: seed is {seed!r}; expected an integer, at least 0."
        )


def _generate_loop(
    model, prompts, lengths, draws, temperature, top_p, greedy, top_k, nucleus
):
    """Return (B, longest prompt + new tokens) ids: prompts, continuations, padding."""
    rows, new_tokens = ops.shape(draws)[0], ops.shape(draws)[1]
    columns = ops.shape(prompts)[1] + new_tokens
    room = ops.zeros((rows, new_tokens), dtype="int32")

    def choose(logits, number):
        logits = ops.cast(logits, "float32")
        if greedy:
            return ops.squeeze(ops.top_k(_written(logits), 1)[1], 1)
        logits = _written(logits / temperature)
        if top_k is not None:
            logits = keep_top_k(logits, top_k)
        if nucleus:
            logits = keep_top_p(logits, top_p)
        return draw(logits, ops.squeeze(ops.take_along_axis(draws, number, 1), 1))

    def unfinished(position, tokens, ended, cache):
        full = position + 1 >= lengths + new_tokens
        return ops.logical_not(ops.all(ops.logical_or(ended, full)))

    def step(position, tokens, ended, cache):
        logits, cache = model.step(tokens[:, position], position, cache)
        # How many new tokens a row has; below 0 while its prompt is still being read.
        count = position + 1 - lengths  # (B,)
        number = ops.expand_dims(ops.clip(count, 0, new_tokens - 1), 1)
        chosen = ops.cast(choose(logits, number), "int32")
        done = ops.logical_or(ended, count >= new_tokens)
        chosen = ops.where(done, PAD, chosen)
        chosen = ops.where(count < 0, tokens[:, position + 1], chosen)
        ended = ops.logical_or(ended, ops.logical_and(count >= 0, chosen == END))
        tokens = ops.slice_update(tokens, (0, position + 1), ops.expand_dims(chosen, 1))
        return position + 1, tokens, ended, cache

    state = (
        ops.convert_to_tensor(0),
        ops.concatenate([ops.cast(prompts, "int32"), room], axis=1),
        ops.zeros((rows,), dtype="bool"),
        model.empty_cache(rows, columns),
    )
    return ops.while_loop(unfinished, step, state)[1]


def _written(logits):
    """Rule out the ids that stand for no character and no end."""
    barred = np.isin(np.arange(logits.shape[-1]), NOT_WRITTEN)  # (V,)
    return ops.where(barred, NEVER, logits)


@keras.saving.register_keras_serializable(package="course_utils")
class TextGenerator(TextModel):
    """A language model together with its vectorizer, in one file.

    Args:
        vectorizer: a ``CharacterVectorizer``.
        model: a ``MiniGPT`` or ``CharacterLSTM`` of the same vocabulary.

    Example (not run here, for it needs a trained model):
        ``TextGenerator(vectorizer, model).complete(["This film is "], 100)``
    """

    def __init__(self, vectorizer, model, **kwargs):
        if not model.built:
            model.build()
        super().__init__(vectorizer, model, model.options["vocab_size"], **kwargs)

    def complete(self, prompts, length=100, **options):
        """Write on from each prompt.

        Args:
            prompts: list of N strings. An empty one starts a new text. A character
                outside the vocabulary is read as unknown.
            length: largest number of new characters; a text may end before.
            options: temperature, top_k, top_p and seed of ``generate``.
        Returns:
            A list of N strings, the new characters without the prompts.
        Raises:
            ValueError: as ``generate``, and for prompts that aren't strings.
        """
        prompts = self.list_texts(prompts, "prompts")
        ids = [[START, *found] for found in self.vectorizer.encode(prompts)]
        return self.vectorizer.decode(generate(self.model, ids, length, **options))
