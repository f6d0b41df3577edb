"""Presets: sizes first, one clear sentence when one is missing, masks, text to text."""

import json
import zipfile

import keras
import keras_hub
import numpy as np
import pytest
from keras import ops
from keras_hub.src.utils.preset_utils import BUILTIN_PRESETS

from course_utils import files, models
from course_utils.datasets.generated import chinese, reviews
from course_utils.presets import loading as presets

OWN = [name for name, card in presets.CARDS.items() if card.sha256]
PLACE = models.CHECKOUT / "presets"
TOLD = json.loads((PLACE / "presets.json").read_text("utf-8"))


class Broken:
    """A class whose presets can't be had."""

    @staticmethod
    def from_preset(place, **options):
        raise OSError("no\nnetwork")


@pytest.fixture(scope="module")
def english():
    return presets.load(keras_hub.models.MaskedLM, "tiny_bert_en")


@pytest.fixture(scope="module")
def t5():
    return presets.TextToText.load("tiny_t5_en", source_length=64)


@pytest.fixture
def only_installed(monkeypatch, tmp_path):
    """Pretend that there is no checkout; return the data directory."""
    monkeypatch.setattr(models, "CHECKOUT", tmp_path / "nowhere")
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(models, "_public_files", lambda: "https://x.org/raw/v1.2")
    return tmp_path / "data"


# What is known before loading


def test_cards_give_the_numbers_of_kerashub():
    for name in set(presets.CARDS) - set(OWN):
        parameters = BUILTIN_PRESETS[name]["metadata"]["params"]
        # KerasHub 0.26 doesn't know the size of every T5.
        assert parameters in (0, presets.CARDS[name].parameters)


def test_a_line_says_size_and_origin():
    line = presets.describe("bert_base_zh")
    assert (
        line
        == "bert_base_zh: 102,267,648 weights, at most 409 MB to download on "
        + ("first use")
    )
    assert presets.describe("tiny_bert_zh").endswith(" MB, comes with the course")


def test_the_size_is_printed_before_the_loading_begins(capsys):
    class Watched:
        @staticmethod
        def from_preset(place, **options):
            assert capsys.readouterr().out == presets.describe("gpt2_base_en") + "\n"
            return place, options

    answer = presets.load(Watched, "gpt2_base_en", load_weights=False)
    assert answer == ("gpt2_base_en", {"load_weights": False})


def test_a_preset_that_cannot_be_fetched_is_one_sentence_and_no_other_preset(
    monkeypatch,
):
    monkeypatch.setattr(presets, "folder", lambda name: pytest.fail("a fallback"))
    with pytest.raises(files.DataError) as caught:
        presets.load(Broken, "bert_base_zh")
    text = str(caught.value)
    assert text.startswith(
        "Could not load the preset bert_base_zh (no network); either"
    )
    assert "kaggle.com" in text and "COURSE_DATA=sample" in text
    assert "\n" not in text and text.endswith(".")


def test_a_broken_preset_of_the_courses_own_blames_no_connection():
    with pytest.raises(files.DataError) as caught:
        presets.load(Broken, "tiny_bert_zh")
    assert "comes with the course" in str(caught.value)
    assert "kaggle" not in str(caught.value)


def test_an_unknown_name_is_refused():
    with pytest.raises(
        ValueError, match="there is no 'bert_huge'; the presets are bert"
    ):
        presets.load(Broken, "bert_huge")


# The course's own presets


def test_the_files_are_those_that_the_card_describes():
    card = (PLACE / "README.md").read_text("utf-8")
    size = 0
    for name in OWN:
        path = PLACE / f"{name}.zip"
        size += path.stat().st_size
        assert files.sha256(path) == presets.CARDS[name].sha256 == TOLD[name]["sha256"]
        assert presets.CARDS[name].parameters == TOLD[name]["weights"]
        assert f"| `{name}` | {TOLD[name]['weights']:,} |" in card
        assert TOLD[name]["sha256"] in card
    assert sorted(OWN) == sorted(TOLD)
    assert size <= 6e6


def test_they_load_as_their_task_and_answer_as_recorded(english, t5):
    def close(found, recorded):
        for (word, share), (name, noted) in zip(found, recorded, strict=True):
            assert word == name and share == pytest.approx(noted, abs=2e-3)

    sentence = "The plot is not dull, it is [MASK]."
    close(presets.fill_mask(english, sentence), TOLD["tiny_bert_en"]["told"])
    zh = presets.load(keras_hub.models.MaskedLM, "tiny_bert_zh")
    close(presets.fill_mask(zh, "我有三[MASK]书。"), TOLD["tiny_bert_zh"]["told"])
    review = "The plot is dull, but the film itself is clever."
    answers = t5.generate([f"summarize: {review}", f"sst2 sentence: {review}"], 12)
    assert answers == TOLD["tiny_t5_en"]["told"]


