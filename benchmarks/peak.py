"""The share of the machine's matrix-product peak that translation training reaches.

The peak is measured: products of large float32 matrices in TensorFlow, in turns with
the training. The training's work is counted from the shapes of its matrix products,
padding included: three times those of the forward pass, and those of Muon's iteration.
Nothing else (softmax, norms, sums) counts as work, although it takes time.
"""

import statistics
import time

from benchmarks.ladder import our_translation
from benchmarks.peers import Peers, seconds_per_call
from course_utils.scaling import TRAINING_BY_FORWARD, product_flops, translation_flops

PRODUCT_SIZES = (1024, 2048, 4096)  # the fastest counts
STEPS = 60  # of one turn


def muon_flops(optimizer, variables):
    """Count the operations of a step of Muon on its matrices.

    Each turn of its iteration makes X Xᵀ and two products with the result A, A A and
    A X, for X (n, m), n ≤ m (Jordan et al., 2024, "Muon").
    """
    matrices = [
        sorted(variable.shape)
        for variable, velocity in zip(variables, optimizer.adam_velocities, strict=True)
        if velocity is None
    ]
    return optimizer.ns_steps * sum(4 * n * n * m + 2 * n**3 for n, m in matrices)


class MatrixPeer:
    """Products of large matrices."""

    def __init__(self):
        import tensorflow as tf

        self.product = tf.function(lambda x: tf.matmul(x, x)[0, 0])
        self.matrices = [tf.random.normal((n, n)) for n in PRODUCT_SIZES]
        self.gflops()

    def gflops(self):
        """Return 10⁹ operations a second, those of the fastest size."""
        speeds = []
        for matrix in self.matrices:
            seconds = seconds_per_call(lambda x=matrix: float(self.product(x)))
            speeds.append(product_flops(*3 * [len(matrix)]) / seconds / 1e9)
        return max(speeds)


class TrainingPeer:
    """Steps of lesson 09's training, batches of all lengths in their usual mixture."""

    def __init__(self):
        self.model, batches = our_translation()
        self.model.optimizer.build(self.model.trainable_variables)
        self.batches = list(batches.shuffle(10_000, seed=0).take(STEPS))
        self.gflops()

    def gflops(self):
        """Return 10⁹ operations a second: the model's, and with the optimizer's."""
        shapes = [
            (*source.shape, target.shape[1]) for (source, target), _ in self.batches
        ]
        forward = sum(translation_flops(self.model.options, *s) for s in shapes)
        model = TRAINING_BY_FORWARD * forward
        of_step = muon_flops(self.model.optimizer, self.model.trainable_variables)
        both = model + len(shapes) * of_step
        start = time.perf_counter()
        for inputs, labels in self.batches:
            self.model.train_on_batch(inputs, labels)
        seconds = time.perf_counter() - start
        return model / seconds / 1e9, both / seconds / 1e9


def measure(repeats=5):
    """Return one row: GFLOP/s of every turn, and median shares of the peak."""
    with Peers({"peak": MatrixPeer, "training": TrainingPeer}) as running:
        turns = running.turns("gflops", repeats=repeats)
    model, both = zip(*turns["training"], strict=True)
    row = {"peak": turns["peak"], "model": model, "with_optimizer": both}
    for name, speeds in (("model_share", model), ("share", both)):
        pairs = zip(speeds, turns["peak"], strict=True)
        row[name] = statistics.median(speed / peak for speed, peak in pairs)
    print(row, flush=True)
    return [row]
