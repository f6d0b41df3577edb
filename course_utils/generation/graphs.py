"""One compiled graph for all batch sizes and lengths: what makes decoding fast."""

import typing
import weakref

import keras
from keras import ops, tree

_compiled = weakref.WeakKeyDictionary()  # model -> ModelFunctions


class ModelFunctions(typing.NamedTuple):
    """The compiled functions of a model, and the variables that they were made for."""

    variables: list
    functions: dict


def compiled(function, model, **options):
    """Return ``function`` with ``model`` and ``options`` bound, compiled once for them.

    TensorFlow compiles it to one graph for all batch sizes and lengths; on other
    backends it runs step by step. The graph may count on the last axis of float
    arguments: layers want to know it where it is the width of vectors.

    New numbers in a model's variables are used as they are. Where the model has other
    variables than before, as after ``quantize`` or ``enable_lora``, everything is
    compiled anew.
    """
    functions = _functions_of(model)
    key = (function, *sorted(options.items()))
    if key not in functions:
        # A weak reference, so that the table doesn't keep the model alive.
        reference = weakref.ref(model)

        def bound(*arguments):
            return function(reference(), *arguments, **options)

        on_tensorflow = keras.backend.backend() == "tensorflow"
        run = _as_graph(bound) if on_tensorflow else bound
        functions[key] = lambda *arguments: run(
            *tree.map_structure(ops.convert_to_tensor, arguments)
        )
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
