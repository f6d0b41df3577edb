"""Checkpoints of others are looked at before they are read; how lessons use them."""

import json
import sys
from types import SimpleNamespace

import keras_hub
import numpy as np
import psutil
import pytest
from keras import ops

from benchmarks.lessons import prompting
from course_utils import models
from course_utils.kit import files, presets
from course_utils.kit.presets import checkpoints, gguf_files, loading

CARD = presets.CARDS["minilm"]
TOLD = json.loads((models.CHECKOUT / "presets/presets.json").read_text("utf-8"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a tiny checkpoint that looks whole, named by the learner."""
    own = tmp_path / "all-MiniLM-L6-v2"
    own.mkdir()
    arrays = {"__metadata__": {}, "a": {"dtype": "F32", "data_offsets": [0, 8]}}
    header = json.dumps(arrays | {"b": {"data_offsets": [8, 12]}}).encode()
    weights = len(header).to_bytes(8, "little") + header + bytes(12)
    (own / "model.safetensors").write_bytes(weights)
    (own / "config.json").write_text('{"model_type": "bert"}')
    for name in ("vocab.txt", "tokenizer_config.json"):
        (own / name).touch()
    monkeypatch.setenv("COURSE_WEIGHTS_DIR", str(tmp_path))
    return own


def test_a_whole_checkpoint_is_taken_where_it_lies(folder, capsys):
    assert checkpoints.checkpoint("minilm", CARD) == folder
    assert "another checksum; your results may differ" in capsys.readouterr().out


def test_a_tokenizer_takes_accents_off_where_the_published_one_does(folder):
    class Tokenizer:
        from_preset = staticmethod(lambda path, **options: options)

    class Backbone(Tokenizer): ...

    assert presets.load_quietly(Tokenizer, "minilm") == {"strip_accents": True}
    kept = presets.load_quietly(Tokenizer, "minilm", strip_accents=False)
    assert kept == {"strip_accents": False}
    assert presets.load_quietly(Backbone, "minilm") == {}


def cut(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-3])


SPOILED = {
    "half a file": (cut, r"model.safetensors is damaged or incomplete \(\d+ of \d+ by"),
    "no header": (
        lambda folder: (folder / "model.safetensors").write_bytes(b"<html>"),
        "is damaged or incomplete",
    ),
    "another kind": (
        lambda folder: (folder / "config.json").write_text('{"model_type": "gpt2"}'),
        "holds a model of the kind 'gpt2', but minilm is 'bert'",
    ),
}


@pytest.mark.parametrize("what", SPOILED)
def test_what_is_spoiled_is_one_sentence(folder, what):
    spoil, sentence = SPOILED[what]
    spoil(folder)
    with pytest.raises(files.DataError, match=sentence) as caught:
        checkpoints.checkpoint("minilm", CARD)
    assert "\n" not in str(caught.value)


def test_a_missing_folder_and_too_little_memory(folder, monkeypatch):
    with pytest.raises(files.DataError, match="COURSE_WEIGHTS_DIR has no folder Smol"):
        checkpoints.checkpoint("smollm2", presets.CARDS["smollm2"])
    free = SimpleNamespace(available=2e8)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: free)
    with pytest.raises(files.DataError, match="about 0.3 GB of memory, and 0.2 GB"):
        checkpoints.checkpoint("minilm", CARD)


def test_the_memory_that_is_asked_for_follows_the_dtype(monkeypatch):
    """The file, the model, and one more copy while it is filled."""
    free = SimpleNamespace(available=9e8)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: free)
    for dtype in ("bfloat16", "float16"):
        checkpoints.check_memory("a model", 100_000_000, 4, dtype)
    for dtype in ("float32", "mixed_bfloat16", None):
        with pytest.raises(files.DataError, match="1.2 GB of memory, and 0.9 GB"):
            checkpoints.check_memory("a model", 100_000_000, 4, dtype)
    checkpoints.check_memory("a model", 100_000_000, 2, "bfloat16")


def test_what_is_missing_is_fetched_with_its_checksum(monkeypatch, tmp_path):
    monkeypatch.delenv("COURSE_WEIGHTS_DIR", raising=False)
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path))
    asked = []

    def fetch(url, path, checksum, hint):
        asked.append((url.rpartition("/")[2], checksum))
        assert url.startswith(f"https://huggingface.co/{CARD.hub}/resolve/main/")
        assert "COURSE_WEIGHTS_DIR" in hint
        if path.name == "model.safetensors":
            raise files.DataError("no network")

    monkeypatch.setattr(checkpoints, "download", fetch)
    with pytest.raises(files.DataError, match="no network"):
        checkpoints.checkpoint("minilm", CARD)
    assert [name for name, _ in asked] == CARD.files
    assert asked.pop() == ("model.safetensors", CARD.weights_sha256)
    checkpoints.checkpoint("minilm", CARD, weights=False)
    assert [name for name, _ in asked[3:]] == CARD.files[:-1]


def test_missing_packages_are_named(folder, monkeypatch):
    def from_preset(source):
        raise ModuleNotFoundError("No module named 'x'", name="x")

    kind = type("Kind", (), {"from_preset": from_preset})
    with pytest.raises(files.DataError, match="call `pip install x`"):
        presets.load_quietly(kind, "minilm")
    monkeypatch.setitem(sys.modules, "gguf", None)
    (folder / "tiny.gguf").touch()
    with pytest.raises(files.DataError, match="call `pip install gguf`"):
        loading.load_quietly(keras_hub.models.CausalLM, "minilm")


def test_a_llama_from_a_file_is_the_same_llama():
    """In the file the rows of q and k stand in pairs, (d / 2, 2) and not (2, d / 2)."""
    options = {"num_layers": 1, "num_query_heads": 4, "num_key_value_heads": 2}
    options |= {"hidden_dim": 16, "intermediate_dim": 24, "vocabulary_size": 5}
    options |= {"rope_max_wavelength": 1000, "layer_norm_epsilon": 1e-5}
    right = keras_hub.models.Llama3Backbone(**options, tie_word_embeddings=True)
    arrays = {"token_embd.weight": right.token_embedding.embeddings}
    arrays["output_norm.weight"] = right.layer_norm.scale
    (block,) = right.transformer_layers
    for ours, name in gguf_files._MAP["parts"].items():
        owner = block if hasattr(block, ours) else block._self_attention_layer
        kernel = ops.convert_to_numpy(getattr(owner, ours).weights[0])
        if kernel.ndim == 1:
            arrays[f"blk.0.{name}.weight"] = kernel
            continue
        if name == "attn_output":
            kernel = kernel.reshape(-1, 16)
        matrix = kernel.reshape(len(kernel), -1).T  # (output, input)
        if name in ("attn_q", "attn_k"):
            heads = matrix.reshape(-1, 2, 2, 16)  # of width 4: two halves of two
            matrix = heads.swapaxes(1, 2).reshape(matrix.shape)
        arrays[f"blk.0.{name}.weight"] = matrix
    names = gguf_files._MAP["options"].items()
    facts = {f"llama.{name}": options[ours] for ours, name in names}
    own = {"tokens": ["<a>", "<b>", "x", "y", "xy"], "token_type": [3, 3, 1, 1, 1]}
    own |= {"merges": ["x y"], "bos_token_id": 0, "eos_token_id": 1}
    facts |= {f"tokenizer.ggml.{name}": value for name, value in own.items()}
    model = gguf_files.llama(facts, arrays)
    ids = np.array([[2, 3, 4, 2, 2]])
    inputs = {"token_ids": ids, "padding_mask": np.ones_like(ids)}
    np.testing.assert_allclose(model.backbone(inputs), right(inputs), atol=1e-6)
    assert presets.token_ids(model.preprocessor.tokenizer, "<a>xyx") == [0, 4, 2]
    half = gguf_files.llama(facts, arrays, dtype="bfloat16")
    assert half.backbone.token_embedding.embeddings.dtype == "bfloat16"


def test_a_shared_cache_says_what_each_text_alone_says():
    task = presets.load_quietly(keras_hub.models.CausalLM, "tiny_gpt2_en")
    writer = prompting.Writer(task)
    texts = [" The plot is", " It", " The cast of it is"]
    answers = (" dull", " clever")
    together = writer.log_odds("I watched it.", texts, " so", answers, rows=3)
    no, yes = (writer.ids_of(answer)[0] for answer in answers)
    for text, odds in zip(texts, together, strict=True):
        ids = writer.ids_of("I watched it.") + writer.ids_of(f"{text} so")
        inputs = {"token_ids": np.array([ids]), "padding_mask": np.ones((1, len(ids)))}
        logits = ops.convert_to_numpy(task(inputs))[0, -1]
        assert odds == pytest.approx(logits[yes] - logits[no], abs=1e-3)
    start = f"{writer.pieces.end_token}The plot is"  # it begins with the end
    written, _ = writer.go_on(start, 40 - len(writer.ids_of(start)))
    assert written.endswith(TOLD["tiny_gpt2_en"]["told"])
