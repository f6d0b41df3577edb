"""Stored drawings are those that the program draws, and every word can be read."""

import base64
import re

import IPython.display
import matplotlib
import numpy as np
import pytest
import sacrebleu
from PIL import Image

from course_utils import plots
from course_utils.plots import figures, pictures
from tools.drawings import __main__ as program
from tools.drawings import readable, translation

names = pytest.mark.parametrize("name", program.DRAWINGS)


def squares(path):
    """Return a picture as means over squares of 16 pixels, so that fonts may differ."""
    grey = np.asarray(Image.open(path).convert("L"), float)
    high, wide = (side // 16 for side in grey.shape)
    return grey[: 16 * high, : 16 * wide].reshape(high, 16, wide, 16).mean((1, 3))


def changes(folder, name):
    """Return what differs from the stored drawing: its words, or the picture."""
    words = [
        re.findall("<!-- (.*?) -->", (place / f"{name}.svg").read_text("utf-8"))
        for place in (folder, pictures.FOLDER)
    ]
    old, new = (squares(place / f"{name}.png") for place in (pictures.FOLDER, folder))
    same = old.shape == new.shape and np.abs(old - new).max() < 20
    return [*set(words[0]).symmetric_difference(words[1])] + ["picture"] * (not same)


@names
def test_the_stored_drawing_is_drawn_again(name, tmp_path):
    for folder in tmp_path / "once", tmp_path / "again":
        program.write(name, folder)
    assert changes(folder, name) == []
    for file in f"{name}.svg", f"{name}-dark.svg":
        svg = (folder / file).read_bytes()
        assert svg == (tmp_path / "once" / file).read_bytes()
        assert len(svg) < 120_000 and (pictures.FOLDER / file).exists()


def test_a_changed_drawing_is_found(tmp_path, monkeypatch):
    function, height = program.DRAWINGS["heads"]

    def changed(canvas):
        """Draw it with one cell and one word more."""
        function(canvas)
        canvas.crossed(2, 2, 2.6, 2.6)
        canvas.text(3, 30, "new")

    monkeypatch.setitem(program.DRAWINGS, "heads", (changed, height))
    program.write("heads", tmp_path)
    assert changes(tmp_path, "heads") == ["new", "picture"]


@matplotlib.rc_context(program.STABLE)
def unreadable(name):
    return list(readable.problems(program.draw(name, "light")))


@names
def test_every_word_can_be_read(name):
    assert unreadable(name) == []


def test_words_that_cannot_be_read_are_found(monkeypatch):
    def bad(canvas):
        """Draw all mistakes."""
        canvas.text(9, 9, "$W_Q$")
        canvas.text(51, 9, "out")
        canvas.text(20, 5, "twice")
        canvas.text(21, 5, "twice")
        canvas.arrow((28, 5), (40, 5))
        canvas.text(34, 5, "word")

    monkeypatch.setitem(program.DRAWINGS, "bad", (bad, 12))
    kinds = [problem.partition(":")[0] for problem in unreadable("bad")]
    assert kinds[:3] == ["small", "at the border", "over each other"]
    assert set(kinds[3:]) == {"on a line"}


@names
def test_a_notebook_shows_svg_and_png_in_one_output(name, monkeypatch, capsys):
    shown = []
    monkeypatch.setattr(figures, "_in_notebook", lambda: True)
    monkeypatch.setattr(IPython.display, "display", lambda *a, **k: shown.append(a[0]))
    plots.drawing(name)
    (forms,) = shown
    assert forms["image/svg+xml"].startswith("<?xml")
    assert base64.b64decode(forms["image/png"]).startswith(b"\x89PNG")
    said = program.description(program.DRAWINGS[name][0])
    assert capsys.readouterr().out == f"Figure: {said}\n" and len(said) >= 60


def test_an_unknown_name_is_one_sentence():
    with pytest.raises(ValueError, match="no drawing 'head'; choose one of .*heads,"):
        plots.drawing("head")
    assert pictures.names() == sorted(program.DRAWINGS)


def test_what_counts_in_the_drawing_of_bleu_is_what_sacrebleu_counts():
    texts = " ".join(translation.CANDIDATE), " ".join(translation.REFERENCE)
    bleu = sacrebleu.corpus_bleu([texts[0]], [[texts[1]]])
    marks = [translation.counted(*map(str.split, texts), n) for n in range(1, 5)]
    assert [sum(good) for good in marks] == bleu.counts
    assert f"BLEU = {bleu.score:.0f}" in (
        (pictures.FOLDER / "bleu-ngrams.svg").read_text("utf-8")
    )
