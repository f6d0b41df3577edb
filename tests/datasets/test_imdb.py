"""IMDB: a miniature corpus prepared by TFDS itself, and every bad condition."""

import hashlib
import io
import os
import sys
import tarfile
import time

import numpy as np
import pytest

from course_utils import files
from course_utils.datasets import imdb


def failure(split="test"):
    with pytest.raises(files.DataError) as error:
        imdb.load(split)
    text = str(error.value)
    assert "\n" not in text and text.endswith(".") and ". " not in text
    assert "COURSE_DATA=sample" in text
    return text


def write_archive(path):
    """Write a tiny aclImdb_v1.tar.gz: 6 + 6 reviews per part, 3 without labels."""
    with tarfile.open(path, "w:gz") as archive:
        for part in ("train", "test"):
            for label in ("neg", "pos", "unsup")[: 3 if part == "train" else 2]:
                for number in range(6 if label != "unsup" else 3):
                    content = f"A {label} film<br />é {part} {number}.".encode()
                    name = f"aclImdb/{part}/{label}/{number}_1.txt"
                    info = tarfile.TarInfo(name)
                    info.size = len(content)
                    archive.addfile(info, io.BytesIO(content))


@pytest.fixture
def directory(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path))

    def no_network(url, name, where):
        raise Exception(f"URL fetch failure on {url}: None -- no route to host")

    monkeypatch.setattr(files, "_fetch", no_network)
    return tmp_path


@pytest.fixture
def miniature(directory, monkeypatch):
    """Put a tiny archive into place and let TFDS accept its checksum."""
    tfds = pytest.importorskip("tensorflow_datasets")
    path = directory / imdb.ARCHIVE
    write_archive(path)
    content = path.read_bytes()
    infos = tfds.builder_cls("imdb_reviews").url_infos
    info = type(infos[imdb.URL])(
        size=len(content),
        checksum=hashlib.sha256(content).hexdigest(),
        filename=imdb.ARCHIVE,
    )
    monkeypatch.setitem(infos, imdb.URL, info)
    return directory


def test_no_network(directory):
    text = failure()
    assert "no route to host" in text and "$COURSE_DATA_DIR/aclImdb_v1.tar.gz" in text
    assert os.listdir(directory) == ["tfds"] and not os.listdir(directory / "tfds")


def test_unwritable_directory(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path / "file"))
    assert "Cannot write" in failure()


def test_a_damaged_archive_leaves_no_prepared_data(miniature):
    path = miniature / imdb.ARCHIVE
    path.write_bytes(path.read_bytes()[:200])
    assert "could not be prepared" in failure()
    assert os.listdir(miniature / "tfds") == []


def test_prepares_reads_and_needs_the_archive_no_more(miniature, capfd):
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


def test_damaged_prepared_data(miniature):
    imdb.load("test")
    for path in (miniature / "tfds" / imdb.NAME / imdb.VERSION).glob("*test*"):
        path.write_bytes(path.read_bytes()[:50])
    text = failure()
    assert "cannot be read" in text and "$COURSE_DATA_DIR/tfds/imdb_reviews" in text


def test_tfds_that_imports_without_working(directory, monkeypatch):
    (directory / "tfds" / imdb.NAME / imdb.VERSION).mkdir(parents=True)
    monkeypatch.setitem(sys.modules, "tensorflow_datasets", type(sys)("broken"))
    (directory / imdb.ARCHIVE).write_bytes(b"")
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
@pytest.mark.skipif(
    not (imdb.data_dir() / "tfds" / imdb.NAME / imdb.VERSION).exists(),
    reason="needs the real corpus",
)
def test_full_corpus_has_the_documented_sizes():
    sizes = {"train": 22_500, "validation": 2_500, "test": 25_000}
    found = {split: imdb.load(split) for split in sizes}
    for split, size in sizes.items():
        texts, labels = found[split]
        assert len(texts) == size == 2 * labels.sum()
        assert not any("<br />" in text for text in texts)
    assert not set(found["train"][0]) & set(found["validation"][0])
