"""Draw the README's picture with the translator that comes with the course.

    python -m tools.readme_picture

It shows the weights of one cross-attention head, for each Spanish word that is chosen.
The picture goes to website/static/attention.png, its text into README.md.
"""

import sys
from pathlib import Path

import numpy as np

from course_utils.seq2seq import Translator
from tools.drawings.primitives import TEXT, Canvas
from tools.texts import fill_markers

ROOT = Path(__file__).resolve().parents[1]
PICTURE = "website/static/attention.png"
SENTENCE = "My sister bought a red car yesterday."
BLOCK, HEAD = -1, 2  # the third head of the last decoder block
LEAST = 0.02  # a smaller weight isn't drawn


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
    canvas = Canvas(25, width=72)
    sides = (
        (source, 17.6, 24, "encoder", "English: read by the encoder"),
        (target, 4.8, 2, "decoder", "Spanish: written by the decoder, word after word"),
    )
    middles = []  # of the words of a side
    for words, y, beside, ground, name in sides:
        canvas.part(0.5, y - 1, 71, 4.6, ground)
        canvas.text(1, beside - 0.6, name, ha="left")
        step = 70 / len(words)
        canvas.tokens(1.4, y, words, step, step - 0.8, size=TEXT)
        middles.append([1 + (i + 0.5) * step for i in range(len(words))])
    for t, s in np.argwhere(weights > LEAST):
        start, end = (middles[1][t], 7.4), (middles[0][s], 17.6)
        canvas.weighted(start, end, float(weights[t, s]))
    note = "wider and darker line = more attention weight"
    canvas.text(71, 1.4, note, "query", ha="right")
    return canvas.figure


def main(root=ROOT):
    """Write the picture, and its text into the README."""
    shown = cross_attention(Translator.load(root / "models/en_es.keras"))
    draw(*shown).savefig(root / PICTURE, dpi=200)
    image = f"![{description(*shown)}]({PICTURE})"
    fill_markers(root / "README.md", "picture", image)
    print(image)


if __name__ == "__main__":
    sys.exit(main())
