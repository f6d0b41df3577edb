"""A subclass with an argument of its own keeps it, by Keras's own rules for configs."""

import json

import layer_battery as lb
import numpy as np
import pytest

from course_utils import layers

D, F, H = 8, 16, 2
X = lb.random_array(2, 4, D)
IDS = lb.padded_ids([4, 2])


class LouderAttention(layers.MultiHeadAttention):
    def __init__(self, embed_dim, num_heads, factor=1.0, **kwargs):
        super().__init__(embed_dim, num_heads, **kwargs)
        self.factor = factor

    def call(self, query, value, **options):
        return self.factor * super().call(query, value, **options)

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


class LouderEncoder(layers.TransformerEncoder):
    def __init__(self, *sizes, factor=1.0, **kwargs):
        super().__init__(*sizes, **kwargs)
        self.factor = factor

    def call(self, inputs, **options):
        return self.factor * super().call(inputs, **options)

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}

    @classmethod
    def from_config(cls, config):
        sizes = [config.pop(name) for name in ("embed_dim", "dense_dim", "num_heads")]
        return cls(*sizes, **config)


class LouderEmbedding(layers.PositionalEmbedding):
    def __init__(self, sequence_length, vocab_size, embed_dim, factor=1.0, **kwargs):
        super().__init__(sequence_length, vocab_size, embed_dim, **kwargs)
        self.factor = factor

    def call(self, inputs, start=0):
        return self.factor * super().call(inputs, start)

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


CASES = {
    "attention": (lambda: LouderAttention(D, H, factor=3.0), (X, X)),
    "encoder": (lambda: LouderEncoder(D, F, H, factor=3.0, dropout=0.2), (X,)),
    "embedding": (lambda: LouderEmbedding(9, 20, D, factor=3.0), (IDS,)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_subclass_keeps_its_own_argument_and_those_of_its_base(name):
    make, inputs = CASES[name]
    layer = make()
    expected = lb.to_numpy(layer(*inputs))
    config = json.loads(json.dumps(layer.get_config()))
    assert config["factor"] == 3.0
    twin = type(layer).from_config(dict(config))
    assert twin.get_config() == layer.get_config()
    twin(*inputs)
    twin.set_weights(layer.get_weights())
    np.testing.assert_array_equal(lb.to_numpy(twin(*inputs)), expected)
