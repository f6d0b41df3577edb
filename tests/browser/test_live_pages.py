"""What a reader does on the live pages: translate, drag, merge, turn."""

import re

import live_golden
import live_pages
import numpy as np
import pytest
from playwright.sync_api import expect


def translated(page, method="the most probable one"):
    """Return the translation of what the greedy way and beams translate differently."""
    page.get_by_label("An English sentence").fill("I am not quiet.")
    page.get_by_role("button", name="Translate").click()
    page.get_by_label(method).check()
    expect(page.locator("#status")).to_contain_text(" steps")
    return page.locator("#translation").inner_text()


def test_the_translator_writes_in_three_ways_each_compared_with_itself(site, page):
    page.goto(f"{site}/index.html")
    page.get_by_label("The course's translator").fill("<b>in</b> <script>in</script>")
    page.get_by_role("button", name="Translate").click()
    expect(page.locator("form.live-home output")).to_have_text(re.compile(r"^[^:]+$"))
    assert page.locator("output b, output script").count() == 0
    page.get_by_role("link", name="See each step").click()
    greedy, beam = translated(page), translated(page, "several beginnings (beam)")
    page.locator("#heads input").last.press("Space")
    expect(page.locator("#compared")).to_have_text(f"With all heads: {beam}")
    assert beam != greedy
    page.get_by_role("button", name="All on again").click()
    drawn = translated(page, "drawn at random")
    expect(page.get_by_text("before temperature, top-k and top-p")).to_be_visible()
    page.locator("#heads input").last.press("Space")
    expect(page.locator("#compared")).to_contain_text(f"the same draws: {drawn}")
    page.get_by_role("button", name="Draw again").click()
    expect(page.locator("#compared")).not_to_contain_text(drawn)
    page.get_by_label("An English sentence").fill("   ")
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("There is nothing to translate")


def test_a_step_shows_what_keras_computes_and_the_model_is_fetched_once(site, watched):
    keras = live_golden.Translator.load(live_golden.TRANSLATOR)
    live_golden.rounded(keras.transformer)
    ids = np.array(keras.vectorizer.encode(["I am not quiet."]))
    [row] = live_golden.greedy_search(keras.transformer, ids, 20)
    inputs = ids, np.array([[live_golden.START, *row[:2]]])
    scores = np.exp(keras.transformer(inputs))[0, -1]
    maps = np.array(keras.transformer.cross_attention(inputs))[:, 0, :, -1]
    for _ in "once", "again":
        watched.page.goto(f"{site}/live/translate.html")
        translated(watched.page)
    assert len([one for one in watched.finished if ".bin" in one.url]) == 1
    watched.page.locator("#step").fill("2")
    watched.page.get_by_role("button", name="Forth").press("Enter")
    told = watched.page.locator("#next .chosen").inner_text().split()
    assert told[0] == keras.vectorizer.token(row[2])
    assert float(told[-1]) == pytest.approx(scores[row[2]] / scores.sum(), abs=6e-4)
    for block, head in (1, 0), (0, 0), (0, 2):
        watched.page.locator("#block").select_option(index=block)
        watched.page.locator("#head").select_option(index=head)
        shown = watched.page.locator("#map .now td").all_inner_texts()
        assert np.array(shown, float) == pytest.approx(maps[block, head], abs=6e-3)
    watched.page.locator("#where").select_option("encoder")
    expect(watched.page.locator("#map td")).to_have_count(1 + ids.size**2)


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
    here = opened(site, page, place, "07_gru_translation", "BLEU, run by run")
    expect(here.locator("#score")).to_have_text("BLEU 43.47")  # that of lesson 07
    here.get_by_label("Translation").fill("now the boat is on a lake")
    expect(here.locator("#form")).to_have_text(re.compile("✗ now ✓ the.*✓ the", re.S))
    here = opened(site, page, place, "07_gru_translation", "Byte pairs, merge by merge")
    expect(here.locator("#merges code")).to_have_text(["o + l", "▁ + s", "▁s + ol"])
    here.get_by_label("Text to learn from").fill("xyxy")
    expect(here.locator("#merges code")).to_have_text(["x + y"])
    here = opened(
        site, page, place, "further/04_what_attention_costs", "One attention, by hand"
    )
    seen = set()
    for name in "padding", "causal", "scaled", "temperature", "query":
        here.locator(f"#{name}").press("Space")  # for a box
        here.locator(f"#{name}").press("ArrowLeft")  # for the others
        seen.add(here.locator("#table").inner_text())
    assert len(seen) == 5


@pytest.mark.parametrize("by", ["mouse Pressed Moved Released", "touch Start Move End"])
def test_arrows_are_dragged_and_beside_them_a_finger_scrolls(site, browser, by):
    by, down, move, up = by.split()
    size = {"width": 320, "height": 1600}
    page = browser.new_context(has_touch=by == "touch", viewport=size).new_page()
    page.goto(f"{site}/live/attention.html")
    send = page.context.new_cdp_session(page).send
    for name, free in ("#query .around", 0), ("#key-0 .around", 0), ("#values", 1):
        table, top = page.locator("#table").inner_text(), page.evaluate("scrollY")
        box = page.locator(name).bounding_box()
        assert box["width"] >= 24
        for kind, high in (down, 0), (move, 30), (move, 60), (up, 60):
            place = {"x": box["x"] + 0.45 * box["width"], "y": box["y"] + 2 - high}
            event = {"type": by + kind, "button": "left", **place}
            event["touchPoints"] = [place] * (kind != up)
            send(f"Input.dispatch{by.title()}Event", event)
        page.wait_for_timeout(300)
        assert (page.locator("#table").inner_text() == table) == free
        assert (page.evaluate("scrollY") > top) == (free and by == "touch")
    page.context.close()


@each_place
def test_positions_move_by_keyboard_and_learned_ones_differ(site, page, place):
    here = opened(site, page, place, "further/06_positions_measured", "Positions")
    same = re.compile(r"5 and 9: 4 apart, product (\S+)\. .*one position later: \1\.")
    here.get_by_label("position that is asked").press("ArrowRight")
    expect(here.locator("#status")).to_have_text(same)
    here.get_by_label("turns (rotary)").check()
    expect(here.locator("#status")).to_have_text(same)
    here.get_by_label("learned", exact=True).check()
    expect(here.locator("#told")).to_contain_text("translator's own")
    expect(here.locator("#status")).not_to_have_text(same)


@pytest.mark.parametrize("name", live_pages.HEADS)
def test_a_page_stays_narrow_and_at_rest_and_shows_html_as_text(site, page, name):
    page.set_viewport_size({"width": 320, "height": 700})
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site}/live/{name}.html", wait_until="networkidle")
    for field in page.locator("main :is(input[type=text], textarea)").all():
        field.fill("<b>in</b> <script>in</script> <b>in")
        field.press("Enter")
        expect(page.locator("main")).to_contain_text(re.compile(r"<|\[unk]"))
    assert page.locator("main :is(b, script):text-is('in')").count() == 0
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 320 and page.evaluate("document.getAnimations()") == []
