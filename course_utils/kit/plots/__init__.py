"""Figures of the lessons, each with a text alternative."""

from course_utils.kit.plots.charts import (
    COLOURS,
    MARKERS,
    bars,
    curves,
    dots,
    intervals,
)
from course_utils.kit.plots.comparisons import panels, ranked
from course_utils.kit.plots.figures import attention_viewer, head_grid, heatmap
from course_utils.kit.plots.map_table import map_table
from course_utils.kit.plots.pictures import demo, drawing
from course_utils.kit.plots.planes import planes
from course_utils.kit.plots.strips import strips
