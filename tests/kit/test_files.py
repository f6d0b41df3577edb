"""Files are complete or absent, and every failure is one clear sentence."""

import contextlib
import hashlib
import http.server
import importlib.metadata
import os
import socket
import threading

import pytest
from conftest import data_error

import course_utils
from course_utils.kit import files


@contextlib.contextmanager
def serve(body, announced=None, status=200):
    """Serve `body` on loopback while announcing another length, then hang up."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            self.send_header("Content-Length", str(announced or len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/corpus.zip"
        server.shutdown()


@contextlib.contextmanager
def nobody(listens=False):
    """Give an address where nobody listens, or listens and says nothing."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        if listens:
            silent.listen()
        yield f"http://127.0.0.1:{silent.getsockname()[1]}/corpus.zip"


@pytest.fixture(autouse=True)
def data_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path))
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_download_fetches_the_bytes_once_and_leaves_nothing_else(tmp_path):
    checksum = hashlib.sha256(b"some bytes").hexdigest()
    with serve(b"some bytes") as url:
        path = files.download(url, tmp_path / "new" / "corpus.zip", checksum)
    assert path.read_bytes() == b"some bytes"
    assert os.listdir(path.parent) == ["corpus.zip"]
    path.write_bytes(b"mine")
    with nobody() as url:
        assert files.download(url, path).read_bytes() == b"mine"


def test_a_file_that_is_there_is_checked(tmp_path):
    """Also one that a reader was told to put there."""
    path = tmp_path / "corpus.zip"
    path.write_bytes(b"another version")
    checksum = hashlib.sha256(b"some bytes").hexdigest()
    with nobody() as url:
        with data_error("corpus.zip", "has the sha256", checksum[:12], "delete it"):
            files.download(url, path, checksum)
        assert path.read_bytes() == b"another version"  # it isn't ours to delete
        path.write_bytes(b"some bytes")
        assert files.download(url, path, checksum) == path


def test_a_course_that_is_not_installed_has_no_address(monkeypatch):
    def nothing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "metadata", nothing)
    monkeypatch.setattr(importlib.metadata, "version", nothing)
    assert files.public_address() == ("", "")
    assert course_utils.__version__ == "0+unknown"


FAILURES = {
    "no network": (nobody, {}, ["$COURSE_DATA_DIR/corpus.zip", "download"]),
    "hanging connection": (nobody, {"listens": True}, ["timed out"]),
    "server error": (serve, {"body": b"gone", "status": 404}, ["404"]),
    "cut": (serve, {"body": b"x" * 1000, "announced": 5000}, ["1000 out of 5000"]),
    "wrong checksum": (serve, {"body": b"other bytes"}, ["sha256", "000000000000"]),
}


@pytest.mark.parametrize("server, options, said", FAILURES.values(), ids=FAILURES)
def test_a_failed_download(server, options, said, tmp_path, monkeypatch):
    """It is one sentence with both ways on, and nothing is left."""
    monkeypatch.setattr(files, "NETWORK_TIMEOUT", 0.2 if "listens" in options else 60)
    before = socket.getdefaulttimeout()
    with server(**options) as url, data_error(*said):
        files.download(url, tmp_path / "corpus.zip", sha256="0" * 64)
    assert os.listdir(tmp_path) == [] and socket.getdefaulttimeout() == before


def test_unwritable_directory(tmp_path):
    blocked = tmp_path / "a_file"
    blocked.write_text("in the way")
    with nobody() as url, data_error("Cannot write", "COURSE_DATA_DIR to a"):
        files.download(url, blocked / "data" / "corpus.zip")
    assert blocked.read_text() == "in the way"


def test_a_key_press_during_the_download_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(url, name, directory):
        (tmp_path / directory / name).write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "_fetch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        files.download("http://127.0.0.1/corpus.zip", tmp_path / "corpus.zip")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("mode, content", [("w", "línea\n"), ("wb", b"\x00\xff")])
def test_atomic_write_replaces_the_file(tmp_path, mode, content):
    path = tmp_path / "file"
    path.write_text("old")
    with files.atomic_write(path, mode) as handle:
        handle.write(content)
        assert path.read_text() == "old"
    assert path.read_bytes() == (content.encode() if mode == "w" else content)
    assert os.listdir(tmp_path) == ["file"]
    assert path.stat().st_mode & 0o777 == 0o644  # others may read it


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_atomic_write_keeps_the_old_file_after_an_error(tmp_path, kind):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(kind), files.atomic_write(path) as handle:
        handle.write("half of the new")
        raise kind
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_atomic_write_refuses_other_modes(tmp_path):
    wrong = files.atomic_write(tmp_path / "file", "a")
    with pytest.raises(ValueError, match='"w" or "wb"'), wrong:
        pass


def test_shown_paths_begin_with_what_the_reader_knows(tmp_path, monkeypatch):
    assert files.display_path(tmp_path / "x.zip") == "$COURSE_DATA_DIR/x.zip"
    monkeypatch.delenv("COURSE_DATA_DIR")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert files.display_path("~/.cache/x.zip") == "~/.cache/x.zip"
