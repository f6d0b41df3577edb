"""Writing on: a language model continues prompts, token by token.

Shapes: B texts, T length, V vocabulary.
"""

import keras
import numpy as np

from course_utils.arguments import check_sizes
from course_utils.generation.loop import decode
from course_utils.generation.sampling import check_sampling
from course_utils.text.text_model import TextModel
from course_utils.text.vectorizers import PAD, START, UNKNOWN

NOT_WRITTEN = (PAD, UNKNOWN, START)  # ids that no text contains after its beginning


def generate(model, prompts, length, temperature=1.0, top_k=None, top_p=None, seed=0):
    """Continue prompts token by token, all of them side by side.

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
    _check_prompts(model, prompts, length)
    sampling = dict(temperature=temperature, top_k=top_k, top_p=top_p, seed=seed)
    check_sampling("generate", **sampling)
    limits = np.full(len(prompts), length)
    return decode(model, prompts, limits, barred=NOT_WRITTEN, **sampling)


def _check_prompts(model, prompts, length):
    """Raise a ValueError for prompts that can't be continued by so many ids."""
    lengths = [len(prompt) for prompt in prompts]
    if not lengths:
        raise ValueError("generate: there is no prompt; pass at least one.")
    if 0 in lengths:
        raise ValueError(
            f"generate: prompt {lengths.index(0)} is empty; begin each prompt with "
            f"START ({START})."
        )
    check_sizes("generate", length=length)
    context = getattr(model, "sequence_length", None)
    # The last new token is written, but never read.
    if context is not None and max(lengths) + length - 1 > context:
        raise ValueError(
            f"generate: a prompt of {max(lengths)} ids and {length} new ones don't "
            f"fit into the model's context of {context}; shorten one of them."
        )


@keras.saving.register_keras_serializable(package="course_utils")
class TextGenerator(TextModel):
    """A language model together with its vectorizer, in one file.

    Args:
        vectorizer: a ``CharacterVectorizer`` or ``SubwordVectorizer``.
        model: a ``MiniGPT`` or ``CharacterLSTM`` of the same vocabulary.

    Example (not run here, for it needs a trained model):
        ``TextGenerator(vectorizer, model).complete(["This film is "], 100)``
    """

    def __init__(self, vectorizer, model, **kwargs):
        if not model.built:
            model.build()
        super().__init__(vectorizer, model, model.vocab_size, **kwargs)

    def complete(self, prompts, length=100, **options):
        """Write on from each prompt.

        Args:
            prompts: list of N strings. An empty one starts a new text. A character
                outside the vocabulary is read as unknown.
            length: largest number of new tokens, so of characters or subwords; a text
                may end before.
            options: temperature, top_k, top_p and seed of ``generate``.
        Returns:
            A list of N strings, what is new without the prompts. A new word of
            subwords begins with its space, so a prompt should not end with one.
        Raises:
            ValueError: as ``generate``, and for prompts that aren't strings.
        """
        prompts = self.list_texts(prompts, "prompts")
        ids = [[START, *row] for row in self.vectorizer.encode(prompts)]
        new = generate(self.model, ids, length, **options)
        written = [[*prompt, *row] for prompt, row in zip(ids, new, strict=True)]
        read, written = map(self.vectorizer.decode, (ids, written))
        return [text[len(old) :] for old, text in zip(read, written, strict=True)]
