"""Checks of the exercises of "Scaling up"; their cases stand in cases.toml."""

from course_utils.kit.checks.compare import table_check

# 1, by hand: bytes of (weights, slots, policy).
training_bytes = table_check(
    "scaling_up", "training_bytes", "weights, gradients, slots"
)
# 2, build: the best distance of checkpoints and its peak, for (blocks, inner, outer).
best_checkpoints = table_check("scaling_up", "best_checkpoints", "the moment with most")
# 3, diagnose: weights after steps with gradients (steps, ...) at a rate.
mended_training = table_check(
    "scaling_up", "mended_training", "what has 16 bits, and when"
)
# 4, investigate: the index of the best size for a law and a budget.
size_for = table_check("scaling_up", "size_for", "what a size reads in the time")
