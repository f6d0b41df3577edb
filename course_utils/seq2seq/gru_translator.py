"""A translator of GRUs without attention and with it, as plain as lesson 03 shows it.

The encoder reads the source in both directions. Its last state is the first state of
the decoder; with attention the decoder also looks back at all outputs of the encoder,
after each step of its GRU (Luong et al., 2015). ``RecurrentSeq2Seq`` is the same model
with more options and the interface of the Transformer, and a test holds the two equal.

Sentences are lists of words here, as the phrasebook has them: a token is a word or a
sign. Shapes use the letters of the course: B batch, S source length, T target length,
U units of the GRUs, E width of an embedding, V vocabulary size.
"""

import keras
import numpy as np
from keras import layers, ops

from course_utils.attention.transformer import masked_softmax
from course_utils.datasets.batches import translation_batches
from course_utils.seq2seq.recurrent import teacher_forcing_arrays
from course_utils.text.vectorizers import END, PAD, START, UNKNOWN
from course_utils.training import warmup_cosine

SPECIAL = ("[pad]", "[unknown]", "[start]", "[end]")  # their ids are 0 to 3
TOKENS_PER_BATCH = 1024
PEAK = 8e-3  # of the learning rate
PARTS = 5  # of a training: Keras's "epochs", after each of which it prints the loss
ROWS_AT_ONCE = 500  # that are translated together


def word_index(rows):
    """Give each word of both sides an id, after the special tokens.

    Args:
        rows: tuples that begin with the words of the source and of the target.
    Returns:
        A dict from word to id.

    Example:
        >>> word_index([(["Go"], ["Ve"])])["Ve"]
        5
    """
    words = {word for row in rows for side in row[:2] for word in side}
    return {word: number for number, word in enumerate([*SPECIAL, *sorted(words)])}


def word_ids(rows, index):
    """Return the ids of both sides, two lists of lists.

    Example:
        >>> word_ids([(["Go", "!"], ["Ve"])], {"Go": 4, "Ve": 5})
        ([[4, 1]], [[5]])
    """
    sources = [[index.get(word, UNKNOWN) for word in row[0]] for row in rows]
    targets = [[index.get(word, UNKNOWN) for word in row[1]] for row in rows]
    return sources, targets


def dot_attention(query, value, mask):
    """Look back from each query: score, weights, mix.

    Args:
        query: (B, T, U), such as the decoder's states.
        value: (B, S, U), keys and values at once, such as the encoder's outputs.
        mask: (B, S) boolean, True = real word.
    Returns:
        The contexts (B, T, U) and the weights (B, T, S).
    """
    scores = ops.matmul(query, ops.swapaxes(value, 1, 2))  # step 1: (B, T, S)
    weights = masked_softmax(scores, mask[:, None])  # step 2: (B, T, S)
    context = ops.matmul(weights, value)  # step 3: (B, T, U)
    return context, weights


class PhrasebookTranslator(keras.Model):
    """Translate with one vector between reading and writing.

    Args:
        vocab_size: V, of the vocabulary that both languages share.
        embed_dim: E.
        units: U.

    Call arguments:
        inputs: a pair of id arrays, source (B, S) and target (B, T).
    Returns:
        (B, T, V) logits of the next word.
    """

    def __init__(self, vocab_size, embed_dim, units):
        super().__init__()
        self.embed_dim = embed_dim
        self.units = units
        self.source_embedding = layers.Embedding(vocab_size, embed_dim)
        self.target_embedding = layers.Embedding(vocab_size, embed_dim)
        gru = layers.GRU(units, return_sequences=True, return_state=True)
        self.encoder = layers.Bidirectional(gru, merge_mode="sum")
        self.decoder = layers.GRU(units, return_sequences=True, return_state=True)
        self.output_dense = layers.Dense(vocab_size)

    def build(self, input_shape=None):
        self.source_embedding.build((None, None))
        self.target_embedding.build((None, None))
        self.encoder.build((None, None, self.embed_dim))
        self.decoder.build((None, None, self.embed_dim))
        self.output_dense.build((None, None, self.units))
        self.built = True

    def encode(self, source):
        """Read ids (B, S): outputs (B, S, U), last state (B, U), mask (B, S)."""
        mask = ops.not_equal(source, PAD)
        x = self.source_embedding(source)  # (B, S, E)
        outputs, forward_state, backward_state = self.encoder(x, mask=mask)
        return outputs, forward_state + backward_state, mask

    def decode(self, target, state, encoded):
        """Write on from a state.

        Args:
            target: ids (B, T), the words before.
            state: (B, U), the decoder's state before them.
            encoded: what ``encode`` returns.
        Returns:
            Logits (B, T, V), attention weights (B, T, S) or None, the new state (B, U).
        """
        x = self.target_embedding(target)  # (B, T, E)
        states, state = self.decoder(x, initial_state=state)  # (B, T, U), (B, U)
        return self.output_dense(states), None, state

    def call(self, inputs):
        source, target = inputs
        encoded = self.encode(source)
        logits, _, _ = self.decode(target, encoded[1], encoded)
        return logits


