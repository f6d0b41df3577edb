"""Encoder and decoder blocks beside KerasHub's and PyTorch's: time and peak memory.

All get the same weights, inputs and padding. Before anything is timed their outputs
are compared, and in training the losses of the first steps. A training step is
forward, backward and Adam, without dropout: the three put it in different places.
"""

import functools
import itertools
import os

import numpy as np

from benchmarks.peers import Peers, process_memory, seconds_per_call

WIDTH, DENSE, HEADS = 256, 1024, 4
TOKENS = 4096  # of a batch, padding included
LENGTHS = (32, 128, 512)
KINDS = ("encoder", "decoder")
ATTENTION = ("query", "key", "value", "output")
DTYPES = ("float32", "bfloat16")
MODES = ("forward", "training")
REAL = 0.75  # share of tokens that are no padding, on average
WARM_UP_CALLS = 3
RATE = 1e-3
ADAM_EPSILON = 1e-9  # so small that it doesn't matter where Adam adds it
TOLERANCE = {"float32": 1e-4, "bfloat16": 0.06}


def example(length, seed=0):
    """Return inputs, encoder outputs and a goal (B, T, D), and two masks (B, T)."""
    generator = np.random.default_rng(seed)
    batch = TOKENS // length
    shape = (batch, length, WIDTH)
    arrays = [generator.normal(size=shape).astype("float32") for _ in range(3)]
    shortest = int((2 * REAL - 1) * length)
    masks = []
    for _ in range(2):
        lengths = generator.integers(shortest, length + 1, batch)
        lengths[0] = length
        masks.append(np.arange(length) < lengths[:, None])
    return (*arrays, *masks)


def weights(kind, seed=1):
    """Return the weights of a post-norm block, {name: array}, in PyTorch's shapes."""
    generator = np.random.default_rng(seed)

    def matrix(rows, columns):
        return generator.normal(0, rows**-0.5, (rows, columns)).astype("float32")

    attentions = ["self"] if kind == "encoder" else ["self", "cross"]
    arrays = {"in": matrix(WIDTH, DENSE), "out": matrix(DENSE, WIDTH)}
    for attention in attentions:
        for part in ATTENTION:
            arrays[f"{attention}.{part}"] = matrix(WIDTH, WIDTH)
    return arrays


def parts(block):
    """Return the layers with weights of our block or of KerasHub's, by their names.

    Those are "in", "out" and "norm" of the feed-forward network, "self.query",
    "self.norm" and so on of the attentions, and the same in the same order for both.
    """
    names, attentions = ["dense_in", "dense_out", "feed_forward_norm"], "{}_attention"
    if not hasattr(block, "dense_in"):
        names = ["intermediate_dense", "output_dense", "layer_norm"]
        names = [f"_feedforward_{name}" for name in names]
        attentions = "_{}_attention_layer"
    found = {"in": names[0], "out": names[1], "norm": names[2]}
    found = {part: getattr(block, name) for part, name in found.items()}
    for kind in "self", "cross":
        name = attentions.format(kind)
        if attention := getattr(block, name, None):
            found[f"{kind}.norm"] = getattr(block, f"{name}_norm")
            for part in ATTENTION:
                found[f"{kind}.{part}"] = getattr(attention, f"{part}_dense")
    return found


def real_tokens(output, mask):
    """Return the outputs of the first two sequences' tokens that are no padding."""
    return output[:2][mask[:2]]


class Peer:
    """What all blocks share: how they are called, and what a call takes."""

    def warm_up(self, forward, make_step):
        """Call what is to be timed a few times; return what the calls returned.

        Args:
            forward: function that returns an output.
            make_step: function that returns one for a step of training, which returns
                the loss; called for training only, as an optimizer takes memory.
        """
        if self.mode == "training":
            self.call = make_step()
        else:
            self.call = lambda: float(forward()[0, 0, 0])  # waits for the whole output
        return [self.call() for _ in range(WARM_UP_CALLS)]

    def seconds(self):
        """Return the seconds of one call."""
        return seconds_per_call(self.call)

    def peak(self):
        """Return the most memory so far above that of the bare library, in bytes."""
        return process_memory("VmHWM") - self.baseline


