"""From a vector for each token to one vector for the text."""

from keras import layers, ops

from course_utils.saving import register


@register
class MaskedGlobalMaxPooling1D(layers.Layer):
    """Take each column's maximum over the real tokens: (B, T, D) -> (B, D).

    ``keras.layers.GlobalMaxPooling1D`` has no mask argument and so takes the maximum
    over padding too. A row without any real token gives zeros.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs, mask=None):
        if mask is None:
            return ops.max(inputs, axis=1)
        mask = ops.expand_dims(mask, -1)  # (B, T, 1)
        pooled = ops.max(ops.where(mask, inputs, -float("inf")), axis=1)  # (B, D)
        return ops.where(ops.any(mask, axis=1), pooled, 0.0)

    def compute_mask(self, inputs, mask=None):
        return None  # there are no tokens any more

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[2])
