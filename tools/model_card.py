"""Store a trained model, and what it is: a JSON file and the table in its card."""

import argparse
import datetime
import zipfile
from pathlib import Path

from course_utils.kit import environment
from course_utils.kit.files import atomic_write, sha256
from tools import texts

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {"full": "models", "sample": "build/models"}


def software(*names):
    """Return the named packages with their versions, separated by commas."""
    versions = environment.versions()
    return ", ".join(f"{name} {versions[name]}" for name in names)


def options(about, recipes, arguments=None, minutes=False):
    """Read the command line of a program that trains a model.

    Args:
        about: the program's docstring.
        recipes: dict from data mode to settings.
        arguments: the command line, without the program's name.
        minutes: whether it may name the training's minutes; else they are the recipe's.
    Returns:
        The options; ``output`` is a directory that is there, ``recipe`` the settings.
    """
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    if minutes:
        parser.add_argument("--minutes", type=float, help="of the whole training")
    parser.add_argument("--data", choices=recipes, default="full")
    parser.add_argument("--output", type=Path, help="default: models, or build/models")
    found = parser.parse_args(arguments)
    found.recipe = recipes[found.data]
    found.output = found.output or ROOT / FOLDERS[found.data]
    found.output.mkdir(parents=True, exist_ok=True)
    return found


def save_model(model, path):
    """Save and pack a Keras model under other names first: complete, or not there.

    Args:
        model: a model, or whatever has its ``save``.
        path: of the ".keras" file.
    """
    loose = path.with_name(f".{path.name}.part.keras")
    try:
        model.save(loose)
        with (
            atomic_write(path, "wb") as file,
            zipfile.ZipFile(loose) as parts,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed,
        ):
            for name in parts.namelist():
                packed.writestr(name, parts.read(name))
    finally:
        loose.unlink(missing_ok=True)


def describe(path, model, figures, training, card, name, numbers=None):
    """Write what a stored model is: beside it, into its card, and on the screen.

    Args:
        path: the model's file.
        model: what is in it.
        figures, training: (name, value) pairs that stand first and last.
        card: the card's file, which may be missing.
        name: of the markers in it.
        numbers: a dict that the file beside the model has, too, for programs.
    """
    facts = [
        *figures,
        ("weights", f"{model.count_params():,}"),
        ("file", f"{path.stat().st_size / 1e6:.1f} MB"),
        ("sha256", f"`{sha256(path)}`"),
        *training,
        ("made with", f"{software('TensorFlow', 'Keras')}, {datetime.date.today()}"),
    ]
    texts.write_json(path.with_suffix(".json"), dict(facts) | (numbers or {}))
    lines = ["| | |", "|---|---|", *(f"| {fact} | {value} |" for fact, value in facts)]
    if card.exists():
        texts.fill_markers(card, name, "\n".join(lines))
    print(*lines, sep="\n")
