"""The glossary names lessons that have a term, and code that is there."""

import json
import re

import pytest

from tools import notebook_contract as contract

GLOSSARY = contract.NOTEBOOKS / "glossary.md"
ROW = re.compile(
    r'\| <a id="([a-z0-9-]+)"></a>([^|]+) \|[^|]*\| ([^|]+) \| \[([^]]+)\]\((\S+)\) '
    r"\| (?:\[([\w/.]+)\]\(\.\./course_utils/\6\)(?: `(\w+)`)? )?\|"
)


LINES = GLOSSARY.read_text(encoding="utf-8").splitlines()
TABLE = [line for line in LINES if line.startswith("|")][2:]
# (anchor, forms, meaning, label, lesson, code's file, its name)
ROWS = [match.groups() for match in map(ROW.fullmatch, TABLE) if match]


def words(text):
    return re.findall(r"\w+", text.casefold())


def test_each_row_can_be_read_and_has_an_anchor_of_its_own():
    assert [line for line in TABLE if not ROW.fullmatch(line)] == []
    anchors = [anchor for anchor, *_ in ROWS]
    assert len(set(anchors)) == len(anchors)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_lesson_has_the_term_and_the_code_is_there(row):
    _, forms, _, label, lesson, file, name = row
    term, path = forms.partition(",")[0], contract.NOTEBOOKS / lesson
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    title = "".join(cells[0]["source"]).splitlines()[0].removeprefix("# ")
    assert title.startswith(label)
    text = set(words(" ".join("".join(cell["source"]) for cell in cells)))
    for word in words(term):
        assert any(w.startswith(word) for w in text), f"{lesson} doesn't say {word}"
    if file:
        code = (contract.ROOT / "course_utils" / file).read_text(encoding="utf-8")
        assert not name or re.search(rf"^ *(?:class|def) {name}\b", code, re.MULTILINE)
