"""The trained translator that comes with the course: where it is, and loading it.

In a checkout it lies in `models/`. Where only the package is installed, as in Colab, it
is fetched from the repository's address on first use and checked.
"""

import importlib.metadata
from pathlib import Path

from course_utils.environment import data_dir
from course_utils.files import DataError, download, shown
from course_utils.seq2seq import Translator

CHECKOUT = Path(__file__).parents[1] / "models"
NAME = "en_es.keras"
# Of models/en_es.keras; scripts/train_translator.py prints that of a new one.
SHA256 = "9379622dc4a41e43b02643d0bd2da6d57bc0417460c6eaed47e6b36659a39c23"


def translator_path():
    """Return the path of the English→Spanish translator, fetching it if needed.

    Raises:
        DataError: it isn't there and can't be fetched.
    """
    here = CHECKOUT / NAME
    if here.is_file():
        return here
    url = f"{_repository()}/raw/main/models/{NAME}"
    path = data_dir() / "models" / NAME
    try:
        return download(url, path, SHA256)
    except DataError as error:
        cause, _, _ = str(error).partition("; either set")
        raise DataError(
            f"{cause}; put the course's trained translator at {shown(path)} yourself."
        ) from error


def load_translator():
    """Return the English→Spanish translator of `models/`, ready to translate.

    Raises:
        DataError: it isn't there and can't be fetched.
    """
    return Translator.load(translator_path())


def _repository():
    """Return the course's public address from the installed package."""
    addresses = importlib.metadata.metadata("course_utils").get_all("Project-URL")
    by_name = dict(address.split(", ", 1) for address in addresses)
    return by_name["Repository"].rstrip("/")
