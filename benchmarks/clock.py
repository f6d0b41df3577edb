"""A training that ends after given minutes, with scores on the way."""

import time

import keras
import numpy as np

WARM_UP = 100  # steps
FOREVER = 10_000  # epochs; the minutes end the training


class Clock(keras.callbacks.Callback):
    """End the training after some minutes and take scores on the way.

    Args:
        minutes: when to take a score; the largest ends the training.
        score: function of no argument.
        peak: the learning rate rises to it in ``WARM_UP`` steps, and falls as a cosine
            over the minutes; None leaves it as it is.
        spent: minutes already used before ``fit``.
    """

    def __init__(self, minutes, score, peak=None, spent=0.0):
        super().__init__()
        if spent >= min(minutes):
            raise ValueError(
                f"Clock: {spent:.1f} minutes are spent before the training, but a "
                f"score is due after {min(minutes)}."
            )
        self.left, self.score, self.peak = sorted(minutes), score, peak
        self.whole, self.spent, self.scores = self.left[-1], spent, {}
        self.steps = 0

    def on_train_begin(self, logs=None):
        self.start = time.perf_counter() - 60 * self.spent

    def minutes(self):
        return (time.perf_counter() - self.start) / 60

    def on_train_batch_begin(self, batch, logs=None):
        self.steps += 1
        if self.peak is not None:
            done = (self.minutes() - self.spent) / (self.whole - self.spent)
            # Steps, not minutes: the first one takes long, for it compiles.
            rate = min(self.steps / WARM_UP, 0.5 + 0.5 * np.cos(np.pi * min(done, 1.0)))
            self.model.optimizer.learning_rate = self.peak * max(rate, 1e-3)

    def on_train_batch_end(self, batch, logs=None):
        if self.left and self.minutes() >= self.left[0]:
            self.model.stop_training = len(self.left) == 1
            if not self.model.stop_training:
                self.take_score()

    def take_score(self):
        """Score the model as it is, with the clock stopped."""
        before = time.perf_counter()
        self.scores[self.left.pop(0)] = self.score()
        self.start += time.perf_counter() - before


def fit(model, clock, *data, **options):
    """Train until the clock ends it; return its scores.

    The last score is taken after ``fit``, when averaged weights are in place.
    """
    model.fit(*data, epochs=FOREVER, verbose=0, callbacks=[clock], **options)
    clock.take_score()
    return clock.scores
