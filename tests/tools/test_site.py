"""What the site's pages are made of; the pages themselves are tested in a browser."""

import dataclasses
import doctest
import json
import re
from pathlib import Path

import export_models
import pytest
from course_site import folded, glossary, lessons, pages, pictures

from course_utils.kit.plots import viewer

ROOT = Path(__file__).resolve().parents[2]
STORED = lessons.read()
MODULES = [folded, lessons]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples_in_the_docstrings_run(module):
    result = doctest.testmod(module)
    assert result.failed == 0 and result.attempted > 0


def test_needs_are_earlier_lessons_only():
    text = "**You need:** lessons 02 and 05; lesson 07 comes later.\n\n03"
    further = "**You need:** lesson 08 and [One](06_one.ipynb), [07](../07_x.ipynb)."
    assert lessons.needed(further, "two") == ("07", "08", "one")
    assert lessons.needed(text, "06") == ("02", "05")
    assert lessons.needed("**You need:** basic Keras.", "06") == ("00",)
    assert lessons.needed("", "00") == ()


def test_rendered_shows_the_markdown_of_a_folded_text():
    hint = "<details><summary>Hint 1</summary>`x` is *it*.</details>"
    assert "<p><code>x</code> is <em>it</em>.</p>" in folded.rendered(hint)


def test_write_refuses_a_model_that_is_too_large_for_a_page(tmp_path):
    with pytest.raises(ValueError, match="'m' takes 6.00 MB .* load 6 MB"):
        export_models.write(tmp_path, "m", {}, bytes(export_models.MOST))


def test_every_lesson_is_on_the_home_page_and_in_its_contents():
    template = (ROOT / pages.HOME).read_text(encoding="utf-8")
    home = pages.home_page(template, STORED, pages.site_places())
    for one in STORED:
        assert f"[{one.title}]({one.path})" in home
        assert f"\n{one.path.removesuffix('.ipynb')}\n" in home
    assert "<!-- site:" not in home and "{result:" not in home


def test_a_figure_that_nobody_recorded_stops_the_build():
    with pytest.raises(ValueError, match="No stored lesson recorded"):
        pages.home_page("{result:no.such.figure}", STORED, {})


LINKS_OF_PAGES = [
    ("04_self_attention.ipynb", "04_self_attention.ipynb"),
    ("../README.md#x", "ADDRESS/README.md#x"),
    ("../models/README.md", "../translator.md"),
    ("https://x.org/y.md", "https://x.org/y.md"),
    ("#here", "#here"),
    ("no_such_file", "no_such_file"),
]


@pytest.mark.parametrize("link, leads_to", LINKS_OF_PAGES)
def test_links_lead_to_pages_or_to_the_repository(link, leads_to):
    path, places = "notebooks/05_transformer_encoder.ipynb", pages.site_places()
    text = pages.with_site_links(f"[a]({link})", path, places, "ADDRESS/")
    assert text == f"[a]({leads_to})"
    text = pages.with_site_links(f"[a]({link})", path, places, "")
    assert text == ("a" if leads_to.startswith("ADDRESS") else f"[a]({leads_to})")


def test_links_of_a_moved_page_follow_it():
    text = "[a](../notebooks/00_x.ipynb) [b](package.json)"
    places = {"website/teaching.md": "t.md", "notebooks/00_x.ipynb": "n/00.ipynb"}
    moved = pages.with_site_links(text, "website/teaching.md", places, "ADDRESS/")
    assert moved == "[a](n/00.ipynb) [b](ADDRESS/website/package.json)"


def test_the_first_mention_of_a_term_is_found():
    row = '| <a id="term-{0}"></a>{0}, {0}s | | x | [04](y) | |\n'
    entries = glossary.read("".join(row.format(t) for t in ("mask", "causal mask")))
    names = glossary.names(entries)
    start, end, entry = glossary.first_mention("Unmasked: a Causal mask.", names)
    assert (start, end, entry.anchor) == (12, 23, "term-causal mask")
    assert glossary.first_mention("masked mask-like", names) is None


def test_the_site_finds_the_viewers_two_schemes():
    """static/viewer.js changes these two places of a viewer's style."""
    document = viewer.page(["a"], ["b"], [[[[1.0]]]], alt="One weight.")
    script = (ROOT / "website/static/viewer.js").read_text(encoding="utf-8")
    for place in ("@media (prefers-color-scheme: dark)", "color-scheme: light dark"):
        assert document.count(place) == 1 and f'"{place}"' in script


def test_the_page_of_proofs_has_its_tables_and_shows_a_missed_bound():
    text = pages.proofs_page("<!-- site:mutants --> <!-- site:evidence -->", STORED)
    assert "`PeekingDecoder`" in text and "| `gru` |" in text
    missed = {"name": "demo.bleu", "value": 3, "unit": "", "at_least": 4}
    lesson = dataclasses.replace(STORED[0], results=(missed,))
    last = pages.bounds_table([lesson]).splitlines()[-1]
    assert last.endswith("| `demo.bleu` | 3 | at least 4 | **missed** |")


def test_the_numbers_of_a_picture_are_found_by_its_text_and_become_a_table():
    table = {"columns": ["", "<y>"], "rows": [["a", 0.25], ["b", 1200.0]]}
    picture = {"data": {"image/png": ""}, "metadata": {"table": table}}
    cell = {"outputs": [picture, {"text": ["so\n", "Figure: Two <dots>.\n"]}]}
    assert lessons.pictures(cell) == [(picture, "Two <dots>.")]
    folded = {"data": {"text/html": "<details>", "text/plain": "Figure: One.\n"}}
    cell = {"outputs": [picture, folded]}
    assert lessons.pictures(cell) == [(picture, "One.")]
    page = pictures.as_html(table)
    assert '<th scope="col">&lt;y&gt;</th></tr>' in page
    assert '<tr><th scope="row">a</th><td>0.25' in page
    assert "<td>1200</td></tr></table>" in page


def test_every_service_installs_the_same_requirements():
    def read(path):
        return (ROOT / path).read_text(encoding="utf-8")

    lines = read(".binder/requirements.txt").splitlines()
    assert [x for x in lines if x and x[0] != "#"] == ["-r ../requirements.txt"]
    container = json.loads(read(".devcontainer/devcontainer.json"))
    assert container["postCreateCommand"] == "make install"
    ci, site = (read(f".github/workflows/{name}.yml") for name in ("ci", "pages"))
    assert re.search(r"run: \.ci/run$", ci, re.MULTILINE)
    assert "run: make site" in site and "path: build/site" in site
