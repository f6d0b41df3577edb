"""Drawings of decoding: search, cache, queue."""

import numpy as np

from tools.drawings.formulas import softmax
from tools.drawings.primitives import SMALL, Canvas, signed


def search_tree():
    canvas = Canvas(38)
    width = 2
    first_words = {"the": 0.5, "a": 0.4, "one": 0.1}
    next_words = {
        "the": {"nice": 0.4, "big": 0.35, "old": 0.25},
        "a": {"dog": 0.9, "cat": 0.1},
        "one": {"bird": 0.5, "fish": 0.5},
    }
    kept = sorted(first_words, key=first_words.get, reverse=True)[:width]
    totals = {
        (first, second): first_words[first] * probability
        for first in kept
        for second, probability in next_words[first].items()
    }
    ranking = sorted(totals, key=totals.get, reverse=True)
    found = ranking[0]
    best_dropped = ranking[width]

    canvas.text(16.5, 36, "first word")
    canvas.text(30.5, 36, "second word")
    canvas.text(41, 36, "probability")
    canvas.shape(1, 4, "strong: kept\npale: not kept")
    start = canvas.token(1, 17.2, "[start]", 7, size=SMALL)
    y = 31.2  # of the next leaf
    for first, probability in first_words.items():
        goes_on = first in kept
        role = "ink" if goes_on else "quiet"
        leaves = len(next_words[first])
        middle = y - 4.6 * (leaves - 1) / 2
        name = f"{first} {probability}"
        if goes_on:
            branch = canvas.marked(12, middle, name, 9)
        else:
            branch = canvas.token(12, middle, name, 9, role, SMALL)
        canvas.line(start.right, branch.left, role=role, dashed=not goes_on)
        for second, second_probability in next_words[first].items():
            name = f"{second} {second_probability}"
            if (first, second) in ranking[:width]:
                leaf = canvas.marked(26, y, name, 9)
            else:
                leaf = canvas.token(26, y, name, 9, role, SMALL)
            canvas.line(branch.right, leaf.left, role=role, dashed=not goes_on)
            if goes_on:
                canvas.text(39, y + 1.3, f"{totals[first, second]:.3f}")
            else:
                canvas.text(39, y + 1.3, "?", "quiet")
            if (first, second) == found:
                canvas.small(42.4, y + 1.3, "found", ha="left")
            if (first, second) == best_dropped:
                canvas.small(42.4, y + 1.3, "best dropped", ha="left")
            y -= 4.6
    sentences = ", ".join(
        f'"{first} {second}" {total:.3f}' for (first, second), total in totals.items()
    )
    canvas.describe(f"""
        Seven sentences of two words as a tree that grows to the right, searched with
        two beginnings. First words: "the" with probability {first_words["the"]}, "a"
        {first_words["a"]}, "one" {first_words["one"]}. The two most probable are dark
        and go on; "one" is pale and dropped, and what follows it is never looked at.
        Second words, with the probability of the whole sentence: {sentences}. The best
        two are dark: "{" ".join(found)}", which is found, and "{" ".join(ranking[1])}".
        The most probable of all that was dropped is "{" ".join(best_dropped)}",
        {totals[best_dropped]:.3f}, less than the {totals[found]:.3f} that was found.
    """)
    return canvas


