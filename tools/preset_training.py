"""How the tiny presets are trained: tokenizers, networks and batches of each kind."""

import io
import json

import keras
import keras_hub
import numpy as np
import tensorflow as tf
import tokenizers

from course_utils import environment, presets, training
from course_utils.bert import model as bert
from course_utils.bert.kerashub import to_kerashub
from course_utils.bert.masking import SentencePairs, pretraining_batches
from course_utils.datasets.streams import batch_stream
from course_utils.text.wordpiece import SPECIAL_TOKENS, WordPieceVectorizer

SEED = 0
BATCH, PAIRS = 64, 32  # texts, and pairs of texts, in a batch
PEAK = 4e-3  # of the learning rate
SIZE = {"num_layers": 2, "num_heads": 4, "hidden_dim": 64, "intermediate_dim": 128}
SIZE |= {"dropout": 0.0}  # so small a model doesn't overfit in so few steps
END = "<|endoftext|>"


def schedule(steps):
    """Return Muon with warm-up and decay."""
    steps = max(steps, 2)  # one for the warm-up, one for the decay
    rate = training.warmup_cosine(PEAK, steps, max(1, steps // 10))
    return keras.optimizers.Muon(rate, global_clipnorm=1.0)


def characters_as_pieces(texts):
    """Return a vocabulary in which each Chinese character is a token."""
    return SPECIAL_TOKENS + sorted({character for text in texts for character in text})


def byte_pairs(texts, vocab_size, by_character=False):
    """Learn byte-level BPE, as GPT-2's tokenizer: the vocabulary and the merges.

    With `by_character`, bytes merge into single characters only. Chinese has no spaces,
    so a piece could span words, and the end of a prompt would be cut in another way
    than the same characters inside a sentence.
    """
    tokenizer = tokenizers.ByteLevelBPETokenizer()
    if by_character:
        single = tokenizers.pre_tokenizers.Split(tokenizers.Regex("."), "isolated")
        to_bytes = tokenizers.pre_tokenizers.ByteLevel(False, use_regex=False)
        steps = tokenizers.pre_tokenizers.Sequence([single, to_bytes])
        tokenizer.pre_tokenizer = steps
    options = {"vocab_size": vocab_size, "min_frequency": 0, "special_tokens": [END]}
    tokenizer.train_from_iterator(texts, show_progress=False, **options)
    model = json.loads(tokenizer.to_str())["model"]
    merges = [m if isinstance(m, str) else " ".join(m) for m in model["merges"]]
    # KerasHub pads GPT-2's texts with id 0, so the end must have another id.
    pieces = sorted(model["vocab"], key=model["vocab"].get)
    pieces = [piece for piece in pieces if piece != END] + [END]
    return {piece: i for i, piece in enumerate(pieces)}, merges


def sentence_pieces(texts, vocab_size):
    """Learn T5's kind of subwords; returns the model as bytes."""
    import sentencepiece

    written = io.BytesIO()
    ids = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1, "pad_piece": "<pad>"}
    options = {"vocab_size": vocab_size, "hard_vocab_limit": False, "minloglevel": 2}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=written,
        normalization_rule_name="identity",
        **ids,
        **options,
    )
    return written.getvalue()


def mini_bert(texts, length, epochs):
    """Pre-train the mini BERT of lesson 14 in its own pipeline, for KerasHub."""
    vectorizer = WordPieceVectorizer.train(texts, 700)
    pairs = SentencePairs(vectorizer.encode(texts), length, vectorizer.sentence_ends)
    batches = pretraining_batches(pairs, vectorizer.vocabulary_size, BATCH, seed=SEED)
    names = ["hidden_dim", "intermediate_dim", "num_heads", "num_layers", "dropout"]
    sizes = vectorizer.vocabulary_size, length, *(SIZE[name] for name in names)
    encoder = bert.BertEncoder(*sizes)
    network = bert.BertPretraining(encoder)
    bert.start_encoder(encoder)
    steps = len(texts) // BATCH
    network.compile(
        schedule(epochs * steps),
        [training.MaskedCrossEntropy(), keras.losses.BinaryCrossentropy(True)],
        jit_compile=environment.accelerator(),
    )
    network.fit(batches, steps_per_epoch=steps, epochs=epochs, verbose=2)
    model = to_kerashub(network, vectorizer)
    # The next-sentence task drives the tanh of this layer to its ends, where hardly
    # any gradient passes, so a classifier gets a fresh one.
    pooled = model.backbone.pooled_dense
    fresh = keras.initializers.TruncatedNormal(stddev=0.02, seed=SEED)
    pooled.set_weights([fresh(pooled.kernel.shape), np.zeros(pooled.units)])
    return model


