"""Draw the README's picture with the translator that comes with the course.

    python -m tools.readme_picture

It shows the weights of one cross-attention head, for each Spanish word that is chosen.
The picture goes to website/static/attention.png, its text into README.md.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from course_utils.seq2seq import Translator
from tools.texts import fill_between

ROOT = Path(__file__).resolve().parents[1]
PICTURE = "website/static/attention.png"
SENTENCE = "My sister bought a red car yesterday."
BLOCK, HEAD = -1, 2  # the third head of the last decoder block
ENCODER, DECODER, WEIGHT = "#E3F0F8", "#FCF1DC", "#0072B2"  # grounds, and the weights
HIGH, LOW = 1.0, 0.0  # where the two sentences stand


def cross_attention(translator, sentence=SENTENCE):
    """Return the English words, the Spanish words and one head's weights (T, S).

    A word of several subwords has the weights with which its first one was chosen.
    """
    _, ((source, target, weights),) = translator.translate(
        [sentence], method="beam", return_attention=True
    )
    starts = [t for t, token in enumerate(target) if _starts_a_word(token)]
    words = [
        "".join(target[a:b]).lstrip("▁")
        for a, b in zip(starts, [*starts[1:], None], strict=True)
    ]
    return [s.lstrip("▁") for s in source], words, weights[BLOCK, HEAD][starts]


def _starts_a_word(token):
    return token.startswith("▁") or not token.isalpha()


def description(source, target, weights):
    """Return the picture's text: the English word with most weight for each word."""
    strongest = np.argmax(weights, axis=-1)  # (T,)
    links = [
        f"{word} – {source[s]} ({weights[t, s]:.0%})"
        for t, (word, s) in enumerate(zip(target, strongest, strict=True))
        if word.isalpha()
    ]
    return (
        f"The English sentence “{SENTENCE}” above its Spanish translation. Lines join "
        "each Spanish word to the English words that it attends to; the most weight "
        f"have {', '.join(links)}."
    )


def draw(source, target, weights):
    """Return the figure: two rows of words, a line for each weight."""
    figure, axes = plt.subplots(figsize=(7.2, 2.5), layout="constrained")
    across = max(len(source), len(target)) - 1
    above, below = (np.linspace(0, across, len(words)) for words in (source, target))
    for t, s in np.argwhere(weights > 0.02):
        axes.plot(
            [below[t], above[s]],
            [LOW, HIGH],
            color=WEIGHT,
            alpha=float(weights[t, s]),
            linewidth=5 * weights[t, s],
            solid_capstyle="butt",
        )
    _row(axes, source, above, HIGH, ENCODER, "English: read by the encoder")
    _row(
        axes,
        target,
        below,
        LOW,
        DECODER,
        "Spanish: written by the decoder, word after word",
    )
    axes.set(xlim=(-0.7, across + 0.5), ylim=(-0.4, 1.4))
    note = "wider and darker line = more attention weight"
    axes.text(across + 0.45, LOW - 0.3, note, size=10, color=WEIGHT, ha="right")
    axes.axis("off")
    return figure


def _row(axes, words, places, height, ground, name):
    axes.axhspan(height - 0.16, height + 0.16, color=ground)
    side = 0.22 if height == HIGH else -0.3
    axes.text(-0.65, height + side, name, size=10, color="#444444")
    box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": "#666666"}
    for word, place in zip(words, places, strict=True):
        axes.text(place, height, word, size=12, ha="center", va="center", bbox=box)


def main(root=ROOT):
    """Write the picture, and its text into the README."""
    shown = cross_attention(Translator.load(root / "models/en_es.keras"))
    draw(*shown).savefig(root / PICTURE, dpi=200, facecolor="white")
    image = f"![{description(*shown)}]({PICTURE})"
    fill_between(root / "README.md", "picture", image)
    print(image)


if __name__ == "__main__":
    sys.exit(main())
