"""The checks that every layer of the course must pass, and what they share.

``battery`` runs all of them on one layer; ``check_saved`` proves that saved models need
nothing but ``import course_utils.layers``.
"""

import json
import subprocess
import sys
import textwrap
import warnings
from contextlib import contextmanager
from pathlib import Path

import keras
import numpy as np
import pytest
from keras import ops

ROOT = Path(__file__).parents[1]
TOLERANCE = dict(rtol=1e-5, atol=1e-5)


if keras.backend.backend() == "torch":
    import torch

    def read(tensor, dtype=None, copy=None):
        """Let NumPy read a tensor with a gradient to come, as a layer's output has."""
        array = tensor.detach().cpu().numpy()
        return array if dtype is None else array.astype(dtype)

    torch.Tensor.__array__ = read


def to_numpy(x):
    """Return a tensor, or each of several, as float32 NumPy arrays."""
    if isinstance(x, (list, tuple)):
        return tuple(to_numpy(one) for one in x)
    return ops.convert_to_numpy(ops.cast(x, "float32"))


def assert_close(found, expected, **tolerance):
    """Compare two arrays, or two lists of them, within TOLERANCE if none is given."""
    several = isinstance(found, (list, tuple))
    pairs = zip(found, expected, strict=True) if several else [(found, expected)]
    for one, other in pairs:
        np.testing.assert_allclose(one, other, **(tolerance or TOLERANCE))


def dtype_of(x):
    """Return the name of a tensor's dtype, the same on all backends."""
    return keras.backend.standardize_dtype(x.dtype)


def randomize(layer, seed=0):
    """Fill every weight with random numbers, so that no bias or norm is trivial."""
    generator = np.random.default_rng(seed)
    for weight in layer.trainable_weights:
        values = generator.normal(0.0, 0.4, weight.shape)
        weight.assign(values + 1.0 if weight.name == "gamma" else values)
    return layer


def built(make, inputs, **options):
    """Return a layer with random weights, built for these inputs."""
    layer = make(**options)
    layer(*inputs)
    return randomize(layer)


def vary(model, scale, seed=0):
    """Move each weight by a random number, so that the outputs of a model vary."""
    rng = np.random.default_rng(seed)
    model.set_weights([w + rng.normal(0, scale, w.shape) for w in model.get_weights()])
    return model


def kinds_of_models(kinds, build):
    """Return the fixtures `kind` and `model`, and a mark for tests of a few kinds."""

    @pytest.fixture(scope="module", params=kinds)
    def kind(request):
        return request.param

    @pytest.fixture(scope="module")
    def model(kind):
        return build(kind)

    return kind, model, lambda *few: pytest.mark.parametrize("kind", few, indirect=True)


def random_array(*shape, seed=0):
    """Return normal random numbers in float32."""
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def padded_ids(lengths, total=None, vocab_size=20, seed=0):
    """Return (B, total) ids: row b has lengths[b] of them from 1 to V-1, then zeros."""
    ids = np.zeros((len(lengths), total or max(lengths)), dtype="int64")
    generator = np.random.default_rng(seed)
    for row, length in zip(ids, lengths, strict=True):
        row[:length] = generator.integers(1, vocab_size, length)
    return ids


def lengthen(ids, extra):
    """Add ``extra`` columns of padding."""
    return np.pad(ids, ((0, 0), (0, extra)))


