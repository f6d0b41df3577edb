"""Drawings compute what they show; notebooks show the package's."""

import re
from pathlib import Path

import IPython.display
import nbformat
import numpy as np
import pytest
import sacrebleu
from matplotlib.patches import Rectangle
from PIL import Image

from course_utils.kit import files, plots
from course_utils.kit.plots import figures, pictures, viewer
from tools import lessons
from tools.drawings import (
    attention,
    course_map,
    decoding,
    gallery,
    language_models,
    masks,
    positions,
    recurrent,
    stored,
    translation,
)

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))


def words(canvas):
    """Return all texts of a drawing."""
    return [text.get_text() for text in canvas.axes.texts]


def numbers(canvas):
    """Return the numbers with a decimal point that a drawing shows, in its order."""
    texts = [text.replace("−", "-") for text in words(canvas)]
    return [float(text) for text in texts if re.fullmatch(r"-?\d+\.\d+", text)]


@pytest.mark.parametrize("name", gallery.functions())
def test_a_drawing_is_drawn_twice_alike_and_described(name):
    first = gallery.draw(name)
    second = gallery.draw(name)
    assert words(first) == words(second)
    for one, other in zip(first.axes.patches, second.axes.patches, strict=True):
        np.testing.assert_array_equal(
            one.get_path().vertices, other.get_path().vertices
        )
        assert one.get_facecolor() == other.get_facecolor()
    assert first.description == second.description == pictures.description(name)
    assert len(first.description) >= 60


def test_a_changed_drawing_changes_its_file(tmp_path, monkeypatch):
    def heads():
        canvas = attention.heads()
        canvas.text(3, 30, "new")
        return canvas

    gallery.write("heads", tmp_path)
    before = (tmp_path / "heads.png").read_bytes()
    monkeypatch.setattr(gallery, "functions", lambda: {"heads": heads})
    gallery.write("heads", tmp_path)
    assert (tmp_path / "heads.png").read_bytes() != before


def test_each_drawing_has_one_file_and_a_place_where_it_is_shown():
    known = set(gallery.functions())
    assert {path.stem for path in pictures.FOLDER.iterdir()} == known
    shown = set()
    for path in NOTEBOOKS:
        for cell in nbformat.read(path, as_version=4).cells:
            shown |= set(stored.CALL.findall(cell.source))
    assert shown == known


# --- what they show is computed -------------------------------------------------------


def test_attention_three_words_mixes_by_softmax():
    canvas = attention.attention_three_words()
    vectors = np.array([[1, 0], [2, 0], [1, 1]])
    scores = vectors @ vectors[2] / np.sqrt(2)
    weights = np.exp(scores) / np.exp(scores).sum()
    shown = numbers(canvas)
    for number in [*scores, *weights]:
        assert round(number, 2) in shown
    new = [round(number, 1) for number in weights @ vectors]
    assert shown[-2:] == new
    assert sum(round(weight, 2) for weight in weights) == pytest.approx(1)


def test_two_heads_attend_each_for_itself():
    x = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 1]])
    query = np.array([3, 0, 0, 3])
    weights = []
    mixed = []
    for own in ([0, 1], [2, 3]):
        scores = 2 * x[:, own] @ query[own] / np.sqrt(2)
        share = np.exp(scores) / np.exp(scores).sum()
        weights.append(share)
        mixed += list(share @ x[:, own])
    expected = [*np.transpose(weights).ravel(), *mixed]
    shown = numbers(attention.two_heads())
    np.testing.assert_allclose(shown, np.round(expected, 2), atol=1e-9)


@pytest.mark.parametrize("draw", [masks.causal_mask, masks.padding_mask])
def test_rows_of_masked_weights_sum_to_1(draw):
    shown = [number for number in numbers(draw()) if number < 1]
    rows = {masks.causal_mask: [2, 3, 4, 5], masks.padding_mask: [4] * 4 + [2] * 4}
    start = 0
    for length in rows[draw]:
        assert sum(shown[start : start + length]) == pytest.approx(1, abs=0.011)
        start += length
    assert start == len(shown)


def test_causal_mask_crosses_what_is_later():
    canvas = masks.causal_mask()
    crossed = len(canvas.axes.lines) // 2  # two strokes a cell
    assert crossed == 5 * 4 / 2 + 1  # and one in the legend


