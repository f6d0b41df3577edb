"""Export the course's translator for the browser: `make site` does it, or

    python website/export_models.py [--output build/site/_static/models]

It writes `translator.json` (sizes, names of the arrays, pieces and merges of the
tokenizer, a checksum) and `translator.bin`, the weights in 8 bits each, see
`tools/eight_bits.py`. `website/static/live/model.mjs` reads them. TensorFlow isn't
needed.
"""

import argparse
import hashlib
import io
import json
import re
import sys
import zipfile
from pathlib import Path

import h5py
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from course_utils.kit.files import atomic_write  # noqa: E402
from tools.eight_bits import to_eight_bits  # noqa: E402

TRANSLATOR = ROOT / "models/en_es.keras"
MOST = 6_000_000  # bytes of a model that a page may load
SIZES = "vocab_size", "sequence_length", "embed_dim", "num_heads", "num_layers"
ENCODER = "encoder_layers"  # of a translator; None: as many as the decoder has
VARIABLES = {"dense": ("kernel", "bias"), "norm": ("gamma", "beta")}
BLOCK = re.compile(r"(?:transformer_(?:en|de)coder|causal_block)(?:_(\d+))?")


def main(arguments=None):
    """Export the translator; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    folder = ROOT / "build/site/_static/models"
    parser.add_argument("--output", type=Path, default=folder)
    output = parser.parse_args(arguments).output
    try:
        size = write(output, "translator", *export(TRANSLATOR))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"the translator for the browser: {size / 1e6:.1f} MB")
    return 0


def export(path):
    """Return what the browser has to know of a saved translator, and its weights.

    Args:
        path: a file that ``save`` of a ``Translator`` or ``TextGenerator`` has written.
    Returns:
        A dictionary that goes into JSON, and the weights as bytes.
    """
    config, arrays = read(path)
    pairs = [to_eight_bits(array) for array in arrays.values()]
    exponents, whole = zip(*pairs, strict=True)
    weights = b"".join(part.tobytes() for part in [*exponents, *whole])
    tokenizer = json.loads(config["vectorizer"]["config"]["tokenizer"])["model"]
    sizes = config.get("transformer", config.get("model"))["config"]
    of_encoder = sizes.get(ENCODER) or sizes["num_layers"]
    described = {
        "config": {name: sizes[name] for name in SIZES} | {ENCODER: of_encoder},
        "arrays": [{"name": n, "size": array.size} for n, array in arrays.items()],
        "vocabulary": sorted(tokenizer["vocab"], key=tokenizer["vocab"].get),
        "merges": tokenizer["merges"],
        "bytes": len(weights),
        "sha256": hashlib.sha256(weights).hexdigest(),
    }
    return described, weights


def read(path):
    """Return the configuration of a saved model, and its arrays by the browser's names.

    Args:
        path: as for ``export``.
    """
    with zipfile.ZipFile(path) as file:
        config = json.loads(file.read("config.json"))["config"]
        stored = h5py.File(io.BytesIO(file.read("model.weights.h5")))
    arrays = {}
    stored.visititems(lambda name, item: collect(arrays, name, item))
    return config, arrays


def collect(arrays, name, item):
    """Put an array of Keras's file under the name that the browser uses."""
    if not isinstance(item, h5py.Dataset):
        return
    *place, owner, _, number = name.split("/")[2:]
    if place == ["layers"]:  # where Keras puts the last norm of a mini GPT
        place, owner = [], "norm"
    kind = owner.rpartition("_")[2] if "dense" not in owner else "dense"
    if kind in VARIABLES:
        owner = f"{owner}.{VARIABLES[kind][int(number)]}"
    for i, part in enumerate(place):
        if found := BLOCK.fullmatch(part):
            place[i] = found[1] or "0"
    arrays[".".join([*place, owner])] = np.array(item)


def write(folder, name, described, weights):
    """Write both files, each complete or not at all; return their size in bytes.

    Raises:
        ValueError: they are more than a page may load.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(described, ensure_ascii=False, separators=(",", ":")).encode()
    if (size := len(weights) + len(text)) > MOST:
        raise ValueError(
            f"The model {name!r} takes {size / 1e6:.2f} MB in the browser, but a page "
            f"may load {MOST / 1e6:.0f} MB: make it smaller."
        )
    for ending, content in ("bin", weights), ("json", text):
        with atomic_write(folder / f"{name}.{ending}", "wb") as file:
            file.write(content)
    return size


if __name__ == "__main__":
    sys.exit(main())
