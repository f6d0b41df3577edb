"""Loading published weights through KerasHub.

`course_utils.kit.presets` describes each preset that the course uses. Those that carry
a lesson are checkpoints of Hugging Face (`checkpoints.py`); KerasHub fetches some
others from Kaggle. The tiny ones come with the course, in `models/presets/`, and take
the same way through the code. Where only the package is installed, as in Colab, they
are fetched from the repository's address and checked.
"""

import contextlib
import os
import shutil
import tempfile
import warnings
import zipfile
from pathlib import Path

from course_utils.kit.environment import data_dir, quiet_stderr
from course_utils.kit.files import (
    DataError,
    display_path,
    make_directory,
    sha256,
    short_message,
)
from course_utils.kit.presets.cards import CARDS, describe, find_card
from course_utils.kit.presets.checkpoints import checkpoint
from course_utils.kit.presets.gguf_files import load_llama
from course_utils.models import model_path


def load(kind, name, **options):
    """Print the size of a preset, then load it.

    Args:
        kind: a class with `from_preset`, such as `keras_hub.models.MaskedLM`.
        name: a name of `CARDS`.
        options: for `from_preset`, such as `num_classes=2` or `load_weights=False`.

    Returns:
        What `from_preset` returns.

    Raises:
        ValueError: there is no such preset.
        DataError: it can't be fetched or read.
    """
    print(describe(name))
    return load_quietly(kind, name, **options)


def load_quietly(kind, name, weights=True, **options):
    """Load a preset as `load` does, without a line about its size.

    Args:
        weights: False for a tokenizer: of a checkpoint, no weights are fetched.
    """
    card = find_card(name)
    if card.hub:
        source = checkpoint(name, card, weights, options.get("dtype"))
        if found := sorted(source.glob("*.gguf")):
            return load_llama(found[0], weights, **options)
    else:
        source = folder(name) if card.sha256 else name
    if card.strip_accents and kind.__name__.endswith("Tokenizer"):
        options = {"strip_accents": True, **options}
    try:
        with without_notes():
            return kind.from_preset(str(source), **options)
    except Exception as error:  # KerasHub passes on whatever its sources raise
        way = "it comes with the course."
        if card.hub:
            way = f"its files lie in {display_path(source)}."
        elif not card.sha256:
            way = (
                "either check the connection to kaggle.com, where KerasHub fetches it "
                "on first use, or set COURSE_DATA=sample to use the tiny presets that "
                "come with the course."
            )
        if isinstance(error, ModuleNotFoundError):
            way = f"call `pip install {error.name}`."
        raise DataError(
            f"Could not load the preset {name} ({short_message(error)}); {way}"
        ) from error


@contextlib.contextmanager
def without_notes():
    """Hide three notes that ask for nothing while a T5 is built or traced.

    Its attention layers get their masks as arguments, and Keras warns that they drop
    the mask of the embedding, and that a decoder's first token looks at itself only;
    SentencePiece's C++ code says that a text stays as it is.
    """
    with quiet_stderr(), warnings.catch_warnings():
        for note in "(?s).*T5.*mask attached to it", ".*softmax over axis -1":
            warnings.filterwarnings("ignore", message=note)
        yield


def folder(name):
    """Return the directory of one of the course's own presets, unpacked.

    Args:
        name: a name of `CARDS` with a `sha256`.
    Raises:
        DataError: it isn't there and can't be fetched, or can't be unpacked.
    """
    zipped = model_path(f"presets/{name}.zip", CARDS[name].sha256, "preset")
    # The name holds the checksum, so that a preset made anew is unpacked anew.
    target = data_dir() / "presets" / f"{name}-{sha256(zipped)[:12]}"
    if not target.is_dir():
        make_directory(target.parent)
        staging = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=target.parent))
        try:
            with zipfile.ZipFile(zipped) as archive:
                archive.extractall(staging)
            with contextlib.suppress(OSError):  # another process was faster
                os.replace(staging, target)
        except (zipfile.BadZipFile, OSError) as error:
            raise DataError(
                f"Could not unpack the preset {display_path(zipped)} "
                f"({short_message(error)}); get this file again."
            ) from error
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return target