def test_bits_and_waves_tell_the_drawn_positions_apart_and_follow_the_formula():
    canvas = positions.bits_and_waves()
    shown = words(canvas)
    bits = [text for text in shown if text.startswith("bit of")]
    places = sum(isinstance(cell, Rectangle) for cell in canvas.axes.patches)
    assert places == 32 * len(bits)
    assert 2 ** len(bits) == 32
    waves = {"sine": [], "cosine": []}
    for line in canvas.axes.lines:
        if line.get_label() in waves:
            waves[line.get_label()].append(line.get_ydata())
    for pair in range(3):
        speed = 10_000 ** (-2 * pair / 16)
        assert f"angle {speed:.2g} p" in shown
        assert f"pair {pair}: {np.degrees(speed):.2g}° a step" in shown
        for name, wave in (("sine", np.sin), ("cosine", np.cos)):
            drawn = waves[name][pair]  # in the drawing's own size, at its own height
            expected = wave(np.arange(32) * speed)
            assert np.corrcoef(drawn, expected)[0, 1] == pytest.approx(1)


def test_recurrent_network_runs_its_formula():
    states = []
    state = 0.0
    for x in (1, 0, 0):
        state = np.tanh(x + 0.5 * state)
        states.append(round(state, 2))
    assert numbers(recurrent.recurrent_network()) == states


def test_attention_step_mixes_the_encoders_outputs():
    shown = numbers(recurrent.attention_step())
    weights, context = shown[:3], shown[3:]
    assert sum(weights) == pytest.approx(1, abs=0.011)
    expected = np.array(weights) @ [[1, 0], [0, 1], [0, 3]]
    np.testing.assert_allclose(context, expected, atol=0.011)


def test_losses_of_training_are_those_of_the_probabilities():
    shown = numbers(translation.encoder_decoder_training())
    probabilities, losses, mean = shown[:8:2], shown[1:8:2], shown[8]
    np.testing.assert_allclose(losses, -np.log(probabilities), atol=0.006)
    assert mean == pytest.approx(np.mean(losses), abs=0.006)


def test_bleu_ngrams_counts_like_sacrebleu():
    candidate, reference = "the the boat is on the lake", "the boat is on a lake"
    bleu = sacrebleu.corpus_bleu([candidate], [[reference]])
    texts = words(translation.bleu_ngrams())
    fractions = map("{}/{}".format, bleu.counts, bleu.totals)
    assert set(fractions) <= set(texts)
    assert f"BLEU = {bleu.score:.0f}" in texts
    assert texts.count("✓") == sum(bleu.counts[:2])
    assert texts.count("×") == sum(bleu.totals[:2]) - sum(bleu.counts[:2])


def test_byte_pair_merges_joins_the_most_frequent_pair():
    text = translation.byte_pair_merges().description
    assert "o and l, with 5 + 3 + 2 = 10 times" in text
    assert "solos, is cut by the same merges: ▁sol, o, s." in text


def test_mixed_histories_are_witten_and_bells():
    probability = 1 / 5
    expected = [probability]
    for count, total, kinds in ((2, 11, 5), (2, 4, 3), (0, 1, 1)):
        probability = (count + kinds * probability) / (total + kinds)
        expected.append(probability)
    shown = numbers(language_models.mixed_histories())
    assert shown == [round(number, 3) for number in expected]


def test_beam_step_keeps_the_two_best_sums():
    canvas = decoding.beam_step()
    sums = [number for number in numbers(canvas) if number < 0]
    best = sorted(sums, reverse=True)[:2]
    kept = [text for text in words(canvas) if text.startswith(("la casa", "la mesa"))]
    assert [float(text.split()[-1].replace("−", "-")) for text in kept] == best


def test_course_map_has_each_lesson_beside_its_number():
    heights = {}
    for text in course_map.course_map().axes.texts:
        heights[text.get_text()] = text.get_position()[1]
    numbers = []
    for path in lessons.find():
        first = nbformat.read(path, as_version=4).cells[0].source.splitlines()[0]
        title = first.removeprefix("# ").partition(":")[0]
        if lessons.is_further(path):
            number = path.name[:2]
            assert heights[title] <= heights[number]
        else:
            number, title = title.split(" ", 1)
            numbers.append(number)
            assert heights[title] == heights[number]
    assert sorted(numbers, key=heights.get, reverse=True) == sorted(numbers)


