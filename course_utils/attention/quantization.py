"""What a model in int8 needs to come back from its file."""


class QuantizedParts:
    """Let a layer that makes layers of its own be loaded as it was quantized.

    ``model.quantize("int8")`` rounds dense layers and embeddings wherever they are,
    also those inside a block. The block's configuration doesn't say so: a loaded block
    makes its parts anew, in float, and Keras can't put whole numbers into them. So the
    mode of each part is saved beside the shapes that the block is built from.

    Write it before the Keras class: ``class Block(QuantizedParts, layers.Layer)``.
    """

    def get_build_config(self):
        config = super().get_build_config()
        modes = [part.quantization_mode for part in self._parts()]
        return {**config, "quantized_parts": modes} if any(modes) else config

    def build_from_config(self, config):
        config = dict(config)
        modes = config.pop("quantized_parts", None)
        super().build_from_config(config)
        for part, mode in zip(self._parts(), modes or (), strict=modes is not None):
            if mode is not None:
                part.quantize(mode)

    def _parts(self):
        """Return the layers inside this one, always in the same order."""
        return self._flatten_layers(include_self=False)
