"""What a worker of a data-parallel training does: its share of each step, backups.

Each replica takes its rows of the batch; gradients are added up over all replicas,
weighted by real tokens, so a step is the step of one process with the whole batch. The
engine is TensorFlow's own, `tf.distribute`: one function serves one device, several
devices of a process, and several processes. `course_utils.scaling.distributed` starts
them.
"""

import dataclasses
import functools
import json
import time
from collections.abc import Callable
from pathlib import Path

from course_utils.files import atomic_write

BACKUP = "backup.npz"
SEED = 0


@dataclasses.dataclass
class Task:
    """What is trained. A function without arguments makes it, on each worker.

    Attributes:
        model: a built Keras model.
        optimizer: a Keras optimizer.
        loss: function of labels and outputs, the mean over the real tokens of a batch.
        batch: function of the step, counted from 0: (inputs, labels) of the whole
            batch as NumPy arrays with the rows first. A label 0 is padding.
    """

    model: object
    optimizer: object
    loss: Callable
    batch: Callable


def translation(
    pairs=2000,
    vocab_size=500,
    embed_dim=32,
    dense_dim=64,
    num_layers=1,
    tokens_per_batch=800,
    learning_rate=2e-3,
):
    """Return the task of lesson 09 in small, on the corpus that COURSE_DATA names.

    Without dropout, so that any number of workers computes the same.
    """
    import keras
    import numpy as np

    from course_utils import datasets, environment
    from course_utils.datasets.batches import token_batches
    from course_utils.seq2seq import TranslationTransformer
    from course_utils.seq2seq.recurrent import teacher_forcing_arrays
    from course_utils.text.vectorizers import SubwordVectorizer
    from course_utils.training import MaskedCrossEntropy

    full = environment.data_mode() == "full"
    rows = (datasets.spa_eng if full else datasets.phrasebook).load().train[:pairs]
    english, spanish = zip(*[(e, s[0]) for e, s in rows], strict=True)
    vectorizer = SubwordVectorizer.train(english + spanish, vocab_size)
    sources, targets = vectorizer.encode(english), vectorizer.encode(spanish)
    lengths = [(len(t) + 1, len(s)) for s, t in zip(sources, targets, strict=True)]

    @functools.lru_cache(maxsize=1)
    def epoch_batches(epoch):
        order = np.random.default_rng((SEED, epoch))
        return token_batches(lengths, tokens_per_batch, order)

    def batch(step):
        epoch, place = divmod(step, len(epoch_batches(0)))
        chosen = epoch_batches(epoch)[place]
        return teacher_forcing_arrays(
            [sources[i] for i in chosen], [targets[i] for i in chosen]
        )

    model = TranslationTransformer(
        vectorizer.vocabulary_size,
        int(np.max(lengths)),
        embed_dim,
        dense_dim,
        num_heads=4,
        num_layers=num_layers,
        dropout=0.0,
    )
    model.build()
    # Some gradients are 0 but for rounding, such as those of the biases of keys. With
    # the usual epsilon (1e-7) Adam would make steps of such noise, and two sums of the
    # same numbers in another order would drift apart.
    optimizer = keras.optimizers.Adam(learning_rate, epsilon=1e-5)
    return Task(model, optimizer, MaskedCrossEntropy(), batch)


