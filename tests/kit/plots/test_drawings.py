"""Stored drawings are those that the program draws, and every word can be read."""

import base64
import json
import re

import IPython.display
import matplotlib
import numpy as np
import pytest
import sacrebleu
from PIL import Image

from course_utils.kit import files, plots
from course_utils.kit.plots import figures, pictures, viewer
from tools import lessons
from tools.drawings import __main__ as program
from tools.drawings import readable

names = pytest.mark.parametrize("name", program.PAGES)


def squares(path):
    """Return a picture with a pixel for 16 by 16, so that fonts may differ a little."""
    return np.asarray(Image.open(path).convert("L").reduce(16), float)


def changes(folder, name):
    """Return what differs from the stored drawing: its words, or the picture."""
    places = folder, pictures.FOLDER
    svgs = ((place / f"{name}.svg").read_text("utf-8") for place in places)
    new, old = (set(re.findall("<!-- (.*?) -->", svg)) for svg in svgs)
    now, then = (squares(place / f"{name}.png") for place in places)
    same = now.shape == then.shape and np.abs(now - then).max() < 20
    return [*(new ^ old)] + ["picture"] * (not same)


@names
def test_the_stored_drawing_is_drawn_again(name, tmp_path):
    for folder in tmp_path / "once", tmp_path / "again":
        program.write(name, folder)
    assert changes(folder, name) == []
    for file in f"{name}.svg", f"{name}-dark.svg":
        once, again = ((tmp_path / f / file).read_bytes() for f in ("once", "again"))
        assert once == again and (pictures.FOLDER / file).stat().st_size < 120_000


def test_a_changed_drawing_is_found(tmp_path, monkeypatch):
    page = program.PAGES["heads"]
    more = [{"draw": "crossed", "x": 2, "y": 2, "width": 2.6, "height": 2.6}]
    more += [{"draw": "text", "x": 3, "y": 30, "text": "new"}]
    monkeypatch.setitem(page, "parts", page["parts"] + more)
    program.write("heads", tmp_path)
    assert changes(tmp_path, "heads") == ["new", "picture"]


@matplotlib.rc_context(program.STABLE)
def unreadable(name):
    """Return what is wrong with the words of a drawing."""
    return list(readable.problems(program.draw(name, "light")))


@names
def test_every_word_can_be_read(name):
    assert unreadable(name) == []


def test_words_that_cannot_be_read_are_found(monkeypatch):
    texts = (9, 9, "$W_Q$"), (51, 9, "out"), (20, 5, "twice"), (21, 5, "twice")
    texts = [
        dict(zip("xy", place, strict=True), text=word)
        for *place, word in (*texts, (34, 5, "word"))
    ]
    arrow = {"draw": "arrow", "start": (28, 5), "end": (40, 5)}
    bad = {"height": 12, "parts": [arrow], "texts": texts}
    monkeypatch.setitem(program.PAGES, "bad", bad)
    kinds = [problem.partition(":")[0] for problem in unreadable("bad")]
    assert kinds == ["small", "at the border", "over each other", "on a line"]


@names
def test_a_notebook_shows_svg_and_png_in_one_output(name, monkeypatch, capsys):
    forms = []
    monkeypatch.setattr(figures, "in_notebook", lambda: True)
    monkeypatch.setattr(IPython.display, "display", lambda d, **_: forms.append(d))
    plots.drawing(name)
    assert len(forms) == 1 and forms[0]["image/svg+xml"].startswith("<?xml")
    assert base64.b64decode(forms[0]["image/png"]).startswith(b"\x89PNG")
    said = program.description(name)
    assert capsys.readouterr().out == f"Figure: {said}\n" and len(said) >= 60


@pytest.mark.parametrize("address", ["", "https://github.com/some/course"])
def test_a_live_page_stands_above_its_drawing(address, monkeypatch, capsys):
    forms = []
    monkeypatch.setattr(figures, "in_notebook", lambda: True)
    monkeypatch.setattr(files, "public_address", lambda: (address, "1.0"))
    monkeypatch.setattr(IPython.display, "display", lambda d, **_: forms.append(d))
    plots.live("bleu", "bleu-ngrams")
    page, picture = forms
    document = (pictures.PAGES / "bleu.html").read_text("utf-8")
    assert page["text/html"] == viewer.iframe(document, 830, "BLEU, run by run")
    assert picture["text/plain"] == "bleu-ngrams"
    site = "open https://some.github.io/course/" if address else "open "
    last = capsys.readouterr().out.splitlines()[-1]
    assert f"{site}live/bleu.html" in last and "http" not in last.replace(site, "")


def test_an_unknown_name_is_one_sentence():
    with pytest.raises(ValueError, match="no drawing 'head', only .*heads,"):
        plots.drawing("head")
    with pytest.raises(ValueError, match="no live page 'path', only attention, bleu,"):
        plots.live("path", "heads")
    stored = pictures.FOLDER.glob("*.png")
    assert {path.stem for path in stored} == set(program.PAGES)


def parts(name, draw):
    """Return what the parts of one kind say in a drawing, in order."""
    found = (p for p in program.PAGES[name]["parts"] if p["draw"] == draw)
    return [part.get("text", part.get("number")) for part in found]


def test_what_counts_in_the_drawing_of_bleu_is_what_sacrebleu_counts():
    candidate, reference = "the the boat is on the lake", "the boat is on a lake"
    bleu = sacrebleu.corpus_bleu([candidate], [[reference]])
    marked = [word.count(" ") for word in parts("bleu-ngrams", "marked")]
    assert [marked.count(0), marked.count(1)] == bleu.counts[:2]
    runs = f" {reference} "
    assert all(f" {run} " in runs for run in parts("bleu-ngrams", "marked"))
    said = parts("bleu-ngrams", "text")
    fractions = map("{}/{}".format, bleu.counts, bleu.totals)
    assert {*fractions} <= {*said} and f"BLEU = {bleu.score:.0f}" in said[-1]
    assert [said.count("✓"), said.count("×")] == [8, sum(bleu.totals[:2]) - 8]


def test_the_map_has_the_lessons_and_their_titles():
    titles = []
    for path in lessons.find():
        first = "".join(json.loads(path.read_text("utf-8"))["cells"][0]["source"])
        title = first.splitlines()[0].removeprefix("# ").partition(":")[0]
        if lessons.is_further(path):
            titles.append(("+", title))
        else:
            titles.append(tuple(title.split(" ", 1)))
    shown = zip(*(parts("course-map", kind) for kind in ("badge", "text")), strict=True)
    assert sorted(shown) == sorted(titles)