class KerasPeer(Peer):
    """Our block or KerasHub's, in a graph of TensorFlow.

    A subclass has ``library``, and says how its blocks call the ``masks``, those of
    inputs and encoder outputs.

    Args:
        kind: one of ``KINDS``.
        dtype: one of ``DTYPES``; bfloat16 keeps the weights in float32.
        mode: one of ``MODES``.
    """

    def __init__(self, kind, dtype, mode):
        import tensorflow as tf

        self.layers = self.library()  # before the baseline: code is no peak of a block
        self.tf, self.kind, self.mode = tf, kind, mode
        self.policy = "float32" if dtype == "float32" else "mixed_bfloat16"
        # What a first step of any size loads is no peak of a block.
        small = [tf.Variable(tf.ones((8, 8)))]
        self.make_step(small, lambda w: tf.matmul(w[0], w[0]))()
        self.baseline = process_memory("VmRSS")

    def prepare(self, length):
        """Build for one length, run, and return what is to be compared."""
        x, encoded, goal, x_mask, encoded_mask = map(self.tf.constant, example(length))
        apply = self.block(x, encoded, x_mask, encoded_mask)
        self.set_weights(weights(self.kind))
        variables = self.layer.trainable_variables

        def loss(_):
            apart = self.tf.cast(apply(), "float32") - goal
            return self.tf.reduce_sum(apart**2, axis=-1)

        forward = self.tf.function(apply)
        found = self.warm_up(forward, lambda: self.make_step(variables, loss))
        if self.mode == "training":
            return found
        output = self.tf.cast(forward(), "float32").numpy()
        return real_tokens(output, x_mask.numpy())

    def block(self, x, encoded, x_mask, encoded_mask):
        """Build the layer; return a function without arguments that calls it."""
        inputs, masks = [x, encoded], [x_mask, encoded_mask]
        if self.kind == "encoder":
            del inputs[1], masks[1]
        make = getattr(self.layers, f"Transformer{self.kind.title()}")
        options = {"layer_norm_epsilon": 1e-5, "dtype": self.policy}
        self.layer = make(*self.size, **options)
        self.layer.build(*(one.shape for one in inputs))
        named = dict(zip(self.masks[self.kind], masks, strict=True))
        return lambda: self.layer(*inputs, **named)

    def set_weights(self, arrays):
        """Give the layer the weights that `weights` returns; biases stay 0."""
        named = parts(self.layer)
        for name, array in arrays.items():
            kernel = named[name].kernel
            kernel.assign(array.reshape(kernel.shape))

    def make_step(self, variables, loss):
        """Return a function that makes one step of Adam and returns the mean loss."""
        import keras

        optimizer = keras.optimizers.Adam(RATE, epsilon=ADAM_EPSILON)
        optimizer.build(variables)

        @self.tf.function
        def step():
            with self.tf.GradientTape() as tape:
                mean = self.tf.reduce_mean(loss(variables))
            optimizer.apply(tape.gradient(mean, variables), variables)
            return mean

        return lambda: float(step())


class OursPeer(KerasPeer):
    """The course's block."""

    masks = {"encoder": ["mask"], "decoder": ["inputs_mask", "encoder_outputs_mask"]}

    def library(self):
        from course_utils import layers

        self.size = WIDTH, DENSE, HEADS
        return layers


class KerasHubPeer(KerasPeer):
    """KerasHub's block."""

    masks = {"encoder": ["padding_mask"]}
    masks["decoder"] = ["decoder_padding_mask", "encoder_padding_mask"]

    def library(self):
        import keras_hub

        self.size = DENSE, HEADS
        return keras_hub.layers


