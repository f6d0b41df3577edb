"""What a model costs: operations, memory, time, and how to share the work."""

from course_utils.scaling.flops import (
    TRAINING_BY_FORWARD,
    activation_bytes,
    graph_flops,
    product_flops,
    state_bytes,
    translation_flops,
)
from course_utils.scaling.gradient_accumulation import (
    accumulated_gradients,
    real_tokens,
)
from course_utils.scaling.timing import (
    best_seconds,
    interleaved_seconds,
    median_speedup,
)
