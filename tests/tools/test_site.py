"""What the site's pages are made of; the pages themselves are tested in a browser."""

import copy
import dataclasses
import doctest
import itertools
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import export_models
import pytest
import teaching_tables
from course_site import course_map, glossary, icons, lessons, pages, pictures, quiz
from course_site import policy as policy_maker
from course_site import slides as slide_maker
from course_site import theme as theme_maker
from refusals import TABLES

from course_utils.kit.plots import viewer

ROOT = Path(__file__).resolve().parents[2]
STORED = lessons.read()
NUMBERS = [one.number for one in STORED]
MODULES = [course_map, glossary, icons, lessons, pictures, quiz]
MODULES += [policy_maker, theme_maker]
NEEDS = {one.number: one.needs for one in STORED}
MAP = course_map.svg(STORED, pages.page_address)
each_lesson = pytest.mark.parametrize("lesson", STORED, ids=NUMBERS)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples_in_the_docstrings_run(module):
    result = doctest.testmod(module)
    assert result.failed == 0 and result.attempted > 0


def test_lesson_00_links_every_lesson_by_its_title_and_takes_less_than_a_minute():
    first, *others = STORED
    text = "\n".join(lessons.markdown(first.notebook))
    linked = re.findall(r"^\| \[([^]]+)\]\((\w+\.ipynb)\)", text, re.MULTILINE)
    assert sorted(linked) == [(one.title, Path(one.path).name) for one in others]
    assert set(re.findall(r"\]\((\w+\.ipynb)\)", text)) == {path for _, path in linked}
    assert first.course["minutes"] < 1


def test_needs_are_earlier_lessons_only():
    text = "**You need:** lessons 02 and 05; lesson 07 comes later.\n\n03"
    assert lessons.needed(text, "06") == ("02", "05")
    assert lessons.needed("**You need:** basic Keras.", "06") == ("00",)
    assert lessons.needed("", "00") == ()


def test_a_cell_is_found_by_what_only_it_holds():
    text = {"cell_type": "markdown", "source": "## One\n\ntext\n\n### Two"}
    code = [{"cell_type": "code", "source": f"{name} = 1"} for name in "xy"]
    notebook = {"cells": [text, *code]}
    assert lessons.find_cell(notebook, "x =") == (2, "Two")
    assert lessons.find_cell(notebook, "text") == (1, "One")
    for snippet, number in (("= 1", "2"), ("z", "0")):
        with pytest.raises(ValueError, match=f"^{number} cells hold"):
            lessons.find_cell(notebook, snippet)


def test_the_map_shows_each_lesson_once_and_leads_to_its_page():
    name = "{http://www.w3.org/2000/svg}"
    boxes = ElementTree.fromstring(MAP).findall(f"{name}a")
    leads_to = [one.path.replace(".ipynb", ".html") for one in STORED]
    assert sorted(box.get("href") for box in boxes) == leads_to
    for box in boxes:
        texts = [text.text for text in box.findall(f"{name}text")]
        assert len(texts) <= 4 and texts[-1].endswith(("computing", "measured"))


def test_boxes_do_not_overlap():
    for row in course_map.rows(NEEDS)[0]:
        assert len(row) == len(set(row))
    corners = re.findall(r'<rect x="(-?\d+)" y="(\d+)"', MAP)
    assert len(set(corners)) == len(STORED)
    for (x, y), (other, below) in itertools.combinations(corners, 2):
        assert y != below or abs(int(x) - int(other)) >= course_map.WIDTH


def test_arrows_say_what_the_lessons_say():
    above = {}
    for start, end in course_map.rows(NEEDS)[1]:
        above.setdefault(end, set()).add(start)

    def origins(place):
        """Follow arrows upwards through passing places (tuples) to lessons."""
        starts = above.get(place, ())
        return set().union(*(origins(s) if type(s) is tuple else {s} for s in starts))

    def everything_before(number):
        direct = origins(number)
        return direct.union(*(everything_before(other) for other in direct))

    for number, wanted in NEEDS.items():
        assert origins(number) <= set(wanted) <= everything_before(number)


def test_an_arrow_that_follows_from_others_is_left_out():
    needs = {"00": (), "01": ("00",), "02": ("00", "01"), "03": ("00", "99")}
    assert course_map.essential(needs)["02"] == ("01",)
    assert course_map.essential(needs)["03"] == ("00",)


