"""Mini GPTs of bytes, and a law of their losses, for `benchmarks.law`."""

import time

import keras
import numpy as np
from scipy.optimize import least_squares

from course_utils import datasets
from course_utils.datasets import character_windows as windows
from course_utils.datasets.streams import array_batches
from course_utils.kit import evidence
from course_utils.language_models import MiniGPT
from course_utils.training import MaskedCrossEntropy, warmup_cosine

SIZES = {32: 2, 48: 2, 64: 3, 96: 3, 128: 4, 192: 4}  # width to blocks


LENGTH = 128


def new_gpt(width, length=LENGTH, policy="float32", seed=0):
    """Return an untrained mini GPT of bytes."""
    keras.utils.set_random_seed(seed)
    options = {"num_heads": max(2, width // 32), "num_layers": SIZES[width]}
    model = MiniGPT(256, length, width, 4 * width, dtype=policy, **options)
    model.build()
    return model


loss = MaskedCrossEntropy()  # the mean over all real tokens


def prepare(model, rate=1e-3, parts=None, kind=keras.optimizers.Adam):
    """Return a model that is ready for training steps."""
    optimizer = kind(rate, gradient_accumulation_steps=parts)
    model.compile(optimizer, loss)
    return model


def read_reviews(full):
    """Return two streams of bytes: reviews to learn from, and some held out."""
    if full:
        parts = [datasets.imdb.load(part)[0] for part in ("train", "unsupervised")]
        held_out, learned = windows.split_texts(sum(map(list, parts), []), (150,))
    else:
        held_out, learned = (datasets.reviews.load(p)[0] for p in ("test", "train"))
    both = [[windows.clean(text).encode() for text in ts] for ts in (learned, held_out)]
    return [
        windows.stream([np.frombuffer(t, "uint8") for t in texts]) for texts in both
    ]


def cut(stream, length):
    """Cut a stream into windows: inputs and targets (windows, T), each byte once."""
    number = (len(stream) - 1) // length
    inputs, targets = stream[: number * length], stream[1 : number * length + 1]
    return inputs.reshape(number, length), targets.reshape(number, length)


def train_gpt(model, stream, peak, seed=0, rows=16):
    """Train on each byte of a stream once; return its processor seconds."""
    inputs, targets = cut(stream, model.sequence_length)
    count = len(inputs) // rows
    order = np.random.default_rng(seed).permutation(len(inputs))[: count * rows]
    data = array_batches(inputs[order], targets[order], rows)
    prepare(model, warmup_cosine(peak, count, max(1, count // 10)))
    ends = []
    clock = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: ends.append(time.process_time())
    )
    model.fit(data, shuffle=False, verbose=0, callbacks=[clock])
    # The first step compiles, and isn't counted: it would make small models look slow.
    return (ends[-1] - ends[0]) * count / (count - 1)


def nats(model, stream, skipped=0.0):
    """Return the mean loss of a stream's bytes, in nats.

    A part of each window, from its beginning on, can be left out.
    """
    inputs, targets = cut(stream, model.sequence_length)
    scored = np.arange(model.sequence_length) >= skipped * model.sequence_length
    targets = targets * scored  # what has the label 0 isn't counted
    return model.evaluate(inputs, targets, batch_size=64, verbose=0)


def measured_in(rows, variant, figure):
    """Return the mean over seeds of a figure of the evidence."""
    return np.mean(evidence.values(rows, f"law.{variant}.{figure}"))


AMOUNTS = (1_000_000, 2_000_000, 4_000_000, 8_000_000)  # bytes


def block_weights(model):
    """Return N, the number of weights in the blocks."""
    return sum(block.count_params() for block in model.blocks)


FIVE = list(SIZES)[:-1]  # the sixth width is to be predicted


def loss_of(rows, width, amount, tuned=True):
    """Return a measured loss; with the most text, that of the best rate."""
    if tuned and amount == AMOUNTS[-1]:
        return measured_in(rows, f"late_{width}", "loss")
    return measured_in(rows, f"grid_{width}", f"loss_{amount}")


def grid_of(rows, widths, size="weights", tuned=True):
    """Return N, R and loss of the trainings of some widths, one after the other."""
    points = [(w, n) for w in widths for n in AMOUNTS]
    sizes = [measured_in(rows, f"grid_{w}", size) for w, _ in points]
    losses = [loss_of(rows, w, n, tuned) for w, n in points]
    return np.array([sizes, [n for _, n in points], losses])


def law(numbers, weights, amount):
    """Return the loss of models of N weights after R bytes."""
    floor, a, alpha, b, beta = numbers
    return floor + a * (weights / 1e5) ** -alpha + b * (amount / 1e6) ** -beta


def fit_law(weights, amounts, losses):
    """Return the five numbers of the law that fits measured losses best."""

    def errors(numbers):
        return np.log(law(numbers, weights, amounts) / losses)

    start, most = [1.0, 0.3, 0.3, 0.3, 0.3], [4, 4, 2, 4, 2]
    return least_squares(errors, start, bounds=(0, most), x_scale=0.1).x


def resampled_laws(weights, amounts, losses, times, seed=0):
    """Return laws fitted to losses with other errors, and draws of such errors."""
    best, draw = fit_law(weights, amounts, losses), np.random.default_rng(seed)
    errors = np.log(losses / law(best, weights, amounts))
    errors = errors - errors.mean()
    errors *= np.sqrt(len(losses) / (len(losses) - 5))  # five numbers were fitted
    drawn = draw.choice(errors, (times, len(losses) + 1))
    fits = [
        fit_law(weights, amounts, law(best, weights, amounts) * np.exp(row[:-1]))
        for row in drawn
    ]
    return best, np.array(fits), np.exp(drawn[:, -1])


def predict(weights, amount, best, fits, errors):
    """Return the predicted loss and the ends of its 95 % interval."""
    drawn = [law(fit, weights, amount) for fit in fits] * errors
    return law(best, weights, amount), *np.percentile(drawn, [2.5, 97.5])
