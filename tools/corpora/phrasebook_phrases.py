"""Phrases in two languages whose words know what they express.

A word carries the names of what it expresses, such as "object.noun" or "verb"; words
of the two sides that share a name are linked. `+` adds a following part.
"""

import functools
import hashlib
from typing import NamedTuple

HELD_OUT_PART = 12  # one combination in twelve is kept for the test


class Sentence(NamedTuple):
    """A finished pair; `links` join token numbers, English first."""

    english: str
    spanish: str
    links: list
    held_out: bool


class Phrase(NamedTuple):
    """A part of a sentence: lists of (word, names) and combinations of lemmas."""

    english: tuple = ()
    spanish: tuple = ()
    combinations: tuple = ()

    def __add__(self, other):
        return Phrase(
            *(mine + theirs for mine, theirs in zip(self, other, strict=True))
        )


def marked(text, *names):
    """Return the words of `text`, all expressing `names`."""
    return tuple((word, frozenset(names)) for word in text.split())


@functools.cache
def held_out(combination):
    """Tell whether two lemmas may meet in test sentences only."""
    digest = hashlib.sha256(" + ".join(combination).encode()).digest()
    return digest[0] % HELD_OUT_PART == 0


def personal(phrase):
    """Put the personal `a` before a Spanish object that is a person."""
    return phrase._replace(spanish=marked("a") + phrase.spanish)


def finish(phrase, question):
    """Contract, punctuate, capitalise and link a phrase: a `Sentence`."""
    sign = marked("?", "sign") if question else marked(".", "sign")
    english = articles(phrase.english) + sign
    spanish = contract(phrase.spanish) + sign
    if question:
        spanish = marked("¿", "sign") + spanish
    links = [
        (i, j)
        for i, (_, mine) in enumerate(english)
        for j, (_, theirs) in enumerate(spanish)
        if mine & theirs
    ]
    return Sentence(
        text(english), text(spanish), links, any(map(held_out, phrase.combinations))
    )


def contract(tokens):
    """Join `a el` to `al` and `de el` to `del`."""
    joined = []
    for word, names in tokens:
        if word == "el" and joined and joined[-1][0] in ("a", "de"):
            before, more = joined.pop()
            word, names = before + "l", names | more
        joined.append((word, names))
    return tuple(joined)


def articles(tokens):
    """Turn `a` into `an` before a vowel."""
    following = [word for word, _ in tokens[1:]] + [""]
    return tuple(
        ("an" if word == "a" and after[:1] in tuple("aeiou") else word, names)
        for (word, names), after in zip(tokens, following, strict=True)
    )


def text(tokens):
    """Write tokens as a sentence with a capital and close punctuation."""
    line = " ".join(word for word, _ in tokens)
    line = line.replace(" .", ".").replace(" ?", "?").replace("¿ ", "¿")
    start = int(line.startswith("¿"))
    return line[:start] + line[start].upper() + line[start + 1 :]
