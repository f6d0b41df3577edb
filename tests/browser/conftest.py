"""The built site behind a local server, and a real browser that sees only this machine.

`make test-browser` builds the site and runs these tests; `make test` doesn't.
"""

import functools
import http.server
import os
import shutil
import threading
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build/site"
# Chromium's own services would ask the network.
FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync"
FLAGS += " --disable-background-networking --disable-component-update"
LOCAL = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")


class Pages(http.server.SimpleHTTPRequestHandler):
    """Serves files, quietly."""

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="session")
def site():
    """The address of the built site."""
    if not (SITE / "index.html").is_file():
        pytest.fail("build/site is missing: run `make site` first.")
    handler = functools.partial(Pages, directory=str(SITE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.fail("Chromium is missing: install it, or set CHROMIUM to its path.")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS.split())
        yield chromium
        chromium.close()


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
