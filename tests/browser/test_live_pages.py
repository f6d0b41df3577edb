"""What a reader does on the small live pages: translate, write, merge, turn."""

import re

import pytest
from playwright.sync_api import expect


def test_the_translator_runs_in_the_browser_step_by_step(site, page):
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(f"{site}/index.html")
    page.get_by_label("The course's translator").fill("I see the dog.")
    page.get_by_role("button", name="Translate").click()
    expect(page.locator("form.live-home output")).to_contain_text("perro")
    page.get_by_role("link", name="See each step").click()
    expect(page.locator("#translation")).to_contain_text("libro")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.get_by_label("An English sentence").fill("I see the <b>dog</b>.")
    page.keyboard.press("Enter")
    expect(page.locator("#map tr").first).to_contain_text("dog")
    assert page.locator("main p b, #map b, #translation b").count() == 0
    page.get_by_role("button", name="Back").press("Enter")
    expect(page.locator("#of")).to_have_text(re.compile(r"^(\d+) of (?!\1$)\d+"))
    page.locator("#heads input").last.press("Space")
    expect(page.locator("#compared")).to_contain_text("With all heads:")
    page.get_by_label("on the best of several beginnings").check()
    expect(page.locator("#tree svg")).to_be_visible()
    page.get_by_label("An English sentence").fill("   ")
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("There is nothing to translate")


each_place = pytest.mark.parametrize("place", ["alone", "within its lesson"])


def opened(site, page, place, lesson, title):
    """Open a small page from its lesson, or within it; return what it is in."""
    page.goto(f"{site}/notebooks/{lesson}.html")
    if place == "within its lesson":
        return page.frame_locator(f"iframe[title='{title}']")
    page.get_by_role("link", name=f"Live: {title}").click()
    return page


@each_place
def test_the_pages_without_a_model_answer_too(site, page, place):
    here = opened(site, page, place, "08_gru_translation", "BLEU, run by run")
    expect(here.locator("#score")).to_have_text("BLEU 43.47")  # that of lesson 08
    here = opened(site, page, place, "08_gru_translation", "Byte pairs, merge by merge")
    expect(here.locator("#merges code")).to_have_text(["o + l", "▁ + s", "▁s + ol"])
    here = opened(site, page, place, "04_self_attention", "One attention, by hand")
    before = here.locator("#status").inner_text()
    here.locator("#query").press("ArrowLeft")
    expect(here.locator("#status")).not_to_have_text(before)


def test_the_mini_gpt_writes_in_the_browser_step_by_step(site, page):
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(f"{site}/live/write.html")
    page.get_by_label("The beginning of a review").fill("I <b>liked</b> it")
    page.get_by_role("button", name="Write on").click()
    # Its subwords have no signs of HTML: it is shown what the model reads.
    expect(page.locator("#whole")).to_contain_text("I [unk]b[unk]liked[unk]/b[unk] it")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    before = page.locator("#whole").inner_text()
    page.get_by_role("button", name="Draw again").click()
    expect(page.locator("#whole")).not_to_have_text(before)
    page.get_by_role("button", name="Back").press("Enter")
    expect(page.locator("#given")).to_contain_text("You gave this token")
    expect(page.locator("#cached")).to_contain_text("KB as float32")


@each_place
def test_positions_move_by_keyboard_and_learned_ones_differ(site, page, place):
    here = opened(site, page, place, "06_positional_embedding", "Positions")
    same = re.compile(r"5 and 9: 4 apart, product (\S+)\. .*one position later: \1\.")
    here.get_by_label("position that is asked").press("ArrowRight")
    expect(here.locator("#status")).to_have_text(same)
    here.get_by_label("turns (rotary)").check()
    expect(here.locator("#status")).to_have_text(same)
    here.get_by_label("learned", exact=True).check()
    expect(here.locator("#told")).to_contain_text("translator's own")
    expect(here.locator("#status")).not_to_have_text(same)
