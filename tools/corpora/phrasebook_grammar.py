"""The synchronous grammar behind the phrasebook.

Every rule writes an English and a Spanish part; words that share a name are linked.
"""

from typing import NamedTuple

from tools.corpora import phrasebook_words as words
from tools.corpora.phrasebook_phrases import (
    Phrase,
    finish,
    marked,
    personal,
)
from tools.corpora.phrasebook_words import WORDS

KNOWN_ONE = ("the", "my", "your", "our", "this", "that")
IN_PLACES = ("park", "garden", "village", "city", "station")
PLACE_VERBS = ("find", "lose", "read", "write", "eat", "drink", "use", "prepare")
SPLIT_VERBS = ("read",)  # its past looks like its present


class Subject(NamedTuple):
    """A subject with what the verb must agree with."""

    phrase: Phrase
    person: int
    gender: str
    number: int
    noun: str = ""
    kind: str = ""
    pronoun: bool = True


class Grammar:
    """Writes random sentence pairs.

    Args:
        rng: a `random.Random`.
    """

    def __init__(self, rng):
        self.rng = rng
        self.nouns = words.nouns()
        self.adjectives = words.adjectives()
        self.object_verbs = words.verbs_with_objects()
        self.place_verbs = words.verbs_with_places()

    def sentence(self):
        """Write one pair: a `Sentence`."""
        rule = self.rng.choices(
            (self.with_object, self.with_clitic, self.with_place, self.with_copula),
            weights=(48, 12, 16, 24),
        )[0]
        return finish(*rule())

    def with_object(self):
        """I read the red book. / Leo el libro rojo."""
        verb = self.rng.choice(self.object_verbs)
        subject = self.subject()
        noun = self.noun(verb.objects, but=subject.noun)
        target = self.noun_phrase(noun, "object", adjective=0.4)
        target += Phrase(combinations=((verb.english[0], noun.english[0]),))
        if noun.kind in ("person", "relative"):
            target = personal(target)
        if verb.english[0] in PLACE_VERBS and self.rng.random() < 0.2:
            target += self.place("in", "en")
        return self.clause(subject, verb, target)

    def with_clitic(self):
        """I see it. / Lo veo."""
        english, spanish, person = self.rng.choice(WORDS["clitics"])
        subject = self.subject()
        while {subject.person, person} in ({0}, {1}, {3}, {0, 3}):
            subject = self.subject()
        people = english not in ("it", "them")
        verbs = [
            verb
            for verb in self.object_verbs
            if english == "them" or people == ("person" in verb.objects)
        ]
        clitic = Phrase(marked(english, "object"), marked(spanish, "object"))
        return self.clause(subject, self.rng.choice(verbs), Phrase(), clitic)

    def with_place(self):
        """I walk to the park. / Camino al parque."""
        verb = self.rng.choice(self.place_verbs)
        return self.clause(self.subject(), verb, self.place(*verb.before))

    def with_copula(self):
        """The houses are red. / Las casas son rojas."""
        tense = self.rng.choice(("present", "present", "past", "future"))
        subject = self.subject(anything=True, known=True, pronouns=0.3)
        chosen = self.adjective(subject.kind or "person")
        form = words.agree(chosen.spanish, subject.gender, subject.number)
        english, ser, estar = (
            table[subject.person] for table in WORDS["copula"][tense]
        )
        spanish = ser if chosen.copula == "ser" else estar
        quality = Phrase(marked(chosen.english, "quality"), marked(form, "quality"))
        if subject.noun:
            quality += Phrase(combinations=((chosen.english, subject.noun),))
        after = Phrase()
        if chosen.copula == "estar" and self.rng.random() < 0.4:
            after = self.time(tense, short=True)
        verb = marked(
            spanish, "verb", *(() if subject.phrase.spanish else ("subject",))
        )
        asked = self.rng.random() < 0.25
        negated = not asked and self.rng.random() < 0.25
        helper, *rest = english.split()
        rest = marked(" ".join(rest), "verb")
        who = subject.phrase
        left = who.english + marked(english, "verb")
        right = who.spanish + verb + quality.spanish
        if asked:
            left = marked(helper, "verb") + who.english + rest
            right = verb + quality.spanish + who.spanish
            if subject.pronoun:
                right = verb + who.spanish + quality.spanish
        elif negated:
            short = {"am": "am not", "will": "won't"}.get(helper, f"{helper}n't")
            head, *more = short.split()
            links = ("verb",) if more else ("verb", "not")
            left = who.english + marked(head, *links)
            left += marked(" ".join(more), "not") + rest
            right = who.spanish + marked("no", "not") + verb + quality.spanish
        combinations = who.combinations + quality.combinations
        return Phrase(left + quality.english, right, combinations) + after, asked

    def clause(self, subject, verb, after, clitic=None):
        """Join subject, verb and what follows into a statement or a question.

        Returns:
            The phrase, and whether it is a question.
        """
        clitic = clitic or Phrase()
        tense = self.rng.choice(("present", "past", "future"))
        mood = self.rng.choices(("say", "deny", "ask", "ask with"), (55, 20, 15, 10))[0]
        form = words.conjugate(verb, tense, subject.person)
        names = ("verb",) if subject.phrase.spanish else ("verb", "subject")
        spanish = clitic.spanish + marked(form, *names)
        who = subject.phrase
        base = marked(verb.english[0], "verb")
        does = "does" if subject.person == 2 else "do"
        helper = {"present": does, "past": "did", "future": "will"}[tense]
        stated = {
            "present": verb.english[subject.person == 2],
            "past": verb.english[2],
            "future": f"will {verb.english[0]}",
        }[tense]
        left, right = who.english + marked(stated, "verb"), who.spanish + spanish
        if mood == "deny":
            helper = "won't" if helper == "will" else f"{helper}n't"
            left = who.english + marked(helper, "not") + base
            right = who.spanish + marked("no", "not") + spanish
        elif mood != "say":
            left = marked(helper, "verb") + who.english + base
        if mood == "ask with":
            english, question = self.rng.choice(WORDS["question_words"])
            left = marked(english, "question") + left
            right = marked(question, "question") + spanish + who.spanish
        phrase = Phrase(left, right, who.combinations) + Phrase(clitic.english) + after
        unclear = mood == "say" and verb.english[0] in SPLIT_VERBS
        if mood != "ask with" and (unclear or self.rng.random() < 0.35):
            phrase += self.time(tense)
        return phrase, mood.startswith("ask")

    def subject(self, anything=False, known=False, pronouns=0.5):
        """Choose a pronoun or a noun phrase."""
        if self.rng.random() < pronouns:
            english, spanish, person, gender, number = self.rng.choice(
                WORDS["pronouns"]
            )
            phrase = Phrase(marked(english, "subject"), marked(spanish, "subject"))
            return Subject(phrase, person, gender, number)
        kinds = tuple(WORDS["nouns"]) if anything else ("person", "relative")
        noun = self.noun(kinds)
        number = self.number(noun)
        phrase = self.noun_phrase(
            noun, "subject", 0.0 if anything else 0.25, number, known
        )
        person = 4 if number else 2
        return Subject(
            phrase, person, noun.gender, number, noun.english[0], noun.kind, False
        )

    def place(self, english, spanish):
        """Write `near the park / cerca del parque`."""
        noun = self.noun(("building", "place"))
        while english == "in" and noun.kind == "place":
            if noun.english[0] in IN_PLACES:
                break
            noun = self.noun(("building", "place"))
        phrase = self.noun_phrase(noun, "place", 0.25, 0, known=True)
        words_before = Phrase(marked(english, "where"), marked(spanish, "where"))
        return words_before + phrase

    def time(self, tense, short=False):
        """Write `last week / la semana pasada`."""
        choices = WORDS["times"][tense]
        if short:
            choices = [pair for pair in choices if " " not in pair[0]]
        sides = []
        for side in self.rng.choice(choices):
            parts = (word.rstrip(")").partition("(") for word in side.split())
            sides.append(
                tuple(
                    (word, frozenset({f"time{n}"} if n else ())) for word, _, n in parts
                )
            )
        return Phrase(*sides)

    def noun(self, kinds, but=""):
        """Choose a noun of one of the kinds."""
        fitting = [x for x in self.nouns if x.kind in kinds]
        chosen = self.rng.choice(fitting)
        while chosen.english[0] == but:
            chosen = self.rng.choice(fitting)
        return chosen

    def adjective(self, kind):
        """Choose an adjective that fits a kind of noun."""
        return self.rng.choice([x for x in self.adjectives if kind in x.kinds])

    def number(self, noun):
        """Choose singular (0) or plural (1)."""
        return int(noun.kind != "drink" and self.rng.random() < 0.35)

    def noun_phrase(self, noun, role, adjective=0.0, number=None, known=False):
        """Write `the red houses / las casas rojas`.

        Args:
            noun: a `Noun`.
            role: prefix of the names, such as "object".
            adjective: how likely an adjective is.
            number: 0, 1, or None to choose.
            known: leave out `a` and numbers.
        """
        number = self.number(noun) if number is None else number
        if number and not known and self.rng.random() < 0.25:
            determiner = self.rng.choice(WORDS["numbers"])
        else:
            choices = KNOWN_ONE + ("the",) * 5
            if not known and noun.kind not in ("drink", "relative"):
                choices += ("a",) * 3
            one, many, spanish = WORDS["determiners"][self.rng.choice(choices)]
            form = spanish.split()[2 * number + (noun.gender == "f")]
            determiner = (many if number else one, form)
        english, spanish = (marked(word, f"{role}.which") for word in determiner)
        combinations = ()
        left = marked(noun.english[number], f"{role}.noun")
        right = marked(noun.spanish[number], f"{role}.noun")
        if self.rng.random() < adjective:
            chosen = self.adjective(noun.kind)
            form = words.agree(chosen.spanish, noun.gender, number)
            left = marked(chosen.english, f"{role}.quality") + left
            right = right + marked(form, f"{role}.quality")
            combinations = ((chosen.english, noun.english[0]),)
        phrase = Phrase(english + left, spanish + right, combinations)
        if noun.english[0] in ("door", "window") and role == "object" and not number:
            owner = self.noun(("building",))
            if self.rng.random() < 0.4:
                phrase += Phrase(marked("of", "of"), marked("de", "of"))
                phrase += self.noun_phrase(owner, "owner", 0.0, 0, known=True)
        return phrase
