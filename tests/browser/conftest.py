"""The built site behind a local server, and a real browser that sees only this machine.

`make test-browser` builds the site and runs these tests; `make test` doesn't.
"""

import browsing
import pytest

LOCAL = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")


@pytest.fixture(scope="session")
def site():
    """The address of the built site."""
    if not (browsing.SITE / "index.html").is_file():
        pytest.fail("build/site is missing: run `make site` first.")
    with browsing.served(browsing.SITE) as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    with browsing.chromium() as found:
        yield found


class Watched:
    """A page, what its console complained about, and what it asked elsewhere."""

    def __init__(self, page):
        self.page, self.errors, self.elsewhere, self.finished = page, [], [], []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("requestfinished", lambda one: self.finished.append(one))
        page.context.route("**/*", self._route)

    def _console(self, message):
        if message.type == "error":
            self.errors.append(message.text)

    def _route(self, route):
        address = route.request.url
        if address.startswith(LOCAL):
            route.continue_()
        else:
            self.elsewhere.append(address)
            route.abort()


@pytest.fixture
def watched(browser):
    """A page in a new profile; the test fails when it complains or asks elsewhere."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    found = Watched(context.new_page())
    yield found
    context.close()
    assert found.elsewhere == []  # first: a request that is stopped is an error, too
    assert found.errors == []


@pytest.fixture
def page(watched):
    """The page of `watched`."""
    return watched.page
