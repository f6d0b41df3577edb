"""Make an evidence file run by run: what was measured is kept, what is missing is run.

A module ``benchmarks/<name>.py`` gives its ``ARMS`` (name to settings, among them
``seeds`` where an arm has fewer), its ``SEEDS``
and ``measure(arm, seed)``, which returns figures by name, and calls `main`:

    python -m benchmarks.<name>                     all runs that are missing
    python -m benchmarks.<name> --list              what there is, and what is missing
    python -m benchmarks.<name> --arm A --seed 1    this run, again if it is there

Each run has a process of its own, so that none inherits another one's memory or graphs.
"""

import argparse
import datetime
import importlib
import json
import multiprocessing
import subprocess
import time
import tomllib
from pathlib import Path

from course_utils.kit import environment
from course_utils.kit.evidence import FOLDER, load, values
from tools.texts import write_json

ROOT = Path(__file__).resolve().parents[1]


def main(module, arguments=None, folder=FOLDER):
    """Run what the command line asks for; return the exit status.

    Args:
        module: the name of a module of ``benchmarks`` with ARMS, SEEDS and measure.
        arguments: the command line, without the program's name.
        folder: where the file lies.
    """
    source = importlib.import_module(f"benchmarks.{module}")
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{module}")
    parser.add_argument("--list", action="store_true", help="run nothing")
    parser.add_argument("--arm", choices=sorted(source.ARMS), help="only this arm")
    parser.add_argument("--seed", type=int, choices=source.SEEDS, help="only this seed")
    options = parser.parse_args(arguments)
    if environment.data_mode() != "full" and not options.list:
        parser.error("evidence is measured on the real data: unset COURSE_DATA.")
    path = folder / f"{module}.json"
    wanted = [
        (arm, seed)
        for seed in source.SEEDS  # so that every arm has one run early
        for arm in source.ARMS
        if seed in source.ARMS[arm].get("seeds", source.SEEDS)
        if options.arm in (None, arm) and options.seed in (None, seed)
    ]
    for arm, seed in wanted:
        done = (arm, seed) in {(r["arm"], r["seed"]) for r in read(path)["rows"]}
        if options.list:
            print(f"{arm}, seed {seed}: {'measured' if done else 'missing'}")
        elif not done or None not in (options.arm, options.seed):
            keep(path, module, in_a_process(module, arm, seed))
    return 0


def settings(module):
    """Return the arms that stand in the TOML file of a module, and what else does."""
    shared = tomllib.loads(Path(module).with_suffix(".toml").read_text("utf-8"))
    return shared.pop("arms", {}), shared


def timed(function, *arguments, **options):
    """Call a function; return its processor minutes, and what it returns."""
    start = time.process_time()
    found = function(*arguments, **options)
    return (time.process_time() - start) / 60, found


def of_seed_0(module, name):
    """Return the value of a figure that a module's run with seed 0 has found."""
    return values([row for row in load(module) if row["seed"] == 0], name)[0]


def tried(settings, learn, score, more):
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
    waiting, scores, best = list(settings), {}, None
    most = len(settings) + more
    while waiting:
        setting = waiting.pop(0)
        learned = learn(setting)
        scores[setting] = score(learned)
        if best is None or scores[setting] > scores[best]:
            best, kept = setting, learned
        rising = sorted(scores)
        if not waiting and best in (rising[0], rising[-1]) and 1 < len(scores) < most:
            neighbour = rising[1] if best == rising[0] else rising[-2]
            waiting = [best * (best / neighbour)]
    return best, kept, scores


def read(path):
    """Return what an evidence file holds; nothing yet when it isn't there."""
    if not path.is_file():
        return {"command": "", "rows": []}
    return json.loads(path.read_text(encoding="utf-8"))


def in_a_process(module, arm, seed):
    """Return the rows of one run, which is made in a fresh process."""
    print(f"{arm}, seed {seed} ...", flush=True)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        rows = pool.apply(rows_of, (module, arm, seed))
    print(*(f"  {row['name']} = {row['value']}" for row in rows), sep="\n", flush=True)
    return rows


def rows_of(module, arm, seed):
    """Measure one arm with one seed; return a row for each figure."""
    source, start = importlib.import_module(f"benchmarks.{module}"), time.perf_counter()
    figures = source.measure(arm, seed)
    facts = {
        "arm": arm,
        "seed": seed,
        "minutes": round((time.perf_counter() - start) / 60, 2),
        "machine": environment.hardware(),
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
    }
    return [{"name": name, "value": value, **facts} for name, value in figures.items()]


def commit():
    """Return the commit that is measured, with a + when code or data differ from it."""

    def git(*words):
        found = subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True
        )
        return found.stdout.strip()

    others = "--", ".", ":!course_utils/kit/evidence"  # evidence grows from run to run
    changed = git("status", "--porcelain", "--untracked-files=no", *others)
    return git("rev-parse", "--short=10", "HEAD") + "+" * bool(changed)


def keep(path, module, rows):
    """Put the rows of one run into the file, in the place of older ones."""
    arm, seed = rows[0]["arm"], rows[0]["seed"]
    others = [r for r in read(path)["rows"] if (r["arm"], r["seed"]) != (arm, seed)]
    rows = sorted(others + rows, key=lambda row: (row["name"], row["seed"]))
    content = {"command": f"python -m benchmarks.{module}", "rows": rows}
    write_json(path, content)
