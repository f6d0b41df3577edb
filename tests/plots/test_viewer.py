"""The attention viewer: nothing from outside, no token breaks out, readable colours."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from viewer_pages import HOSTILE, SOURCE, TARGET, WEIGHTS, Reader, chosen

from course_utils.plots import viewer


def stored(document):
    """Return the data in a page; fail if it holds more than its two scripts."""
    reader = Reader(document)
    (attributes, data), (script, code) = reader.all("script")
    assert attributes == {"type": "application/json", "id": "data"} and script == {}
    assert data.isascii() and not set(data) & set("<>&")
    assert code.strip() == viewer._part("viewer.js").strip()
    plain = Reader(viewer.page(SOURCE, TARGET, WEIGHTS, alt="A map."))
    options = {"option"}  # their number depends on the weights
    assert [e for e in reader.elements if e[0] not in options] == [
        e for e in plain.elements if e[0] not in options
    ]
    return json.loads(data)


def test_the_page_is_complete_and_loads_nothing():
    document = viewer.page(SOURCE, TARGET, WEIGHTS, "Two layers", "A map.")
    assert document.startswith('<!doctype html>\n<html lang="en">')
    assert document.endswith("</html>\n")
    for outside in ("http", "src=", "href", "@import", "url(", "//www", "fetch("):
        assert outside not in document.lower()
    for unsafe in ("innerhtml", "outerhtml", "insertadjacent", ".write(", "eval("):
        assert unsafe not in document.lower()
    reader = Reader(document)
    assert [text for _, text in reader.all("title")] == ["Two layers"]
    names = {name for _, attributes in reader.elements for name in attributes}
    assert not any(name.startswith("on") for name in names)


def test_the_script_finds_each_part_of_the_page_that_it_asks_for():
    """Without a browser: what the script names is on the page, and the other way."""
    script = viewer._part("viewer.js")
    document = viewer.page(SOURCE, TARGET, WEIGHTS, alt="A map.")
    elements = Reader(document).elements
    ids = {attributes["id"] for _, attributes in elements if "id" in attributes}
    labels = {
        attributes.get(f"aria-{by}")
        for _, attributes in elements
        for by in ("labelledby", "describedby")
    } - {None}
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


def test_weights_are_rounded_so_that_the_file_stays_small():
    weights = np.random.default_rng(0).dirichlet(np.ones(20), size=(4, 8, 20))
    tokens = [f"word{number}" for number in range(20)]
    document = viewer.page(tokens, tokens, weights, alt="A map.")
    np.testing.assert_array_equal(stored(document)["weights"], weights.round(4))
    assert len(document) < 8 * weights.size + 10_000


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
    number = st.floats(0, 1)
    row = st.lists(number, min_size=len(source), max_size=len(source))
    rows = data.draw(st.lists(row, min_size=len(target), max_size=len(target)))
    document = viewer.page(source, target, [[rows]], alt="A map.")
    assert stored(document) == {
        "source": source,
        "target": target,
        "weights": [[np.round(rows, 4).tolist()]],
    }
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


def luminance(colour):
    """Relative luminance of a colour, 0 to 1 for each channel (WCAG 2.2)."""
    linear = np.where(
        colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4
    )
    return linear @ [0.2126, 0.7152, 0.0722]


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_bars_are_readable_at_each_strength(scheme):
    style = viewer._part("viewer.css")
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    codes = re.findall(r"--(\w+): (#\w{6})", light if scheme == "light" else dark)
    colours = {
        name: np.array([int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        for name, code in codes
    }
    tint = float(re.search(r"opacity: calc\(([\d.]+) \*", style).group(1))
    assert contrast(colours["line"], colours["page"]) >= 3
    assert contrast(colours["accent"], colours["page"]) >= 3
    for strength in np.linspace(0, 1, 11):
        opacity = tint * strength
        ground = opacity * colours["accent"] + (1 - opacity) * colours["page"]
        assert contrast(colours["text"], ground) >= 7
        assert contrast(colours["accent"], ground) >= 3
