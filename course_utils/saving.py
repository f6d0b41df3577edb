"""What Keras needs to read the layers and models of the course from a file."""

import keras


def register(cls):
    """Let Keras read a layer or model from a file, also after ``quantize("int8")``.

    Write it above the class. Keras then knows its name, so that no file needs
    ``custom_objects``.

    ``model.quantize("int8")`` rounds dense layers and embeddings wherever they are,
    also those that a block makes for itself. The block's configuration doesn't say so:
    a loaded block makes its parts anew, in float, and Keras can't put whole numbers
    into them. So the quantization mode of each part is saved beside the shapes that
    the block is built from. Files of float models say nothing about it.
    """
    shapes_to_build = cls.get_build_config
    build_with_shapes = cls.build_from_config

    def get_build_config(self):
        config = shapes_to_build(self)
        modes = [part.quantization_mode for part in _parts(self)]
        if any(modes):
            config = {**(config or {}), "quantized_parts": modes}
        return config

    def build_from_config(self, config):
        shapes = {name: x for name, x in config.items() if name != "quantized_parts"}
        build_with_shapes(self, shapes)
        modes = config.get("quantized_parts")
        if modes is None:
            return
        for part, mode in zip(_parts(self), modes, strict=True):
            # A part that came with a configuration of its own is quantized already.
            if mode is not None and part.quantization_mode is None:
                part.quantize(mode)

    cls.get_build_config = get_build_config
    cls.build_from_config = build_from_config
    return keras.saving.register_keras_serializable(package="course_utils")(cls)


def _parts(layer):
    """Return the layers inside of a layer, always in the same order."""
    return layer._flatten_layers(include_self=False)
