"""Prompts: the beginnings of texts that a language model continues."""

from course_utils.arguments import check_sizes
from course_utils.text.vectorizers import PAD, START, UNKNOWN

NOT_WRITTEN = (PAD, UNKNOWN, START)  # ids that no text contains after its beginning


def check_prompts(model, prompts, length):
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
