"""Words and word forms of the generated English–Spanish phrasebook.

The words lie in `words/phrasebook.toml`. Persons are numbered as in Spanish tables
without vosotros: yo, tú, él, nosotros, ellos = 0 … 4. A gender is "m" or "f", a number
is 0 (singular) or 1 (plural).
"""

from typing import NamedTuple

from tools.corpora import common

WORDS = common.words("phrasebook")


class Noun(NamedTuple):
    """A noun with its Spanish gender, plural and kind of thing."""

    english: tuple  # singular, plural
    spanish: tuple
    gender: str
    kind: str


class Adjective(NamedTuple):
    """An adjective with the kinds of nouns that it fits."""

    english: str
    spanish: str
    copula: str  # ser or estar
    kinds: frozenset


class Verb(NamedTuple):
    """A verb with what can follow it."""

    english: tuple  # base form, third person, past; each of one or two words
    present: tuple
    preterite: tuple
    future: str
    objects: tuple  # kinds of nouns
    before: tuple  # the English and the Spanish preposition that lead to a place


def english_plural(word):
    """Return the plural of an English noun."""
    return WORDS["irregular_plurals"]["english"].get(word, f"{word}s")


def spanish_plural(word):
    """Return the plural of a Spanish noun or adjective."""
    irregular = WORDS["irregular_plurals"]["spanish"]
    if word in irregular:
        return irregular[word]
    if word.endswith("z"):
        return word[:-1] + "ces"
    return word + ("s" if word[-1] in "aeiouáéó" else "es")


def agree(adjective, gender, number):
    """Return the form of a Spanish adjective that fits a gender and a number.

    Example:
        >>> agree("rojo", "f", 1), agree("feliz", "f", 1), agree("azul", "m", 0)
        ('rojas', 'felices', 'azul')
    """
    if gender == "f" and adjective.endswith("o"):
        adjective = adjective[:-1] + "a"
    return spanish_plural(adjective) if number else adjective


def conjugate(verb, tense, person):
    """Return a Spanish verb form.

    Example:
        >>> verbs = {verb.english[0]: verb for verb in verbs_with_objects()}
        >>> [conjugate(verbs["read"], "past", person) for person in range(5)]
        ['leí', 'leíste', 'leyó', 'leímos', 'leyeron']
    """
    if tense == "future":
        return verb.future + WORDS["endings"]["future"].split()[person]
    return (verb.present if tense == "present" else verb.preterite)[person]


def nouns():
    """Return all nouns of the phrasebook."""
    found = []
    for kind, rows in WORDS["nouns"].items():
        for english, spanish, gender in map(str.split, rows):
            forms = (
                (english, english_plural(english)),
                (spanish, spanish_plural(spanish)),
            )
            found.append(Noun(*forms, gender, kind))
    return found


def adjectives():
    """Return all adjectives of the phrasebook."""
    rows = WORDS["adjectives"]
    return [Adjective(*row[:3], frozenset(row[3].split())) for row in rows]


def verbs_with_objects():
    """Return the verbs that take an object."""
    return [_verb(row) for row in WORDS["verbs_with_objects"]]


def verbs_with_places():
    """Return the verbs that lead to a place."""
    return [_verb(row) for row in WORDS["verbs_with_places"]]


def _verb(row):
    """Fill in the regular forms of a verb."""
    stem, ending = row["spanish"][:-2], row["spanish"][-2:]
    regular = {
        tense: " ".join(stem + end for end in ends.split())
        for tense, ends in WORDS["endings"][ending].items()
    }
    forms = {"future": row["spanish"]} | regular | row
    return Verb(
        tuple(forms["english"].split("/")),
        tuple(forms["present"].split()),
        tuple(forms["preterite"].split()),
        forms["future"],
        tuple(forms.get("objects", "").split()),
        tuple(forms.get("before", "").split("/")),
    )
