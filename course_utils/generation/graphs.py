"""Compiled functions of a model: what makes decoding fast on TensorFlow.

A function is compiled once for all batch sizes and lengths. On other backends it runs
as it is.
"""

import typing
import weakref

import keras
from keras import ops, tree

_compiled = weakref.WeakKeyDictionary()  # model -> ModelFunctions


class ModelFunctions(typing.NamedTuple):
    """The compiled functions of a model, and the variables that they were made for."""

    variables: list
    functions: dict


def compiled_step(model):
    """Return ``model.step``, compiled once."""
    return compiled_function(_step, model)


def compiled_encoder(model):
    """Return ``model.encode_for_steps``, compiled once."""
    return compiled_function(_encode_for_steps, model)


def _step(model, *arguments):
    return model.step(*arguments)


def _encode_for_steps(model, source):
    return model.encode_for_steps(source)


def compiled_function(function, model, **options):
    """Return ``function`` with ``model`` and ``options`` bound, compiled once for them.

    The sizes of its arguments stay open, so that one graph serves all batches. It may
    count on the last axis of float arguments only: layers want to know it where it is
    the width of vectors.

    New numbers in a model's variables are used as they are. Where the model has other
    variables than before, as after ``quantize`` or ``enable_lora``, everything is
    compiled anew.

    Args:
        function: takes the model, tensors or structures of tensors, and the options.
        model: what ``function`` is called with; this table doesn't keep it alive.
        options: of ``function``, numbers or strings.
    Returns:
        A function of the tensors alone.
    """
    functions = _functions_of(model)
    key = (function, *sorted(options.items()))
    if key not in functions:
        model_reference = weakref.ref(model)

        def call_with_model(*tensors):
            return function(model_reference(), *tensors, **options)

        functions[key] = _with_tensors(call_with_model)
    return functions[key]


def _functions_of(model):
    """Return the dictionary of a model's compiled functions, as long as they fit."""
    variables = list(getattr(model, "variables", []))
    known = _compiled.get(model)
    if known is not None and _same_objects(known.variables, variables):
        return known.functions
    functions = {}
    _compiled[model] = ModelFunctions(variables, functions)
    return functions


def _same_objects(first, second):
    if len(first) != len(second):
        return False
    return all(a is b for a, b in zip(first, second, strict=True))


def _with_tensors(function):
    """Return ``function``, compiled if possible, for arguments that become tensors."""
    if keras.backend.backend() == "tensorflow":
        function = _as_graph(function)

    def run(*arguments):
        return function(*tree.map_structure(ops.convert_to_tensor, arguments))

    return run


def _as_graph(function):
    """Compile ``function`` with TensorFlow; its sizes stay open, so it happens once."""
    import tensorflow as tf

    # XLA would compile anew for every shape, on a GPU too.
    graph = tf.function(function, jit_compile=False)

    def open_shape(tensor):
        sizes = [None] * len(tensor.shape)
        if sizes and tensor.dtype.is_floating:
            sizes[-1] = tensor.shape[-1]
        return tf.TensorSpec(sizes, tensor.dtype)

    def run(*tensors):
        open_shapes = tree.map_structure(open_shape, tensors)
        return graph.get_concrete_function(*open_shapes)(*tensors)

    return run
