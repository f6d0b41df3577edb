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


def archive(text=LINES, member=spa_eng.MEMBER, change=lambda content: content):
    """Return a function that writes an archive, its bytes changed, into a folder."""

    def write(folder):
        path = folder / spa_eng.ARCHIVE
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(member, text)
        path.write_bytes(change(path.read_bytes()))

    return write


def login_page(folder):
    (folder / spa_eng.ARCHIVE).write_text("<html>please log in</html>")


def a_file_in_the_way(folder):
    folder.rmdir()
    folder.write_text("")


@pytest.fixture
def directory(tmp_path, monkeypatch):
    def unreachable(url, name, where):
        raise Exception(f"URL fetch failure on {url}: None -- no route to host")

    monkeypatch.setattr(files, "_fetch", unreachable)
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


BAD = {
    "no network": (bool, r"no route to host.*\$COURSE_DATA_DIR/spa-eng\.zip"),
    "truncated": (archive(MANY, change=lambda b: b[:5000]), "damaged or incomplete"),
    "damaged inside": (
        archive(MANY, change=lambda b: b[:80] + b"\xff" * 10 + b[90:]),
        "damaged or incomplete",
    ),
    "no archive": (login_page, "damaged or incomplete"),
    "no text": (archive(member="other/spa.txt"), "there is no spa-eng/spa.txt in it"),
    "no tab": (archive("Go.\tVe.\nno tab here\n"), "line 2"),
    "no English": (archive("Go.\tVe.\n\tVe.\n"), "line 2"),
    "empty": (archive("\n"), "is empty"),
    "not writable": (a_file_in_the_way, "Cannot write"),
}


@pytest.mark.parametrize("prepare, sentence", BAD.values(), ids=BAD)
def test_what_is_bad_is_said_in_one_sentence(directory, prepare, sentence):
    prepare(directory)
    with warnings.catch_warnings(), pytest.raises(files.DataError) as error:
        warnings.simplefilter("ignore", UserWarning)
        spa_eng.load()
    error.match(sentence)
    text = str(error.value)
    assert "\n" not in text and text.endswith(".") and ". " not in text
    assert "COURSE_DATA=sample" in text
    if directory.is_dir():  # nothing half-done is left
        assert set(os.listdir(directory)) <= {spa_eng.ARCHIVE}


def test_wrong_hash_is_a_warning_only(directory):
    archive()(directory)
    with pytest.warns(UserWarning, match="differ from the stored ones"):
        corpus = spa_eng.load()
    assert sum(map(len, corpus)) == 9


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


def check_no_sentence_in_two_splits(corpus):
    keys = [{spa_eng.key(english) for english, _ in part} for part in corpus]
    assert len(set.union(*keys)) == sum(map(len, keys)) == sum(map(len, corpus))


sentences = st.text(st.sampled_from("aAbB éE"), min_size=1, max_size=5).filter(
    str.strip
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(sentences, sentences), min_size=3), st.integers(0, 9))
def test_no_english_sentence_is_in_two_splits(pairs, seed):
    groups = spa_eng.group(pairs)
    corpus = spa_eng.split(groups, held_out=5, seed=seed)
    check_no_sentence_in_two_splits(corpus)
    assert sum(map(len, corpus)) == len(groups)


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
    check_no_sentence_in_two_splits(corpus)
