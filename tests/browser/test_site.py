"""What a reader does on the site: find, read, search, answer, explore."""

import gzip
import re

import pytest
from playwright.sync_api import expect

LESSON = "notebooks/04_self_attention.html"
VIEWER = "notebooks/12_what_attention_sees.html"
PICTURE = re.compile(r"\.(?:png|jpg|svg|ico)(?:\?|$)")


@pytest.fixture
def lesson(site, page):
    """A page on which lesson 04 is open."""
    page.goto(f"{site}/{LESSON}")
    return page


def test_home_has_the_map_and_is_light(site, watched):
    page = watched.page
    page.goto(f"{site}/index.html", wait_until="networkidle")
    expect(page.locator("article h1")).to_contain_text("Attention and Transformers")
    lessons = page.locator("svg.course-map a")
    assert lessons.count() >= 13
    # What comes over the wire, compressed as hosts do it, pictures aside.
    asked = [one for one in watched.finished if not PICTURE.search(one.url)]
    texts = sum(len(gzip.compress(one.response().body(), 6)) for one in asked)
    assert 0 < texts <= 500_000
    lessons.nth(4).click()
    expect(page).to_have_url(re.compile(r"/notebooks/\d\d_\w+\.html"))


@pytest.mark.parametrize("name", ["index", LESSON[:-5], "results", "how_we_know"])
def test_on_320_pixels_a_page_does_not_move_sideways(site, page, name):
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(f"{site}/{name}.html", wait_until="networkidle")
    page.locator("details").evaluate_all("all => all.forEach((one) => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_on_paper_nothing_is_cut_folded_or_for_clicks_only(site, page):
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 680, "height": 900})
    page.goto(f"{site}/notebooks/solutions/04_self_attention.html")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert luminance(page, "body") > 200
    expect(page.locator("details.solution pre").last).to_be_visible()
    expect(page.locator(".bd-sidebar-primary")).to_be_hidden()
    expect(page.locator(".bd-sidebar-secondary")).to_be_hidden()
    cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth).length"
    assert page.locator("pre").evaluate_all(cut) == 0


