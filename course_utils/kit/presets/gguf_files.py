"""A Llama from a GGUF file: 4-bit weights become float32 in KerasHub's classes.

The package `gguf` reads the file. Shapes: L blocks, D width, H heads, d = D / H.
"""

import tomllib
from pathlib import Path

import numpy as np

from course_utils.kit.files import DataError, short_message
from course_utils.kit.presets.checkpoints import broken

_MAP = tomllib.loads(Path(__file__).with_name("llama_names.toml").read_text("utf-8"))


def load_llama(path, weights=True, **options):
    """Return a `keras_hub.models.Llama3CausalLM` with the weights of a GGUF file.

    Args:
        path: of the file.
        weights: False returns its tokenizer alone.
        options: for the backbone, such as `dtype="bfloat16"`.
    Raises:
        DataError: the package is missing, or the file is damaged or of another kind.
    """
    try:
        import gguf
    except ImportError as error:
        raise DataError(
            "Reading a GGUF file needs the package gguf; call `pip install gguf`."
        ) from error
    try:
        reader = gguf.GGUFReader(path)
        facts = {name: field.contents() for name, field in reader.fields.items()}
        if not weights:
            return preprocessor(facts).tokenizer
        arrays = {
            t.name: gguf.dequantize(t.data, t.tensor_type) for t in reader.tensors
        }
    except Exception as error:  # the reader's errors are of many kinds
        raise broken(path, short_message(error)) from error
    found = facts.get("general.architecture")
    if found != "llama" or "output.weight" in arrays:
        raise DataError(f"{path.name} holds {found!r}, and no llama with one table.")
    return llama(facts, arrays, **options)


def llama(facts, arrays, **options):
    """Build the model and copy its weights; `facts` are those of the file's head."""
    import keras_hub

    options |= {ours: facts[f"llama.{name}"] for ours, name in _MAP["options"].items()}
    backbone = keras_hub.models.Llama3Backbone(
        vocabulary_size=len(facts["tokenizer.ggml.tokens"]),
        tie_word_embeddings=True,
        **options,
    )
    backbone.token_embedding.embeddings.assign(arrays["token_embd.weight"])
    backbone.layer_norm.scale.assign(arrays["output_norm.weight"])
    for number, block in enumerate(backbone.transformer_layers):
        for ours, theirs in _MAP["parts"].items():
            matrix = arrays[f"blk.{number}.{theirs}.weight"]  # (output, input) or (D,)
            owner = block if hasattr(block, ours) else block._self_attention_layer
            (weight,) = getattr(owner, ours).weights
            if theirs in ("attn_q", "attn_k"):  # pairs of rotation stand side by side
                pairs = matrix.reshape(weight.shape[1], -1, 2, matrix.shape[1])
                matrix = pairs.swapaxes(1, 2).reshape(matrix.shape)
            weight.assign(np.reshape(np.transpose(matrix), weight.shape))
    return keras_hub.models.Llama3CausalLM(backbone, preprocessor(facts))


def preprocessor(facts):
    """Return KerasHub's preprocessor with the pieces and the merges of the file."""
    from keras_hub.models import Llama3CausalLMPreprocessor, Llama3Tokenizer

    pieces = facts["tokenizer.ggml.tokens"]
    kinds = facts["tokenizer.ggml.token_type"]
    tokenizer = Llama3Tokenizer(
        {piece: i for i, piece in enumerate(pieces)},
        facts["tokenizer.ggml.merges"],
        bos_token=pieces[facts["tokenizer.ggml.bos_token_id"]],
        eos_token=pieces[facts["tokenizer.ggml.eos_token_id"]],
        misc_special_tokens={p for p, k in zip(pieces, kinds, strict=True) if k == 3},
    )
    return Llama3CausalLMPreprocessor(tokenizer, add_start_token=False)