def beam_step():
    canvas = Canvas(42)
    words = ["casa", "mesa", "libro", "rojo"]
    beginnings = ["el", "la"]
    so_far = np.array([-1.6, -0.7])  # log-probabilities of the beginnings
    following = np.array([[0.05, 0.05, 0.5, 0.4], [0.74, 0.25, 0.005, 0.005]])
    sums = so_far[:, None] + np.log(following)  # (K, V)
    order = np.argsort(-sums, axis=None)
    best = [divmod(int(cell), len(words)) for cell in order[:3]]  # (row, column)

    def draw_cache(x, y, fill):
        canvas.cells(x, y, 1, 2, "key", side=1.2, fill=fill)
        canvas.cells(x + 2.8, y, 1, 2, "value", side=1.2, fill=fill)

    def named(cell):
        row, column = cell
        return f"{beginnings[row]} {words[column]}"

    def total_of(cell):
        return signed(sums[cell], "{:.1f}")

    canvas.shape(1, 38.6, "K beginnings\n(B, K)")
    canvas.shape(12.5, 36.2, "cache", ha="center")
    canvas.shape(33.5, 38.6, "sums after each of V words (B, K · V)", ha="center")
    canvas.tokens(18, 33, words, 8)
    for row, beginning in enumerate(beginnings):
        y = 28 - 5 * row
        name = f"{beginning} {signed(so_far[row], '{:.1f}')}"
        canvas.token(1, y + 0.7, name, 8)
        draw_cache(10, y + 1.4, 0.5 * row)
        for column in range(len(words)):
            cell = (row, column)
            fill = 0.04
            if cell in best[:2]:
                fill = 0.6
            elif cell == best[2]:
                fill = 0.25
            x = 18 + 8 * column
            canvas.cell(x, y, 7, 4, "query", fill)
            canvas.text(x + 3.5, y + 2, total_of(cell))
    note = "the best K are kept;\nof the best other,\nonly the number"
    canvas.small(43.6, 17.6, note, "query")
    canvas.shape(1, 10.3, "new beginnings")
    canvas.shape(1, 6.2, "their caches")
    for x, cell in (15.5, best[0]), (29, best[1]):
        token = canvas.marked(x, 9, f"{named(cell)} {total_of(cell)}", 12)
        draw_cache(x + 3.4, 5.6, 0.5)
        canvas.arrow((21.5 + 8 * cell[1], 22.8), (token.top[0], 11.8))
    canvas.shape(28.2, 2.6, "a copy of the parent's, twice", ha="center")
    first, second, third = best
    el = signed(so_far[0], "{:.1f}")
    la = signed(so_far[1], "{:.1f}")
    canvas.describe(f"""
        A step of beam search with K = 2 and a vocabulary of four words, read from top
        to bottom. Two beginnings have the log-probabilities {el}, "el", and {la}, "la".
        A table of two rows and four columns, (B, K · V), holds the sums after each next
        word. The best two of all eight cells are dark, both in the row of "la":
        "{named(first)}" {total_of(first)} and "{named(second)}" {total_of(second)}.
        They are the new beginnings, and both take over the cache of "la"; that of "el"
        is dropped. The third best cell, "{named(third)}" {total_of(third)}, is kept as
        a number only: the best that was dropped.
    """)
    return canvas


