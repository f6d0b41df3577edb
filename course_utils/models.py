"""The trained models that come with the course: where they are, and loading them.

In a checkout they lie in `models/`. Where only the package is installed, as in Colab,
they are fetched on first use, from the course's public address if it has one; a file
that lies in the working folder is taken, too.
"""

from pathlib import Path

import keras

from course_utils.bert.mini_bert import MiniBert
from course_utils.kit.environment import data_dir
from course_utils.kit.files import DataError, display_path, download, public_address
from course_utils.kit.files import sha256 as checksum_of
from course_utils.language_models import TextGenerator
from course_utils.seq2seq import Translator

CHECKOUT = Path(__file__).parents[1] / "models"
NAME = "en_es.keras"
# Of models/en_es.keras; tools/train_translator.py prints that of a new one.
SHA256 = "10598b1ccb8a7f6a9fe4257c02642204c3764d94d4889bf7d166b11c9ebfffa4"
LESSON_NAME = "en_es_lesson_08.keras"
# Of models/en_es_lesson_08.keras, which lesson 08's recipe has given.
LESSON_SHA256 = "9379622dc4a41e43b02643d0bd2da6d57bc0417460c6eaed47e6b36659a39c23"
MINI_BERT = "mini_bert.keras"
# Of models/mini_bert.keras; tools/pretrain_bert.py prints that of a new one.
MINI_BERT_SHA256 = "87311cde9de4411ce98af8342bc23d6bf70c43e42ce1aa4262009dd40dde4ce0"
MINI_GPT = "mini_gpt.keras"
# Of models/mini_gpt.keras; tools/train_gpt.py prints that of a new one.
MINI_GPT_SHA256 = "e9a71e7c0999871c702d71cbdf9ba910b505651c4358d96181cedc7027e29e3b"


def model_path(name, sha256, what):
    """Return the path of a file of `models/`, fetching it if needed.

    Args:
        name: its place below `models/`, such as "presets/tiny_bert_en.zip".
        sha256: its checksum.
        what: how the sentence calls it when it can't be fetched.
    Raises:
        DataError: it isn't there and can't be fetched.
    """
    here = CHECKOUT / name
    if here.is_file():
        return here
    beside = Path(Path(name).name)  # uploaded beside a notebook
    if beside.is_file() and checksum_of(beside) == sha256:
        return beside
    # The place holds the checksum, so that a model made anew is fetched anew.
    path = data_dir() / "models" / sha256[:12] / name
    files = _public_files()
    if not files and not path.is_file():
        raise DataError(
            f"This course has no public address to fetch its {what} from; put "
            f"models/{name} of a copy of the course beside the notebook."
        )
    hint = f"put the course's {what} at {display_path(path)} yourself"
    return download(f"{files}/models/{name}", path, sha256, hint)


def load_translator(path=None):
    """Return the English→Spanish translator of `models/`, ready to translate.

    Args:
        path: of another translator's file.
    Raises:
        DataError: it isn't there and can't be fetched.
        ValueError: the other file isn't one of a translator.
    """
    return Translator.load(path or model_path(NAME, SHA256, "trained translator"))


def load_lesson_translator():
    """Return the translator that lesson 08's recipe gives: smaller, and not as good.

    Raises:
        DataError: it isn't there and can't be fetched.
    """
    path = model_path(LESSON_NAME, LESSON_SHA256, "translator of lesson 08")
    return Translator.load(path)


def load_mini_bert():
    """Return the small BERT of `models/`, pre-trained on film reviews.

    Returns:
        A ``course_utils.bert.MiniBert``.
    Raises:
        DataError: it isn't there and can't be fetched.
    """
    return _load(MINI_BERT, MINI_BERT_SHA256, "pre-trained BERT", MiniBert)


def load_mini_gpt():
    """Return the mini GPT of `models/`, which writes film reviews.

    Returns:
        A ``course_utils.language_models.TextGenerator``.
    Raises:
        DataError: it isn't there and can't be fetched.
    """
    return _load(MINI_GPT, MINI_GPT_SHA256, "trained mini GPT", TextGenerator)


def _load(name, sha256, what, kind):
    path = model_path(name, sha256, what)
    return keras.models.load_model(path, custom_objects={kind.__name__: kind})


def _public_files():
    """Return the address of this version's files, "" while the course isn't public."""
    _, address = public_address()
    return address
