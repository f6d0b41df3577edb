"""What the viewer's script shows at each event, in node with a stand-in document."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from viewer_pages import HOSTILE, SOURCE, TARGET, WEIGHTS, Reader, chosen

from course_utils.plots import viewer

pytestmark = pytest.mark.skipif(
    not shutil.which("node"),
    reason="node isn't installed; the tests of the site run the script in a browser",
)
STAND_IN = Path(__file__).with_name("viewer_stand_in.js")


def play(steps, source=SOURCE, target=TARGET, weights=WEIGHTS):
    """Run the page's own script; return what it shows at first and after each step."""
    document = viewer.page(source, target, weights, alt="A map.")
    (_, data), (_, script) = Reader(document).all("script")
    layer, head = chosen(document)
    facts = {"data": data, "script": script, "layer": layer, "head": head}
    done = subprocess.run(
        ["node", STAND_IN],
        input=json.dumps({**facts, "steps": steps}),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def spoken(token, side, numbers):
    """Say a token's weights on the other side, the largest first."""
    words, verb = SOURCE, "looks most at"
    if side == "target":
        words, verb = TARGET, "is looked at most by"
    pairs = sorted(zip(numbers, words, strict=True), key=lambda pair: -float(pair[0]))
    said = ", ".join(f"“{word}” {number}" for number, word in pairs)
    return f"“{token}” {verb}: {said}."


# A step, the token that it shows, the other side, and the token's weights there.
SHOWN = [
    # Layer 2, the mean of its heads: a row, then a column.
    (["focus", "target", 1], "gato", "source", "0.100 0.600 0.300"),
    (["focus", "source", 0], "the", "target", "0.400 0.100"),
    (["choose", "head", "1"], "the", "target", "0.200 0.200"),
    (["choose", "layer", "0"], "the", "target", "0.500 0.300"),
    (["key", "Escape"], "", "source", ""),
    (["key", "ArrowRight"], "cat", "target", "0.400 0.200"),
    (["point", "source", 2], "sat", "target", "0.100 0.500"),
    (["leave", "source"], "cat", "target", "0.400 0.200"),  # it has the focus
    (["click", "target", 1], "gato", "source", "0.300 0.200 0.500"),
    (["key", "ArrowLeft"], "el", "source", "0.500 0.400 0.100"),
    (["point", "target", 1], "gato", "source", "0.300 0.200 0.500"),
    # A pointer that rests hides no key press.
    (["focus", "target", 0], "el", "source", "0.500 0.400 0.100"),
]


def test_every_event_shows_the_weights_of_its_token():
    start, *states = play([step for step, *_ in SHOWN])
    assert start["source"]["numbers"] == ["", "", ""] and start["status"] == ""
    for (step, token, side, numbers), state in zip(SHOWN, states, strict=True):
        shown, other = state[side], state["target" if side == "source" else "source"]
        numbers = numbers.split() or ["", "", ""]
        assert shown["numbers"] == numbers, step
        assert set(other["numbers"]) == {""}, step
        assert state["status"] == (spoken(token, side, numbers) if token else ""), step
        strengths = np.array([float(number or 0) for number in numbers]) / 0.9
        np.testing.assert_allclose(shown["strengths"], strengths, err_msg=step)
        assert other["selected"].count("true") == bool(token)
        assert "true" not in shown["selected"]
    assert states[0]["target"]["selected"] == ["false", "true"]
    assert states[6]["source"]["focused"] == 1  # pointing moves no focus
    assert states[8]["target"]["focused"] == 1


def test_arrow_keys_move_inside_a_group_and_tab_comes_back_to_the_same_token():
    keys = ["ArrowRight", "ArrowDown", "ArrowRight", "ArrowLeft", "Home", "End"]
    start, *states = play([["focus", "source", 0], *[["key", key] for key in keys]])
    assert start["source"]["tabs"] == [0, -1, -1] and start["target"]["tabs"] == [0, -1]
    assert [state["source"]["focused"] for state in states] == [0, 1, 2, 2, 1, 0, 2]
    for state in states:
        tabs = [int(index == state["source"]["focused"]) - 1 for index in range(3)]
        assert state["source"]["tabs"] == tabs
        assert state["target"]["tabs"] == [0, -1]
    assert all(state["kept"] for state in states[1:])


def test_other_keys_stay_with_the_browser():
    keys = [["ArrowLeft", {"altKey": True}], ["Tab"], ["a"]]
    for state in play([["focus", "source", 1], *[["key", *key] for key in keys]])[2:]:
        assert state["source"]["focused"] == 1 and not state["kept"]


def test_escape_hides_what_the_pointer_shows():
    *_, pointed, cleared = play([["point", "target", 1], ["key", "Escape"]])
    assert pointed["status"] and not cleared["status"]


def test_repeated_and_hostile_tokens_are_shown_as_text():
    weights = np.full((1, 1, len(HOSTILE), 2), 0.5)
    _, shown = play([["focus", "source", 1]], ["a", "a"], HOSTILE, weights)
    assert shown["source"]["words"] == ["a", "a"]
    assert shown["target"]["words"] == HOSTILE
    assert shown["status"].startswith(f"“a” (2) is looked at most by: “{HOSTILE[0]}”")


def test_weights_of_zero_divide_by_nothing():
    state = play([["focus", "target", 0]], weights=np.zeros_like(WEIGHTS))[-1]
    assert state["source"]["numbers"] == ["0.000"] * 3
    assert state["source"]["strengths"] == [0, 0, 0]