@pytest.mark.parametrize(
    "name, prompt, length",
    [("tiny_gpt2_en", "The plot is", 40), ("tiny_gpt2_zh", "妈妈周末去", 24)],
)
def test_generators_write_what_is_recorded(name, prompt, length):
    model = presets.load(keras_hub.models.CausalLM, name)
    model.compile(sampler="greedy")
    assert model.generate(prompt, max_length=length) == TOLD[name]["told"]


def test_a_preset_is_unpacked_once(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path))
    place = presets.folder("tiny_bert_zh")
    assert place.parent == tmp_path / "presets"
    assert (place / "model.weights.h5").is_file()
    (place / "mark").touch()
    assert presets.folder("tiny_bert_zh") == place and (place / "mark").exists()


def test_a_damaged_file_is_one_sentence_and_leaves_nothing(only_installed):
    place = only_installed / "models" / presets.CARDS["tiny_bert_zh"].sha256[:12]
    damaged = place / "presets" / "tiny_bert_zh.zip"
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"half a file")
    with pytest.raises(files.DataError, match="Could not unpack .*get this file again"):
        presets.folder("tiny_bert_zh")
    assert list((only_installed / "presets").iterdir()) == []


def test_without_a_checkout_it_is_fetched_and_checked(only_installed, monkeypatch):
    asked = []

    def fetch(url, path, checksum):
        asked.append((url, path, checksum))
        path.parent.mkdir(parents=True)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("config.json", "{}")
        return path

    monkeypatch.setattr(models, "download", fetch)
    assert [p.name for p in presets.folder("tiny_gpt2_zh").iterdir()] == ["config.json"]
    ((url, path, checksum),) = asked
    assert url == "https://x.org/raw/v1.2/models/presets/tiny_gpt2_zh.zip"
    assert checksum == presets.CARDS["tiny_gpt2_zh"].sha256
    place = only_installed / "models" / checksum[:12]
    assert path == place / "presets" / "tiny_gpt2_zh.zip"


def test_a_failed_download_of_the_courses_own_is_one_sentence(
    only_installed, monkeypatch
):
    def broken(url, name, directory):
        raise OSError("no network")

    monkeypatch.setattr(files, "_fetch", broken)
    with pytest.raises(files.DataError, match="put the course's preset at"):
        presets.folder("tiny_gpt2_zh")


def test_what_is_packed_can_be_loaded(tmp_path, english, monkeypatch):
    name = "tiny_bert_en"
    (tmp_path / "presets").mkdir()
    presets.pack([english], tmp_path / "presets" / f"{name}.zip")
    monkeypatch.setattr(models, "CHECKOUT", tmp_path)
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path / "data"))
    again = presets.load(keras_hub.models.MaskedLM, name)
    texts = ["The [MASK] is dull."]
    one, other = (presets.mask_probabilities(m, texts) for m in (english, again))
    np.testing.assert_allclose(one, other, atol=1e-6)


# Unknown tokens


def test_unknown_shares(english):
    tokenizer = english.preprocessor.tokenizer
    assert presets.unknown_share(tokenizer, ["The plot is dull."]) == 0
    assert presets.unknown_share(tokenizer, ["好", "书。"]) == 1
    assert presets.unknown_share(tokenizer, ["dull 书", "plot is"]) == 0.25
    own, _ = reviews.load("test")
    assert presets.unknown_share(tokenizer, own[:50]) < 0.01


def test_byte_level_tokenizers_know_every_byte():
    tokenizer = keras_hub.tokenizers.Tokenizer.from_preset(
        str(presets.folder("tiny_gpt2_en"))
    )
    texts = [row.text for row in chinese.load("test")[:20]]
    assert presets.unknown_share(tokenizer, texts) == 0
    for text in texts:
        assert len(presets.token_ids(tokenizer, text)) == len(text.encode())


def test_texts_without_tokens_have_no_share(english):
    with pytest.raises(ValueError, match="no tokens"):
        presets.unknown_share(english.preprocessor.tokenizer, ["", " "])


# Masks


def test_probabilities_sum_to_one_and_padding_changes_nothing(english):
    short, long = "The [MASK] is dull.", "I found the [MASK] dull, and so did my aunt."
    together = presets.mask_probabilities(english, [short, long])  # (B, V)
    np.testing.assert_allclose(together.sum(axis=-1), 1, atol=1e-5)
    for text, row in zip((short, long), together, strict=True):
        (alone,) = presets.mask_probabilities(english, [text])
        np.testing.assert_allclose(alone, row, atol=1e-5)


