"""English–Spanish sentence pairs from Tatoeba (real data, 2.6 MB download).

Example:
    >>> from course_utils.datasets import spa_eng
    >>> corpus = spa_eng.load()                             # doctest: +SKIP
    >>> corpus.test[0]                                      # doctest: +SKIP
    ('Why is it so cold today?', ['¿Por qué hace tanto frío hoy?'])
"""

import hashlib
import unicodedata
import zipfile
import zlib
from typing import NamedTuple

from course_utils.kit.environment import data_dir
from course_utils.kit.files import data_error, download, short_message

URL = "https://storage.googleapis.com/download.tensorflow.org/data/spa-eng.zip"
ARCHIVE = "spa-eng.zip"
MEMBER = "spa-eng/spa.txt"
MEMBER_SHA256 = "6ec60e212f812ee3430f7568ea6f33b6fb080e32193c5952e8da0ee8ba45574c"
HELD_OUT = 3_000  # English sentences in validation, and as many in test
SEED = 0


class Splits(NamedTuple):
    """Three lists of `(english, [spanish, ...])`; no English sentence is in two."""

    train: list
    validation: list
    test: list


def load():
    """Load the corpus, grouped by English sentence and split without leakage.

    Text is brought to Unicode form NFC and stripped; exact duplicates are dropped.
    Pairs whose English sides differ only in case or spacing form one group with all
    its Spanish references, and the English sentence is kept as first written. Which
    split a group goes to follows from a hash of its English sentence alone.

    Measured: 118,964 pairs (none repeated), 102,902 English sentences: 96,902 train
    (111,928 pairs), 3,000 validation (3,513) and 3,000 test (3,522). For 243 test
    sentences, a Spanish reference also translates some other sentence of train.

    Returns:
        `Splits(train, validation, test)`, each a list of `(english, [spanish, ...])`
        in a fixed shuffled order.

    Raises:
        DataError: the file can't be fetched or read.
    """
    path = download(URL, data_dir() / ARCHIVE)
    return split(group(parse(_read(path), path)))


def key(english):
    """Return what two spellings of the same English sentence have in common.

    Args:
        english: a sentence.

    Returns:
        The sentence in Unicode form NFC, case-folded, with single spaces.
    """
    return " ".join(unicodedata.normalize("NFC", english).casefold().split())


def parse(text, path=ARCHIVE):
    """Turn lines of `english<TAB>spanish` into pairs.

    Args:
        text: content of spa.txt.
        path: where it came from, for the error.

    Returns:
        A list of `(english, spanish)`, NFC, stripped, without exact duplicates.

    Raises:
        DataError: a line isn't two texts with a tab between them, or there is none.
    """
    pairs = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        fields = [unicodedata.normalize("NFC", x).strip() for x in line.split("\t")]
        if len(fields) < 2 or not fields[0] or not fields[1]:
            raise data_error(
                f"{MEMBER} in {ARCHIVE} has a wrong layout (line {number} is not "
                "English, a tab, Spanish)",
                path,
            )
        pairs[fields[0], fields[1]] = None
    if not pairs:
        raise data_error(f"{MEMBER} in {ARCHIVE} is empty", path)
    return list(pairs)


def group(pairs):
    """Collect the Spanish references of each English sentence.

    Args:
        pairs: list of `(english, spanish)`.

    Returns:
        A dict from the sentence's `key` to `(english, [spanish, ...])`.
    """
    groups = {}
    for english, spanish in pairs:
        references = groups.setdefault(key(english), (english, []))[1]
        if spanish not in references:
            references.append(spanish)
    return groups


def split(groups, held_out=HELD_OUT, seed=SEED):
    """Order the groups by a hash of their key, then cut.

    Args:
        groups: what `group` returns.
        held_out: size of validation and of test.
        seed: another number gives another split.

    Returns:
        `Splits(train, validation, test)`.
    """

    def rank(name):
        return hashlib.sha256(f"{seed}:{name}".encode()).digest()

    ordered = [groups[name] for name in sorted(groups, key=rank)]
    held_out = min(held_out, len(ordered) // 3)
    test, validation = ordered[:held_out], ordered[held_out : 2 * held_out]
    return Splits(ordered[2 * held_out :], validation, test)


def _read(path):
    """Read spa.txt out of the archive, without unpacking it to disk."""
    try:
        with zipfile.ZipFile(path) as archive:
            if MEMBER not in archive.namelist():
                raise data_error(
                    f"{ARCHIVE} has a wrong layout (there is no {MEMBER} in it)", path
                )
            content = archive.read(MEMBER)
        text = content.decode("utf-8")
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise data_error(
            f"{ARCHIVE} is damaged or incomplete ({short_message(error)}), so delete "
            "it and try again",
            path,
        ) from error
    check_text(content, path)
    return text


def check_text(content, path):
    """Raise a DataError unless these bytes are the corpus that the course was run with.

    Args:
        content: the bytes of spa.txt.
        path: the archive, for the error.
    """
    found = hashlib.sha256(content).hexdigest()
    if found != MEMBER_SHA256:
        raise data_error(
            f"{MEMBER} in {ARCHIVE} is not the text that the course was run with (its "
            f"sha256 begins with {found[:12]}, not {MEMBER_SHA256[:12]}), so delete it "
            "and try again",
            path,
        )