@each_lesson
def test_every_question_has_one_right_answer_explains_each_and_loses_none(lesson):
    text = "\n\n".join(lessons.markdown(lesson.notebook))
    blocks = [one for one in re.split(r"\n{2,}", text) if one.startswith("<details>")]
    questions = list(filter(None, map(quiz.options, blocks)))
    assert len(questions) >= 5
    for options in questions:
        assert list(quiz.problems(options)) == [], options[0].label
    assert len(re.findall(r"<summary>[a-z]\) ", text)) == sum(map(len, questions))


GOOD = (
    "<details><summary>a) `x`</summary>No. Because *one*.</details>\n"
    "<details><summary>b) 2 < 3</summary>Right. Yes.</details>"
)


def test_a_form_has_each_option_with_its_verdict():
    form = quiz.closing("quiz-1", quiz.options(GOOD))
    assert re.findall(r'data-verdict="(\w+)"', form) == ["wrong", "right"]
    assert '<label for="quiz-1-a">a) <code>x</code></label>' in form
    assert "<p>No. Because <em>one</em>.</p>" in form
    assert form.count('type="radio" name="quiz-1"') == 2


@pytest.mark.parametrize("change, sentence", TABLES["faulty questions"])
def test_a_faulty_question_is_noticed(change, sentence):
    found = list(quiz.problems(quiz.options(GOOD.replace(*change))))
    assert any(sentence in problem for problem in found)


def test_rightly_is_not_right_and_hints_are_no_options():
    assert not quiz.Option("a) x", "Rightly so.").right
    hint = "<details><summary>Hint 1</summary>`x` is *it*.</details>"
    assert quiz.options(hint) == []
    assert "<p><code>x</code> is <em>it</em>.</p>" in quiz.folded(hint)


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


@pytest.mark.parametrize("link, leads_to", TABLES["links of pages"])
def test_links_lead_to_pages_or_to_the_repository(link, leads_to):
    path, places = "notebooks/05_transformer_encoder.ipynb", pages.site_places()
    text = pages.with_site_links(f"[a]({link})", path, places, "ADDRESS/")
    assert text == f"[a]({leads_to})"
    text = pages.with_site_links(f"[a]({link})", path, places, "")
    assert text == ("a" if leads_to.startswith("ADDRESS") else f"[a]({leads_to})")


def test_links_of_a_moved_page_follow_it():
    text = "[a](../notebooks/00_x.ipynb) [b](teaching.toml)"
    places = {"website/teaching.md": "t.md", "notebooks/00_x.ipynb": "n/00.ipynb"}
    moved = pages.with_site_links(text, "website/teaching.md", places, "ADDRESS/")
    assert moved == "[a](n/00.ipynb) [b](ADDRESS/website/teaching.toml)"


def test_the_first_mention_of_a_term_is_found():
    row = '| <a id="term-{0}"></a>{0}, {0}s | | x | [04](y) | |\n'
    entries = glossary.read("".join(row.format(t) for t in ("mask", "causal mask")))
    names = glossary.names(entries)
    start, end, entry = glossary.first_mention("Unmasked: a Causal mask.", names)
    assert (start, end, entry.anchor) == (12, 23, "term-causal mask")
    assert glossary.first_mention("masked mask-like", names) is None


def test_icons_are_taken_from_the_script():
    moon = 'moon:[384,512,[127769],"f186","M1 2z"]'
    known = icons.shapes(f'x={{{moon},"a-b":[1,2,[],"f1",["M0","M3"]]}}')
    assert known == {"moon": (384, 512, "M1 2z"), "a-b": (1, 2, "M3")}
    sheet = icons.style_sheet({"moon"}, known)
    assert ".fa-moon {" in sheet and "M1%202z" in sheet and "fa-a-b" not in sheet
    with pytest.raises(ValueError, match="no icon 'sun'"):
        icons.style_sheet({"sun"}, known)


def test_the_search_button_is_called_by_its_words():
    button = '<button class="btn search-button-field x" aria-label="Search" title="t">'
    other = '<button class="search-button" aria-label="Search">'
    assert theme_maker.mended(button) == button.replace(' aria-label="Search"', "")
    assert theme_maker.mended(other) == other


def test_the_site_finds_the_viewers_two_schemes():
    """static/viewer.js changes these two places of a viewer's style."""
    document = viewer.page(["a"], ["b"], [[[[1.0]]]], alt="One weight.")
    script = (ROOT / "website/static/viewer.js").read_text(encoding="utf-8")
    for place in ("@media (prefers-color-scheme: dark)", "color-scheme: light dark"):
        assert document.count(place) == 1 and f'"{place}"' in script


