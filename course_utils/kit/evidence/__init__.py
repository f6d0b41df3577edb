"""What takes longer than a lesson: seeds × arms × budgets, measured by `benchmarks/`.

``benchmarks/<name>.py`` makes ``<name>.json`` beside this file, run by run. A row holds
name, value, seed, minutes, machine, date and commit. A lesson trains one arm in front
of the learner and reads the others here:

    >>> rows = [{"name": "demo.bleu", "value": v, "seed": v} for v in (46, 47, 48)]
    >>> values(rows, "demo.bleu")
    [46, 47, 48]
    >>> record(rows, "demo.bleu")
    demo.bleu = 47
"""

import difflib
import json
import statistics
from pathlib import Path

from course_utils.kit import results

FOLDER = Path(__file__).parent


def load(name):
    """Return the rows of an evidence file, in order of names and seeds.

    Raises:
        ValueError: there is no such file.
    """
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in FOLDER.glob("*.json"))) or "none"
        known += f". To measure it: `python -m benchmarks.{name}`"
        raise ValueError(f"There is no evidence {name!r}; there is: {known}.")
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return sorted(rows, key=lambda row: (row["name"], row["seed"]))


def values(rows, name):
    """Return the values of all seeds under a name.

    Raises:
        ValueError: no row has this name.
    """
    found = [row["value"] for row in rows if row["name"] == name]
    if not found:
        known = {row["name"] for row in rows}
        near = ", ".join(difflib.get_close_matches(name, known, cutoff=0))
        raise ValueError(f"No row is called {name!r}; near names are: {near}.")
    return found


def record(rows, *names, unit=""):
    """Record the mean over seeds of each name, with the standard deviation as noise.

    Args:
        rows: what `load` returns.
        names: names of rows; none means all of them.
        unit: as in `results.record`.
    """
    for name in names or sorted({row["name"] for row in rows}):
        found = values(rows, name)
        noise = statistics.stdev(found) if len(found) > 1 else None
        results.record(name, statistics.mean(found), unit, noise=noise)
