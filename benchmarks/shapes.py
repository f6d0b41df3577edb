"""What few fixed shapes cost: padding, and real tokens a second of a training step.

Lesson 09's training as it is on CPUs (each batch padded to its own longest pair) and as
it is on accelerators: at most eight shapes, with XLA or without. All three run on this
machine's processor. A turn makes steps on batches from all lengths of an epoch, and the
graphs and XLA's programs were made before.
"""

import os
import time

import numpy as np

from benchmarks.ladder import our_translation
from benchmarks.peers import Peers

STEPS = 30  # of one turn


class CpuPeer:
    """Batches padded to their own longest pair, as without an accelerator."""

    accelerator, xla = "0", False

    def __init__(self):
        os.environ["COURSE_ACCELERATOR"] = self.accelerator  # of this process alone
        self.model, batches = our_translation()
        self.model.jit_compile = self.xla
        self.epoch = sorted(
            batches.as_numpy_iterator(), key=lambda batch: batch[1].shape[::-1]
        )
        spread = np.linspace(0, len(self.epoch) - 1, min(STEPS, len(self.epoch)))
        self.batches = [self.epoch[int(place)] for place in spread]
        self.tokens_per_second()

    def shapes(self):
        """Return what an epoch holds: batches, their shapes, the share of padding."""
        shapes, size, real = set(), 0, 0
        for (source, target), _ in self.epoch:
            shapes.add((source.shape, target.shape))
            size += source.size + target.size
            real += np.count_nonzero(source) + np.count_nonzero(target)
        row = {"batches": len(self.epoch), "shapes": len(shapes)}
        return {**row, "padding": 1 - real / size}

    def tokens_per_second(self):
        """Return how many real target tokens a second the training reads."""
        start = time.perf_counter()
        for batch in self.batches:
            self.model.train_on_batch(*batch)
        seconds = time.perf_counter() - start
        return sum(np.count_nonzero(labels) for _, labels in self.batches) / seconds


class FixedPeer(CpuPeer):
    """Few fixed shapes, without XLA."""

    accelerator = "1"


class XlaPeer(FixedPeer):
    """Few fixed shapes, each compiled by XLA."""

    xla = True


PEERS = {
    "as on a CPU": CpuPeer,
    "fixed shapes": FixedPeer,
    "fixed shapes, XLA": XlaPeer,
}


def measure(repeats=5):
    """Return one row per peer."""
    with Peers(PEERS) as running:
        held = running.ask_all("shapes")
        speeds = running.turns("tokens_per_second", repeats=repeats)
    rows = [
        {"peer": name, **found, "speed": speeds[name]} for name, found in held.items()
    ]
    print(*rows, sep="\n", flush=True)
    return rows