def parallel_step(task, strategy=None, jit_compile=False):
    """Return a compiled function that makes one step on a batch.

    Each replica gets the whole batch, which is small (ids only), and takes every R-th
    row of it; R is the number of replicas. The mean loss of its rows counts as much as
    its share of the real tokens. The sum over the replicas is then the mean over all
    tokens, also when one replica has more of them than another. Keras's optimizers
    add up the gradients of the replicas before they use them.

    Args:
        task: a `Task` made in the scope of the strategy.
        strategy: a `tf.distribute` strategy; None is one device.
        jit_compile: whether XLA compiles the step, anew for each shape of a batch.
    Returns:
        A function of inputs and labels that returns the loss of the whole batch.
    """
    import tensorflow as tf

    strategy = strategy or tf.distribute.get_strategy()

    def replica_step(inputs, labels):
        context = tf.distribute.get_replica_context()
        first, number = context.replica_id_in_sync_group, context.num_replicas_in_sync
        inputs, labels = tf.nest.map_structure(
            lambda rows: rows[first::number], (inputs, labels)
        )
        tokens = tf.math.count_nonzero(labels, dtype="float32")
        share = tokens / context.all_reduce(tf.distribute.ReduceOp.SUM, tokens)
        weights = [variable.value for variable in task.model.trainable_variables]
        with tf.GradientTape() as tape:
            loss = share * task.loss(labels, task.model(inputs, training=True))
        # The gradient of an embedding comes as one row for each occurrence of a token.
        # Rows of the same token have to be added up first: Adam squares what it gets.
        gradients = [tf.convert_to_tensor(g) for g in tape.gradient(loss, weights)]
        task.optimizer.apply(gradients, task.model.trainable_variables)
        return context.all_reduce(tf.distribute.ReduceOp.SUM, loss)

    def step(inputs, labels):
        losses = strategy.run(replica_step, (inputs, labels))
        return strategy.experimental_local_results(losses)[0]

    def open_lengths(array):
        return tf.TensorSpec([None] * array.ndim, array.dtype)

    signature = tf.nest.map_structure(open_lengths, task.batch(0))
    return tf.function(step, input_signature=signature, jit_compile=jit_compile)


def train(make_task, steps, output, backup_every=10, strategy=None, index=0, keep=()):
    """Train as one of the workers, from the last backup on if there is one.

    Args:
        make_task: function that returns the `Task`.
        steps: number of steps of the whole training.
        output: directory for the backup, the log of this worker and, at the end, its
            weights; the same for all workers.
        backup_every: steps from one backup to the next.
        strategy: a `tf.distribute` strategy; None trains on one device.
        index: number of this worker; worker 0 writes the backups.
        keep: numbers of steps after which this worker writes its weights as well.
    Returns:
        The trained model.
    Raises:
        ValueError: the backup belongs to another task, the workers don't see the
            same one, or a step to keep isn't one of the training's.
    """
    import keras
    import tensorflow as tf

    if outside := [number for number in keep if not 1 <= number <= steps]:
        raise ValueError(
            f"parallel: keep has the step {outside[0]}, but the training has the steps "
            f"1 to {steps}."
        )
    strategy = strategy or tf.distribute.get_strategy()
    output = Path(output)
    output.mkdir(parents=True, exist_ok=True)
    with strategy.scope():
        keras.utils.set_random_seed(SEED)
        task = make_task()
        task.optimizer.build(task.model.trainable_variables)
        first = restore(task, output / BACKUP)
        _check_same_start(strategy, first, output)
    step = parallel_step(task, strategy)
    with open(log_path(output, index), "a", encoding="utf-8") as log:
        _note(log, start=first)
        for number in range(first, steps):
            loss = float(step(*task.batch(number)))
            _note(log, step=number + 1, loss=loss)
            if number + 1 in keep:
                kept = weights_path(output, index, number + 1)
                save(task.model.variables, kept)
            if index == 0 and (number + 1) % backup_every == 0:
                save(_state(task), output / BACKUP)
    save(task.model.variables, weights_path(output, index))
    _sum_over_workers(strategy, 1)  # nobody leaves before all have come here
    if index == 0:
        (output / BACKUP).unlink(missing_ok=True)
    return task.model


def save(variables, path):
    """Write the values of Keras variables; the file is complete or as it was."""
    import keras
    import numpy as np

    with atomic_write(path, "wb") as file:
        np.savez(file, *[keras.ops.convert_to_numpy(value) for value in variables])


