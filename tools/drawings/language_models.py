"""Drawings of language models."""

from collections import Counter
from fractions import Fraction

import numpy as np

from tools.drawings.primitives import SMALL, Canvas


def _followers(text, history):
    """Return how often each letter follows a history in a text."""
    counts = Counter()
    for start in range(len(text) - len(history)):
        end = start + len(history)
        if text[start:end] == history:
            counts[text[end]] += 1
    return counts


def mixed_histories():
    canvas = Canvas(38)
    text = "abracadabra"
    letter = "b"
    kinds = len(set(text))
    probability = 1 / kinds

    def draw_row(y, name, how):
        canvas.small(14, y, name, ha="left")
        canvas.small(41.4, y, how, ha="right")
        canvas.cell(43, y - 1.9, 6.4, 3.8, "query", probability)
        canvas.text(46.2, y, f"{probability:.3f}")

    canvas.text(1, 35.4, "history", ha="left")
    canvas.text(46.2, 35.4, f"P({letter} | …)")
    draw_row(30.6, "no history", f"1/{kinds}")
    rows = [f"1/{kinds} = {probability:.3f}"]
    shares = []
    for number, history in enumerate(["", "a", "ra"], 1):
        y = 30.6 - 8.8 * number
        counts = _followers(text, history)
        here = counts[letter]
        total = counts.total()
        followers = len(counts)
        how = f"({here} + {followers} · {probability:.3f}) / ({total} + {followers})"
        probability = (here + followers * probability) / (total + followers)
        draw_row(y, f"after “{history}”" if history else "single letters", how)
        rows.append(f"{how} = {probability:.3f}")
        for place, sign in enumerate(reversed(history)):
            canvas.token(8.2 - 3.4 * place, y - 1.3, sign, 3)
        canvas.arrow((46.2, y + 6.8), (46.2, y + 2), "query")
        shares.append(str(Fraction(followers, total + followers)))
        canvas.small(47.2, y + 4.4, f"× {shares[-1]}", "query", ha="left")
        noun = "kind" if followers == 1 else "kinds"
        note = f"{letter} {here} times of {total}, {followers} {noun}"
        canvas.small(41.4, y + 2.7, note, "quiet", ha="right")
    canvas.describe(f"""
        How counting mixes long and short histories, read from top to bottom, for the
        text "{text}" and the letter {letter}. Without a history all five letters are
        equally probable: {rows[0]}. Single letters: {letter} stands there 2 times among
        11 letters of 5 kinds, {rows[1]}. After "a": {letter} followed 2 of 4 times,
        with 3 kinds, {rows[2]}. After "ra": {letter} followed 0 of 1 times, with 1
        kind, {rows[3]}. An arrow leads from each probability down to the next one,
        where it is mixed with the counts of the longer history; the number at the arrow
        is its weight: {shares[0]}, {shares[1]} and {shares[2]}.
    """)
    return canvas


def mini_gpt():
    canvas = Canvas(52.5)
    text = ["T", "h", "e", "␣"]
    inputs = ["[start]", *text[:-1]]
    for place in range(len(text)):
        x = 9 + 7.5 * place
        middle = x + 3
        canvas.token(x, 3.4, inputs[place], size=SMALL)
        canvas.token(x, 48.2, text[place], size=SMALL)
        for start, end in (
            (6, 9.4),
            (13.6, 17.2),
            (28.4, 31.6),
            (35.2, 38.4),
            (42.4, 46),
        ):
            canvas.arrow((middle, start), (middle, end))
    table = canvas.box(8, 9.4, 30.5, 4.2, "vectors from the table + positions")
    canvas.stack(8, 17.2, 30.5, 9, "", "decoder")
    canvas.text(18.4, 21.7, "L causal blocks")
    canvas.weights(29.4, 18.1, np.where(np.tri(4), 0.35, np.nan), 1.8, 1.8)
    canvas.box(8, 31.6, 30.5, 3.6, "layer norm")
    canvas.box(8, 38.4, 30.5, 4, "× the same table", "added")
    way = table.right, (44.5, 11.5), (44.5, 40.4), (38.6, 40.4)
    canvas.line(*way, role="added", width=2.2, arrow=True)
    canvas.small(45.2, 28, "tied:\none table,\nV × D", "added", ha="left")
    canvas.shape(1, 4.7, "ids\n(B, T)")
    canvas.shape(1, 15.4, "(B, T, D)")
    canvas.shape(1, 30, "(B, T, D)")
    canvas.shape(1, 44.2, "(B, T, V)")
    canvas.shape(1, 49.5, "targets")
    canvas.describe(f"""
        A mini GPT, read from bottom to top. Ids of "{" ".join(inputs)}", of shape (B,
        T), get a vector each from a table of V rows, and one for their position: (B, T,
        D). L causal blocks follow, one above the other; in a small map of a block all
        later cells are crossed, for a position sees itself and earlier ones only. Then
        a layer norm, and logits of shape (B, T, V): each vector is compared with the
        rows of the same table, by a purple line from the table at the bottom to the
        top. Above stand the targets, the same text one step on: "{" ".join(text[:-1])}"
        and a space.
    """)
    return canvas