@pytest.mark.parametrize("text, number", [("no mask", 0), ("[MASK] and [MASK]", 2)])
def test_a_text_needs_exactly_one_mask(english, text, number):
    with pytest.raises(
        ValueError, match=f"exactly one .MASK., but this one has {number}"
    ):
        presets.fill_mask(english, text)


def test_a_text_that_is_too_long_is_refused(english):
    with pytest.raises(ValueError, match="a text has 203 tokens.*at most 72"):
        presets.fill_mask(english, "dull " * 200 + "[MASK]")


def test_words_are_shown_without_the_signs_of_their_tokenizer(english):
    tokenizer = english.preprocessor.tokenizer
    inner = next(t for t in tokenizer.get_vocabulary() if t.startswith("##"))
    assert presets.word(tokenizer, tokenizer.token_to_id(inner)) == inner[2:]
    words = presets.fill_mask(english, "The [MASK] is dull.", top=3)
    assert len(words) == 3 and words == sorted(words, key=lambda pair: -pair[1])


def test_a_model_without_segments_with_its_own_mask_sign():
    letters = [*"aehlmo", "Ġ", "Ġa"]
    vocabulary = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 4}
    vocabulary |= {letter: 5 + i for i, letter in enumerate(letters)}
    tokenizer = keras_hub.tokenizers.RobertaTokenizer(vocabulary, ["Ġ a"])
    assert presets._ids_with_mask(tokenizer, "am [MASK] a") == [
        *(0, vocabulary["a"], vocabulary["m"], 4, vocabulary["Ġa"], 2)
    ]
    backbone = keras_hub.models.RobertaBackbone(
        vocabulary_size=len(vocabulary), num_layers=1, num_heads=2, hidden_dim=8,
        intermediate_dim=8, max_sequence_length=8,
    )  # fmt: skip
    model = keras_hub.models.RobertaMaskedLM(
        backbone, keras_hub.models.RobertaMaskedLMPreprocessor(tokenizer, 8)
    )
    probabilities = presets.mask_probabilities(model, ["am [MASK] a", "[MASK]"])
    assert probabilities.shape == (2, len(vocabulary))
    np.testing.assert_allclose(probabilities.sum(axis=-1), 1, atol=1e-5)


# Text to text


def test_a_batch_gives_the_answers_of_single_texts(t5):
    texts = [
        "summarize: The cast is weak and anything but superb.",
        "sst2 sentence: What I got was clever, where I had expected something dull.",
    ]
    assert t5.generate(texts) == [t5.generate([text])[0] for text in texts]


def test_long_texts_are_cut_and_still_end(t5):
    ids = t5.encode(["dull " * 300, "dull"])
    assert ids.shape == (2, 64)
    assert ids[0, -1] == t5.tokenizer.end_token_id
    assert (ids[1] == t5.tokenizer.end_token_id).sum() == 1


def test_answers_end_at_the_length_asked_for(t5):
    (answer,) = t5.generate(["summarize: The plot is dull."], max_length=2)
    assert len(presets.token_ids(t5.tokenizer, answer)) == 2


@pytest.mark.skipif(
    not hasattr(keras_hub.models, "T5Seq2SeqLM"),
    reason="KerasHub 0.26 has no such task",
)
def test_decoding_gives_the_answers_of_kerashubs_task(t5):
    preprocessor = keras_hub.models.T5Seq2SeqLMPreprocessor(
        t5.tokenizer, encoder_sequence_length=64, decoder_sequence_length=13
    )
    task = keras_hub.models.T5Seq2SeqLM(t5.backbone, preprocessor)
    task.compile(sampler="greedy")
    texts, _ = reviews.load("test")
    texts = [f"summarize: {text}" for text in texts[:8]]
    assert t5.generate(texts, max_length=12) == task.generate(texts)


def test_logits_of_shared_and_of_own_output_weights():
    options = dict(vocabulary_size=7, num_layers=1, num_heads=1, hidden_dim=4,
                   intermediate_dim=4)  # fmt: skip
    states = np.arange(8.0, dtype="float32").reshape(2, 4)
    shared = keras_hub.models.T5Backbone(**options)
    table = ops.convert_to_numpy(shared.token_embedding.embeddings)  # (V, D)
    found = ops.convert_to_numpy(presets.text_to_text_logits(shared, states))
    np.testing.assert_allclose(found, states @ table.T / 2, rtol=1e-5)
    own = keras_hub.models.T5Backbone(**options, tie_embedding_weights=False)
    kernel = ops.convert_to_numpy(own.token_embedding.reverse_embeddings)  # (D, V)
    found = ops.convert_to_numpy(presets.text_to_text_logits(own, states))
    np.testing.assert_allclose(found, states @ kernel, rtol=1e-5)
    assert keras.backend.is_keras_tensor(
        presets.text_to_text_logits(own, own.output["decoder_sequence_output"])
    )
