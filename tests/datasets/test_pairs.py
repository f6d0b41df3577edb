"""Sentence pairs of a user's: bad lines are named, and no sentence is in two parts."""

import pytest

from course_utils.datasets import pairs
from course_utils.datasets.spa_eng import key
from course_utils.files import DataError


def test_a_file_is_read_as_editors_write_it(tmp_path):
    path = tmp_path / "pairs.tsv"
    text = "\ufeffYes.\tJa.\r\n\r\n  No. \tNein.\r\nCafe\u0301?\tCafé?\u2028"
    path.write_bytes(text.encode("utf-8"))
    found = [("Yes.", "Ja."), ("No.", "Nein."), ("Café?", "Café?")]
    assert pairs.read(path) == found


@pytest.mark.parametrize(
    "content, words",
    [
        (b"a\tb\nno tab\n", "line 2 has 1 column;"),
        (b"a\tb\tc\n", "line 1 has 3 columns;"),
        (b"\n\n \tb\n", "line 3 has an empty first column;"),
        (b"a\t\n", "line 1 has an empty second column;"),
        ("a\tñ".encode("latin-1"), "line 1 is not UTF-8;"),
        (b"a\nb\nc\tc\nd\n", "line 1 has 1 column, line 2 has 1 column, line 4 has"),
        (b"a\n" * 9, "line 3 has 1 column, there are more; each line must be"),
    ],
)
def test_bad_lines_are_named(tmp_path, content, words):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        pairs.read(path)
    assert str(path) in str(error.value) and words in str(error.value)
    assert "line 4 has 1 column" not in str(error.value) or b"c\tc" in content


def test_no_source_sentence_is_in_two_parts():
    several = [(f"{word} {i}", f"{i}") for i in range(60) for word in ("One", "ONE ")]
    splits = pairs.split([*several, ("one 7", "seven"), ("One 7", "7")])
    keys = [{key(source) for source, _ in part} for part in splits]
    assert [len(part) for part in splits] == [len(found) for found in keys]
    assert [len(part) for part in splits] == [40, 10, 10]
    assert len(set.union(*keys)) == 60
    references = {key(source): targets for part in splits for source, targets in part}
    assert references["one 7"] == ["7", "seven"]
    assert pairs.split(several[::-1]).test != []  # the order of lines decides nothing
    assert {key(s) for s, _ in pairs.split(several[::-1]).test} == keys[2]


def test_too_few_sentences_are_refused():
    with pytest.raises(DataError, match="There are 29 different sentences"):
        pairs.split([(str(i), "x") for i in range(29)] * 2)
