"""Figures of the lessons, each with a text alternative."""

from course_utils.plots.figures import (
    COLOURS,
    MARKERS,
    attention_viewer,
    bars,
    curves,
    head_grid,
    heatmap,
)
from course_utils.plots.pictures import drawing
