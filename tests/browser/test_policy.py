"""A page runs what it was built with, and asks no other server."""

import re

import measure
import pytest

PAGES = "index", "notebooks/04_self_attention", "live/bleu", "slides/04"
# A script and an attribute that got in, and a request to another server.
INTRUDERS = """async () => {
  const script = document.createElement("script");
  script.textContent = "document.title = 'in'";
  document.body.innerHTML = `<a onclick="${script.textContent}"></a>`;
  document.body.append(script);
  document.querySelector("a").click();
  return [document.title, await fetch("http://localhost:9").catch(() => "refused")];
}"""


def test_every_page_has_a_policy_in_front_of_its_scripts_and_needs_no_exception():
    for path in measure.SITE.rglob("*.html"):
        start, _, rest = path.read_text("utf-8").partition('-Policy" content="')
        rules = dict(rule.split(" ", 1) for rule in rest.partition('"')[0].split("; "))
        assert rules["default-src"] == rules["base-uri"] == "'none'", path
        assert re.fullmatch(r"'self'( 'sha256-\S+')*", rules["script-src"]), path
        assert "<script" not in start, path
        assert not re.search(r'<\w[^>]* on\w+="', rest), path


@pytest.mark.parametrize("name", PAGES)
def test_what_gets_into_a_page_does_not_run_or_ask_another_server(site, watched, name):
    watched.page.goto(f"{site}/{name}.html", wait_until="networkidle")
    title = watched.page.title()
    assert watched.errors == []
    assert watched.page.evaluate(INTRUDERS) == [title, "refused"]
    told = "\n".join(watched.errors)
    assert told.count("script-src") >= 2 and "connect-src" in told
    watched.errors.clear()