def test_slides_hold_the_cells_of_the_lesson_and_nothing_else():
    lesson = STORED[NUMBERS.index("04")]
    before = copy.deepcopy(lesson.notebook)
    deck = slide_maker.deck(lesson.notebook)
    assert lesson.notebook == before
    texts = "\n\n".join(lessons.markdown(lesson.notebook))
    code = "\n".join("".join(c["source"]) for c in lesson.notebook["cells"])
    for cell in deck.cells:
        parts = cell.source.split("\n\n")
        if cell.cell_type == "code":
            assert cell.source in code
        else:
            assert all(block in texts for block in parts)
            assert len(cell.source) <= slide_maker.LONGEST + 2 or len(parts) == 1
    kinds = [cell.metadata.slideshow.slide_type for cell in deck.cells]
    assert kinds[0] == "slide" and set(kinds) == {"slide", "subslide"}
    shown = "\n".join(cell.source for cell in deck.cells)
    left_out = ("NotImplementedError", "Run it", "course_utils.setup(", "NBVAL")
    assert [words for words in left_out if words in shown] == []
    outputs = [output for cell in deck.cells for output in cell.get("outputs", [])]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert pictures
    assert all(len(one.metadata["image/png"]["alt"]) > 20 for one in pictures)


def test_the_page_of_proofs_has_its_tables_and_shows_a_missed_bound():
    text = pages.proofs_page("<!-- site:mutants --> <!-- site:evidence -->", STORED)
    assert "`PeekingDecoder`" in text and "| `gru` |" in text
    missed = {"name": "demo.bleu", "value": 3, "unit": "", "at_least": 4}
    lesson = dataclasses.replace(STORED[0], results=(missed,))
    last = pages.bounds_table([lesson]).splitlines()[-1]
    assert last.endswith("| `demo.bleu` | 3 | at least 4 | **missed** |")


def test_a_policy_knows_the_scripts_of_frames_and_of_the_speakers_window():
    frame = '<script>1</script><iframe srcdoc="&lt;script>2&lt;/script>"></iframe>'
    page = f'{frame}<script src="plugin/notes/notes.js"></script>'
    found = policy_maker.policy(page, "<script>3</script>")
    wanted = [policy_maker.policy(f"<script>{n}</script>").split("'")[5] for n in "123"]
    assert re.findall("'(sha256.*?)'", found) == wanted and "unsafe-inline" in found
    with pytest.raises(ValueError, match="No <meta charset>"):
        policy_maker.with_policy(page)
    live = (ROOT / "website/templates/live.html").read_text("utf-8")
    assert "\"default-src 'none'; script-src 'self'; style-src 'self'; " in live


def test_the_sites_own_figures_stand_beside_their_limits_and_a_model_has_one(tmp_path):
    rows = [{"name": "a", "value": 3.0, "unit": "s", "at_most": 1.5}]
    table = pages.measured_table({"rows": rows, "machine": "", "date": "", "load": 2.0})
    assert "| a | 3 s | at&nbsp;most&nbsp;1.5 | **missed** |" in table
    assert "with a load of 2.0" in table
    with pytest.raises(ValueError, match="'m' takes 6.00 MB .* load 6 MB"):
        export_models.write(tmp_path, "m", {}, bytes(export_models.MOST))


def test_the_numbers_of_a_picture_are_found_by_its_text_and_become_a_table():
    table = {"columns": ["", "<y>"], "rows": [["a", 0.25], ["b", 1200.0]]}
    picture = {"data": {"image/png": ""}, "metadata": {"table": table}}
    cell = {"outputs": [picture, {"text": ["so\n", "Figure: Two <dots>.\n"]}]}
    assert lessons.pictures(cell) == [(picture, "Two <dots>.")]
    page = pictures.as_html(table)
    assert '<th scope="col">&lt;y&gt;</th></tr>' in page
    assert '<tr><th scope="row">a</th><td>0.25' in page
    assert "<td>1200</td></tr></table>" in page


def test_the_teachers_page_is_in_step(capsys):
    assert teaching_tables.main(["--check"]) == 0, capsys.readouterr().out


def test_a_cell_that_is_missing_is_an_error_and_a_later_lesson_is_left_out():
    fact = {"says": "x", "lesson": NUMBERS[0], "cell": "no such text"}
    with pytest.raises(ValueError, match="0 cells hold 'no such text'"):
        teaching_tables.misconceptions_table([fact], STORED)
    later = {**fact, "lesson": "99", "plan": "p"}
    for table in ("misconceptions_table", "sessions_table"):
        assert len(getattr(teaching_tables, table)([later], STORED).splitlines()) == 2
    week = {"lessons": ["99"], "meeting": "m", "home": "h"}
    plan = {"name": "n", "audience": "a", "weeks": [week]}
    assert teaching_tables.plans([plan], STORED).endswith("| 1 |  | m | h |  |")


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
