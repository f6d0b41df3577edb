"""The attention viewer: nothing from outside, and no token breaks out.

What its script shows at each event is tested in node, with a stand-in for the document.
"""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from course_utils.kit.plots import pictures, viewer

STAND_IN = Path(__file__).with_name("viewer_stand_in.js")
SOURCE = ["the", "cat", "sat"]
TARGET = ["el", "gato"]
WEIGHTS = np.array(  # (L=2, H=2, T=2, S=3)
    [
        [[[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]], [[0.5, 0.4, 0.1], [0.3, 0.2, 0.5]]],
        [[[0.6, 0.3, 0.1], [0.0, 0.9, 0.1]], [[0.2, 0.1, 0.7], [0.2, 0.3, 0.5]]],
    ]
)
HOSTILE = json.loads(Path(__file__).with_name("hostile.json").read_text("utf-8"))


class Reader(HTMLParser):
    """The elements of a page in order, each with its text up to the next tag."""

    def __init__(self, document):
        super().__init__()
        self.elements, self.texts, self.open = [], [], False
        self.feed(document)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.texts.append("")
        self.open = True

    def handle_endtag(self, tag):
        self.open = False

    def handle_data(self, data):
        if self.open:
            self.texts[-1] += data

    def handle_comment(self, data):
        raise AssertionError(f"a comment in the page: {data!r}")

    def all(self, tag):
        """Return (attributes, text) of each element of this kind."""
        return [
            (attributes, text)
            for (name, attributes), text in zip(self.elements, self.texts, strict=True)
            if name == tag
        ]


def chosen(document):
    options = Reader(document).all("option")
    return [attrs["value"] for attrs, _ in options if "selected" in attrs]


def stored(document):
    """Return the data in a page; fail if it holds more than its two scripts."""
    reader = Reader(document)
    (attributes, data), (script, code) = reader.all("script")
    assert attributes == {"type": "application/json", "id": "data"} and script == {}
    assert data.isascii() and not set(data) & set("<>&")
    assert code.strip() == viewer._part("viewer.js").strip()
    plain = Reader(viewer.page(SOURCE, TARGET, WEIGHTS, alt="A map."))
    for one in (reader, plain):  # the number of options depends on the weights
        one.elements = [e for e in one.elements if e[0] != "option"]
    assert reader.elements == plain.elements
    return json.loads(data)


PAGES = [path.read_text("utf-8") for path in sorted(pictures.PAGES.glob("*.html"))]
PAGES.append(viewer.page(SOURCE, TARGET, WEIGHTS, "Two layers", "A map."))
MEANT = re.compile("http://www.w3.org/2000/svg|http-equiv")  # names, no addresses
OUTSIDE = "http", "src=", "href", "import", "url(", "//www", "fetch(", "worker", "xml"
UNSAFE = "innerhtml", "outerhtml", "insertadjacent", ".write(", "eval(", "storage"


@pytest.mark.parametrize("document", PAGES)
def test_a_page_is_complete_and_loads_nothing(document):
    assert document.startswith('<!doctype html>\n<html lang="en"')
    assert document.endswith("</html>\n")
    left = MEANT.sub("", document).lower()
    assert [words for words in OUTSIDE + UNSAFE if words in left] == []
    reader = Reader(document)
    titles, headings = (reader.all(tag) for tag in ("title", "h1"))
    assert [text for _, text in titles] == [text.strip() for _, text in headings]
    names = {name for _, attributes in reader.elements for name in attributes}
    assert not any(name.startswith("on") for name in names)


def test_the_script_finds_each_part_of_the_page_that_it_asks_for():
    """Without a browser: what the script names is on the page, and the other way."""
    script = viewer._part("viewer.js")
    document = viewer.page(SOURCE, TARGET, WEIGHTS, alt="A map.")
    elements = Reader(document).elements
    ids = {attributes["id"] for _, attributes in elements if "id" in attributes}
    labels = set(re.findall(r'aria-(?:labelled|described)by="([\w-]+)"', document))
    assert labels <= ids
    assert set(re.findall(r'byId\("(\w+)"\)', script)) == ids - labels
    assert set(re.findall(r"\bdata\.(\w+)", script)) == set(stored(document))
    strength = re.search(r'setProperty\("(--\w+)"', script).group(1)
    assert viewer._part("viewer.css").count(f"var({strength}, 0)") == 2


def test_each_control_has_a_label_and_starts_where_it_is_told():
    document = viewer.page(SOURCE, TARGET, WEIGHTS, alt="A map.")
    reader = Reader(document)
    assert [text.strip() for _, text in reader.all("label")] == ["Layer", "Head"]
    tags = [tag for tag, _ in reader.elements if tag in ("label", "select")]
    assert tags == ["label", "select"] * 2
    options = [(attrs["value"], text) for attrs, text in reader.all("option")]
    assert options[:2] == [("0", "1"), ("1", "2")]
    assert options[2:] == [("mean", "mean of all heads"), ("0", "1"), ("1", "2")]
    assert chosen(document) == ["1", "mean"]
    first = viewer.page(SOURCE, TARGET, WEIGHTS, alt="A map.", layer=0, head=-1)
    assert chosen(first) == ["0", "1"]


