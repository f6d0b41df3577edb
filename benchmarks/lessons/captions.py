"""Captioners that attend to an image, how they learn, for `benchmarks.captions`."""

import functools
import itertools
from collections import namedtuple

import keras
import numpy as np
from keras import layers, ops

from course_utils.classification import TokenDropout
from course_utils.datasets import shapes
from course_utils.datasets.streams import array_batches
from course_utils.layers import TransformerEncoder
from course_utils.text import END, PAD, START, UNKNOWN, pad
from course_utils.training import MaskedCrossEntropy, warmup_cosine

NAMES = {word for scene in shapes.load("train") for word in scene.caption.split()}


NAMES = ["[pad]", "[unk]", "[start]", "[end]", *sorted(NAMES)]  # ids are positions


T = 9  # words of the longest caption, with the start or with the end


Part = namedtuple("Part", "scenes images read said")


def load_part(split, count=None):
    """Return scenes, images (N, 48, 48, 3), words read and words to say, (N, T)."""
    scenes = shapes.load(split)[:count]
    ids = [[*map(NAMES.index, scene.caption.split())] for scene in scenes]
    read, said = pad([[START, *i] for i in ids], T), pad([[*i, END] for i in ids], T)
    return Part(scenes, shapes.render(scenes), read, said)


class ConvEncoder(layers.Layer):
    """Images (B, 48, 48, 3) to the vectors of 8 x 8 cells, (B, S, D)."""

    def __init__(self, embed_dim=64):
        super().__init__()
        self.embed_dim = embed_dim
        form = dict(padding="same", use_bias=False)
        self.convolutions = [
            layers.Conv2D(32, 3, strides=3, **form),
            layers.Conv2D(64, 2, strides=2, **form),
            layers.Conv2D(embed_dim, 3, **form),
        ]
        self.batch_norms = [layers.BatchNormalization(momentum=0.9) for _ in range(3)]
        self.join = layers.Dense(embed_dim, activation="relu")
        self.norm = layers.LayerNormalization(epsilon=1e-5)

    def call(self, images, training=False):
        x = ops.cast(images, "float32") / 127.5 - 1  # from -1 to 1
        for convolution, norm in zip(self.convolutions, self.batch_norms, strict=True):
            x = ops.relu(norm(convolution(x), training=training))
        line = np.linspace(-1, 1, 8, dtype="float32")
        grid = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1)  # (8, 8, 2)
        x = ops.concatenate([x, ops.zeros_like(x[..., :2]) + grid], axis=-1)
        x = ops.reshape(x, (-1, 64, self.embed_dim + 2))  # (B, S, D + 2)
        return self.norm(self.join(x))


class RecurrentCaptioner(keras.Model):
    """Images (B, 48, 48, 3) and words (B, T) to logits, weights and what was used."""

    can_choose = True

    def __init__(
        self, encoder, vocab_size, word_dropout=0.75, context_dropout=0.5, seed=0
    ):
        super().__init__()
        self.encoder = encoder
        self.hide_words = TokenDropout(word_dropout, seed)
        self.embedding = layers.Embedding(vocab_size, 32)
        self.cell = layers.GRUCell(128)
        self.query = layers.Dense(encoder.embed_dim, use_bias=False)  # Q
        self.from_state = layers.Dense(vocab_size)  # A and a bias
        self.from_context = layers.Dense(vocab_size, use_bias=False)  # B
        self.context_dropout = context_dropout
        self.draws = keras.random.SeedGenerator(seed)

    def start(self, cells):
        """Return the first state (B, U) and the first context (B, D): zeros."""
        return ops.zeros((ops.shape(cells)[0], 128)), ops.zeros_like(cells[:, 0])

    def weigh(self, state, cells):
        """Compare the query with all cells: (B, U), (B, S, D) -> (B, S)."""
        return ops.softmax(ops.einsum("bd,bsd->bs", self.query(state), cells))

    def choose(self, weights, training=False):
        """Return what of the weights is used: in soft attention, all."""
        return weights

    def step(self, word, state, context, cells, choose):
        """Read a word (B,), attend, and score the next one."""
        x = ops.concatenate([self.embedding(word), context], axis=-1)  # (B, E + D)
        state, _ = self.cell(x, [state])  # (B, U)
        weights = self.weigh(state, cells)
        used = choose(weights)  # (B, S)
        context = ops.einsum("bs,bsd->bd", used, cells)
        logits = self.from_state(state) + self.from_context(context)  # (B, V)
        return state, context, (logits, weights, used)

    def hide(self, context):
        """Set some of the contexts (B, D) to 0."""
        draws = keras.random.uniform((ops.shape(context)[0], 1), seed=self.draws)
        return context * ops.cast(draws >= self.context_dropout, context.dtype)

    def call(self, inputs, training=False, choose=None):
        images, words = inputs
        cells = self.encoder(images, training=training)  # (B, S, D)
        words = self.hide_words(words, training=training)
        choose = choose or functools.partial(self.choose, training=training)
        (state, context), steps = self.start(cells), []
        for t in range(words.shape[1]):
            if training and t:
                context = self.hide(context)
            found = self.step(words[:, t], state, context, cells, choose)
            state, context, scored = found
            steps.append(scored)
        return [
            ops.stack(several, axis=1) for several in zip(*steps, strict=True)
        ]  # (B, T, …)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None):
        return MaskedCrossEntropy(label_smoothing=0.2)(y, y_pred[0])


