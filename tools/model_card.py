"""Store a trained model, and what it is: a JSON file and the table in its card."""

import json
import zipfile

from course_utils import environment
from course_utils.files import atomic_write
from tools.readme_tables import replace_between


def software(*names):
    """Return the named packages with their versions, separated by commas."""
    versions = environment.versions()
    return ", ".join(f"{name} {versions[name]}" for name in names)


def facts_table(facts):
    """Return a table with a row for each (name, value) pair."""
    lines = ["| | |", "|---|---|"]
    return "\n".join([*lines, *(f"| {name} | {value} |" for name, value in facts)])


def save_model(model, path):
    """Save and pack under other names first: the file is complete or not there."""
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


def write_json(path, facts):
    """Write a dict to a JSON file; an interruption leaves the old one."""
    with atomic_write(path) as file:
        json.dump(facts, file, indent=2, ensure_ascii=False)
        file.write("\n")


def fill_card(card, name, table):
    """Put a table between the markers called ``name``, where there is a card."""
    if card.exists():
        text = replace_between(card.read_text("utf-8"), name, table)
        with atomic_write(card) as file:
            file.write(text)
