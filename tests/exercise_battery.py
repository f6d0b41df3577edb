"""What every exercise check owes: it knows right, wrong and untouched answers."""


def untouched(*arguments):
    raise NotImplementedError


def tells_right_from_wrong(check, solution, mistakes):
    """Accept the solution, reject at least two mistakes with a hint, know a stub."""
    assert check(untouched) == "not attempted"
    assert check(solution) == "correct"
    assert len(mistakes) >= 2
    for mistake in mistakes:
        answer = check(mistake)
        assert answer.startswith("wrong: ") and "; look at " in answer, mistake
