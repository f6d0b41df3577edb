"""Errors that BLEU hardly sees: names, numbers, and the bank of a river."""

import re

NUMBER = re.compile(r"\d[\d.,:]*")
NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")  # not at the beginning, and not "I"
BANK = re.compile(r"\bbanks?\b", re.IGNORECASE)
RIVERSIDE = re.compile(r"\b(orilla|ribera|margen)", re.IGNORECASE)


def names_in(text):
    """Return the names in a text that don't begin it.

    Example:
        >>> sorted(names_in("Yesterday Tom met Mary in Boston. He was late."))
        ['Boston', 'Mary', 'Tom']
    """
    return set(NAME.findall(text))


def numbers_in(text):
    """Return the numbers in a text, as their digits alone.

    Example:
        >>> sorted(numbers_in("At 6:30 they sold 20,000 copies."))
        ['20000', '630']
    """
    return {re.sub(r"\D", "", number) for number in NUMBER.findall(text)}


def kept(find, english, written, references):
    """Return in how many sentences nothing of a kind was lost, and in how many it is.

    Asked is what stands in the English and in each reference, so what a Spanish text
    says in another way (*María*, *dos*) isn't.

    Args:
        find: ``names_in`` or ``numbers_in``.
        english, written: lists of N texts.
        references: list of N lists of texts.
    Returns:
        Two numbers: sentences with all of it, sentences that have something to keep.
    """
    good = 0
    total = 0
    for source, text, several in zip(english, written, references, strict=True):
        asked = find(source).intersection(*map(find_anywhere(find), several))
        if asked:
            total += 1
            good += asked <= find_anywhere(find)(text)
    return good, total


def find_anywhere(find):
    """Return the finder for a Spanish text, in which a name may come first."""
    if find is names_in:
        return lambda text: set(re.findall(r"\w+", text))
    return find


def riversides(english, written, references):
    """Return how many banks of rivers are right, and how many there are."""
    right = 0
    total = 0
    for source, text, several in zip(english, written, references, strict=True):
        if BANK.search(source) and any(map(RIVERSIDE.search, several)):
            total += 1
            right += RIVERSIDE.search(text) is not None
    return right, total
