"""The trained models that come with the course: complete, described, found."""

import collections
import email.message
import importlib.metadata
import json
import re
from unittest import mock

import numpy as np
import pytest

from course_utils import models
from course_utils.kit import files
from tools.eight_bits import in_eight_bits

MODELS = {
    "translator": (models.NAME, models.SHA256, "README.md"),
    "lesson_translator": (
        models.LESSON_NAME,
        models.LESSON_SHA256,
        "en_es_lesson_08.md",
    ),
    "bert": (models.MINI_BERT, models.MINI_BERT_SHA256, "mini_bert.md"),
    "gpt": (models.MINI_GPT, models.MINI_GPT_SHA256, "mini_gpt.md"),
}


class Model(collections.namedtuple("Model", "name checksum card")):
    def find(self):
        return models.model_path(self.name, self.checksum, "model")


@pytest.fixture(params=MODELS)
def model(request):
    return Model(*MODELS[request.param])


def test_the_file_is_the_one_that_the_card_describes(model):
    path = model.find()
    assert path == models.CHECKOUT / model.name
    assert files.sha256(path) == model.checksum
    assert path.stat().st_size <= 12e6
    facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert facts["sha256"] == f"`{model.checksum}`"
    card = (models.CHECKOUT / model.card).read_text("utf-8")
    shown = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", card, re.MULTILINE))
    assert {"sha256", "weights", "training"} <= set(shown)
    for fact in set(shown) & set(facts):
        assert shown[fact] == str(facts[fact])


def test_eight_bits_hold_the_translator_s_parameters():
    for array in models.load_translator().transformer.get_weights():
        np.testing.assert_array_equal(in_eight_bits(array), array)


def test_they_translate_fill_a_gap_and_write():
    (greedy,) = models.load_translator().translate(["I like green tea."])
    assert "té verde" in greedy
    (guesses,) = models.load_mini_bert().fill_mask("A waste of [MASK].")
    assert "time" in [piece for piece, _ in guesses]
    (text,) = models.load_mini_gpt().complete(["One of the"], 9, temperature=0)
    assert text.split()[0] in ("best", "worst", "most", "few", "first")


def test_elsewhere_it_is_fetched_and_checked(model, only_installed, monkeypatch):
    download = mock.Mock()
    monkeypatch.setattr(models, "download", download)
    model.find()
    url, path, expected, _ = download.call_args.args
    assert url == f"https://x.org/raw/v1.2/models/{model.name}"
    # A model of an older course, with another checksum, stays out of the way.
    assert path == only_installed / "models" / model.checksum[:12] / model.name
    assert expected == model.checksum


def test_a_failed_download_is_one_sentence(model, only_installed, monkeypatch):
    monkeypatch.setattr(files, "_fetch", mock.Mock(side_effect=OSError("no network")))
    with pytest.raises(files.DataError, match="put the course's .* at"):
        model.find()
    assert not [path for path in only_installed.rglob(model.name) if path.is_file()]


def test_without_an_address_it_may_lie_beside_the_notebook(
    model, request, monkeypatch, tmp_path
):
    original = model.find().read_bytes()
    only_installed = request.getfixturevalue("only_installed")
    monkeypatch.setattr(models, "_public_files", lambda: "")
    place = f"models/{model.checksum[:12]}/{model.name}"
    with pytest.raises(files.DataError) as error:
        model.find()
    assert f"put models/{model.name} of a copy of the course" in str(error.value)
    monkeypatch.chdir(tmp_path)
    beside = tmp_path / model.name
    beside.write_text("what a lesson has saved under this name")
    with pytest.raises(files.DataError, match="beside the notebook"):
        model.find()
    beside.write_bytes(original)
    assert model.find().resolve() == beside
    beside.unlink()
    (only_installed / place).parent.mkdir(parents=True)
    (only_installed / place).write_text("another file")
    with pytest.raises(files.DataError, match="has the sha256"):
        model.find()
    (only_installed / place).write_bytes(original)
    assert model.find() == only_installed / place


FILES = "https://x.org/a/b/raw/v1.2"
HERE = ["Repository, https://x.org/a/b", f"Files, {FILES}"], FILES
ELSEWHERE = ["Other, https://x.org"], ""


@pytest.mark.parametrize("urls, expected", [HERE, ELSEWHERE, ([], "")])
def test_the_address_comes_from_the_installed_package(monkeypatch, urls, expected):
    package = email.message.Message()
    package["Version"] = "1.2"
    for url in urls:
        package["Project-URL"] = url
    monkeypatch.setattr(importlib.metadata, "metadata", lambda name: package)
    assert models._public_files() == expected
