"""axe-core finds nothing serious, in the light and in the dark scheme."""

import pytest
from browsing import ROOT
from playwright.sync_api import expect

AXE = ROOT / "website/node_modules/axe-core/axe.min.js"
NOTEBOOKS = (
    "04_self_attention",
    "further/04_what_attention_costs",
    "further/08_what_attention_sees",
    "solutions/further/04_what_attention_costs",
)
PAGES = ["index.html", *(f"notebooks/{name}.html" for name in NOTEBOOKS)]
PAGES += ["teaching.html", "notebooks/glossary.html", "search.html?q=attention"]
LIVE = "translate", "attention", "positions", "bleu", "pairs"
PAGES += ["how_we_know.html", *(f"live/{name}.html" for name in LIVE)]
PAGES += ["results.html"]


def findings(watched):
    """Return axe's serious and critical findings as sentences."""
    page, before = watched.page, list(watched.errors)
    page.evaluate(AXE.read_text("utf-8"))  # a page may forbid script tags
    found = page.evaluate("axe.run({iframes: true}).then((all) => all.violations)")
    watched.errors[:] = before  # axe adds a style, which a page may refuse
    return [
        f"{one['impact']}: {one['id']}, {len(one['nodes'])} times, for example "
        f"{one['nodes'][0]['html'][:120]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", PAGES)
def test_nothing_serious_is_found(site, watched, address, scheme):
    page = watched.page
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{site}/{address}")  # its scripts have run
    page.wait_for_load_state("networkidle")
    if "translate" in address:  # with all that a translation shows
        page.get_by_label("on the best of several beginnings").check()
        expect(page.locator("#map td").first).to_be_visible(timeout=30_000)
    found = findings(watched)
    assert not found, "\n".join(found)


def test_axe_would_find_something(site, watched):
    page = watched.page
    page.goto(f"{site}/index.html", wait_until="networkidle")
    picture = "document.querySelector('main').innerHTML += '<img src=_static/zoom.js>'"
    page.evaluate(picture)
    assert any("image-alt" in finding for finding in findings(watched))
