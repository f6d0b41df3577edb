"""Arguments that can't be right: one clear sentence before anything is computed."""

import numbers


def check_sizes(owner, **sizes):
    """Raise a ValueError unless every size is a positive whole number.

    Args:
        owner: the class or function that was called, with which the sentence begins.
        sizes: by the names of the arguments.
    """
    for name, size in sizes.items():
        if not isinstance(size, numbers.Integral) or size <= 0:
            raise ValueError(
                f"{owner}: {name} is {size!r}; it must be a positive whole number."
            )


def check_heads(owner, embed_dim, num_heads):
    """Raise a ValueError unless ``embed_dim`` splits into ``num_heads`` equal parts."""
    check_sizes(owner, embed_dim=embed_dim, num_heads=num_heads)
    if embed_dim % num_heads != 0:
        raise ValueError(
            f"{owner}: embed_dim ({embed_dim}) must be divisible by num_heads "
            f"({num_heads}), because each head gets embed_dim / num_heads columns."
        )


def check_rate(owner, name, rate):
    """Raise a ValueError unless something can happen at a rate, and not happen."""
    if not 0 <= rate < 1:
        raise ValueError(
            f"{owner}: {name} is {rate}; it must be at least 0 and below 1."
        )


def check_option(owner, name, option, known):
    """Raise a ValueError unless an option is one of those that are known."""
    if option not in known:
        raise ValueError(f"{owner}: {name} is {option!r}; expected one of {known}.")


def check_attention_mask(owner, mask_shape, scores_shape):
    """Raise a ValueError unless a mask broadcasts to the shape of the scores.

    Sizes that aren't known yet, as in a functional model, pass.

    Args:
        owner: the layer that was called.
        mask_shape: of a mask (T, S) or with more axes before these two.
        scores_shape: (B, T, S), or (B, H, T, S) where there are heads; a mask of three
            axes is (B, T, S) even so.
    """
    fits = 2 <= len(mask_shape) <= len(scores_shape)
    if fits:
        axes = {2: scores_shape[-2:], 3: (scores_shape[0], *scores_shape[-2:])}
        axes_of_mask = axes.get(len(mask_shape), scores_shape)
        for size, wanted in zip(mask_shape, axes_of_mask, strict=True):
            if size not in (None, 1) and wanted not in (None, size):
                fits = False
    if not fits:
        raise ValueError(
            f"{owner}: attention_mask has shape {tuple(mask_shape)}, which doesn't "
            f"broadcast to the scores {tuple(scores_shape)}; pass (T, S), (B, T, S) or "
            f"a mask of the scores' own shape."
        )