@contextmanager
def no_warnings():
    """Fail on any warning, such as Keras's note that a mask is lost."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if keras.backend.backend() != "tensorflow":
            # Not ours: Keras copies arrays in an old way, and JAX has no int64.
            warnings.filterwarnings("ignore", category=DeprecationWarning)
            warnings.filterwarnings("ignore", message="Explicitly requested dtype")
        yield


def symbolic(array, free):
    """Return a ``keras.Input`` for ``array``; ``free`` leaves the lengths open."""
    length = None if free else array.shape[1]
    return keras.Input((length, *array.shape[2:]), dtype=str(array.dtype))


def check_weights(make, inputs, expected):
    layer = built(make, inputs)
    assert layer.count_params() == expected
    assert len({weight.path for weight in layer.weights}) == len(layer.weights)


def check_config(make, inputs):
    """A layer made from the JSON of the config computes the same."""
    layer = built(make, inputs)
    config = json.loads(json.dumps(layer.get_config()))
    twin = type(layer).from_config(config)
    assert twin.get_config() == layer.get_config()
    twin(*inputs)
    twin.set_weights(layer.get_weights())
    expected = to_numpy(layer(*inputs))
    np.testing.assert_array_equal(to_numpy(twin(*inputs)), expected)


def check_shapes(make, inputs, options):
    """compute_output_shape, symbolic call and real call agree; free lengths stay so."""
    layer, flatten = make(), keras.tree.flatten
    real = to_numpy(layer(*inputs, **options))
    # Keras computes shapes by itself where a layer doesn't say how.
    if type(layer).compute_output_shape is not keras.Layer.compute_output_shape:
        computed = layer.compute_output_shape(*[x.shape for x in inputs], **options)
        assert keras.tree.map_structure(np.shape, real) == computed
    for free in (False, True):
        tensors = [symbolic(x, free) for x in inputs]
        outputs = layer(*tensors, **options)
        got = to_numpy(flatten(keras.Model(tensors, outputs)(list(inputs))))
        assert_close(got, flatten(real))
        for tensor, one in zip(flatten(outputs), got, strict=True):
            for promised, size in zip(tensor.shape, one.shape, strict=True):
                assert promised in (None, size)


def check_half_precision(make, inputs):
    """Mixed precision gives its own dtype, close to float32, from float32 weights."""
    exact = built(make, inputs)
    expected = to_numpy(exact(*inputs))
    for dtype, tolerance in (("float16", 0.02), ("bfloat16", 0.15)):
        layer = built(make, inputs, dtype=f"mixed_{dtype}")
        layer.set_weights(exact.get_weights())
        output, promised = layer(*inputs), layer(*[symbolic(x, True) for x in inputs])
        assert dtype_of(output) == dtype_of(promised) == dtype
        assert all(weight.dtype == "float32" for weight in layer.weights)
        assert_close(to_numpy(output), expected, rtol=tolerance, atol=tolerance)


def check_graph(make, inputs):
    """A model gives the same compiled and with run_eagerly."""
    tensors = [symbolic(x, True) for x in inputs]
    model = randomize(keras.Model(tensors, make()(*tensors)))

    def predict(run_eagerly):
        model.compile(run_eagerly=run_eagerly)
        return model.predict_on_batch(list(inputs))

    assert_close(predict(True), predict(False))


def gradients(function, variables):
    """Return the gradient of ``function()`` for Keras variables, on any backend.

    Where the function doesn't depend on a variable, the gradient is None, but 0 in JAX.
    """
    values = [variable.value for variable in variables]
    if keras.backend.backend() == "jax":
        import jax

        def pure(values):
            mapping = list(zip(variables, values, strict=True))
            with keras.StatelessScope(state_mapping=mapping):
                return function()

        return jax.grad(pure)(values)
    if keras.backend.backend() == "torch":
        import torch

        return torch.autograd.grad(function(), values, allow_unused=True)
    import tensorflow as tf

    with tf.GradientTape() as tape:
        result = function()
    found = tape.gradient(result, values)
    return [g if g is None else tf.convert_to_tensor(g) for g in found]


def check_gradients(make, inputs):
    """Every weight gets a finite gradient."""
    layer = built(make, inputs)
    weights = layer.trainable_weights
    found = gradients(lambda: ops.sum(ops.square(layer(*inputs))), weights)
    for weight, gradient in zip(weights, found, strict=True):
        assert gradient is not None, weight.path
        assert np.isfinite(to_numpy(gradient)).all(), weight.path


def battery(make, *inputs, weights, scores=False):
    """Run every check.

    Args:
        make: a function of keyword arguments (``dtype``) that returns a new layer.
        inputs: arrays to call the layer with.
        weights: number of weights the layer must have.
        scores: also check ``return_attention_scores=True``.
    """
    with no_warnings():
        check_weights(make, inputs, weights)
        check_config(make, inputs)
        check_shapes(make, inputs, {})
        if scores:
            check_shapes(make, inputs, {"return_attention_scores": True})
        check_half_precision(make, inputs)
        check_graph(make, inputs)
        if weights:
            check_gradients(make, inputs)


def check_no_peeking(call, x, least=1e-5):
    """What stands at t changes the outputs from t on, and not a bit of those before."""
    before = to_numpy(call(x))
    for t in range(x.shape[1]):
        changed = x.copy()
        changed[:, t] = x[:, t] % 10 + 1  # ids are other ids, and numbers other numbers
        after = to_numpy(call(changed))
        np.testing.assert_array_equal(after[:, :t], before[:, :t])
        assert np.abs(after[:, t:] - before[:, t:]).max(axis=(0, 2)).min() > least


def gru_step(cell, x, state):
    """One step of a GRU (Cho et al., 2014), in the form of Keras's `reset_after`."""
    kernel, recurrent_kernel, bias = cell.get_weights()
    x_z, x_r, x_h = np.split(x @ kernel + bias[0], 3)
    h_z, h_r, h_h = np.split(state @ recurrent_kernel + bias[1], 3)
    update, reset = 1 / (1 + np.exp(-(x_z + h_z))), 1 / (1 + np.exp(-(x_r + h_r)))
    return update * state + (1 - update) * np.tanh(x_h + reset * h_h)


def run_python(code, *arguments):
    """Run code in a new Python at the top of the course; return what it printed."""
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    options = dict(capture_output=True, text=True, timeout=600)
    done = subprocess.run(command, cwd=ROOT, **options)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


LOAD = """
    import gc, importlib, pathlib, sys
    import numpy as np
    importlib.import_module(sys.argv[2])
    import keras

    gc.freeze()  # Keras collects garbage once for each part of a rounded model
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.keras")):
        arrays = np.load(path.with_suffix(".npz"))
        inputs = [arrays[key] for key in arrays if key.startswith("input")]
        model = keras.models.load_model(path)
        outputs = keras.tree.flatten(model(inputs if len(inputs) > 1 else inputs[0]))
        expected = [arrays[key] for key in arrays if key.startswith("output")]
        for output, right in zip(outputs, expected, strict=True):
            output = keras.ops.convert_to_numpy(keras.ops.cast(output, "float32"))
            print(path.stem, np.abs(output - right).max())
"""


def check_saved(folder, cases, module="course_utils.layers", most=1e-6):
    """Saved models give the same in a new Python after ``import module`` alone.

    Args:
        folder: where their files may stand.
        cases: name -> (model, its inputs).
        module: what is imported.
        most: the largest difference.
    """
    for name, (model, inputs) in cases.items():
        model.save(folder / f"{name}.keras")
        outputs = to_numpy(keras.tree.flatten(model(inputs)))
        arrays = {f"input_{i}": x for i, x in enumerate(keras.tree.flatten(inputs))}
        arrays |= {f"output_{i}": x for i, x in enumerate(outputs)}
        np.savez(folder / f"{name}.npz", **arrays)
    lines = [line.split() for line in run_python(LOAD, folder, module).splitlines()]
    assert {name for name, _ in lines} == cases.keys()
    np.testing.assert_allclose([float(apart) for _, apart in lines], 0, atol=most)
