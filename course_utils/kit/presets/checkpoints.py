"""Published checkpoints of Hugging Face: a folder for each, fetched once and looked at.

The folder is that of the same name in the directory that ``COURSE_WEIGHTS_DIR`` names,
where there is one; else the files are fetched into the data directory.
"""

import json

from course_utils.kit.environment import data_dir, weights_dir
from course_utils.kit.files import (
    DataError,
    display_path,
    download,
    sha256,
    short_message,
)

HUB = "https://huggingface.co/{}/resolve/main/{}"
WEIGHTS = "model.safetensors"


# Bytes of a number in memory, by Keras's policy: mixed ones keep float32 variables.
BYTES = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}


def checkpoint(name, card, weights=True, dtype=None):
    """Return the folder of a checkpoint whose files are whole; fetch what is missing.

    Args:
        name, card: the preset and its `Card`, which has a ``hub``.
        weights: whether they are wanted, too, and not only the tokenizer's files.
        dtype: of the model that reads them; None is Keras's own.
    Raises:
        DataError: too little memory; a file can't be fetched, is cut off, or holds a
            model of another kind.
    """
    short = card.hub.rpartition("/")[2]
    if weights:
        check_memory(name, card.parameters, card.bytes_per_weight, dtype)
    if own := weights_dir():
        folder = own / short
        if not folder.is_dir():
            way = f"put the files of {card.hub} there, or unset it to fetch them"
            raise DataError(f"COURSE_WEIGHTS_DIR has no folder {short}; {way}.")
    else:
        folder = data_dir() / "weights" / short
    if list(folder.glob("*.gguf")):
        return folder
    hint = f"put the files of {card.hub} into a folder {short}, and name the "
    hint += "directory that holds it in COURSE_WEIGHTS_DIR"
    for file in card.files if weights else card.files[:-1]:
        checksum = None
        # Weights that are there are looked at below: another version may be used.
        if file == WEIGHTS and not (folder / file).exists():
            checksum = card.weights_sha256 or None
        download(HUB.format(card.hub, file), folder / file, checksum, hint)
    if not weights:
        return folder
    check_files(name, card.kind, folder)
    if card.weights_sha256 and sha256(folder / WEIGHTS) != card.weights_sha256:
        print(f"{short}/{WEIGHTS} has another checksum; your results may differ.")
    return folder


def check_memory(name, parameters, bytes_per_weight, dtype=None):
    """Raise a DataError where less memory is free than reading the weights takes.

    That is: what the file holds, the model, and a copy while the model is filled.

    Args:
        name: of the preset.
        parameters: number of weights.
        bytes_per_weight: in the file.
        dtype: of the model; None is Keras's own.
    """
    import keras
    import psutil

    policy = keras.dtype_policies.get(dtype or keras.config.dtype_policy())
    in_model = BYTES[policy.variable_dtype]
    needed = (bytes_per_weight + 2 * in_model) * parameters
    free = psutil.virtual_memory().available
    if free < needed:
        raise DataError(
            f"Reading {name} takes about {needed / 1e9:.1f} GB of memory, and "
            f"{free / 1e9:.1f} GB are free; close other notebooks, or set "
            "COURSE_DATA=sample."
        )


def check_files(name, kind, folder):
    """Raise a DataError for weights whose end is missing, or of another kind of model.

    The first 8 bytes of a safetensors file say how long its header is, and the header
    where each array ends.
    """
    path = folder / WEIGHTS
    try:
        found = json.loads((folder / "config.json").read_text("utf-8"))["model_type"]
        with open(path, "rb") as file:
            length = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(min(length, path.stat().st_size)))
        arrays = [entry for key, entry in header.items() if key != "__metadata__"]
        end = 8 + length + max(entry["data_offsets"][1] for entry in arrays)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise broken(folder, short_message(error)) from error
    if path.stat().st_size < end:
        raise broken(path, f"{path.stat().st_size:,} of {end:,} bytes are there")
    if found != kind:
        raise DataError(
            f"{display_path(folder)} holds a model of the kind {found!r}, but {name} "
            f"is {kind!r}; put the right files there."
        )


def broken(path, cause):
    """Return the error for what can't be read to its end."""
    return DataError(
        f"{display_path(path)} is damaged or incomplete ({cause}); remove it and get "
        "it again."
    )