def test_on_a_telephone_the_map_scrolls_and_can_be_read(site, page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{site}/index.html", wait_until="networkidle")
    heights = page.locator("svg.course-map text").evaluate_all(
        "texts => texts.map((text) => text.getBoundingClientRect().height)"
    )
    assert heights and min(heights) >= 9
    frame = page.locator(".map-frame")
    assert frame.evaluate("e => e.scrollWidth > e.clientWidth")


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
    page.wait_for_load_state("networkidle")
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
    page.goto(f"{site}/index.html")
    assert luminance(page, "body") > 200
    switch(page, "dark")
    assert luminance(page, "body") < 60
    page.goto(f"{site}/{LESSON}")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert luminance(page, "body") < 60
    page.frame_locator("iframe").locator("html[data-theme=dark] #query").wait_for()


def question(page, number=0):
    return page.locator("form.quiz").nth(number)


def test_a_question_is_answered_wrong_and_then_right(lesson):
    form = question(lesson)
    check, status = form.get_by_role("button", name="Check"), form.get_by_role("status")
    check.click()
    expect(status).to_have_text("Choose an answer first.")
    form.locator("[data-verdict=wrong] input").first.check()
    check.click()
    expect(status).to_contain_text("Not right.")
    told = status.inner_text()
    assert len(told) > len("Not right. ") + 5
    form.locator("[data-verdict=right] input").check()
    check.click()
    expect(status).to_contain_text("Right.")
    assert status.inner_text() != told


def test_a_question_is_answered_with_the_keyboard(lesson):
    form = question(lesson, 1)
    form.locator("input").first.focus()
    lesson.keyboard.press("Space")
    lesson.keyboard.press("ArrowDown")
    assert form.locator("input").nth(1).is_checked()
    expect(form.get_by_role("status")).to_be_empty()  # moving is not answering
    lesson.keyboard.press("Enter")
    expect(form.get_by_role("status")).to_contain_text(re.compile(r"ight\."))


def test_all_explanations_can_be_shown(lesson):
    form = question(lesson)
    assert not form.locator("details").first.is_visible()
    form.get_by_role("button", name="Show all explanations").click()
    for explanation in form.locator("details p").all():
        expect(explanation).to_be_visible()


def test_questions_can_be_read_without_scripts(site, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/{LESSON}")
    explanation = question(page).locator("details").first
    explanation.locator("summary").click()
    expect(explanation.locator("p")).to_be_visible()
    assert not question(page).get_by_role("button", name="Check").is_visible()
    context.close()


def test_solutions_are_folded(lesson):
    lesson.get_by_role("link", name="solutions/04_self_attention.ipynb").click()
    solutions = lesson.locator("details.solution")
    expect(solutions).to_have_count(4)
    code = [solutions.nth(i).locator("pre").first for i in range(2)]
    assert not code[0].is_visible()
    solutions.first.locator("summary").click()
    expect(code[0]).to_be_visible()
    assert not code[1].is_visible()


@pytest.fixture
def frame(site, page):
    """The attention viewer of lesson 12."""
    page.emulate_media(color_scheme="light")
    page.goto(f"{site}/{VIEWER}")
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


@pytest.mark.parametrize("number", ["04", "09"])
def test_slides_move_and_draw_formulas(site, page, number):
    page.goto(f"{site}/slides/{number}.html", wait_until="networkidle")
    expect(page.locator("section.present h1").first).to_contain_text(number)
    before = page.url
    page.keyboard.press("ArrowRight")
    page.wait_for_url(lambda address: address != before)
    assert page.locator(".slides > section").count() > 5
    if number == "04":
        page.locator("mjx-container").first.wait_for(state="attached", timeout=15000)


def test_what_was_read_and_answered_is_kept_here_and_can_be_deleted(site, page):
    page.goto(f"{site}/{LESSON}")
    question(page).locator("input").first.check()
    question(page).get_by_role("button", name="Check").click()
    page.get_by_label("I have read this lesson").check()
    page.reload()
    expect(page.get_by_label("I have read this lesson")).to_be_checked()
    expect(question(page).locator(".quiz-answer")).to_contain_text("ight")
    page.get_by_role("link", name="Your path").click()
    expect(page.locator("#status")).to_contain_text("1 of")
    page.get_by_label("I want to").select_option(index=9)
    assert page.locator("#road li").count() > 1
    page.get_by_role("button", name="Delete all").click()
    expect(page.locator("#status")).to_contain_text("0 of")
    assert page.evaluate("localStorage.getItem('course-path')") is None


@pytest.mark.parametrize("scheme, other", [("light", "dark"), ("dark", "light")])
def test_a_drawing_is_fetched_and_enlarged_in_the_scheme(site, page, scheme, other):
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{site}/{LESSON}", wait_until="networkidle")
    drawing = page.locator("img.only-dark")
    button = page.locator("button.zoom-button", has=drawing).first
    picture, large = button.locator("img:visible"), page.locator("dialog.zoom img")
    expect(picture).to_have_class(f"only-{scheme}")
    button.press("Enter")
    expect(large).to_have_attribute("src", picture.get_attribute("src"))
    assert large.bounding_box()["width"] > picture.bounding_box()["width"]
    page.keyboard.press("Escape")
    expect(large).not_to_be_visible()
    assert picture.get_attribute("src").endswith("-dark.svg") == (scheme == "dark")
    expect(picture).not_to_have_js_property("naturalWidth", 0)
    sizes = "all => all.map((one) => one.naturalWidth)"  # 0 of what isn't fetched
    assert set(page.locator(f"img.only-{other}").evaluate_all(sizes)) == {0}


def test_home_enlarges_bars_with_their_numbers_and_the_map_with_its_links(site, page):
    page.goto(f"{site}/index.html")
    dialog = page.locator("dialog.zoom")
    page.get_by_title("Enlarge").first.press("Enter")
    dialog.get_by_text("The numbers as a table").click()
    expect(dialog.get_by_role("cell").first).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Enlarge the map").click()
    dialog.get_by_role("link", name="04 Self-attention").click()
    expect(page).to_have_url(f"{site}/{LESSON}")