class PyTorchPeer(Peer):
    """PyTorch's layer as it is, without ``torch.compile``; arguments as above."""

    def __init__(self, kind, dtype, mode):
        import torch

        torch.set_num_threads(len(os.sched_getaffinity(0)))
        self.torch, self.kind, self.mode = torch, kind, mode
        self.autocast = functools.partial(
            torch.autocast, "cpu", torch.bfloat16, enabled=dtype == "bfloat16"
        )
        small = torch.nn.Linear(8, 8)
        self.make_step(small.parameters(), lambda: small(torch.ones(8, 8)))()
        self.baseline = process_memory("VmRSS")

    def prepare(self, length):
        torch = self.torch
        x, encoded, goal, x_mask, encoded_mask = map(torch.tensor, example(length))
        make = getattr(torch.nn, f"Transformer{self.kind.title()}Layer")
        layer = make(WIDTH, HEADS, DENSE, dropout=0.0, batch_first=True)
        self.set_weights(layer, weights(self.kind))
        later = torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)
        inputs, masks = [x], {"src_key_padding_mask": ~x_mask}
        if self.kind == "decoder":
            inputs, masks = [x, encoded], {"tgt_mask": later, "tgt_is_causal": True}
            masks["tgt_key_padding_mask"] = ~x_mask
            masks["memory_key_padding_mask"] = ~encoded_mask

        def apply():
            with self.autocast():
                return layer(*inputs, **masks)

        def loss():
            return ((apply().float() - goal) ** 2).sum(axis=-1)

        forward = torch.inference_mode()(apply)
        layer.train(self.mode == "training")
        found = self.warm_up(forward, lambda: self.make_step(layer.parameters(), loss))
        if self.mode == "training":
            return found
        return real_tokens(forward().float().numpy(), x_mask.numpy())

    def make_step(self, parameters, loss):
        optimizer = self.torch.optim.Adam(parameters, RATE, eps=ADAM_EPSILON)

        def step():
            optimizer.zero_grad()
            mean = loss().mean()
            mean.backward()
            optimizer.step()
            return float(mean.detach())

        return step

    def set_weights(self, layer, arrays):
        state = {name: self.torch.zeros_like(w) for name, w in layer.named_parameters()}
        for name in state:
            if "norm" in name and name.endswith("weight"):
                state[name] += 1.0
        places = {"in": "linear1.weight", "out": "linear2.weight"}
        for attention, place in (("self", "self_attn"), ("cross", "multihead_attn")):
            if f"{attention}.query" not in arrays:
                continue
            parts = [arrays[f"{attention}.{p}"].T for p in ("query", "key", "value")]
            state[f"{place}.in_proj_weight"][:] = self.torch.tensor(np.vstack(parts))
            places[f"{attention}.output"] = f"{place}.out_proj.weight"
        for name, place in places.items():
            state[place][:] = self.torch.tensor(arrays[name].T)
        layer.load_state_dict(state)


PEERS = {"ours": OursPeer, "KerasHub": KerasHubPeer, "PyTorch": PyTorchPeer}


def check_equal(found, dtype):
    """Raise a ValueError unless all peers computed the same outputs or losses."""
    expected = np.asarray(found["ours"])
    for name, numbers in found.items():
        apart = np.abs(np.asarray(numbers) - expected)
        difference = (apart / np.maximum(np.abs(expected), 1)).max()
        if not difference < TOLERANCE[dtype]:
            raise ValueError(
                f"{name}'s numbers differ from ours by {difference:.1e} in {dtype}; "
                "a comparison of times would mean nothing."
            )


def measure(repeats=5, lengths=LENGTHS, peers=PEERS):
    """Return one row per case and peer.

    Returns:
        A list of dictionaries with kind, dtype, mode, length, peer, milliseconds
        (of every turn) and peak_mb, the peak of memory in MB.
    """
    rows = []
    for case in itertools.product(KINDS, DTYPES, MODES, lengths):
        *kind_of_work, length = case
        # New processes for each length, for a peak of memory can only grow.
        with Peers(peers, *kind_of_work) as running:
            check_equal(running.ask_all("prepare", length), kind_of_work[1])
            seconds = running.turns("seconds", repeats=repeats)
            peaks = running.ask_all("peak")
        for name, turns in seconds.items():
            row = dict(zip(("kind", "dtype", "mode", "length"), case, strict=True))
            row |= {"peer": name, "peak_mb": peaks[name] / 1e6}
            rows.append(row | {"milliseconds": [1e3 * turn for turn in turns]})
            print(rows[-1], flush=True)
    return rows
