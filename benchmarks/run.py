"""Measure ourselves beside others and write the tables of benchmarks/README.md.

    python -m benchmarks.run [SECTION ...] [--repeats 5]

Without a section all are measured, one after the other; each is stored as soon as it
is complete. Nothing else should run meanwhile.
"""

import argparse
import datetime
import importlib
import json
import sys
from pathlib import Path

from benchmarks import tables
from course_utils.kit import environment
from tools import texts

RESULTS = Path(__file__).with_name("results.json")
README = Path(__file__).with_name("README.md")


def main(arguments=None):
    """Measure, store and write the tables; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.sections) - set(tables.TABLES)):
        known = ", ".join(tables.TABLES)
        parser.error(f"there is no {', '.join(unknown)}; choose from {known}")
    for section in options.sections or tables.TABLES:
        print(f"== {section}", flush=True)
        repeats = options.repeats
        # Late: each peer's process imports this file again, and TensorFlow and PyTorch
        # don't get on in one process.
        rows = importlib.import_module(f"benchmarks.{section}").measure(repeats=repeats)
        store(section, {**circumstances(repeats), "rows": rows})
    results = json.loads(RESULTS.read_text("utf-8"))
    texts.write(README, tables.fill(README.read_text("utf-8"), results))
    return 0


def circumstances(repeats):
    """Return when and where a section was measured, and with which versions."""
    return {
        "date": datetime.date.today().isoformat(),
        "hardware": environment.hardware(),
        "versions": environment.versions(PyTorch="torch"),
        "data": environment.data_mode(),
        "repeats": repeats,
    }


def store(section, found):
    """Put one section's results into the file, which is complete or as before."""
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    results[section] = found
    texts.write_json(RESULTS, results)


if __name__ == "__main__":
    sys.exit(main())
