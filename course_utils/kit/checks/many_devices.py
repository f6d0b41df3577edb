"""Checks of the exercises of "Many devices"; their cases stand in cases.toml."""

from course_utils.kit.checks.compare import Case, compare, solution, table_check


def exchange(function):
    """Check exercise 1, by hand: megabytes that each sends, and milliseconds."""
    hint = "the ring: 2 (W - 1) pieces, each a W-th of the gradients"
    return compare(function, solution("many_devices", "exchange"), [Case(())], hint)


# 2, build: weights, tokens, GPUs and hours for a budget in euros.
plan = table_check("many_devices", "plan", "6 N D operations, with D = 20 N")
# 3, diagnose: the weights (B, T) of the tokens of labels (B, T).
token_weights = table_check(
    "many_devices", "token_weights", "the mean over all real tokens"
)
# 4, investigate: the noise scale from squared norms at two numbers of rows.
noise_scale = table_check("many_devices", "noise_scale", "the two equations")
