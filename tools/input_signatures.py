"""Count the shapes that each lesson gives to its models where there is an accelerator.

    python -m tools.input_signatures [LESSON ...]

XLA compiles a program for each shape of a batch. Every lesson runs with the embedded
data and the accelerator's path forced on this processor; nothing is compiled by XLA.
What counts are the batches of ``fit``, ``evaluate`` and ``predict`` of models that ask
for XLA. A lesson needs at most eight shapes of each; those that need more are named.
"""

import collections
import functools
import json
import os
import sys

import nbformat

from tools import kernels, runner, texts

MOST = 8
MARK = "input signatures: "
PASSES = "fit", "evaluate", "predict"

_seen = collections.defaultdict(set)  # (model's id, method) -> shapes
_models = {}  # by their ids; kept, so that no id is used twice
_running = []  # the passes that are under way: an evaluation may be inside of a fit


def watch():
    """Take the accelerator's path, and write down the shapes of all batches."""
    os.environ["COURSE_ACCELERATOR"] = "1"  # of this kernel alone
    import keras
    from keras.src.backend.tensorflow import trainer

    for name in PASSES:
        setattr(keras.Model, name, _announced(getattr(keras.Model, name), name))
    batches_of = trainer.TFEpochIterator._get_iterator

    def noted_batches(self):
        dataset = batches_of(self)
        if _running[-1] is None:
            return dataset
        return dataset.map(_noting(_running[-1], type(dataset.element_spec) is tuple))

    trainer.TFEpochIterator._get_iterator = noted_batches


def _key(model, name):
    """Return where a model's shapes are kept, None when it doesn't ask for XLA."""
    if model.jit_compile:
        _models[id(model)] = model
    model.jit_compile = False
    return (id(model), name) if id(model) in _models else None


def _announced(method, name):
    @functools.wraps(method)
    def announced(self, *args, **options):
        _running.append(_key(self, name))
        try:
            return method(self, *args, **options)
        finally:
            _running.pop()

    return announced


def _noting(key, in_a_tuple):
    """Return a step of a data set that notes each batch's shapes and hands it on."""
    import tensorflow as tf

    def note(*shapes):
        _seen[key].add(tuple(tuple(shape) for shape in shapes))
        return 0

    def step(*batch):
        shapes = [tf.shape(array) for array in tf.nest.flatten(batch)]
        noted = tf.numpy_function(note, shapes, tf.int64)
        with tf.control_dependencies([noted]):
            batch = tf.nest.map_structure(tf.identity, batch)
        return batch if in_a_tuple else batch[0]

    return step


def report():
    """Print the largest number of shapes of each method, as the tool reads it."""
    most = collections.Counter()
    for (_, name), shapes in _seen.items():
        most[name] = max(most[name], len(shapes))
    print(MARK + json.dumps(most))


def count(path, timeout=600):
    """Run a lesson; return its methods and their largest number of shapes.

    Raises:
        RuntimeError: the lesson failed.
    """
    lesson = nbformat.read(path, as_version=4)
    cell = nbformat.v4.new_code_cell
    first = cell("from tools import input_signatures\ninput_signatures.watch()")
    lesson.cells = [first, *lesson.cells, cell("input_signatures.report()")]
    status, where, error, _ = kernels.execute(lesson, path.parent, "sample", timeout)
    if status != "passed":
        raise RuntimeError(f"{path.name}, cell {where}: {error}")
    return json.loads(lesson.cells[-1].outputs[0].text.removeprefix(MARK))


def main(lessons):
    """Count in the lessons that are named, or in all; tell which need too many."""
    folder, wanted = kernels.ROOT / "notebooks", lessons or [""]
    paths = [path for name in wanted for path in runner.find_lessons(folder, name)]
    found = {path.stem: count(path) for path in paths}
    return texts.tell(
        f"{name} needs {most} shapes in {method}; at most {MOST} are expected"
        for name, own in found.items()
        for method, most in own.items()
        if most > MOST
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
