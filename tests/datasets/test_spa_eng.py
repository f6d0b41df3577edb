"""spa-eng: grouping, the split by English sentence, and every bad archive."""

import os
import random
import unicodedata
import warnings
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils import files
from course_utils.datasets import spa_eng

MANY = "".join(f"{n**5}\t{n**7}\n" for n in range(999))
LINES = "".join(f"Sentence {n}.\tFrase {n}.\n" for n in range(9))


def write_archive(directory, text=LINES, member=spa_eng.MEMBER):
    path = directory / spa_eng.ARCHIVE
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, text)
    return path


def failure():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises(files.DataError) as error:
            spa_eng.load()
    text = str(error.value)
    assert "\n" not in text and text.endswith(".") and ". " not in text
    assert "COURSE_DATA=sample" in text
    return text


@pytest.fixture
def directory(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path))
    return tmp_path


def test_wrong_hash_is_a_warning_only(directory):
    write_archive(directory)
    with pytest.warns(UserWarning, match="differ from the stored ones"):
        corpus = spa_eng.load()
    assert sum(map(len, corpus)) == 9


def test_no_network(directory, monkeypatch):
    def unreachable(url, name, where):
        raise Exception(f"URL fetch failure on {url}: None -- no route to host")

    monkeypatch.setattr(files, "_fetch", unreachable)
    text = failure()
    assert "no route to host" in text and "$COURSE_DATA_DIR/spa-eng.zip" in text
    assert os.listdir(directory) == []


def test_truncated_archive(directory):
    path = write_archive(directory, MANY)
    path.write_bytes(path.read_bytes()[:5000])
    assert "damaged or incomplete" in failure()
    assert os.listdir(directory) == [spa_eng.ARCHIVE]


def test_damaged_bytes_inside_the_archive(directory):
    path = write_archive(directory, MANY)
    content = bytearray(path.read_bytes())
    content[80:90] = b"\xff" * 10
    path.write_bytes(bytes(content))
    assert "damaged or incomplete" in failure()


def test_not_an_archive(directory):
    (directory / spa_eng.ARCHIVE).write_text("<html>please log in</html>")
    assert "damaged or incomplete" in failure()


def test_wrong_layout_without_the_text_file(directory):
    write_archive(directory, member="other/spa.txt")
    assert "there is no spa-eng/spa.txt in it" in failure()


@pytest.mark.parametrize("text", ["Go.\tVe.\nno tab here\n", "Go.\tVe.\n\tVe.\n"])
def test_wrong_layout_of_a_line(directory, text):
    write_archive(directory, text)
    assert "line 2" in failure()


def test_empty_text(directory):
    write_archive(directory, "\n")
    assert "is empty" in failure()


def test_unwritable_directory(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path / "file"))
    assert "Cannot write" in failure()


def test_groups_by_english_sentence_with_all_references():
    pairs = spa_eng.parse(
        "I  am here.\tEstoy aquí.\nI am here.\tAquí estoy.\ni am Here.\tEstoy aquí.\n"
        "I am here.\tAquí estoy.\n"
    )
    assert len(pairs) == 3
    groups = spa_eng.group(pairs)
    assert list(groups.values()) == [("I  am here.", ["Estoy aquí.", "Aquí estoy."])]


def test_text_is_composed_and_stripped():
    decomposed = unicodedata.normalize("NFD", "¿Qué?")
    assert spa_eng.parse(f" What? \t {decomposed} \n") == [("What?", "¿Qué?")]


sentences = st.text(st.sampled_from("aAbB éE"), min_size=1, max_size=5).filter(
    lambda text: text.strip()
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(sentences, sentences), min_size=3), st.integers(0, 9))
def test_no_english_sentence_is_in_two_splits(pairs, seed):
    groups = spa_eng.group(pairs)
    corpus = spa_eng.split(groups, held_out=5, seed=seed)
    keys = [{spa_eng.key(english) for english, _ in part} for part in corpus]
    assert sum(map(len, keys)) == len(groups) == sum(map(len, corpus))
    assert not keys[0] & keys[1] and not keys[0] & keys[2] and not keys[1] & keys[2]


def test_the_split_does_not_depend_on_the_order_of_the_file():
    pairs = spa_eng.parse(LINES * 3)
    shuffled = random.Random(0).sample(pairs, len(pairs))
    first, second = (spa_eng.split(spa_eng.group(x), 3) for x in (pairs, shuffled))
    assert first == second
    assert first != spa_eng.split(spa_eng.group(pairs), 3, seed=1)


@pytest.mark.skipif(
    not (spa_eng.data_dir() / spa_eng.ARCHIVE).exists(), reason="needs the real corpus"
)
def test_full_corpus_has_the_documented_sizes():
    corpus = spa_eng.load()
    assert tuple(map(len, corpus)) == (96_902, 3_000, 3_000)
    references = [sum(len(x) for _, x in part) for part in corpus]
    assert references == [111_928, 3_513, 3_522]
    keys = [{spa_eng.key(english) for english, _ in part} for part in corpus]
    assert not keys[0] & (keys[1] | keys[2]) and not keys[1] & keys[2]
