"""IMDB and spa-eng: what is read, splits without leakage, and every bad condition."""

import hashlib
import io
import os
import random
import sys
import tarfile
import time
import unicodedata
import zipfile
from unittest import mock

import numpy as np
import pytest
from conftest import data_error
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.datasets import imdb, spa_eng
from course_utils.kit import files

MANY = "".join(f"{n**5}\t{n**7}\n" for n in range(999))
LINES = "".join(f"Sentence {n}.\tFrase {n}.\n" for n in range(9))


def real_corpus(path):
    """Skip a test where the real corpus isn't."""
    return pytest.mark.skipif(not path.exists(), reason="needs the real corpus")


@pytest.fixture
def directory(tmp_path, monkeypatch):
    """The data directory of a machine without network."""
    unreachable = Exception("URL fetch failure: None -- no route to host")
    monkeypatch.setattr(files, "_fetch", mock.Mock(side_effect=unreachable))
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


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


ROUTE, DAMAGED = "no route to host", "damaged or incomplete"
BAD = {
    "no network": (bool, ROUTE, "$COURSE_DATA_DIR/spa-eng.zip"),
    "truncated": (archive(MANY, change=lambda b: b[:5000]), DAMAGED),
    "damaged": (archive(MANY, change=lambda b: b[:80] + b"\xff" * 9 + b[89:]), DAMAGED),
    "no archive": (login_page, DAMAGED),
    "no text": (archive(member="other/spa.txt"), "there is no spa-eng/spa.txt in it"),
    "no tab": (archive("Go.\tVe.\nno tab here\n"), "line 2"),
    "no English": (archive("Go.\tVe.\n\tVe.\n"), "line 2"),
    "empty": (archive("\n"), "is empty"),
    "not writable": (a_file_in_the_way, "Cannot write"),
    "no network for IMDB": (bool, ROUTE, "$COURSE_DATA_DIR/aclImdb_v1.tar.gz"),
    "IMDB not writable": (a_file_in_the_way, "Cannot write"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_bad_is_said_in_one_sentence(directory, monkeypatch, name):
    prepare, *parts = BAD[name]
    monkeypatch.setattr(spa_eng, "check_text", lambda content, path: None)
    prepare(directory)
    with data_error(*parts):
        imdb.load("test") if "IMDB" in name else spa_eng.load()
    left = {path.name for path in directory.rglob("*")}  # nothing half-done
    assert left <= ({"tfds"} if "IMDB" in name else {spa_eng.ARCHIVE})


# spa-eng


def test_another_text_is_refused(directory):
    archive()(directory)
    with data_error("not the text that the course was run with", "delete it"):
        spa_eng.load()


def test_the_right_text_is_read(directory, monkeypatch):
    archive()(directory)
    monkeypatch.setattr(spa_eng, "MEMBER_SHA256", sha256_of(LINES))
    assert sum(map(len, spa_eng.load())) == 9


def sha256_of(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def test_corpora_are_fetched_over_a_safe_connection():
    assert spa_eng.URL.startswith("https://")


def test_text_is_composed_and_grouped_by_english_sentence():
    decomposed = unicodedata.normalize("NFD", "¿Qué?")
    assert spa_eng.parse(f" What? \t {decomposed} \n") == [("What?", "¿Qué?")]
    pairs = spa_eng.parse(
        "I  am here.\tEstoy aquí.\nI am here.\tAquí estoy.\ni am Here.\tEstoy aquí.\n"
        "I am here.\tAquí estoy.\n"
    )
    assert len(pairs) == 3
    groups = spa_eng.group(pairs)
    assert list(groups.values()) == [("I  am here.", ["Estoy aquí.", "Aquí estoy."])]


def check_no_sentence_in_two_splits(corpus):
    keys = [{spa_eng.key(english) for english, _ in part} for part in corpus]
    assert len(set.union(*keys)) == sum(map(len, keys)) == sum(map(len, corpus))


texts = st.text(st.sampled_from("aAbB éE"), min_size=1, max_size=5).filter(str.strip)


@settings(max_examples=60)
@given(st.lists(st.tuples(texts, texts), min_size=3), st.integers(0, 9))
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


@real_corpus(spa_eng.data_dir() / spa_eng.ARCHIVE)
def test_full_corpus_has_the_documented_sizes():
    corpus = spa_eng.load()
    assert tuple(map(len, corpus)) == (96_902, 3_000, 3_000)
    references = [sum(len(x) for _, x in part) for part in corpus]
    assert references == [111_928, 3_513, 3_522]
    check_no_sentence_in_two_splits(corpus)


# IMDB


@pytest.fixture
def miniature(directory, monkeypatch):
    """A tiny archive whose checksum TFDS accepts: 6 + 6 reviews per part, 3 without."""
    tfds = pytest.importorskip("tensorflow_datasets")
    path = directory / imdb.ARCHIVE
    sizes = {"train/neg": 6, "train/pos": 6, "train/unsup": 3}
    with tarfile.open(path, "w:gz") as packed:
        for folder, size in {**sizes, "test/neg": 6, "test/pos": 6}.items():
            part, label = folder.split("/")
            for number in range(size):
                content = f"A {label} film<br />é {part} {number}.".encode()
                info = tarfile.TarInfo(f"aclImdb/{folder}/{number}_1.txt")
                info.size = len(content)
                packed.addfile(info, io.BytesIO(content))
    content = path.read_bytes()
    infos = tfds.builder_cls("imdb_reviews").url_infos
    facts = dict(size=len(content), checksum=hashlib.sha256(content).hexdigest())
    info = type(infos[imdb.URL])(**facts, filename=imdb.ARCHIVE)
    monkeypatch.setitem(infos, imdb.URL, info)
    monkeypatch.setattr(files, "check_sha256", lambda *arguments: None)
    return directory


def test_a_damaged_archive_leaves_no_prepared_data(miniature):
    path = miniature / imdb.ARCHIVE
    path.write_bytes(path.read_bytes()[:200])
    with data_error("could not be prepared"):
        imdb.load("test")
    assert os.listdir(miniature / "tfds") == []


def test_another_archive_that_was_put_there_is_named(directory):
    (directory / imdb.ARCHIVE).write_bytes(b"another archive")
    with data_error(imdb.ARCHIVE, "has the sha256"):
        imdb.load("test")


def test_imdb_is_prepared_once_and_damage_is_named(miniature, capfd):
    texts, labels = imdb.load("test")
    assert sorted(texts)[0] == "A neg film é test 0."
    assert labels.dtype == np.int32 and labels.tolist().count(1) == 6
    assert ["pos" in text for text in texts] == labels.astype(bool).tolist()
    assert os.listdir(miniature / "tfds") == ["imdb_reviews"]
    (miniature / imdb.ARCHIVE).unlink()
    capfd.readouterr()
    texts, labels = imdb.load("unsupervised")
    assert len(texts) == 3 and labels.tolist() == [-1, -1, -1]
    noise = capfd.readouterr()
    assert "it/s" not in noise.err + noise.out and "Dl Size" not in noise.err
    parts = [imdb.load(split) for split in ("train", "validation")]
    assert [len(part[0]) for part in parts] == [6, 6]
    assert not set(parts[0][0]) & set(parts[1][0])
    for path in (miniature / "tfds" / imdb.NAME / imdb.VERSION).glob("*test*"):
        path.write_bytes(path.read_bytes()[:50])
    with data_error("cannot be read", "$COURSE_DATA_DIR/tfds/imdb_reviews"):
        imdb.load("test")


def test_an_interrupted_preparation_can_be_repeated(miniature, monkeypatch):
    stale = miniature / "tfds" / f"{imdb.STAGING}killed"
    stale.mkdir(parents=True)
    os.utime(stale, (time.time() - 7200,) * 2)
    tfds = imdb._import_tfds()
    with monkeypatch.context() as patch:

        def interrupted(*arguments, data_dir, **options):
            (miniature / data_dir / "half").mkdir()
            raise KeyboardInterrupt

        patch.setattr(tfds, "load", interrupted)
        with pytest.raises(KeyboardInterrupt):
            imdb.load("test")
    assert os.listdir(miniature / "tfds") == []
    assert len(imdb.load("test")[0]) == 12


def test_tfds_that_imports_without_working(directory, monkeypatch):
    (directory / "tfds" / imdb.NAME / imdb.VERSION).mkdir(parents=True)
    monkeypatch.setitem(sys.modules, "tensorflow_datasets", type(sys)("broken"))
    (directory / imdb.ARCHIVE).write_bytes(b"")
    monkeypatch.setattr(files, "check_sha256", lambda *arguments: None)
    with pytest.raises(files.DataError, match="tensorflow-metadata<1.18"):
        imdb.load("test")


def test_validation_is_stratified_and_takes_no_repeated_review():
    texts = [f"review {n}" for n in range(100)] + ["twice"] * 20
    labels = np.array([0, 1] * 60)
    chosen = imdb.validation_indices(texts, labels, size=20)
    assert len(set(chosen)) == 20 and labels[chosen].sum() == 10
    assert max(chosen) < 100
    assert (chosen == imdb.validation_indices(texts, labels, size=20)).all()


@pytest.mark.slow
@real_corpus(imdb.data_dir() / "tfds" / imdb.NAME / imdb.VERSION)
def test_full_imdb_has_the_documented_sizes():
    sizes = {"train": 22_500, "validation": 2_500, "test": 25_000}
    found = {split: imdb.load(split) for split in sizes}
    for split, size in sizes.items():
        texts, labels = found[split]
        assert len(texts) == size == 2 * labels.sum()
        assert not any("<br />" in text for text in texts)
    assert not set(found["train"][0]) & set(found["validation"][0])
