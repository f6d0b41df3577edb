"""Writing on: a language model continues prompts, token by token.

``fast_search`` has a function that writes the same tokens sooner.

Shapes: B texts, T length, V vocabulary.
"""

import keras
import numpy as np

from course_utils.generation.fast_search import fast_generate
from course_utils.generation.graphs import compiled_step
from course_utils.generation.prompts import NOT_WRITTEN, check_prompts
from course_utils.generation.sampling import (
    check_sampling,
    compiled_choice,
    draw_uniforms,
)
from course_utils.text.text_model import check_vocabulary, list_texts
from course_utils.text.vectorizers import END, START, pad


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
    check_prompts(model, prompts, length)
    check_sampling("generate", temperature, top_k, top_p, seed)
    step = compiled_step(model)
    batch_size = len(prompts)
    rows = np.arange(batch_size)
    prompt_lengths = np.array([len(prompt) for prompt in prompts])
    total_length = prompt_lengths.max() + length
    uniforms = draw_uniforms(seed, batch_size, length)
    choose = compiled_choice(model, temperature, top_k, top_p, NOT_WRITTEN)
    tokens = pad(prompts, total_length)  # (B, T), the new tokens come behind
    cache = model.empty_cache(batch_size, total_length - 1)
    done = np.zeros(batch_size, dtype=bool)
    for position in range(total_length - 1):
        logits, cache = step(tokens[:, position], position, cache)  # (B, V)
        # How many new tokens a row has; below 0 its prompt goes on.
        number = position + 1 - prompt_lengths  # (B,)
        writes = (number >= 0) & ~done
        if not writes.any():
            continue
        row_uniforms = uniforms[rows, np.clip(number, 0, length - 1)]  # (B,)
        chosen = choose(logits, row_uniforms)  # (B,)
        tokens[writes, position + 1] = chosen[writes]
        done = done | (writes & ((chosen == END) | (number + 1 == length)))
        if done.all():
            break
    new = prompt_lengths[:, None] + np.arange(length)  # (B, length)
    return np.take_along_axis(tokens, new, axis=1)


@keras.saving.register_keras_serializable(package="course_utils")
class TextGenerator(keras.Model):
    """A language model together with its vectorizer, in one file.

    Saved with ``save("name.keras")`` and read with ``keras.models.load_model``, it
    needs nothing else to write.

    Args:
        vectorizer: a ``CharacterVectorizer`` or ``SubwordVectorizer``.
        model: a ``MiniGPT`` or ``CharacterLSTM`` of the same vocabulary.
    Raises:
        ValueError: the vectorizer has another number of ids.

    Example (not run here, for it needs a trained model):
        ``TextGenerator(vectorizer, model).complete(["This film is "], 100)``
    """

    def __init__(self, vectorizer, model, **kwargs):
        super().__init__(**kwargs)
        check_vocabulary("TextGenerator", vectorizer, "model", model.vocab_size)
        if not model.built:
            model.build()
        self.vectorizer = vectorizer
        self.model = model
        self.built = True

    def call(self, inputs, training=False):
        return self.model(inputs, training=training)

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
        prompts = list_texts("TextGenerator", prompts, "prompts")
        prompt_ids = [[START, *ids] for ids in self.vectorizer.encode(prompts)]
        new_ids = fast_generate(self.model, prompt_ids, length, **options)
        all_ids = [[*old, *new] for old, new in zip(prompt_ids, new_ids, strict=True)]
        # Decoded alone, new subwords would lose the space before the first word.
        prompt_texts = self.vectorizer.decode(prompt_ids)
        whole_texts = self.vectorizer.decode(all_ids)
        completions = []
        for prompt, text in zip(prompt_texts, whole_texts, strict=True):
            completions.append(text[len(prompt) :])
        return completions

    def get_config(self):
        config = super().get_config()
        config["vectorizer"] = keras.saving.serialize_keras_object(self.vectorizer)
        config["model"] = keras.saving.serialize_keras_object(self.model)
        return config

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        for name in ("vectorizer", "model"):
            config[name] = keras.saving.deserialize_keras_object(config[name])
        return cls(**config)
