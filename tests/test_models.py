"""The trained translator that comes with the course: complete, described, found."""

import json

import pytest

from course_utils import files, models
from course_utils.seq2seq import Translator


def test_the_file_is_the_one_that_the_card_describes():
    path = models.translator_path()
    assert path.parent == models.CHECKOUT
    assert files.sha256(path) == models.SHA256
    assert path.stat().st_size <= 12e6
    facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert facts["sha256"] == f"`{models.SHA256}`"
    card = (models.CHECKOUT / "README.md").read_text("utf-8")
    for name, value in facts.items():
        assert f"| {name} | {value} |" in card


def test_it_translates():
    translator = models.load_translator()
    assert isinstance(translator, Translator)
    (greedy,) = translator.translate(["I like green tea."])
    assert "té verde" in greedy


@pytest.fixture
def only_installed(monkeypatch, tmp_path):
    """Pretend that there is no checkout; return the data directory."""
    monkeypatch.setattr(models, "CHECKOUT", tmp_path / "nowhere")
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def test_without_a_checkout_it_is_fetched_and_checked(only_installed, monkeypatch):
    asked = []
    monkeypatch.setattr(models, "download", lambda *what: asked.append(what))
    models.translator_path()
    ((url, path, checksum),) = asked
    assert url.startswith("https://github.com/")
    assert url.endswith(f"/raw/main/models/{models.NAME}")
    assert path == only_installed / "models" / models.NAME
    assert checksum == models.SHA256


def test_a_failed_download_is_one_sentence(only_installed, monkeypatch):
    def broken(url, name, directory):
        raise OSError("no network")

    monkeypatch.setattr(files, "_fetch", broken)
    with pytest.raises(files.DataError, match="put the course's trained translator at"):
        models.translator_path()
    assert not (only_installed / "models" / models.NAME).exists()
