"""Measure what the site asks of a reader's machine: `make site`, then

    python website/measure.py

It serves build/site here, opens it in Chromium (see tests/browser) and writes
website/measured.json, which the page "How we know" shows after the next `make site`.
That takes about two minutes. Other work on the machine makes the figures worse, so the
load before the measurement is stored with them.
"""

import contextlib
import datetime
import functools
import gzip
import http.server
import json
import os
import shutil
import statistics
import sys
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from course_utils.datasets import phrasebook  # noqa: E402
from course_utils.kit.environment import hardware  # noqa: E402
from course_utils.kit.files import atomic_write  # noqa: E402

SITE = ROOT / "build/site"
RESULTS = ROOT / "website/measured.json"
# Chromium's own services would ask the network.
FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync"
FLAGS += " --disable-background-networking --disable-component-update"
LOADS, SENTENCES, NEW, ROUNDS = 5, 100, 100, 5
LONG = "My brother didn't want to read the old book that I gave him last week."
LESSON = "notebooks/05_transformer_encoder.html"
BEGINNINGS = "This film is", "I", "The actors", "It was not", "Nobody"

FIRST_PAINT = """() => new Promise((done) => {
  const tell = (list) => list.getEntriesByName("first-contentful-paint")
    .forEach((entry) => done(entry.startTime));
  new PerformanceObserver(tell).observe({ type: "paint", buffered: true });
})"""
# The worker is asked as the live pages ask it; the first answer only warms it up.
SPEED = """async ([model, task, requests]) => {
  const { startWorker } = await import("/_static/live/asking.mjs");
  const ask = startWorker();
  await ask("load", { address: `${location.origin}/_static/models/${model}` });
  await ask(task, requests[0]);
  const start = performance.now();
  let tokens = 0;
  for (const request of requests) {
    const { steps } = await ask(task, request);
    tokens += steps.filter(({ given }) => !given).length;
  }
  return (1000 * tokens) / (performance.now() - start);
}"""
# The longest event of each key or click; a browser doesn't tell those below 16 ms.
WATCH = """() => {
  window.taken = {};
  const note = ({ interactionId: id, duration }) => {
    if (id) taken[id] = Math.max(taken[id] ?? 0, duration);
  };
  new PerformanceObserver((list) => list.getEntries().forEach(note))
    .observe({ type: "event", durationThreshold: 16 });
}"""
WORKS = """() => document.getElementById("status").textContent.includes("…")"""


def main():
    """Measure and write the file; return the exit status."""
    load, started = os.getloadavg()[0], datetime.date.today().isoformat()
    with served(SITE) as site, chromium() as browser:
        rows = [*sizes(browser, site), *paints(browser, site), *speeds(browser, site)]
        rows += responses(browser, site)
    found = {"machine": hardware(), "load": round(load, 1), "date": started}
    with atomic_write(RESULTS) as file:
        json.dump(found | {"rows": rows}, file, indent=1)
        file.write("\n")
    for one in rows:
        print(f"{one['name']}: {one['value']:g} {one['unit']}")
    return 0


def row(name, value, unit, **bound):
    """Return one figure with its bound, as `course_utils.kit.results` writes it."""
    return {"name": name, "value": float(f"{value:.3g}"), "unit": unit, **bound}


def sizes(browser, site):
    """Measure how large the home page, and the models, are on their way."""
    answers = []
    with opened(browser, "about:blank") as page:
        page.on("requestfinished", lambda request: answers.append(request.response()))
        page.goto(site, wait_until="networkidle")
        packed = sum(len(gzip.compress(one.body(), 6)) for one in answers)
    yield row("The home page before a model, packed", packed / 1e3, "KB", at_most=500)
    for path in sorted((SITE / "_static/models").glob("*.bin")):
        size = path.stat().st_size + path.with_suffix(".json").stat().st_size
        yield row(f"The model {path.stem}", size / 1e6, "MB", at_most=6)


def paints(browser, site):
    """Measure the first paint of some pages, each time with an empty cache."""
    lives = sorted(path.name for path in (SITE / "live").glob("*.html"))
    for place in "index.html", LESSON, *(f"live/{name}" for name in lives):
        seconds = []
        for _ in range(LOADS):
            with opened(browser, f"{site}/{place}") as page:
                seconds.append(page.evaluate(FIRST_PAINT) / 1000)
        name = f"First paint of {place}, median of {LOADS}"
        yield row(name, statistics.median(seconds), "s", at_most=1.5)


def speeds(browser, site):
    """Measure how many tokens a second both models write, one after the other."""
    texts = [english for english, _ in phrasebook.load().test[:SENTENCES]]
    greedy = [{"text": text, "how": {}} for text in texts]
    drawn = {"length": NEW, "how": {"temperature": 0.8, "top_p": 0.9, "seed": 1}}
    written = [{"text": text, **drawn} for text in BEGINNINGS]
    with opened(browser, site) as page:
        speed = page.evaluate(SPEED, ["translator", "translate", greedy])
        name = f"The translator, {len(greedy)} sentences, greedy"
        yield row(name, speed, "tokens a second", at_least=20)
        speed = page.evaluate(SPEED, ["mini_gpt", "writeOn", written])
        name = f"The mini GPT, {len(written)} texts of {NEW} tokens"
        yield row(name, speed, "tokens a second", at_least=20)


def responses(browser, site):
    """Measure how long a key or a click waits for the next picture while 8 beams run.

    As browsers define it, one in 50 may take longer ("interaction to next paint").

    Raises:
        RuntimeError: no key was pressed while a translation was running.
    """
    with opened(browser, f"{site}/live/translate.html") as page:
        page.locator("#go:not([disabled])").wait_for(timeout=120_000)
        page.locator("input[value=beam]").check()
        page.locator("#width").fill("8")
        page.evaluate(WATCH)
        pressed = 0
        for _ in range(ROUNDS):
            page.locator("#text").fill(LONG)
            page.locator("#go").click()
            while page.evaluate(WORKS):
                page.locator("#text").press("a" if pressed % 2 else "Backspace")
                pressed += 1
        if not pressed:
            raise RuntimeError("Each translation ended before a key was pressed.")
        page.wait_for_timeout(500)  # the last entries are told late
        slow = sorted(page.evaluate("Object.values(taken)"), reverse=True)
    slow += [16] * (pressed + ROUNDS - len(slow))
    name = (
        f"Interaction to next paint, {pressed} keys and {ROUNDS} clicks beside 8 beams"
    )
    yield row(name, slow[len(slow) // 50], "ms", at_most=200)
    yield row("The slowest of these", slow[0], "ms")


@contextlib.contextmanager
def opened(browser, address):
    """Open a page in a new profile, so with an empty cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(address)
    yield page
    context.close()


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves files, quietly."""

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def served(folder):
    """Serve a folder to this machine; gives the address."""
    handler = functools.partial(Files, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.handle_error = lambda *which: None  # a page that is closed breaks off
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@contextlib.contextmanager
def chromium():
    """Start the system's Chromium without a window.

    Raises:
        OSError: it isn't there.
    """
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if path is None:
        raise OSError("Chromium is missing: install it, or set CHROMIUM to its path.")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=FLAGS.split())
        yield found
        found.close()


if __name__ == "__main__":
    sys.exit(main())
