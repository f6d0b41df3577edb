"""Make a study's table run by run: what was measured is kept, what is missing is run.

A module ``benchmarks/<study>.py`` gives its ``VARIANTS`` (name to settings, among them
``seeds`` where a variant has fewer), its ``SEEDS`` and ``measure(variant, seed)``,
which returns figures by name, and calls `main`:

    python -m benchmarks.<study>                         all runs that are missing
    python -m benchmarks.<study> --list                  what there is, what is missing
    python -m benchmarks.<study> --variant A --seed 1    this run, again if it is there

Each run has a process of its own, so that none inherits another one's memory or
graphs. When it ends, it is a row of ``course_utils/kit/evidence/<study>.csv``: an
interruption costs the run that is being made, and no other. Where one run measures
several models, a module sets ``ROW_A_FIGURE = True``: the table then has a row a
figure, and `measure` returns whole names.
"""

import argparse
import datetime
import importlib
import multiprocessing
import subprocess
import time
from pathlib import Path

import pandas as pd

from course_utils.kit import environment
from course_utils.kit.evidence import FOLDER, load, values
from course_utils.kit.files import atomic_write

ROOT = Path(__file__).resolve().parents[1]


def main(study, arguments=None, folder=FOLDER):
    """Run what the command line asks for; return the exit status.

    Args:
        study: the name of a module of ``benchmarks`` with VARIANTS, SEEDS and measure.
        arguments: the command line, without the program's name.
        folder: where the table lies.
    """
    module = importlib.import_module(f"benchmarks.{study}")
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{study}")
    parser.add_argument("--list", action="store_true", help="run nothing")
    parser.add_argument("--variant", choices=sorted(module.VARIANTS), help="only this")
    parser.add_argument("--seed", type=int, choices=module.SEEDS, help="only this seed")
    options = parser.parse_args(arguments)
    if environment.data_mode() != "full" and not options.list:
        parser.error("evidence is measured on the real data: unset COURSE_DATA.")
    path = folder / f"{study}.csv"
    for variant, seed in planned(module):
        if options.variant not in (None, variant) or options.seed not in (None, seed):
            continue
        measured = is_measured(path, variant, seed)
        if options.list:
            state = "measured" if measured else "missing"
            print(f"{variant}, seed {seed}: {state}")
        elif not measured or (options.variant and options.seed is not None):
            keep(path, in_a_process(study, variant, seed))
    return 0


def planned(module):
    """Yield the runs of a study, (variant, seed): each variant has one run early."""
    for seed in module.SEEDS:
        for variant, settings in module.VARIANTS.items():
            if seed in settings.get("seeds", module.SEEDS):
                yield variant, seed


# --- a run ----------------------------------------------------------------------------


def in_a_process(study, variant, seed):
    """Return the rows of one run, which is made in a fresh process."""
    print(f"{variant}, seed {seed} ...", flush=True)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        rows = pool.apply(rows_of, (study, variant, seed))
    for column in rows:
        print(f"  {column} = {', '.join(map(str, rows[column]))}", flush=True)
    return rows


def rows_of(study, variant, seed):
    """Measure one variant with one seed; return its row, or a row for each figure."""
    module = importlib.import_module(f"benchmarks.{study}")
    start = time.perf_counter()
    figures = module.measure(variant, seed)
    facts = {
        "minutes": round((time.perf_counter() - start) / 60, 2),
        "machine": environment.hardware(),
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
    }
    run = {"variant": variant, "seed": seed}
    if getattr(module, "ROW_A_FIGURE", False):
        rows = [
            {**run, "name": name, "value": value, **facts}
            for name, value in figures.items()
        ]
    else:
        rows = [{**run, **figures, **facts}]
    rows = [{column: str(cell) for column, cell in row.items()} for row in rows]
    return pd.DataFrame(rows)


def commit():
    """Return the commit that is measured, with a + when code or data differ from it."""

    def git(*words):
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip()

    others = "--", ".", ":!course_utils/kit/evidence"  # evidence grows from run to run
    changed = git("status", "--porcelain", "--untracked-files=no", *others)
    head = git("rev-parse", "--short=10", "HEAD")
    return f"{head}+" if changed else head


# --- the table ------------------------------------------------------------------------


def read(path):
    """Return a table as it is written, every cell a text; empty when it isn't there."""
    if not path.is_file():
        return pd.DataFrame(columns=["variant", "seed"], dtype=str)
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def of_run(table, variant, seed):
    """Return which rows of a table belong to a run."""
    return (table["variant"] == variant) & (table["seed"] == str(seed))


def is_measured(path, variant, seed):
    """Return whether a run is in the table."""
    return of_run(read(path), variant, seed).any()


def keep(path, rows):
    """Put the rows of one run at the end of the table, and away with older ones.

    A new figure's column stands before the run's minutes.
    """
    table = read(path)
    older = of_run(table, rows["variant"].iloc[0], rows["seed"].iloc[0])
    table = pd.concat([table[~older], rows]).fillna("")
    last = ["minutes", "machine", "date", "commit"]
    columns = [name for name in table.columns if name not in last] + last
    with atomic_write(path) as file:
        table.to_csv(file, columns=columns, index=False, lineterminator="\n")


# --- what studies share ---------------------------------------------------------------


def value_of_seed_0(study, name):
    """Return the value of a figure that a study's run with seed 0 has measured."""
    first = [row for row in load(study) if row["seed"] == 0]
    return values(first, name)[0]


def timed(function, *arguments, **options):
    """Call a function; return its processor minutes, and what it returns."""
    start = time.process_time()
    result = function(*arguments, **options)
    return (time.process_time() - start) / 60, result


def best_from_search(settings, learn, score, more):
    """Try settings; where the best one is at an edge, more of them beyond it.

    Each of these is farther out by the factor between the last two. Of equally good
    settings the first one is taken.

    Args:
        settings: what to try first, rising; a single one is taken as it is.
        learn: a function of a setting, to whatever was learned.
        score: a function of this, to a number: the higher, the better.
        more: how many to try at most beyond the edges.

    Returns:
        The best setting, what was learned with it, and the scores by setting.
    """
    waiting = list(settings)
    most = len(waiting) + more
    scores = {}
    best = None
    while waiting:
        setting = waiting.pop(0)
        learned = learn(setting)
        scores[setting] = score(learned)
        if best is None or scores[setting] > scores[best]:
            best = setting
            best_learned = learned
        rising = sorted(scores)
        at_edge = best in (rising[0], rising[-1])
        if not waiting and at_edge and 1 < len(scores) < most:
            neighbour = rising[1] if best == rising[0] else rising[-2]
            waiting = [best * (best / neighbour)]
    return best, best_learned, scores