def language_model(kind, pieces, texts, length, epochs, **options):
    """Train a BERT of KerasHub's to fill masks, or a GPT-2 to continue texts.

    Args:
        kind: the class of the task, ``BertMaskedLM`` or ``GPT2CausalLM``.
        pieces: arguments of its tokenizer.
        texts: training texts.
        length: largest number of tokens.
        epochs: how often the texts are read.
        options: of its preprocessor.
    Returns:
        The task with its trained weights.
    """
    tokenizer = kind.preprocessor_cls.tokenizer_cls(*pieces)
    preprocessor = kind.preprocessor_cls(tokenizer, sequence_length=length, **options)
    backbone = kind.backbone_cls(
        vocabulary_size=tokenizer.vocabulary_size(), max_sequence_length=length, **SIZE
    )
    model = kind(backbone, preprocessor)
    steps = epochs * -(-len(texts) // BATCH)
    model.compile(
        optimizer=schedule(steps),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        weighted_metrics=["accuracy"],
        jit_compile=environment.accelerator(),
    )
    # KerasHub wraps arrays of texts into a dataset, which Keras doesn't shuffle.
    dataset = tf.data.Dataset.from_tensor_slices(texts)
    dataset = dataset.shuffle(len(texts), seed=SEED).batch(BATCH)
    model.fit(dataset, epochs=epochs, shuffle=False, verbose=2)
    # Without the state of the optimizer, which `save_to_preset` would store, too.
    clean = kind(backbone, preprocessor)
    clean.set_weights(model.get_weights())
    return clean


def pairs_by_length(source, target):
    """Batch pairs of like source length, so that little is padding; endless.

    Args:
        source: (N, S) ids, 0 = padding.
        target: (N, T) ids.
    Returns:
        A dataset of (T5's inputs, target), in another order each epoch.
    """
    lengths = (source != 0).sum(axis=1)  # (N,)

    def endless():
        rng = np.random.default_rng(SEED)
        while True:
            order = np.lexsort((rng.random(len(lengths)), lengths))
            for start in rng.permutation(len(order) // PAIRS) * PAIRS:
                rows = order[start : start + PAIRS]
                ids, answer = source[rows, : lengths[rows].max()], target[rows]
                inputs = {"encoder_token_ids": ids}
                inputs["encoder_padding_mask"] = (ids != 0).astype("int32")
                inputs["decoder_token_ids"] = np.pad(answer, ((0, 0), (1, 0)))[:, :-1]
                inputs["decoder_padding_mask"] = np.ones_like(answer)
                yield inputs, answer

    ids = tf.TensorSpec((PAIRS, None), "int32")
    answer = tf.TensorSpec((PAIRS, target.shape[1]), "int32")
    inputs = {f"encoder_{name}": ids for name in ("token_ids", "padding_mask")}
    inputs |= {f"decoder_{name}": answer for name in ("token_ids", "padding_mask")}
    return batch_stream(endless, (inputs, answer))


def text_to_text(sources, targets, source_length, target_length, epochs):
    """Train a T5 to write an answer to each text."""
    pieces = sentence_pieces(sources + targets, 900)
    tokenizer = keras_hub.tokenizers.T5Tokenizer(pieces)
    size = tokenizer.vocabulary_size()
    backbone = keras_hub.models.T5Backbone(vocabulary_size=size, **SIZE)
    written = presets.TextToText(backbone, tokenizer, source_length)
    source = written.encode(sources)  # (B, S)
    written.source_length = target_length
    target = written.encode(targets)  # (B, T)
    states = backbone.output["decoder_sequence_output"]
    logits = presets.text_to_text_logits(backbone, states)
    model = keras.Model(backbone.input, logits)
    steps = len(source) // PAIRS
    # Batches of like length have many shapes, so XLA would compile too often.
    loss = training.MaskedCrossEntropy()
    model.compile(schedule(epochs * steps), loss, jit_compile=False)
    batches = pairs_by_length(source, target)
    model.fit(batches, steps_per_epoch=steps, epochs=epochs, verbose=2)
    written.source_length = source_length
    return written
