"""Files are complete or absent, and every failure is one clear sentence."""

import contextlib
import http.server
import os
import socket
import stat
import threading

import pytest

from course_utils import files


@contextlib.contextmanager
def serve(body, announced=None, status=200):
    """Serve `body` on loopback while announcing another length, then hang up."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            length = len(body) if announced is None else announced
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/corpus.zip"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def closed_port_url():
    """Return an address where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/corpus.zip"


def assert_one_helpful_sentence(error, *expected):
    """One line, one sentence, and both ways on."""
    text = str(error.value)
    assert "\n" not in text
    assert text.endswith(".") and text.count(". ") == 0
    assert "COURSE_DATA=sample" in text
    for part in expected:
        assert part in text


@pytest.fixture(autouse=True)
def data_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path))
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def test_download_fetches_the_bytes_and_leaves_nothing_else(tmp_path):
    with serve(b"some bytes") as url:
        path = files.download(url, tmp_path / "new" / "corpus.zip")
    assert path.read_bytes() == b"some bytes"
    assert os.listdir(path.parent) == ["corpus.zip"]


def test_download_keeps_an_existing_file_without_network(tmp_path):
    path = tmp_path / "corpus.zip"
    path.write_bytes(b"mine")
    assert files.download(closed_port_url(), path).read_bytes() == b"mine"


def test_no_network(tmp_path):
    with pytest.raises(files.DataError) as error:
        files.download(closed_port_url(), tmp_path / "corpus.zip")
    assert_one_helpful_sentence(error, "$COURSE_DATA_DIR/corpus.zip", "download")
    assert os.listdir(tmp_path) == []


def test_server_error(tmp_path):
    with serve(b"gone", status=404) as url, pytest.raises(files.DataError) as error:
        files.download(url, tmp_path / "corpus.zip")
    assert_one_helpful_sentence(error, "404")
    assert os.listdir(tmp_path) == []


def test_interrupted_download(tmp_path):
    short = serve(b"x" * 1000, announced=5000)
    with short as url, pytest.raises(files.DataError) as error:
        files.download(url, tmp_path / "corpus.zip")
    assert_one_helpful_sentence(error, "1000 out of 5000")
    assert os.listdir(tmp_path) == []


def test_a_key_press_during_the_download_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(url, name, directory):
        (tmp_path / directory / name).write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "_fetch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        files.download("http://127.0.0.1/corpus.zip", tmp_path / "corpus.zip")
    assert os.listdir(tmp_path) == []


def test_wrong_checksum(tmp_path):
    with serve(b"other bytes") as url, pytest.raises(files.DataError) as error:
        files.download(url, tmp_path / "corpus.zip", sha256="0" * 64)
    assert_one_helpful_sentence(error, "sha256", "000000000000")
    assert os.listdir(tmp_path) == []


def test_unwritable_directory(tmp_path):
    blocked = tmp_path / "a_file"
    blocked.write_text("in the way")
    with pytest.raises(files.DataError) as error:
        files.download(closed_port_url(), blocked / "data" / "corpus.zip")
    assert_one_helpful_sentence(error, "Cannot write", "COURSE_DATA_DIR")
    assert blocked.read_text() == "in the way"


def test_a_hanging_connection_is_given_up_and_the_setting_restored(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(files, "NETWORK_TIMEOUT", 0.2)
    before = socket.getdefaulttimeout()
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/corpus.zip"
        with pytest.raises(files.DataError) as error:
            files.download(url, tmp_path / "corpus.zip")
    assert_one_helpful_sentence(error, "timed out")
    assert socket.getdefaulttimeout() == before


@pytest.mark.parametrize(("mode", "content"), [("w", "línea\n"), ("wb", b"\x00\xff")])
def test_atomic_write_replaces_the_file(tmp_path, mode, content):
    path = tmp_path / "file"
    path.write_text("old")
    with files.atomic_write(path, mode) as handle:
        handle.write(content)
        assert path.read_text() == "old"
    expected = content.encode() if mode == "w" else content
    assert path.read_bytes() == expected
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_atomic_write_keeps_the_old_file_after_an_error(tmp_path, kind):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(kind), files.atomic_write(path) as handle:
        handle.write("half of the new")
        raise kind
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_atomic_write_makes_files_that_others_may_read(tmp_path):
    before = os.umask(0o022)
    try:
        with files.atomic_write(tmp_path / "file") as handle:
            handle.write("x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644


def test_atomic_write_refuses_other_modes(tmp_path):
    wrong = files.atomic_write(tmp_path / "file", "a")
    with pytest.raises(ValueError, match='"w" or "wb"'), wrong:
        pass


def test_sha256(tmp_path):
    (tmp_path / "file").write_bytes(b"abc")
    digest = files.sha256(tmp_path / "file")
    assert digest.startswith("ba7816bf8f01cfea") and len(digest) == 64


def test_shown_paths_begin_with_what_the_reader_knows(tmp_path, monkeypatch):
    assert files.shown(tmp_path / "x.zip") == "$COURSE_DATA_DIR/x.zip"
    monkeypatch.delenv("COURSE_DATA_DIR")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert files.shown("~/.cache/x.zip") == "~/.cache/x.zip"
