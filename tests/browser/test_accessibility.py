"""axe-core finds nothing serious, in the light and in the dark scheme."""

import pytest
from conftest import ROOT

AXE = ROOT / "website/node_modules/axe-core/axe.min.js"
NOTEBOOKS = "04_self_attention", "12_what_attention_sees", "solutions/04_self_attention"
PAGES = ["index.html", *(f"notebooks/{name}.html" for name in NOTEBOOKS)]
PAGES += ["teaching.html", "notebooks/glossary.html", "search.html?q=attention"]
LIVE = "translate", "write", "attention", "positions", "bleu", "pairs", "path"
PAGES += ["how_we_know.html", *(f"live/{name}.html" for name in LIVE)]


def findings(page):
    """Return axe's serious and critical findings as sentences."""
    page.evaluate(AXE.read_text("utf-8"))  # a page may forbid script tags
    found = page.evaluate(
        "async () => (await axe.run(document, {iframes: true})).violations"
    )
    return [
        f"{one['impact']}: {one['id']}, {len(one['nodes'])} times, for example "
        f"{one['nodes'][0]['html'][:120]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", PAGES)
def test_nothing_serious_is_found(site, page, address, scheme):
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{site}/{address}", wait_until="networkidle")
    assert page.locator("html").get_attribute("data-theme") == scheme
    for form in page.locator("form.quiz").all()[:2]:  # their answers are looked at too
        form.locator("input").first.check()
        form.get_by_role("button", name="Check").click()
    found = findings(page)
    assert not found, "\n".join(found)


def test_axe_would_find_something(site, page):
    page.goto(f"{site}/index.html", wait_until="networkidle")
    page.evaluate(
        "document.querySelector('main').append(document.createElement('img'))"
    )
    page.evaluate("document.querySelector('main img').src = '_static/quiz.js'")
    assert any("image-alt" in finding for finding in findings(page))
