"""What a reader does on the site: find, read, search, answer, explore."""

import re

import pytest
from playwright.sync_api import expect

LESSON = "notebooks/further/04_what_attention_costs.html"
SOLUTIONS = "solutions/further/04_what_attention_costs.ipynb"
VIEWER = "notebooks/further/08_what_attention_sees.html"


@pytest.fixture
def lesson(site, page):
    """A page on which "What attention costs" is open."""
    page.goto(f"{site}/{LESSON}")
    return page


def test_home_leads_to_the_lessons(site, page):
    page.goto(f"{site}/index.html", wait_until="networkidle")
    expect(page.locator("article h1")).to_contain_text("Attention and Transformers")
    page.get_by_role("link", name="04 Self-attention").last.click()
    expect(page).to_have_url(re.compile(r"/notebooks/04_\w+\.html"))


def test_an_option_of_a_question_opens_its_explanation(lesson):
    option = lesson.locator("details", has_text="a)").first
    explanation = option.locator("p")
    assert not explanation.is_visible()
    option.locator("summary").click()
    expect(explanation).to_be_visible()


def test_a_folded_picture_is_opened_enlarged_and_closed_again(lesson):
    fold = lesson.locator("details.hide", has=lesson.locator("img")).first
    picture = fold.locator("button.zoom-button").first
    assert not picture.is_visible()
    fold.get_by_text("Show code cell output").click()
    picture.press("Enter")
    large = lesson.locator("dialog.zoom img")
    expect(large).to_be_visible()
    lesson.keyboard.press("Escape")
    expect(large).not_to_be_visible()


@pytest.mark.parametrize("name", ["index", LESSON[:-5], "results", "how_we_know"])
def test_on_320_pixels_a_page_does_not_move_sideways(site, page, name):
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(f"{site}/{name}.html", wait_until="networkidle")
    page.locator("details").evaluate_all("all => all.forEach((one) => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("address", [LESSON, VIEWER])
def test_a_lesson_is_complete(site, page, address):
    page.goto(f"{site}/{address}")
    for place in ("a.left-prev", "a.right-next", "button.theme-switch-button"):
        expect(page.locator(place).first).to_be_visible()
    assert page.locator("a.term").count() > 5
    texts = page.locator(".bd-article .cell_output img").evaluate_all(
        "images => images.map((image) => image.alt)"
    )
    assert texts and all(len(text) > 20 for text in texts), texts
    link = page.get_by_role("link", name="Download the notebook")
    answer = page.request.get(f"{site}/notebooks/{link.get_attribute('href')}")
    assert answer.ok and answer.json()["nbformat"] == 4


def test_formulas_are_drawn_by_the_site_itself(lesson):
    lesson.locator("mjx-container").first.wait_for(timeout=15000)
    assert lesson.locator("mjx-container").count() > 20
    assert lesson.locator("mjx-merror").count() == 0


def test_glossary_links_lead_to_a_row(lesson):
    term = lesson.locator("a.term").first
    word = term.inner_text()
    term.click()
    expect(lesson).to_have_url(re.compile(r"glossary\.html#term-"))
    anchor = lesson.locator(f"#{lesson.url.partition('#')[2]}")
    row = anchor.locator("xpath=ancestor::tr").inner_text()
    assert word.lower() in row.lower()


def test_search_finds_a_lesson_by_keyboard(site, page):
    page.goto(f"{site}/index.html", wait_until="networkidle")
    page.keyboard.press("Control+k")
    field = page.locator("dialog input[type=search]:visible")
    field.fill("permutation")
    field.press("Enter")
    page.wait_for_url(re.compile(r"search\.html"))
    results = page.locator("#search-results li a")
    results.first.wait_for(timeout=15000)
    links = results.evaluate_all("all => all.map((a) => a.getAttribute('href'))")
    assert any(LESSON in link for link in links)


def switch(page, scheme):
    """Switch to a scheme as a reader does: with the button."""
    page.get_by_role("button", name="Color mode").click()
    page.locator(f"button.theme-change-button[data-mode={scheme}]").click()
    expect(page.locator("html")).to_have_attribute("data-theme", scheme)


def luminance(page, selector):
    """Return how bright the background of an element is, from 0 to 255."""
    colour = page.locator(selector).evaluate("e => getComputedStyle(e).backgroundColor")
    red, green, blue = map(int, re.findall(r"\d+", colour)[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_dark_mode_stays_on_the_next_page(site, page):
    page.emulate_media(color_scheme="light")
    page.goto(f"{site}/index.html", wait_until="networkidle")
    assert luminance(page, "body") > 200
    switch(page, "dark")
    assert luminance(page, "body") < 60
    page.goto(f"{site}/{LESSON}")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert luminance(page, "body") < 60
    page.frame_locator("iframe").locator("html[data-theme=dark] #query").wait_for()


def test_solutions_are_folded(lesson):
    lesson.get_by_role("link", name=SOLUTIONS).click()
    solutions = lesson.locator("details.solution")
    expect(solutions).to_have_count(4)
    code = [solutions.nth(i).locator("pre").first for i in range(2)]
    assert not code[0].is_visible()
    solutions.first.locator("summary").click()
    expect(code[0]).to_be_visible()
    assert not code[1].is_visible()


@pytest.fixture
def frame(site, page):
    """The attention viewer."""
    page.emulate_media(color_scheme="light")
    page.goto(f"{site}/{VIEWER}", wait_until="networkidle")
    page.locator("iframe[srcdoc]").first.scroll_into_view_if_needed()
    return page.frame_locator("iframe[srcdoc]").first


def weights(frame):
    return frame.locator("#source li span").all_inner_texts()


def test_the_viewer_answers_to_the_pointer(frame):
    frame.locator("#target li").nth(1).hover()
    first = weights(frame)
    assert all(re.fullmatch(r"\d\.\d{3}", weight) for weight in first)
    frame.locator("#target li").nth(2).hover()
    assert weights(frame) != first
    expect(frame.locator("#status")).to_contain_text("looks most at")


def test_the_viewer_answers_to_the_keyboard(frame, page):
    frame.locator("#target li").first.focus()
    first = weights(frame)
    page.keyboard.press("ArrowRight")
    assert weights(frame) != first
    second = frame.locator("#target li").nth(1)
    expect(second).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    assert set(weights(frame)) == {""}


def test_layer_and_head_change_the_weights(frame):
    frame.locator("#target li").nth(1).focus()
    seen = {tuple(weights(frame))}
    for choice, index in (("#layer", 1), ("#head", 2)):  # a value may be a label, too
        frame.locator(choice).select_option(index=index)
        seen.add(tuple(weights(frame)))
    assert len(seen) == 3


def test_the_viewer_follows_the_dark_scheme(frame, page):
    switch(page, "dark")
    expect(frame.locator("body")).to_have_css("background-color", "rgb(27, 27, 27)")
    switch(page, "light")
    expect(frame.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
