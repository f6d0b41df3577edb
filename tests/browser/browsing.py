"""Serves the built site to this machine, and opens it in the system's Chromium."""

import contextlib
import functools
import http.server
import os
import shutil
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build/site"
# Chromium's own services would ask the network.
FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync"
FLAGS += " --disable-background-networking --disable-component-update"


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