def key_value_cache():
    canvas = Canvas(53.5)
    words = ["[start]", "la", "casa"]
    lefts = [11, 20.4, 31]
    weights = softmax(np.array([0.2, 1.0, 1.7]))
    canvas.frame(5, 15.4, 22.4, 13.6, "cache")
    canvas.small(9, 22.1, "k", "key")
    canvas.small(9, 17.5, "v", "value")
    for place, word in enumerate(words):
        x = lefts[place]
        middle = x + 2.1
        newest = place == len(words) - 1
        if newest:
            token = canvas.marked(x - 1.4, 2.4, word, 7)
            canvas.arrow(token.top, (middle, 7.6))
        else:
            token = canvas.token(x - 1.4, 2.4, word, 7)
            canvas.arrow(token.top, (middle, 15.2), "quiet", dashed=True)
        fill = 0.5 if newest else 0.16
        canvas.cells(x, 21.4, 1, 3, "key", side=1.4, fill=fill)
        canvas.cells(x, 16.8, 1, 3, "value", side=1.4, fill=fill)
        canvas.arrow((middle, 22.8), (middle, 30.8), "key")
        canvas.node(middle, 32, "×")
        canvas.arrow((middle, 33.2), (middle, 35.6), "query")
        canvas.weights(x - 0.6, 35.8, [[weights[place]]], 5.4, 3.4, shown="{:.2f}")
        canvas.arrow((middle, 39.2), (middle, 42.8), "query")
        way = (x + 4.2, 17.5), (x + 6, 17.5), (x + 6, 42.8)
        canvas.line(*way, role="value", arrow=True)
    canvas.shape(38, 3.7, "newest (R, 1, D)")
    canvas.box(29.6, 7.8, 21.4, 3.4, "× three matrices", size=SMALL)
    canvas.arrow((33.1, 11.2), (33.1, 16.6))
    canvas.shape(38.4, 18, "join the\ncache")
    canvas.arrow((48.7, 11.2), (48.7, 21.2), "query")
    canvas.cells(46.6, 21.4, 1, 3, "query", side=1.4, fill=0.5)
    canvas.small(44.6, 22.1, "q", "query")
    canvas.line((48.7, 23), (48.7, 32), (14.2, 32), role="query", arrow=True)
    canvas.small(41.6, 33.6, "query × key", "query")
    canvas.small(39.6, 37.5, "softmax", ha="left")
    canvas.box(10.4, 43, 28, 3.4, "sum of weight × value", "value", size=SMALL)
    canvas.arrow((24.4, 46.4), (24.4, 49.6))
    canvas.text(24.4, 51.2, f"new vector of “{words[-1]}” (R, 1, D)")
    canvas.describe(f"""
        The third step of a decoder's self-attention, read from bottom to top. The
        tokens "[start]" and "la" were read in the steps before; their keys k and values
        v stand in the cache. Only the newest token, "{words[-1]}", of shape (R, 1, D),
        is multiplied by the three matrices. That gives a query, a key and a value; key
        and value join the cache, which then holds three of each, (R, H, 3, d). The
        query is multiplied with all three keys; softmax gives three weights, and the
        values times their weights, added up, are the new vector of "{words[-1]}". No
        other query, key, value or row of weights is made.
    """)
    return canvas


def serving_queue():
    canvas = Canvas(46)
    title = "requests arrive, wait, and are answered together"
    canvas.text(1, 43.6, title, ha="left", weight="bold")
    canvas.line((4, 8), (50, 8), arrow=True)
    canvas.shape(50, 5.6, "time", ha="right")
    canvas.shape(4, 10.4, "the server works")
    first = canvas.box(6, 13, 13.6, 6.2, "batch of 1")
    second = canvas.box(20, 13, 16, 6.2, "batch of 3")
    third = canvas.box(40, 13, 9.6, 6.2, "of 1")

    arrivals = [6.1, 11.1, 15.1, 19.1, 40.1]
    for number, x in enumerate(arrivals, 1):
        role = "added" if number == 2 else "ink"
        canvas.token(x - 1.5, 31.6, f"{number}", 3, role)
    canvas.arrow((arrivals[0], 31.4), (arrivals[0], first.top[1] + 0.2))
    canvas.arrow((arrivals[4], 31.4), (arrivals[4], third.top[1] + 0.2))
    begin = second.top[1] + 0.2
    for i, role in (1, "added"), (2, "ink"), (3, "ink"):  # they wait until it is free
        x = arrivals[i]
        level = 19.8 + 2.4 * i
        into = second.x - 0.8 + 1.7 * i
        way = (x, 31.4), (x, level), (into, level), (into, begin)
        canvas.line(*way, role=role, arrow=True)
    canvas.small(25.6, 24.6, "free: it takes\nall that wait", ha="left")

    end = second.x + second.width
    canvas.line((arrivals[1], 38.6), (end, 38.6), role="added", arrow=True)
    canvas.small((arrivals[1] + end) / 2, 40.4, "time of request 2", "added")
    canvas.line((end, 19.4), (end, 38.6), role="quiet", dashed=True)
    canvas.line((arrivals[1], 34.4), (arrivals[1], 38.6), role="quiet", dashed=True)
    canvas.describe("""
        Time runs to the right. Request 1 finds the server free and begins at once, as a
        batch of 1. While the server works, requests 2, 3 and 4 arrive and wait; when it
        is free it takes all three as one batch. The time of request 2 goes from its
        arrival to the end of this batch. Request 5 comes later, and begins at once.
    """)
    return canvas
