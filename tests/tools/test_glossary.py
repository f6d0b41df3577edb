"""The glossary names lessons that exist and have the term; links to it lead there."""

import json
import re

import pytest

from tools import notebook_contract as contract

GLOSSARY = contract.NOTEBOOKS / "glossary.md"
ROW = re.compile(
    r'\| <a id="([a-z0-9-]+)"></a>([^|]+) \|[^|]*\| ([^|]+) '
    r"\| \[(\d\d)\]\((\S+)\) \|"
)
LINK = re.compile(r"glossary\.md(?:#([^)\s]*))?\)")


def rows():
    """Return (anchor, forms of the term, meaning, number, file) of each row."""
    lines = GLOSSARY.read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("|")][2:]
    found = [ROW.fullmatch(line) for line in table]
    assert all(found), table[found.index(None)]
    return [match.groups() for match in found]


def words(text):
    return re.findall(r"\w+", text.casefold())


def test_terms_are_sorted_and_each_has_its_own_anchor():
    terms = [forms.partition(",")[0] for _, forms, *_ in rows()]
    assert len(terms) > 60
    assert terms == sorted(terms, key=str.casefold)
    for (anchor, _, meaning, *_), term in zip(rows(), terms, strict=True):
        assert anchor == "term-" + re.sub(r"\W+", "-", term.lower()).strip("-")
        assert not meaning.endswith(".")
    assert len({anchor for anchor, *_ in rows()}) == len(terms)
    forms = [form.strip() for _, every, *_ in rows() for form in every.split(",")]
    assert len(set(forms)) == len(forms)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_the_lesson_exists_and_has_the_term(row):
    _, forms, _, number, file = row
    term = forms.partition(",")[0]
    path = contract.NOTEBOOKS / file
    assert file.startswith(number) and path.exists()
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = set(words(" ".join("".join(cell["source"]) for cell in cells)))
    missing = [
        word for word in words(term) if not any(w.startswith(word) for w in text)
    ]
    assert not missing, f"{file} doesn't say {missing}"


def test_links_to_the_glossary_lead_to_an_anchor():
    anchors = {anchor for anchor, *_ in rows()} | {None}
    found = 0
    for path in contract.all_notebooks():
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for cell in cells:
            for anchor in LINK.findall("".join(cell["source"])):
                found += 1
                assert (anchor or None) in anchors, f"{path.name}: {anchor}"
    assert found, "no lesson links to the glossary"
