"""What takes longer than a lesson: variants × seeds × budgets.

``benchmarks/<study>.py`` measures them and makes ``<study>.csv`` beside this file, run
by run: a row a run, with its variant, its seed, a column for each figure, and its
minutes, machine, date and commit. In three studies a run measures several models, so
that a table of runs would be nearly empty: theirs has a row a figure, with the columns
``name`` and ``value``.

    table = evidence.table("gru")
    table.groupby("variant")["bleu"].mean()

A lesson trains one variant in front of the learner and reads the others here, figure by
figure, each under one name:

    >>> rows = [{"name": "demo.base.bleu", "value": v, "seed": v} for v in (46, 47, 48)]
    >>> values(rows, "demo.base.bleu")
    [46, 47, 48]
    >>> record(rows, "demo.base.bleu")
    demo.base.bleu = 47
"""

import difflib
import statistics
from pathlib import Path

import pandas as pd

from course_utils.kit import results

FOLDER = Path(__file__).parent
TEXTS = ["variant", "machine", "date", "commit"]  # a commit may look like a number
FACTS = ["variant", "seed", "minutes", "machine", "date", "commit"]  # of a run


def table(study):
    """Return the table of a study, a pandas DataFrame.

    Integers stay integers, and floats are read as they were measured, to the last bit.

    Raises:
        ValueError: there is no such study.
    """
    path = FOLDER / f"{study}.csv"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in FOLDER.glob("*.csv"))) or "none"
        known += f". To measure it: `python -m benchmarks.{study}`"
        raise ValueError(f"There is no evidence {study!r}; there is: {known}.")
    runs = pd.read_csv(
        path,
        dtype=dict.fromkeys(TEXTS, "string"),
        dtype_backend="numpy_nullable",  # gaps don't turn integers into floats
        float_precision="round_trip",
    )
    return runs.fillna({"commit": ""})  # some commits weren't noted


def load(study):
    """Return the figures of a study, a dictionary each, in order of names and seeds.

    Each has name (``study.variant.figure`` where the table has a row a run), value,
    variant, seed, minutes, machine, date and commit.

    Raises:
        ValueError: there is no such study.
    """
    rows = table(study).to_dict("records")
    if rows and "name" not in rows[0]:
        rows = figures_of_runs(study, rows)
    return sorted(rows, key=lambda row: (row["name"], row["seed"]))


def figures_of_runs(study, runs):
    """Return a row for each figure of each run, without those that weren't measured."""
    rows = []
    for run in runs:
        facts = {fact: run[fact] for fact in FACTS}
        for figure, value in run.items():
            if figure not in FACTS and not pd.isna(value):
                name = f"{study}.{run['variant']}.{figure}"
                rows.append({"name": name, "value": value, **facts})
    return rows


def values(rows, name):
    """Return the values of all seeds under a name.

    Raises:
        ValueError: no row has this name.
    """
    of_seeds = [row["value"] for row in rows if row["name"] == name]
    if not of_seeds:
        known = {row["name"] for row in rows}
        near = ", ".join(difflib.get_close_matches(name, known, cutoff=0))
        raise ValueError(f"No row is called {name!r}; near names are: {near}.")
    return of_seeds


def record(rows, *names, unit="", prefix=""):
    """Record the mean over seeds of each name, with the standard deviation as noise.

    Args:
        rows: what `load` returns.
        names: names of rows; none means all of them.
        unit: as in `results.record`.
        prefix: stands before the recorded names, where another lesson records the
            same rows.
    """
    for name in names or sorted({row["name"] for row in rows}):
        of_seeds = values(rows, name)
        noise = statistics.stdev(of_seeds) if len(of_seeds) > 1 else None
        results.record(f"{prefix}{name}", statistics.mean(of_seeds), unit, noise=noise)
