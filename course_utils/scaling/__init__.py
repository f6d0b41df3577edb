"""What a model costs: operations, memory, time, and how to share the work."""

from course_utils.scaling.flops import (
    TRAINING_BY_FORWARD,
    accumulated_gradients,
    activation_bytes,
    bucket_batches,
    graph_flops,
    product_flops,
    real_tokens,
    state_bytes,
    take_turns,
    times_faster,
    translation_flops,
    widen,
)
from course_utils.scaling.timing import best_seconds