def test_weights_are_rounded_to_four_digits():
    weights = np.random.default_rng(0).dirichlet(np.ones(20), size=(4, 8, 20))
    tokens = [f"word{number}" for number in range(20)]
    document = viewer.page(tokens, tokens, weights, alt="A map.")
    np.testing.assert_array_equal(stored(document)["weights"], weights.round(4))


@pytest.mark.parametrize("text", HOSTILE)
def test_no_token_title_or_alt_breaks_out(text):
    tokens = [text, "a", text]
    document = viewer.page(tokens, [text], WEIGHTS[:, :, :1], text, f"{text}.")
    data = stored(document)
    assert data["source"] == tokens and data["target"] == [text]
    assert data["weights"] == WEIGHTS[:, :, :1].tolist()
    line = " ".join(text.split())
    reader = Reader(document)
    assert [text for _, text in reader.all("title")] == [line or "Attention viewer"]
    assert " ".join(f"{text}.".split()) in [text for _, text in reader.all("p")]
    check_frame(document, text)


def check_frame(document, title):
    """The document in an iframe is the same one, and can't reach the page around it."""
    ((tag, attributes),) = Reader(viewer.iframe(document, 300, title)).elements
    assert tag == "iframe" and attributes["srcdoc"] == document
    assert attributes["sandbox"] == "allow-scripts"
    assert attributes["title"] == " ".join(title.split())
    assert (attributes["width"], attributes["height"]) == ("100%", "300")
    assert set(attributes) == {"sandbox", "srcdoc", "title", "width", "height", "style"}


@given(data=st.data())
def test_any_tokens_and_weights_come_back(data):
    tokens = st.lists(st.text(st.characters()), min_size=1, max_size=4)
    source, target = data.draw(tokens), data.draw(tokens)
    shape = len(target), len(source)
    rows = data.draw(arrays("float64", shape, elements=st.floats(0, 1)))
    document = viewer.page(source, target, [[rows]], alt="A map.")
    weights = [[np.round(rows, 4).tolist()]]
    assert stored(document) == dict(source=source, target=target, weights=weights)
    check_frame(document, "A map")


def changed(value):
    weights = WEIGHTS.copy()
    weights[1, 0, 1, 2] = value
    return weights


BAD = {
    "one map": (WEIGHTS[0, 0], {}, r"shape \(2, 3\); expected \(L, H, T, S\)"),
    "with a batch": (WEIGHTS[None], {}, r"expected \(L, H, T, S\).* without the batch"),
    "no layers": (WEIGHTS[:0], {}, r"\(0, 2, 2, 3\); expected at least one layer"),
    "no heads": (WEIGHTS[:, :0], {}, r"\(2, 0, 2, 3\); expected at least one layer"),
    "too few rows": (WEIGHTS[:, :, :1], {}, r"2 target tokens and 3 source tokens"),
    "turned": (WEIGHTS.swapaxes(2, 3), {}, r"\(2, 2, 3, 2\), but .* 3 source tokens"),
    "nan": (changed(np.nan), {}, r"= \(1, 0, 1, 2\) is nan; expected finite"),
    "infinite": (changed(np.inf), {}, r"= \(1, 0, 1, 2\) is inf; expected finite"),
    "negative": (changed(-0.5), {}, r"= \(1, 0, 1, 2\) is -0.5; .* not negative"),
    "no alt": (WEIGHTS, {"alt": " \n"}, r"needs a text alternative: pass alt="),
    "no such layer": (WEIGHTS, {"layer": 2}, r"no layer with the index 2; .* have 2"),
    "no such head": (WEIGHTS, {"head": -3}, r"no head with the index -3; .* have 2"),
}


@pytest.mark.parametrize("weights, changes, sentence", BAD.values(), ids=BAD)
def test_bad_input_is_told_in_one_sentence(weights, changes, sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        viewer.page(SOURCE, TARGET, weights, **{"alt": "A map.", **changes})
    assert "\n" not in str(error.value)


# What the script shows


def play(steps, source=SOURCE, target=TARGET, weights=WEIGHTS):
    """Run the page's own script; return what it shows at first and after each step."""
    if not shutil.which("node"):
        pytest.skip("node isn't installed; the tests of the site run it in a browser")
    document = viewer.page(source, target, weights, alt="A map.")
    (_, data), (_, script) = Reader(document).all("script")
    layer, head = chosen(document)
    facts = dict(data=data, script=script, layer=layer, head=head, steps=steps)
    options = dict(capture_output=True, encoding="utf-8", timeout=60)
    done = subprocess.run(["node", STAND_IN], input=json.dumps(facts), **options)
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


# Layer 2 and the mean of its heads come first. The pointer leaves a token that has the
# focus to it, and one that rests hides no key press.
SHOWN = json.loads(Path(__file__).with_name("viewer_events.json").read_text("utf-8"))


def test_every_event_shows_the_weights_of_its_token():
    start, *states = play([row["step"] for row in SHOWN])
    assert start["source"]["numbers"] == ["", "", ""] and start["status"] == ""
    for row, state in zip(SHOWN, states, strict=True):
        step, token, side, numbers = row.values()
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
