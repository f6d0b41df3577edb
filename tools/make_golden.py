"""Write what PyTorch's Transformer layers compute into tests/golden.

The tests compare our layers with these files, so they need no PyTorch. To make them
anew (made with torch 2.13.0): ``pip install torch==2.13.0 numpy``, then
``python -m tools.make_golden``.

Each file holds the layer's weights under PyTorch's names, the inputs, the padding
masks (True = real token, the opposite of PyTorch's) and the outputs in both forms,
post-norm and pre-norm.
"""

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parents[1] / "tests/golden"
EMBED_DIM, DENSE_DIM, NUM_HEADS = 8, 16, 2
SOURCE_LENGTHS, TARGET_LENGTHS = (5, 3), (3, 4)


def random_weights(layer, generator):
    """Fill every weight of ``layer``, biases and norms too, with random numbers."""
    for name, weight in layer.named_parameters():
        values = generator.normal(0.0, 0.4, tuple(weight.shape))
        if "norm" in name and name.endswith("weight"):
            values = values + 1.0
        weight.data.copy_(weight.new_tensor(values))


def save(name, build, call, arrays, generator):
    """Compute both forms of one layer and write the file ``name``.npz."""
    import torch

    layers = {form: build(norm_first=form == "pre") for form in ("post", "pre")}
    random_weights(layers["post"], generator)
    layers["pre"].load_state_dict(layers["post"].state_dict())
    arrays = dict(arrays)
    for form, layer in layers.items():
        with torch.no_grad():
            arrays[f"output_{form}"] = call(layer.eval()).numpy()
    for key, weight in layers["post"].state_dict().items():
        arrays[f"weight.{key}"] = weight.numpy()
    np.savez_compressed(FOLDER / f"{name}.npz", **arrays)


def main():
    """Write encoder.npz and decoder.npz."""
    import torch

    generator = np.random.default_rng(7)

    def sequence(lengths):
        real = np.arange(max(lengths)) < np.array(lengths)[:, None]
        values = generator.normal(size=(*real.shape, EMBED_DIM)).astype("float32")
        return torch.tensor(values), torch.tensor(real)

    options = dict(dropout=0.0, activation="relu", batch_first=True)
    size = (EMBED_DIM, NUM_HEADS, DENSE_DIM)
    source, source_mask = sequence(SOURCE_LENGTHS)
    target, target_mask = sequence(TARGET_LENGTHS)
    steps = target.shape[1]
    future = torch.ones(steps, steps, dtype=torch.bool).triu(diagonal=1)
    arrays = {"source": source.numpy(), "source_mask": source_mask.numpy()}

    save(
        "encoder",
        lambda **form: torch.nn.TransformerEncoderLayer(*size, **options, **form),
        lambda layer: layer(source, src_key_padding_mask=~source_mask),
        arrays,
        generator,
    )
    arrays |= {"target": target.numpy(), "target_mask": target_mask.numpy()}
    masks = {"tgt_mask": future, "tgt_key_padding_mask": ~target_mask}
    masks |= {"memory_key_padding_mask": ~source_mask}
    save(
        "decoder",
        lambda **form: torch.nn.TransformerDecoderLayer(*size, **options, **form),
        lambda layer: layer(target, source, **masks),
        arrays,
        generator,
    )


if __name__ == "__main__":
    main()
