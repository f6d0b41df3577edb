"""Sentence pairs of a user's: bad lines are named, and no sentence is in two parts."""

import pytest

from course_utils.datasets import pairs
from course_utils.datasets.spa_eng import key
from course_utils.kit.files import DataError


@pytest.fixture
def read(tmp_path):
    def read(content):
        (tmp_path / "pairs.tsv").write_bytes(content)
        return pairs.read(tmp_path / "pairs.tsv")

    return read


def test_a_file_is_read_as_editors_write_it(read):
    text = "\ufeffYes.\tJa.\r\n\r\n  No. \tNein.\r\nCafe\u0301?\tCafé?\u2028"
    found = [("Yes.", "Ja."), ("No.", "Nein."), ("Café?", "Café?")]
    assert read(text.encode("utf-8")) == found


@pytest.mark.parametrize(
    "content, words",
    [
        (b"a\tb\nno tab\n", "pairs.tsv: line 2 has 1 column; each line must be"),
        (b"a\tb\tc\n", "line 1 has 3 columns; "),
        (b"\n\n \tb\n", "line 3 has an empty first column; "),
        (b"a\t\n", "line 1 has an empty second column; "),
        ("a\tñ".encode("latin-1"), "line 1 is not UTF-8; "),
        (b"a\nb\nc\tc\nd\n", "line 2 has 1 column, line 4 has 1 column; "),
        (b"a\n" * 9, "line 3 has 1 column, there are more; "),
    ],
)
def test_bad_lines_are_named(read, content, words):
    with pytest.raises(DataError, match=words):
        read(content)


def test_no_source_sentence_is_in_two_parts_and_none_loses_a_translation():
    several = [(f"{one} {i}", f"{i}") for i in range(60) for one in ("One", "ONE ")]
    splits = pairs.split([*several, ("one 7", "seven")])
    references = {key(source): found for part in splits for source, found in part}
    assert list(map(len, splits)) == [40, 10, 10] and len(references) == 60
    assert references["one 7"] == ["7", "seven"]
    with pytest.raises(DataError, match="There are 29 different sentences"):
        pairs.split(several[:58])
