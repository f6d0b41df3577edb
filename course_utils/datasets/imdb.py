"""IMDB movie reviews through TensorFlow Datasets (real data, 80 MB download).

Example:
    >>> from course_utils.datasets import imdb
    >>> texts, labels = imdb.load("train")                  # doctest: +SKIP
    >>> len(texts), labels.mean()                           # doctest: +SKIP
    (22500, 0.5)
"""

import collections
import contextlib
import logging
import os
import shutil
import tempfile
import time

import numpy as np

from course_utils.kit.environment import data_dir
from course_utils.kit.files import (
    DataError,
    data_error,
    download,
    make_directory,
    short_message,
)

URL = "http://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz"
ARCHIVE = "aclImdb_v1.tar.gz"
ARCHIVE_SHA256 = "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe"
NAME = "imdb_reviews/plain_text"
VERSION = "1.0.0"
VALIDATION = 2_500
SEED = 0
SPLITS = ("train", "validation", "test", "unsupervised")
STAGING = ".preparing-"


def load(split):
    """Load one split as lists. HTML line breaks (`<br />`) become spaces.

    `validation` is taken from the training part, with as many reviews of each label
    and a fixed seed; `train` is the rest. The corpus repeats some reviews; a repeated
    one never goes to validation, so that the two parts share no text. The corpus's own
    parts do share some: a few test reviews also stand in "train" and "unsupervised"
    (lesson 11 and "Distillation" leave them out of what they read without labels).

    Args:
        split: "train" (22,500 reviews), "validation" (2,500), "test" (25,000) or
            "unsupervised" (50,000, every label -1).

    Returns:
        `(texts, labels)`: a list of strings and an int32 array, 1 = positive.

    Raises:
        ValueError: there is no such split.
        DataError: the corpus can't be fetched, prepared or read.
    """
    if split not in SPLITS:
        raise ValueError(f"imdb.load: split must be one of {SPLITS}, got {split!r}.")
    source = "train" if split == "validation" else split
    texts, labels = _read(source)
    if source != "train":
        return texts, labels
    chosen = validation_indices(texts, labels)
    if split == "train":
        chosen = np.setdiff1d(np.arange(len(labels)), chosen)
    return [texts[i] for i in chosen], labels[chosen]


def validation_indices(texts, labels, size=VALIDATION, seed=SEED):
    """Choose a stratified validation part among the reviews that occur once.

    Args:
        texts: N reviews of the training part.
        labels: (N,) labels of the training part.
        size: how many to choose, the same number of each label.
        seed: another number gives another choice.

    Returns:
        Sorted indices of the chosen reviews.
    """
    generator = np.random.default_rng(seed)
    kinds = np.unique(labels)
    size = min(size, len(labels) // 2) // len(kinds)
    counts = collections.Counter(texts)
    once = np.array([counts[text] == 1 for text in texts])
    chosen = [
        generator.permutation(np.flatnonzero((labels == kind) & once))[:size]
        for kind in kinds
    ]
    return np.sort(np.concatenate(chosen))


def _read(split):
    """Read a whole TFDS split in large batches."""
    home = data_dir() / "tfds"
    prepared = home / NAME / VERSION
    if not (prepared / "dataset_info.json").is_file():
        _prepare(home)
    with _quiet():
        tfds = _import_tfds()
        try:
            dataset = tfds.load(
                NAME,
                split=split,
                data_dir=str(home),
                download=False,
                as_supervised=True,
                shuffle_files=False,
                batch_size=5_000,
            )
            batches = list(dataset.as_numpy_iterator())
        except Exception as error:
            raise data_error(
                "The prepared IMDB reviews cannot be read "
                f"({short_message(error)}), so delete that directory and try again",
                prepared,
            ) from error
    texts = [
        text.decode("utf-8").replace("<br />", " ")
        for batch, _ in batches
        for text in batch
    ]
    return texts, np.concatenate([labels for _, labels in batches]).astype("int32")


def _prepare(home):
    """Download and convert in a staging directory, then move the result into place."""
    make_directory(home)
    _remove_leftovers(home)
    archive = download(URL, data_dir() / ARCHIVE, sha256=ARCHIVE_SHA256)
    staging = tempfile.mkdtemp(prefix=STAGING, dir=home)
    target = home / NAME / VERSION
    tfds = _import_tfds()
    try:
        tfds.load(
            NAME,
            data_dir=staging,
            download_and_prepare_kwargs={
                "download_config": tfds.download.DownloadConfig(
                    manual_dir=str(archive.parent)
                )
            },
        )
        target.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):  # another process was faster
            os.replace(os.path.join(staging, NAME, VERSION), target)
    except Exception as error:
        raise data_error(
            f"{ARCHIVE} could not be prepared ({short_message(error)}), so delete it "
            "and try again",
            archive,
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _remove_leftovers(home, older_than=3600.0):
    """Remove what a killed preparation left behind more than an hour ago."""
    for path in home.glob(f"{STAGING}*"):
        if time.time() - path.stat().st_mtime > older_than:
            shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def _quiet():
    """Keep TFDS from logging while it reads."""
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def _import_tfds():
    """Import TensorFlow Datasets late, since it takes seconds."""
    try:
        import tensorflow_datasets as tfds

        if not hasattr(tfds, "load"):  # its import can fail without raising
            raise ImportError("tensorflow-metadata is too new for it")
    except ImportError as error:
        raise DataError(
            f"TensorFlow Datasets cannot be imported ({short_message(error)}); install "
            '"tensorflow-datasets importlib_resources tensorflow-metadata<1.18", or '
            "set COURSE_DATA=sample to use the bundled data."
        ) from error
    return tfds
