"""The trained models that come with the course: complete, described, found."""

import email.message
import hashlib
import importlib.metadata
import json

import pytest

from course_utils import files, models
from course_utils.seq2seq import Translator

TRANSLATOR = models.translator_path, models.NAME, models.SHA256, "README.md"
MINI_BERT = (
    models.mini_bert_path,
    models.MINI_BERT,
    models.MINI_BERT_SHA256,
    "mini_bert.md",
)
both = pytest.mark.parametrize(
    "find, name, checksum, card", [TRANSLATOR, MINI_BERT], ids=["translator", "bert"]
)


@both
def test_the_file_is_the_one_that_the_card_describes(find, name, checksum, card):
    path = find()
    assert path == models.CHECKOUT / name
    assert files.sha256(path) == checksum
    assert path.stat().st_size <= 12e6
    facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert facts["sha256"] == f"`{checksum}`"
    card = (models.CHECKOUT / card).read_text("utf-8")
    for fact, value in facts.items():
        assert f"| {fact} | {value} |" in card


def test_it_translates():
    translator = models.load_translator()
    assert isinstance(translator, Translator)
    (greedy,) = translator.translate(["I like green tea."])
    assert "té verde" in greedy


def test_it_fills_a_gap():
    mini_bert = models.load_mini_bert()
    (guesses,) = mini_bert.fill_mask("A waste of [MASK].")
    assert "time" in [piece for piece, _ in guesses]


@pytest.fixture
def only_installed(monkeypatch, tmp_path):
    """Pretend that there is no checkout; return the data directory."""
    monkeypatch.setattr(models, "CHECKOUT", tmp_path / "nowhere")
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(models, "_public_files", lambda: "https://x.org/raw/v1.2")
    return tmp_path / "data"


@both
def test_without_a_checkout_it_is_fetched_and_checked(
    find, name, checksum, card, only_installed, monkeypatch
):
    asked = []
    monkeypatch.setattr(models, "download", lambda *what: asked.append(what))
    find()
    ((url, path, expected, _),) = asked
    assert url == f"https://x.org/raw/v1.2/models/{name}"
    assert path == only_installed / "models" / checksum[:12] / name
    assert expected == checksum


@both
def test_a_failed_download_is_one_sentence(
    find, name, checksum, card, only_installed, monkeypatch
):
    def broken(url, name, directory):
        raise OSError("no network")

    monkeypatch.setattr(files, "_fetch", broken)
    with pytest.raises(files.DataError, match="put the course's .* at"):
        find()
    assert not [path for path in only_installed.rglob(name) if path.is_file()]


@both
def test_a_directory_that_cannot_be_written_is_named_with_the_way_out(
    find, name, checksum, card, only_installed
):
    only_installed.write_text("a file where the data directory should be")
    with pytest.raises(files.DataError, match="Cannot write .* COURSE_DATA_DIR to a"):
        find()


@both
def test_a_model_of_an_older_course_is_not_taken_for_the_new_one(
    find, name, checksum, card, only_installed, monkeypatch
):
    def fetch(url, name, directory):
        path = only_installed / name
        path.write_text(url)
        return path

    def find_with(text):
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
        return models.model_path(name, digest, "model")

    monkeypatch.setattr(files, "_fetch", fetch)
    monkeypatch.setattr(models, "_public_files", lambda: "old")
    old = find_with(f"old/models/{name}")
    monkeypatch.setattr(models, "_public_files", lambda: "new")
    new = find_with(f"new/models/{name}")
    assert old.read_text().startswith("old") and new.read_text().startswith("new")


@both
def test_without_an_address_the_sentence_says_where_to_put_the_file(
    find, name, checksum, card, only_installed, monkeypatch
):
    monkeypatch.setattr(models, "_public_files", lambda: "")
    place = f"models/{checksum[:12]}/{name}"
    with pytest.raises(files.DataError) as error:
        find()
    assert f"copy models/{name} of a copy of the course to" in str(error.value)
    assert str(error.value).endswith(f"$COURSE_DATA_DIR/{place}.")
    (only_installed / place).parent.mkdir(parents=True)
    (only_installed / place).write_text("put here by hand")
    assert find() == only_installed / place


@pytest.mark.parametrize(
    "urls, expected",
    [
        (["Repository, https://x.org/a/b"], "https://x.org/a/b/raw/v1.2"),
        (["Other, https://x.org"], ""),
        (None, ""),
    ],
)
def test_the_address_comes_from_the_installed_package(monkeypatch, urls, expected):
    package = email.message.Message()
    package["Version"] = "1.2"
    for url in urls or []:
        package["Project-URL"] = url
    monkeypatch.setattr(importlib.metadata, "metadata", lambda name: package)
    assert models._public_files() == expected