def test_scaling_shares_are_whole():
    canvas = gallery.draw("data-parallel")
    assert "mean over 8 tokens: × 8/11" in words(canvas)
    hatched = [p for p in canvas.axes.patches if isinstance(p, Rectangle)]
    assert sum(patch.get_hatch() is not None for patch in hatched) == 2 * 2 * 5 - 11


# --- in notebooks ---------------------------------------------------------------------


def shown_by(monkeypatch, draw, *arguments):
    """Return what a call shows in a notebook: a list of (forms, metadata)."""
    displayed = []
    monkeypatch.setattr(figures, "in_notebook", lambda: True)

    def display(data, raw, metadata=None):
        displayed.append((data, metadata))

    monkeypatch.setattr(IPython.display, "display", display)
    draw(*arguments)
    return displayed


def test_drawing_shows_a_png_and_its_text_folded(monkeypatch, capsys):
    (picture, size), (text, _) = shown_by(monkeypatch, plots.drawing, "heads")
    assert set(picture) == {"image/png", "text/plain"}
    assert size["image/png"]["width"] < 720
    with Image.open(pictures.FOLDER / "heads.png") as png:
        said = png.text["Description"]
    assert text["text/plain"] == f"Figure: {said}"
    assert text["text/html"].startswith("<details><summary>")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("address", ["", "https://github.com/some/course"])
def test_demo_stands_above_its_drawing(address, monkeypatch, capsys):
    monkeypatch.setattr(files, "public_address", lambda: (address, ""))
    page, picture, _ = shown_by(monkeypatch, plots.demo, "bleu", "bleu-ngrams")
    document = (pictures.PAGES / "bleu.html").read_text("utf-8")
    assert page[0]["text/html"] == viewer.iframe(document, 830, "BLEU, run by run")
    assert picture[0]["text/plain"] == "bleu-ngrams"
    site = "https://some.github.io/course/" if address else ""
    assert f"open {site}live/bleu.html" in capsys.readouterr().out


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="no drawing 'head', only .*heads,"):
        plots.drawing("head")
    with pytest.raises(ValueError, match="no live page 'path', only attention, bleu,"):
        plots.demo("path", "heads")


def old_notebook(before=""):
    """Return a notebook with a drawing that was stored long ago.

    Args:
        before: what was printed before the drawing; Jupyter joins its text to that.
    """
    picture = nbformat.v4.new_output(
        "display_data",
        {"image/png": "b2xk", "image/svg+xml": "<svg/>", "text/plain": "heads"},
    )
    if before:
        text = nbformat.v4.new_output("stream", text=f"{before}Figure: old.\n")
        outputs = [text, picture]
    else:
        text = nbformat.v4.new_output("stream", text="Figure: old.\nThe next line.\n")
        outputs = [picture, text]
    cell = nbformat.v4.new_code_cell('plots.drawing("heads")', outputs=outputs)
    return nbformat.v4.new_notebook(cells=[cell])


def test_a_stale_drawing_is_found_and_restored(monkeypatch):
    notebook = old_notebook()
    assert list(stored.stale(notebook)) == [(0, "heads")]
    assert stored.restore(notebook) == ["heads"]
    picture, text, line = notebook.cells[0].outputs
    expected = shown_by(monkeypatch, plots.drawing, "heads")
    assert [picture.data, text.data] == [forms for forms, _ in expected]
    assert line.text == "The next line.\n"
    assert list(stored.stale(notebook)) == []
    assert stored.restore(notebook) == []


def test_an_old_text_before_its_drawing_is_replaced_too():
    notebook = old_notebook(before="A line.\n")
    assert stored.restore(notebook) == ["heads"]
    line, picture, text = notebook.cells[0].outputs
    assert line.text == "A line.\n"
    assert picture.data["text/plain"] == "heads"
    assert text.data["text/plain"].startswith("Figure: Attention with several heads")
    assert list(stored.stale(notebook)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_store_the_drawings_of_the_package(path):
    notebook = nbformat.read(path, as_version=4)
    assert list(stored.stale(notebook)) == [], "python -m tools.drawings --restore"
