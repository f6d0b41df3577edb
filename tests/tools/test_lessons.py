"""Core lessons have a number, further ones a name; both are found in order."""

import pytest

from tools import lessons


@pytest.fixture
def folder(tmp_path):
    """A folder with two core lessons and two further ones."""
    names = "05_b", "00_a", "further/05_more", "further/00_extra", "further/notes"
    for name in names:
        path = tmp_path / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True)
        path.touch()
    return tmp_path


def test_what_goes_further_follows_its_lesson(folder):
    found = lessons.find(folder)
    assert [lessons.key(path) for path in found] == ["00", "extra", "05", "more"]


def test_a_lesson_is_found_by_its_number_or_by_its_name(folder):
    assert lessons.path_of("05", folder) == folder / "05_b.ipynb"
    assert lessons.path_of("more", folder) == folder / "further/05_more.ipynb"
    with pytest.raises(ValueError, match="no lesson '07'; .* are: 00, extra, 05, more"):
        lessons.path_of("07", folder)


def test_each_lesson_has_its_solutions_in_the_same_tree():
    written = [path.relative_to(lessons.NOTEBOOKS) for path in lessons.find()]
    solved = lessons.find(lessons.SOLUTIONS)
    assert [path.relative_to(lessons.SOLUTIONS) for path in solved] == written