class EvenCaptioner(RecurrentCaptioner):
    """Takes the mean of all cells before each word."""

    can_choose = False

    def weigh(self, state, cells):
        return ops.softmax(0 * super().weigh(state, cells))


class OnceCaptioner(RecurrentCaptioner):
    """Takes the mean of all cells once, beside the start token."""

    can_choose = False

    def start(self, cells):
        return super().start(cells)[0], ops.mean(cells, axis=1)

    def weigh(self, state, cells):
        return 0 * super().weigh(state, cells)


def recolour(images, generator):
    """Mix red, green and blue anew, for each image another way: (N, H, W, 3)."""
    orders = np.stack([np.eye(3)[list(o)] for o in itertools.permutations(range(3))])
    first, second = orders[generator.integers(0, 6, (2, len(images)))]  # (N, 3, 3)
    part = generator.uniform(0, 0.5, (len(images), 1, 1))
    mixture = ((1 - part) * first + part * second).astype("float32")
    return np.rint(images.astype("float32") @ mixture[:, None]).astype(images.dtype)


def with_new_colours(part, rate, generator):
    """Return what is read, and said, with new colours in some of the images."""
    images, read, said = part.images.copy(), part.read.copy(), part.said.copy()
    chosen = generator.random(len(images)) < rate
    images[chosen] = recolour(images[chosen], generator)
    for words, instead in (read, UNKNOWN), (said, PAD):  # the loss leaves PAD out
        colours = np.isin(words, [NAMES.index(colour) for colour in shapes.COLOURS])
        words[chosen[:, None] & colours] = instead
    return (images, read), said


def new_captioner(model, seed, encoder=ConvEncoder, width=64, **options):
    """Return an untrained captioner; its weights are there after the first call."""
    keras.utils.set_random_seed(seed)
    made = model(encoder(width), len(NAMES), seed=seed, **options)
    made((np.zeros((1, 48, 48, 3)), np.ones((1, T), "int32")))
    return made


