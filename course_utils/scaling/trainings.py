"""What the course's trainings cost, in the form of Vaswani et al. (2017), table 2.

Weights, updates, minutes and scores are what the stored lessons recorded. Operations
are the recorded updates times what one update computes, counted from the sizes.
"""

import collections
import json
import tomllib
from pathlib import Path

from course_utils.kit import results
from course_utils.scaling.flops import TRAINING_BY_FORWARD

LESSONS = Path(__file__).resolve().parents[2] / "notebooks"
MINUTES = "processor_minutes", "pretrain_minutes"  # the latter on a wall clock

# By how a training's figures are called: lesson, model, score, its unit, and the
# operations of the forward pass of one update. A test counts those in a graph.
MODELS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


# A row of the table; a figure is None where no stored lesson recorded it.
Cost = collections.namedtuple("Cost", "lesson model weights flops minutes score unit")


def recorded_figures(folder=LESSONS):
    """Return {name: value} of what full runs recorded in the lessons of a folder."""
    core = sorted(Path(folder).glob("[0-9]*.ipynb"))
    further = sorted(Path(folder).glob("further/[0-9]*.ipynb"))
    figures = {}
    for path in [*core, *further]:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if notebook["metadata"].get("course", {}).get("data_mode") == "full":
            figures |= {row["name"]: row["value"] for row in results.collect(notebook)}
    return figures


def cost_table(figures):
    """Return a `Cost` for each model of ``MODELS``.

    Args:
        figures: what `recorded_figures` returns.
    Raises:
        ValueError: there are none, as where only the package is installed.
    """
    if not figures:
        raise ValueError(
            "cost_table: the stored lessons aren't beside the package, so there is no "
            "table here; open the course's repository to read it."
        )

    def figure(prefix, *kinds):
        names = [f"{prefix}.{kind}" for kind in kinds]
        return next((figures[name] for name in names if name in figures), None)

    table = []
    for prefix, about in MODELS.items():
        updates = figure(prefix, "updates")
        operations = updates and TRAINING_BY_FORWARD * about["forward"] * updates
        shown = figure(prefix, "weights"), operations, figure(prefix, *MINUTES)
        score, unit = figure(prefix, about["score"]), about["unit"]
        table.append(Cost(about["lesson"], about["model"], *shown, score, unit))
    return table
