"""`python -m course_utils translate`: what it prints, and what it refuses."""

import io
import json
import subprocess
import sys
import zipfile
from unittest import mock

import keras
import numpy as np
import pytest

from course_utils import __main__ as command
from course_utils import models
from course_utils.seq2seq import TranslationTransformer, Translator
from course_utils.text.vectorizers import SubwordVectorizer


@pytest.fixture
def untrained(monkeypatch):
    """Put a small untrained translator into the place of the course's."""
    vectorizer = SubwordVectorizer.train(["I see it.", "Lo veo."], 60)
    keras.utils.set_random_seed(1)  # with it, no translation is empty
    model = TranslationTransformer(vectorizer.vocabulary_size, 16, 8, 16, 2, 1)
    translator = Translator(vectorizer, model)
    monkeypatch.setattr(models, "load_translator", lambda path: translator)
    return translator


def test_translate_prints_a_line_for_each_line(untrained, capsys, monkeypatch):
    assert command.main(["translate", "I see it.", "I see."]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    monkeypatch.setattr(sys, "stdin", io.StringIO("I see it.\n\nI see.\n"))
    assert command.main(["translate"]) == 0
    assert capsys.readouterr().out.splitlines() == [lines[0], "", lines[1]]


def test_translate_passes_beams_on(untrained):
    with mock.patch.object(untrained, "translate", wraps=untrained.translate) as spy:
        command.main(["translate", "I see it.", "--beam", "3"])
        assert spy.call_args.kwargs == {"method": "beam", "beam_width": 3}
        command.main(["translate", "I see it."])
        assert "method" not in spy.call_args.kwargs


def test_translate_writes_a_page_of_attention(untrained, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert command.main(["translate", "I see it.", "--attention", str(page)]) == 0
    assert page.read_text("utf-8").lower().startswith("<!doctype html>")
    empty = mock.Mock(return_value=([""], [np.zeros((1, 2, 0, 4))]))
    with mock.patch.object(untrained, "translate", empty):
        assert command.main(["translate", "I see it.", "--attention", str(page)]) == 2
    assert "the translation is empty" in capsys.readouterr().err


BAD_COMMANDS = [
    (["translate"], "", "there is no sentence"),
    (["translate", " "], "", "there is no sentence"),
    (["translate"], "\n\n", "there is no sentence"),
    (
        ["translate", 20 * "I see it. "],
        "",
        "reads 16 at most",
    ),
    (["translate", "I see.", "--beam", "0"], "", "it must be at least 1"),
    (["translate", "a", "b", "--attention", "x.html"], "", "shows one sentence"),
]


@pytest.mark.parametrize("arguments, typed, words", BAD_COMMANDS)
@pytest.mark.usefixtures("untrained")
def test_translate_refuses_bad_input_in_one_sentence(
    arguments, typed, words, capsys, monkeypatch
):
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    assert command.main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert words in printed.err and printed.err.count("\n") == 1


def write_zip(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def save_changed(model, path, name, other_name):
    """Save a model with one name in the place of another in its configuration."""
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    text = files["config.json"].decode()
    assert name in text
    files["config.json"] = text.replace(name, other_name)
    write_zip(path, files)


def small_translator():
    vectorizer = SubwordVectorizer.train(["I see it."], 30)
    model = TranslationTransformer(vectorizer.vocabulary_size, 16, 8, 16, 2, 1)
    return Translator(vectorizer, model)


def write_no_zip(path):
    path.write_bytes(b"no zip")


def write_any_zip(path):
    write_zip(path, {"a.txt": "words"})


def write_zip_with_a_text_as_config(path):
    write_zip(path, {"config.json": "words"})


def write_zip_with_a_list_as_config(path):
    write_zip(path, {"config.json": json.dumps([1, 2])})


def write_translator_without_weights(path):
    write_zip(path, {"config.json": json.dumps({"class_name": "Translator"})})


def write_other_model(path):
    keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)]).save(path)


def write_unknown_layer(path):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    save_changed(model, path, "Dense", "Denser")


def write_unknown_vectorizer(path):
    save_changed(small_translator(), path, "SubwordVectorizer", "OtherVectorizer")


def write_unknown_option(path):
    save_changed(small_translator(), path, "dense_dim", "denser_dim")


WRITERS = [
    write_no_zip,
    write_any_zip,
    write_zip_with_a_text_as_config,
    write_zip_with_a_list_as_config,
    write_translator_without_weights,
    write_other_model,
    write_unknown_layer,
    write_unknown_vectorizer,
    write_unknown_option,
]


@pytest.mark.parametrize("write", WRITERS)
def test_translate_with_a_file_that_is_no_translator(write, tmp_path, capsys):
    path = tmp_path / "wrong.keras"
    write(path)
    assert command.main(["translate", "I see it.", "--model", str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "wrong.keras" in printed.err and printed.err.count("\n") == 1


def test_translate_in_a_process_of_its_own():
    line = [sys.executable, "-m", "course_utils", "translate", "I like green tea."]
    done = subprocess.run(line, capture_output=True, text=True, timeout=1200)
    assert (done.returncode, done.stderr) == (0, "")
    assert "té verde" in done.stdout
