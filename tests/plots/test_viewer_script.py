"""What the viewer's script shows at each event, in node with a stand-in document."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from viewer_pages import HOSTILE, SOURCE, TARGET, WEIGHTS, Reader, chosen

from course_utils.plots import viewer

if not shutil.which("node"):
    pytest.skip(
        "node isn't installed, so the viewer's script runs nowhere here; the tests of "
        "the site run it in a browser",
        allow_module_level=True,
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


# A step, the side that shows weights then, its numbers, and the spoken text.
SHOWN = [
    (
        ["focus", "target", 1],  # layer 2, the mean of its heads: a row
        ("source", ["0.100", "0.600", "0.300"]),
        "“gato” looks most at: “cat” 0.600, “sat” 0.300, “the” 0.100.",
    ),
    (
        ["focus", "source", 0],  # a column
        ("target", ["0.400", "0.100"]),
        "“the” is looked at most by: “el” 0.400, “gato” 0.100.",
    ),
    (
        ["choose", "head", "1"],
        ("target", ["0.200", "0.200"]),
        "“the” is looked at most by: “el” 0.200, “gato” 0.200.",
    ),
    (
        ["choose", "layer", "0"],
        ("target", ["0.500", "0.300"]),
        "“the” is looked at most by: “el” 0.500, “gato” 0.300.",
    ),
    (["key", "Escape"], ("source", ["", "", ""]), ""),
    (
        ["key", "ArrowRight"],
        ("target", ["0.400", "0.200"]),
        "“cat” is looked at most by: “el” 0.400, “gato” 0.200.",
    ),
    (
        ["point", "source", 2],
        ("target", ["0.100", "0.500"]),
        "“sat” is looked at most by: “gato” 0.500, “el” 0.100.",
    ),
    (
        ["leave", "source"],  # back to the token with the focus
        ("target", ["0.400", "0.200"]),
        "“cat” is looked at most by: “el” 0.400, “gato” 0.200.",
    ),
    (
        ["click", "target", 1],
        ("source", ["0.300", "0.200", "0.500"]),
        "“gato” looks most at: “sat” 0.500, “the” 0.300, “cat” 0.200.",
    ),
    (
        ["key", "ArrowLeft"],
        ("source", ["0.500", "0.400", "0.100"]),
        "“el” looks most at: “the” 0.500, “cat” 0.400, “sat” 0.100.",
    ),
    (["point", "target", 1], ("source", ["0.300", "0.200", "0.500"]), None),
    # A pointer that rests hides no key press.
    (["focus", "target", 0], ("source", ["0.500", "0.400", "0.100"]), None),
]


def test_every_event_shows_the_weights_of_its_token():
    start, *states = play([step for step, _, _ in SHOWN])
    assert start["source"]["numbers"] == ["", "", ""] and start["status"] == ""
    for (step, (side, numbers), text), state in zip(SHOWN, states, strict=True):
        other = state["target" if side == "source" else "source"]
        assert state[side]["numbers"] == numbers, step
        assert set(other["numbers"]) == {""}, step
        assert text in (state["status"], None), step
        strengths = np.array([float(number or 0) for number in numbers]) / 0.9
        np.testing.assert_allclose(state[side]["strengths"], strengths, err_msg=step)
        asks = other["selected"].count("true")
        assert (
            asks == (step != ["key", "Escape"])
            and "true" not in state[side]["selected"]
        )
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
