"""Our blocks' weights in the shapes and order of KerasHub, and PyTorch's in ours."""

import numpy as np


def keras_attention(attention):
    """Return the weights of our attention as ``keras.layers.MultiHeadAttention``'s."""
    width, heads = attention.embed_dim, attention.num_heads
    weights = []
    for dense in (attention.query_dense, attention.key_dense, attention.value_dense):
        kernel, bias = dense.get_weights()
        weights += [kernel.reshape(width, heads, -1), bias.reshape(heads, -1)]
    kernel, bias = attention.output_dense.get_weights()
    return [*weights, kernel.reshape(heads, -1, width), bias]


def keras_hub_block(block, decoder):
    """Return the weights of our block in the order of KerasHub's encoder or decoder."""
    attentions = ["self_attention", "cross_attention"]
    weights = []
    for name in attentions[: 1 + hasattr(block, "cross_attention")]:
        weights += keras_attention(getattr(block, name))
        weights += getattr(block, f"{name}_norm").get_weights()
    parts = [block.dense_in, block.dense_out]
    parts.insert(2 if decoder else 0, block.feed_forward_norm)
    return weights + [weight for part in parts for weight in part.get_weights()]


def set_pytorch_attention(attention, golden, name):
    """Copy the weights of PyTorch's ``nn.MultiheadAttention`` into our attention."""
    parts = (attention.query_dense, attention.key_dense, attention.value_dense)
    kernels = np.split(golden[f"weight.{name}.in_proj_weight"], 3)
    biases = np.split(golden[f"weight.{name}.in_proj_bias"], 3)
    for dense, kernel, bias in zip(parts, kernels, biases, strict=True):
        dense.set_weights([kernel.T, bias])
    kernel, bias = (golden[f"weight.{name}.out_proj.{x}"] for x in ("weight", "bias"))
    attention.output_dense.set_weights([kernel.T, bias])


def set_pytorch_block(block, golden):
    """Copy the weights of PyTorch's encoder or decoder layer into our block."""
    norms = [block.self_attention_norm, block.feed_forward_norm]
    set_pytorch_attention(block.self_attention, golden, "self_attn")
    if hasattr(block, "cross_attention"):
        set_pytorch_attention(block.cross_attention, golden, "multihead_attn")
        norms.insert(1, block.cross_attention_norm)
    for dense, name in ((block.dense_in, "linear1"), (block.dense_out, "linear2")):
        kernel, bias = golden[f"weight.{name}.weight"], golden[f"weight.{name}.bias"]
        dense.set_weights([kernel.T, bias])
    for number, norm in enumerate(norms, start=1):
        name = f"weight.norm{number}"
        norm.set_weights([golden[f"{name}.weight"], golden[f"{name}.bias"]])
