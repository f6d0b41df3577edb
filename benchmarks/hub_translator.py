"""The course's translator made of KerasHub's layers, with the same weights."""

from keras import ops

from benchmarks.blocks import parts

EMPTY = -1e9  # logit of padding, which must not be generated


class HubTranslator:
    """KerasHub's encoder and decoder layers with the weights of our transformer."""

    def __init__(self, ours):
        import keras_hub

        self.embedding = ours.embedding
        self.width = ours.embed_dim
        self.heads = ours.num_heads

        def copy(block, kind, inputs):
            sizes = ours.dense_dim, self.heads
            layer = kind(*sizes, normalize_first=True, layer_norm_epsilon=1e-5)
            layer.build(*inputs * [(None, None, self.width)])
            copy_weights(block, layer)
            return layer

        kinds = keras_hub.layers.TransformerEncoder, keras_hub.layers.TransformerDecoder
        self.encoder = [copy(block, kinds[0], 1) for block in ours.encoder_blocks]
        self.decoder = [copy(block, kinds[1], 2) for block in ours.decoder_blocks]
        self.norms = ours.encoder_norm, ours.decoder_norm

    def encode(self, source):
        """Return the encoder's outputs (B, S, D) and mask (B, S)."""
        mask = ops.not_equal(source, 0)
        x = self.embedding(source)
        for layer in self.encoder:
            x = layer(x, padding_mask=mask)
        return self.norms[0](x), mask

    def decode(self, prompt, encoded, mask):
        """Return logits (R, T, V) of the token after each one of the prompt."""
        x = self.embedding(prompt)
        for layer in self.decoder:
            x = layer(x, encoded, encoder_padding_mask=mask)
        return self.logits(x)

    def logits(self, x):
        return without_padding(self.embedding.predict_tokens(self.norms[1](x)))

    def empty_cache(self, rows, length):
        """Return (R, L, 2, T, H, d) zeros for L layers."""
        sizes = (2, length, self.heads, self.width // self.heads)
        return ops.zeros((rows, len(self.decoder), *sizes))

    def cross_caches(self, encoded):
        """Return each layer's keys and values of the encoder outputs."""
        caches = []
        for layer in self.decoder:
            attention = layer._cross_attention_layer
            dense = attention.key_dense, attention.value_dense
            caches.append(ops.stack([part(encoded) for part in dense], axis=1))
        return caches

    def step(self, prompt, cache, position, encoded, mask, cross):
        """Read the token at ``position``; return its logits, None and the cache."""
        token = ops.slice(prompt, (0, position), (ops.shape(prompt)[0], 1))
        x = self.embedding(token, start=position)
        updated = []
        for number, layer in enumerate(self.decoder):
            x, new, _ = layer(
                x,
                encoded,
                encoder_padding_mask=mask,
                self_attention_cache=cache[:, number],
                self_attention_cache_update_index=position,
                cross_attention_cache=cross[number],
                cross_attention_cache_update_index=None,
            )
            updated.append(new)
        return ops.squeeze(self.logits(x), 1), None, ops.stack(updated, axis=1)


def without_padding(logits):
    """Make padding impossible: KerasHub's samplers don't know it."""
    padding = ops.arange(logits.shape[-1]) == 0
    return ops.where(padding, EMPTY, logits)


def copy_weights(ours, theirs):
    """Copy a block's weights into KerasHub's layer, whose kernels are split by head."""
    for one, other in zip(parts(ours).values(), parts(theirs).values(), strict=True):
        for old, new in zip(one.weights, other.weights, strict=True):
            new.assign(ops.reshape(old, new.shape))
