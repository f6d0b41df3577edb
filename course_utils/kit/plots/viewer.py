"""One HTML page in which a reader explores attention weights, token by token.

The page is a single file: it asks no server and loads nothing. Pointing at a token, or
moving to it with the keyboard, shows its weights as numbers, bars and a spoken text.

Its style, its script and its frame are the files `viewer.css`, `viewer.js` and
`viewer.html`. The tint behind a token never gets stronger than 0.35, so that the text
on it stays readable in both colour schemes; the bar below the text shows the same.

Tokens come from data, so the page doesn't trust them: they travel as JSON in which no
HTML can begin or end, and the script writes them as text, never as HTML.

Example:
    >>> from course_utils.kit.plots import viewer
    >>> weights = [[[[0.9, 0.1], [0.2, 0.8]]]]  # 1 layer, 1 head, 2 targets, 2 sources
    >>> document = viewer.page(["the", "cat"], ["el", "gato"], weights, alt="A map.")
    >>> document.startswith("<!doctype html>")
    True
    >>> viewer.iframe(document, height=400)[:31]
    '<iframe sandbox="allow-scripts"'
"""

import html
import importlib.resources
import json
import string

import numpy as np

DIGITS = 4  # of a stored weight: more would be shown nowhere and double the file

_IFRAME = string.Template(
    '<iframe sandbox="allow-scripts" title="$title" width="100%" height="$height"'
    ' style="border: 1px solid #767676" srcdoc="$document"></iframe>'
)


def page(source_tokens, target_tokens, weights, title="", alt="", layer=-1, head=None):
    """Return a page that shows the weights of each layer and head.

    Args:
        source_tokens: S tokens that are attended to; tokens may repeat.
        target_tokens: T tokens that attend.
        weights: (L, H, T, S) attention weights of all layers and heads, without the
            batch.
        title: heading and title of the page.
        alt: what there is to see, for readers who can't see it; stands on the page.
        layer: index of the layer that is shown first.
        head: index of the head that is shown first; None shows the mean of all heads.
    Returns:
        A complete HTML document as text.
    Raises:
        ValueError: the weights aren't (L, H, T, S), don't fit the tokens, or are
            negative or not finite; there is no such layer or head; or there is no text
            alternative.
    """
    source = [str(token) for token in source_tokens]
    target = [str(token) for token in target_tokens]
    weights = _checked(weights, source, target)
    if not str(alt).strip():
        raise ValueError("The attention viewer needs a text alternative: pass alt='…'.")
    layers, heads = weights.shape[:2]
    first_layer = _index(layer, layers, "layer")
    first_head = "mean" if head is None else _index(head, heads, "head")
    data = {
        "source": source,
        "target": target,
        "weights": np.round(weights, DIGITS).tolist(),
    }
    return string.Template(_part("viewer.html")).substitute(
        title=_text(title) or "Attention viewer",
        alt=_text(alt),
        layers=_options({n: n + 1 for n in range(layers)}, first_layer),
        heads=_options(
            {"mean": "mean of all heads"} | {n: n + 1 for n in range(heads)}, first_head
        ),
        data=_json(data),
        style=_part("viewer.css"),
        script=_part("viewer.js"),
    )


def iframe(document, height, title="Attention viewer"):
    """Return an element that shows a document inside another page.

    The document may run its own script, but can't reach the page around it.

    Args:
        document: a complete HTML document as text.
        height: of the element, in pixels.
        title: what screen readers call the element.
    Returns:
        One ``<iframe>`` as text.
    """
    return _IFRAME.substitute(
        title=_text(title), height=int(height), document=html.escape(document)
    )


def _part(name):
    """Return the text of a file beside this one."""
    return importlib.resources.files(__package__).joinpath(name).read_text("utf-8")


def _checked(weights, source, target):
    """Return the weights as an array (L, H, T, S), or say what is wrong with them."""
    weights = np.asarray(weights, dtype="float64")
    if weights.ndim != 4:
        raise ValueError(
            f"The weights have the shape {weights.shape}; expected (L, H, T, S): "
            "layers, heads, target tokens, source tokens, without the batch."
        )
    if 0 in weights.shape:
        raise ValueError(
            f"The weights have the shape {weights.shape}; expected at least one layer, "
            "one head, one target token and one source token."
        )
    if weights.shape[2:] != (len(target), len(source)):
        raise ValueError(
            f"The weights have the shape {weights.shape}, but there are {len(target)} "
            f"target tokens and {len(source)} source tokens; cut off the padding, or "
            "pass one token for each row and column."
        )
    bad = np.argwhere(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        position = tuple(int(number) for number in bad[0])
        raise ValueError(
            f"The weight at (layer, head, target, source) = {position} is "
            f"{weights[position]:g}; expected finite numbers that are not negative."
        )
    return weights


def _index(number, count, kind):
    """Return an index counted from 0; negative ones count from the end."""
    try:
        return range(count)[number]
    except IndexError:
        raise ValueError(
            f"There is no {kind} with the index {number}; the weights have {count}."
        ) from None


def _options(labels, chosen):
    """Return the options of a ``<select>``: dict from value to label, one chosen."""
    options = []
    for value, label in labels.items():
        selected = " selected" if value == chosen else ""
        options.append(f'<option value="{value}"{selected}>{label}</option>')
    return "".join(options)


def _text(text):
    """Return one line of text that is safe in HTML and in an attribute."""
    return html.escape(" ".join(str(text).split()))


def _json(data):
    """Return JSON in ASCII that is safe in a ``<script>``: no tag can begin in it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.translate({ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&"})
