"""The phrasebook: correct Spanish, gold alignments, unseen combinations in the test."""

import collections
import json
import random
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.datasets import phrasebook
from tools.corpora import phrasebook_phrases as phrases
from tools.corpora import phrasebook_words as words
from tools.corpora.phrasebook_grammar import Grammar

SPLITS = tuple(phrasebook.SIZES)
FORMS = Path(__file__).with_name("spanish_forms.json").read_text("utf-8")
FORMS = json.loads(FORMS)


@pytest.fixture(scope="module")
def aligned():
    return {split: phrasebook.alignments(split) for split in SPLITS}


def test_tokens_join_to_the_sentences(aligned):
    for split, pairs in zip(SPLITS, phrasebook.load(), strict=True):
        for pair, (left, right, _) in zip(pairs, aligned[split], strict=True):
            english, (spanish,) = pair
            assert " ".join(left).replace(" .", ".").replace(" ?", "?") == english
            joined = " ".join(right).replace(" .", ".").replace(" ?", "?")
            assert joined.replace("¿ ", "¿") == spanish


def test_every_content_word_is_aligned(aligned):
    lonely = collections.Counter()
    for part in aligned.values():
        for english, spanish, links in part:
            assert len(set(links)) == len(links)
            assert {i for i, _ in links} == set(range(len(english)))
            missing = set(range(len(spanish))) - {j for _, j in links}
            lonely.update(spanish[j] for j in missing)
    # the personal a, and the articles of "la semana pasada" and "el año pasado"
    assert set(lonely) == {"a", "la", "el"}


def test_lexical_links_follow_the_dictionary(aligned):
    forms = [zip(one.english, one.spanish, strict=True) for one in words.nouns()]
    nouns = dict(chain(*forms))
    checked = 0
    for english, spanish, links in aligned["test"]:
        for i, word in enumerate(english):
            if word in nouns and (j := [j for a, j in links if a == i]):
                checked += spanish[j[0]].lower() == nouns[word]
    assert checked > 2_000


def test_only_test_sentences_have_held_out_combinations(aligned):
    kept = {
        (adjective.english, noun.english[number])
        for adjective in words.adjectives()
        for noun in words.nouns()
        for number in range(2)
        if phrases.held_out((adjective.english, noun.english[0]))
    }
    found = {
        split: sum(pair in kept for row in aligned[split] for pair in pairwise(row[0]))
        for split in SPLITS
    }
    assert found["train"] == found["validation"] == 0 < found["test"]


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_any_seed_gives_well_formed_sentences(seed):
    grammar = Grammar(random.Random(seed))
    for _ in range(20):
        pair = grammar.sentence()
        english = phrasebook.tokenize(pair.english)
        spanish = phrasebook.tokenize(pair.spanish)
        assert english[-1] == spanish[-1] and spanish[-1] in ".?"
        assert (spanish[0] == "¿") == (spanish[-1] == "?")
        assert all(i < len(english) and j < len(spanish) for i, j in pair.links)
        assert {i for i, _ in pair.links} == set(range(len(english)))
        assert "  " not in pair.english + pair.spanish
        lower = f" {pair.spanish.lower()} "
        assert " a el " not in lower and " de el " not in lower


@pytest.mark.parametrize(("verb", "tense", "forms"), FORMS["verbs"])
def test_conjugation(verb, tense, forms):
    verbs = words.verbs_with_objects() + words.verbs_with_places()
    found = next(entry for entry in verbs if entry.english[0] == verb)
    assert [words.conjugate(found, tense, n) for n in range(5)] == forms.split()


@pytest.mark.parametrize("forms", FORMS["adjectives"])
def test_agreement(forms):
    forms = forms.split()
    found = [words.agree(forms[0], gender, n) for gender in "mf" for n in range(2)]
    assert found == forms


def test_plurals():
    nouns = chain(*((noun.english, noun.spanish) for noun in words.nouns()))
    assert {tuple(forms.split()) for forms in FORMS["nouns"]} <= set(nouns)


def test_contractions_articles_and_capitals():
    spanish = phrases.contract(phrases.marked("¿ voy a el mercado de el pueblo ?"))
    assert phrases.text(spanish) == "¿Voy al mercado del pueblo?"
    english = phrases.articles(phrases.marked("a old man sees a house ."))
    assert phrases.text(english) == "An old man sees a house."


def test_phenomena_in_the_corpus():
    pairs = dict(phrasebook.load().train)
    spanish = [references[0] for references in pairs.values()]
    for beginning in ("¿", "No ", "Lo ", "¿Por qué"):
        assert sum(sentence.startswith(beginning) for sentence in spanish) > 30
    for part in (" al ", " del ", " cerca de", " a la "):
        assert sum(part in sentence for sentence in spanish) > 100
