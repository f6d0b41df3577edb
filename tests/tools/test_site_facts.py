"""Pages of the site that say how we know, and what a reader's path is made of."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "website"))

from course_site import lessons, pages, pictures  # noqa: E402

STORED = lessons.read()


def test_the_page_of_proofs_has_its_tables_and_shows_a_missed_bound():
    text = pages.proofs_page("<!-- site:mutants --> <!-- site:evidence -->", STORED)
    assert "`PeekingDecoder`" in text and "| `gru` |" in text
    missed = {"name": "demo.bleu", "value": 3, "unit": "", "at_least": 4}
    lesson = lessons.dataclasses.replace(STORED[0], results=(missed,))
    last = pages.bounds_table([lesson]).splitlines()[-1]
    assert last.endswith("| `demo.bleu` | 3 | at least 4 | **missed** |")


def test_a_path_knows_page_goals_and_needs_of_each_lesson():
    facts = [lesson.facts for lesson in STORED]
    assert facts[0]["page"] == "00_start_here" and facts[0]["needs"] == ()
    assert all(fact["goals"] and fact["reading"] for fact in facts)


def test_the_numbers_of_a_picture_are_found_by_its_text_and_become_a_table():
    table = {"columns": ["", "<y>"], "rows": [["a", 0.25], ["b", 1200.0]]}
    picture = {"data": {"image/png": ""}, "metadata": {"table": table}}
    cell = {"outputs": [picture, {"text": ["so\n", "Figure: Two <dots>.\n"]}]}
    assert lessons.pictures(cell) == [(picture, "Two <dots>.")]
    page = pictures.as_html(table)
    assert (
        '<th scope="col">&lt;y&gt;</th></tr><tr><th scope="row">a</th><td>0.25' in page
    )
    assert "<td>1200</td></tr></table>" in page