class AttentionTranslator(PhrasebookTranslator):
    """The same translator, and its decoder looks back at every word.

    Args:
        vocab_size, embed_dim, units: as in ``PhrasebookTranslator``.
        attention: a function of query, value and mask, such as ``dot_attention``.
    """

    def __init__(self, vocab_size, embed_dim, units, attention=dot_attention):
        super().__init__(vocab_size, embed_dim, units)
        self.attention = attention
        self.combine = layers.Dense(units, activation="tanh")

    def decode(self, target, state, encoded):
        outputs, _, mask = encoded
        x = self.target_embedding(target)  # (B, T, E)
        states, state = self.decoder(x, initial_state=state)  # (B, T, U), (B, U)
        context, weights = self.attention(states, outputs, mask)
        x = ops.concatenate([context, states], axis=-1)  # (B, T, 2 U)
        x = self.combine(x)  # (B, T, U)
        return self.output_dense(x), weights, state


class NoHandoverTranslator(AttentionTranslator):
    """The same, but the decoder begins with zeros: it can only look back."""

    def encode(self, source):
        outputs, state, mask = super().encode(source)
        return outputs, ops.zeros_like(state), mask


def new_translator(kind, vocab_size, embed_dim, units, seed=0, **options):
    """Return an untrained translator of a class; its parameters come from a seed."""
    keras.utils.set_random_seed(seed)
    model = kind(vocab_size, embed_dim, units, **options)
    model((np.ones((1, 2), int), np.ones((1, 2), int)))  # makes all parameters
    return model


def train_gru_translator(model, sides, updates, seed=0, loss=None):
    """Train with teacher forcing: the same batches for all models of a seed.

    The loss is the mean cross-entropy of real words. The rate rises for a tenth of the
    updates and falls to 0 along a cosine. Batches hold sentences of like length.

    Args:
        model: a translator.
        sides: ids of the sources and of the targets, from ``word_ids``.
        updates: how many steps of the optimizer.
        seed: of the order of the batches.
        loss: instead of the usual one.
    """
    if loss is None:
        loss = keras.losses.SparseCategoricalCrossentropy(
            from_logits=True, ignore_class=PAD
        )
    rate = warmup_cosine(PEAK, updates, max(1, updates // 10))
    optimizer = keras.optimizers.Muon(rate, clipnorm=1.0)
    model.compile(optimizer, loss, jit_compile=False)
    batches = translation_batches(*sides, TOKENS_PER_BATCH, seed=seed).repeat()
    options = {"steps_per_epoch": updates // PARTS, "epochs": PARTS, "verbose": 2}
    model.fit(batches, shuffle=False, **options)


def write_greedily(model, source, length):
    """Write the most probable word again and again: (B, S) ids to (B, length)."""
    encoded = model.encode(source)
    state = encoded[1]
    words = np.full((len(source), 1), START)
    written = []
    for _ in range(length):
        logits, _, state = model.decode(words, state, encoded)  # (B, 1, V)
        best = ops.convert_to_numpy(logits).argmax(axis=-1)  # (B, 1)
        words = np.where(np.isin(words, (PAD, END)), PAD, best)
        written.append(words)
    return np.concatenate(written, axis=1)


def right_sentences(model, sources, targets):
    """Translate all sources, and tell which are right from the first word to the last.

    Returns:
        (N,) booleans, and the (N, T) ids that were written.
    """
    (source, _), labels = teacher_forcing_arrays(sources, targets)
    parts = np.split(source, range(ROWS_AT_ONCE, len(source), ROWS_AT_ONCE))
    written = [write_greedily(model, part, labels.shape[1]) for part in parts]
    written = np.concatenate(written)
    return (written == labels).all(axis=1), written


def word_maps(model, sources, targets):
    """Return the map of each pair, (T, S), while the model reads the right words.

    Padding and the end are cut off, so a map has a row for each target word.
    """
    (source, inputs), _ = teacher_forcing_arrays(sources, targets)
    maps = []
    for start in range(0, len(source), ROWS_AT_ONCE):
        part = slice(start, start + ROWS_AT_ONCE)
        encoded = model.encode(source[part])
        _, weights, _ = model.decode(inputs[part], encoded[1], encoded)  # (B, T, S)
        maps += list(ops.convert_to_numpy(weights))
    lengths = [
        (len(target), len(ids)) for ids, target in zip(sources, targets, strict=True)
    ]
    return [weights[:t, :s] for weights, (t, s) in zip(maps, lengths, strict=True)]


def most_weight(maps):
    """Link each target word of each map to the source word with the most weight.

    Example:
        >>> most_weight([np.array([[0.1, 0.9], [0.8, 0.2]])]) == [{(1, 0), (0, 1)}]
        True
    """
    return [
        {(int(weights.argmax()), place) for place, weights in enumerate(word_map)}
        for word_map in maps
    ]