def fit(model, part, epochs, seed, peak=1e-2, recoloured=0.5):
    """Train a captioner, with other new colours in each epoch."""
    steps = epochs * -(-len(part.images) // 64)
    rate = warmup_cosine(peak, steps, steps // 10 + 1)
    optimizer = keras.optimizers.Muon(rate, weight_decay=0.5, clipnorm=1.0)
    model.compile(optimizer)
    generator = np.random.default_rng(seed)
    for _ in range(epochs):
        inputs, said = with_new_colours(part, recoloured, generator)
        batches = array_batches(inputs, said, 64, generator)
        model.fit(batches, shuffle=False, verbose=0)


def best_cell(weights):
    """Take the cell with the largest weight: (B, S) -> (B, S), one 1 in each row."""
    return ops.one_hot(ops.argmax(weights, axis=-1), weights.shape[-1])


def even_cells(weights):
    """Take all cells equally: (B, S) -> (B, S)."""
    return ops.zeros_like(weights) + 1 / weights.shape[-1]


def write(model, images, choose=None):
    """Write captions, (N, T) ids; ``choose``: what to use of the weights instead."""
    texts = []
    for i in range(0, len(images), 250):
        cells, words = model.encoder(images[i : i + 250]), []
        (state, context), word = model.start(cells), np.full(len(cells), START)
        for _ in range(T):
            found = model.step(word, state, context, cells, choose or model.choose)
            state, context, (logits, *_) = found
            word = np.argmax(logits, axis=-1)
            words.append(word)
        texts.append(np.stack(words, axis=1))
    texts = np.concatenate(texts)
    return np.where(np.cumsum(texts == END, axis=1) > (texts == END), PAD, texts)


def touched_cells(masks, side=8):
    """Tell which cells hold a part of a mask: (..., H, W) -> (..., side * side)."""
    *before, size = *masks.shape[:-2], masks.shape[-1] // side
    cells = masks.reshape(*before, side, size, side, size).any(axis=(-3, -1))
    return cells.reshape(*before, side * side)


def hits(weights, touched):
    """Tell whether steps hit, (M,): 0 or 1, and a part where several cells are best."""
    best = weights == weights.max(axis=-1, keepdims=True)  # (M, S)
    return (best & touched).sum(axis=-1) / best.sum(axis=-1)


def spread(touched, side=8):
    """Add the neighbours of touched cells: (M, S) -> (M, S)."""
    grid = np.pad(touched.reshape(-1, side, side), ((0, 0), (1, 1), (1, 1)))
    moves = [grid[:, i : i + side, j : j + side] for i, j in np.ndindex(3, 3)]
    return np.any(moves, axis=0).reshape(touched.shape)


def named_words(part):
    """Find colours and shapes: image, place, object 0 or 1, shape or not, all (M,)."""
    rows = []
    for n, scene in enumerate(part.scenes):
        words = scene.caption.split()
        for t, which in enumerate(shapes.named_objects(words)):
            if which >= 0:
                rows.append((n, t, which, words[t] in shapes.SHAPES))
    n, t, which, is_shape = np.array(rows).T
    return n, t, which, is_shape == 1


def steps_before_objects(model, part, choose=None):
    """Gather the attention steps before colours and shapes.

    Returns their weights (M, S), the cells of the right object (M, S), for each whether
    the word is right, and whether it is a shape, (M,), and the cells of the image's
    other object (M, S). ``choose`` is that of ``write``.
    """
    found = []
    for i in range(0, len(part.images), 250):
        inputs = part.images[i : i + 250], part.read[i : i + 250]
        found.append(model(inputs, choose=choose)[:2])
    logits, weights = (np.concatenate(several) for several in zip(*found, strict=True))
    right = logits.argmax(axis=-1) == part.said  # (N, T)
    touched = touched_cells(shapes.masks(part.scenes))  # (N, 2, S)
    n, t, which, is_shape = named_words(part)
    own, other = touched[n, which], touched[n, 1 - which]
    return weights[n, t], own, right[n, t], is_shape, other


def judge_steps(weights, touched, word_right, is_shape, other):
    """Return rates: steps that hit or miss, and the right words after them."""
    around = spread(touched)  # the object, and the neighbours that see it
    hit, near = hits(weights, touched), hits(weights, around)
    mass, near_mass = ((weights * of).sum(axis=1) for of in (touched, around))
    found = {"pointing": hit.mean(), "mass": mass.mean(), "near": near.mean()}
    found["pointing_other"] = hits(weights, other).mean()
    found["pointing_colours"] = hit[~is_shape].mean()
    found["pointing_shapes"] = hit[is_shape].mean()
    far = 1 - near
    kinds = {"hit": hit, "near_miss": near - hit, "far_miss": far}
    before = np.roll(near, 1)  # of a shape: did its colour's step come near?
    kinds["shape_seen"] = far * is_shape * before
    kinds["shape_unseen"] = far * is_shape * (1 - before)
    for name, rate in kinds.items():
        found[f"rate_{name}"] = rate.mean()
        if rate.any():
            found[f"word_after_{name}"] = np.average(word_right, weights=rate)
    if far.any():
        found["near_mass_after_far_miss"] = np.average(near_mass, weights=far)
    return found


def judge(model, part):
    """Return rates: right captions, of all images and of some, and those of steps."""
    right = (write(model, part.images) == part.said).all(axis=1)
    new = np.array([shapes.has_new_pair(scene) for scene in part.scenes])
    found = {"exact": right.mean(), "new_pairs": right[new].mean()}
    found["new_arrangements"] = right[~new].mean()
    for pair in shapes.NOT_SHOWN:  # each new pair alone
        rows = [any(t[:2] == pair for t in scene.things) for scene in part.scenes]
        if any(rows):
            found["_".join(("new", *pair))] = right[rows].mean()
    if model.can_choose:
        for choose in best_cell, even_cells:
            texts = write(model, part.images, choose)
            found[choose.__name__] = (texts == part.said).all(axis=1).mean()
        steps = steps_before_objects(model, part, best_cell)
        found["best_cell_pointing"] = hits(*steps[:2]).mean()
    return found | judge_steps(*steps_before_objects(model, part))


def rewards_to_go(labels, logits):
    """Add up the log-probabilities of the right words from each word on: (B, T)."""
    right = ops.one_hot(labels, logits.shape[-1])  # (B, T, V)
    log_p = ops.sum(right * ops.log_softmax(logits), axis=-1)
    log_p = log_p * ops.cast(labels != PAD, log_p.dtype)
    return ops.flip(ops.cumsum(ops.flip(log_p, 1), axis=1), 1)


class HardCaptioner(RecurrentCaptioner):
    """Takes one cell: the best, or in training one that is drawn (REINFORCE)."""

    def __init__(self, *arguments, reward=0.1, entropy=0.001, **options):
        super().__init__(*arguments, **options)
        self.reward, self.entropy, self.follow = reward, entropy, 0.1
        self.query.trainable = reward + entropy > 0  # else Q would only decay
        zeros = dict(initializer="zeros", trainable=False)
        self.usual = self.add_weight(shape=(T,), name="usual", **zeros)

    def choose(self, weights, training=False):
        if not training:
            return best_cell(weights)
        log_p = ops.log(ops.maximum(weights, 1e-9))
        drawn = keras.random.categorical(log_p, 1, seed=self.draws)[:, 0]  # (B,)
        return ops.one_hot(drawn, weights.shape[-1])

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None):
        logits, weights, drawn = y_pred
        rewards = ops.stop_gradient(rewards_to_go(y, logits))  # (B, T)
        open_ = ops.cast(rewards < 0, rewards.dtype)  # there are words to come
        advantages = rewards - self.usual  # the baseline before this batch
        mean = ops.sum(rewards, axis=0) / ops.maximum(ops.sum(open_, axis=0), 1)
        self.usual.assign(self.usual + self.follow * (mean - self.usual))
        log_p = ops.log(ops.sum(drawn * weights, axis=-1) + 1e-9)  # of the draws
        entropy = -ops.sum(weights * ops.log(weights + 1e-9), axis=-1)
        gain = self.reward * advantages * log_p + self.entropy * entropy
        gain = ops.sum(open_ * gain) / ops.sum(open_)
        return super().compute_loss(y=y, y_pred=y_pred) - gain


def harden(model, seed, **options):
    """Return a hard captioner with the weights of a soft one."""
    hard = new_captioner(HardCaptioner, seed, **options)
    for ours, its in zip(model.layers, hard.layers, strict=True):
        its.set_weights(ours.get_weights())
    return hard


def trained(part, seed, model=RecurrentCaptioner, epochs=16, peak=1e-2, **options):
    """Make and train a variant of the evidence."""
    recoloured = options.pop("recoloured", 0.5)
    made = new_captioner(model, seed, **options)
    fit(made, part, epochs, seed, peak, recoloured)
    return made


def trained_twice(part, seed, softly=12, later=4, peak=1e-2, **options):
    """Make and train a variant that is soft at first, and then draws."""
    hard = harden(trained(part, seed, epochs=softly, peak=peak), seed, **options)
    fit(hard, part, later, seed, peak=2e-3)
    return hard


def cut_patches(images, size):
    """Write the numbers of each square in a row: (B, H, W, C) -> (B, S, P * P * C)."""
    height, width, channels = images.shape[1:]
    grid = (-1, height // size, size, width // size, size, channels)
    x = ops.transpose(ops.reshape(images, grid), (0, 1, 3, 2, 4, 5))
    return ops.reshape(x, (-1, grid[1] * grid[3], size * size * channels))


class PatchEncoder(layers.Layer):
    """A small Vision Transformer: images (B, 48, 48, 3) to patches (B, S, D)."""

    def __init__(self, embed_dim=64):
        super().__init__()
        self.embed_dim = embed_dim
        self.patch_dense = layers.Dense(embed_dim)
        self.positions = self.add_weight(shape=(64, embed_dim), initializer="uniform")
        self.blocks = [
            TransformerEncoder(embed_dim, 128, 4, norm_first=True) for _ in range(3)
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-5)

    def call(self, images, training=False):
        x = cut_patches(ops.cast(images, "float32") / 127.5 - 1, 6)  # (B, S, 108)
        x = self.patch_dense(x) + self.positions  # (B, S, D)
        for block in self.blocks:
            x = block(x, training=training)
        return self.norm(x)
