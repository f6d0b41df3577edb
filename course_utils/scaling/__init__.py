"""What a training costs in operations and time, and how processes share it."""

from course_utils.scaling.flops import TRAINING_BY_FORWARD, graph_flops, product_flops
from course_utils.scaling.timing import interleaved_seconds