def restore(task, path):
    """Put the values of a backup back; return how many steps were made before it.

    Without a backup nothing changes and the answer is 0. The optimizer's variables are
    part of a backup, so its averages go on, and so does its count of steps.
    """
    import keras
    import numpy as np

    if not path.exists():
        return 0
    variables = _state(task)
    with np.load(path) as file:
        values = [file[name] for name in file.files]
    if [v.shape for v in values] != [tuple(v.shape) for v in variables]:
        raise ValueError(
            f"parallel: {path.name} in {path.parent} belongs to another model or "
            "optimizer; remove it, or choose another output directory."
        )
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value)
    return int(keras.ops.convert_to_numpy(task.optimizer.iterations))


def _state(task):
    return [*task.model.variables, *task.optimizer.variables]


def _sum_over_workers(strategy, number):
    """Add up one whole number of each worker; all wait for the last one."""
    import tensorflow as tf

    if strategy.num_replicas_in_sync == 1:
        return number

    def replica_sum(value):
        context = tf.distribute.get_replica_context()
        own = tf.identity(value)  # each replica needs a tensor of its own
        return context.all_reduce(tf.distribute.ReduceOp.SUM, own)

    total = tf.function(lambda value: strategy.run(replica_sum, (value,)))
    found = strategy.experimental_local_results(total(tf.constant(float(number))))
    return int(found[0])


def _check_same_start(strategy, first, output):
    """All workers must go on from the same backup."""
    total = _sum_over_workers(strategy, first)
    if total != first * strategy.num_replicas_in_sync:
        raise ValueError(
            f"parallel: this worker would start at step {first}, others elsewhere; "
            f"the output directory ({output}) must be the same one for all workers."
        )


# Files of a training


def log_path(output, index):
    """Return the file in which a worker notes its steps, a line of JSON for each."""
    return Path(output) / f"worker-{index}.jsonl"


def weights_path(output, index, step=None):
    """Return the file for a worker's weights after a step, or (None) at the end."""
    after = "" if step is None else f"-step-{step}"
    return Path(output) / f"weights-{index}{after}.npz"


def _note(log, **facts):
    log.write(json.dumps({**facts, "time": time.time()}) + "\n")
    log.flush()


def read_log(output, index=0):
    """Return what a worker noted, as dictionaries in the order of time.

    A line `{"start": n}` stands at the beginning of each run, n steps being done; a
    step that was made again after an interruption occurs twice.
    """
    path = log_path(output, index)
    if not path.exists():
        return []
    # The last line may still be on its way.
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    return [json.loads(line) for line in lines]


def steps_done(output, index=0, after=0):
    """Return the number of steps that lie behind a worker's last run.

    Args:
        output: directory of the training.
        index: the worker.
        after: number of lines at the beginning of its log that don't count, because
            earlier runs wrote them; a run that is starting has no line yet.
    """
    facts = read_log(output, index)[after:]
    return next((f.get("step", f.get("start")) for f in reversed(facts)), 0)


def losses(output, index=0):
    """Return {step: loss}; of a step that was made twice, the second loss."""
    facts = read_log(output, index)
    return {fact["step"]: fact["loss"] for fact in facts if "step" in fact}


def read_weights(output, index=0, step=None):
    """Return the arrays that a worker wrote after a step, or (None) at the end."""
    import numpy as np

    with np.load(weights_path(output, index, step)) as file:
        return [file[name] for name in file.files]


def largest_difference(one, other):
    """Return the largest absolute difference between two lists of arrays.

    Raises:
        ValueError: the lists aren't of the same shapes.
    """
    import numpy as np

    if [np.shape(x) for x in one] != [np.shape(x) for x in other]:
        raise ValueError("largest_difference: the two lists have other shapes.")
    pairs = zip(one, other, strict=True)
    return max(
        float(np.max(np.abs(np.subtract(x, y, dtype="float64")))) for x, y in pairs
    )
