"""Train the tiny presets that come with the course, and write them with their card.

    python -m tools.make_presets [--only NAME] [--output DIRECTORY] [--epochs N]

Each is trained on a generated corpus for about three minutes on one core and written to
`models/presets/` as one zip file of what KerasHub's `save_to_preset` makes. What each
says to a fixed input goes to `presets.json`, and the table of the card into `README.md`
there. Copy the new checksums into `course_utils/preset_cards.py`. The T5 preset needs
the package `sentencepiece`, which KerasHub brings along from 0.32 on.
"""

import argparse
import io
import json
import sys
from pathlib import Path

import keras
import keras_hub
import numpy as np
import tensorflow as tf
import tokenizers

from course_utils import environment, training
from course_utils.bert import model as bert
from course_utils.bert.kerashub import to_kerashub
from course_utils.bert.masking import SentencePairs, pretraining_batches
from course_utils.datasets.generated import chinese, reviews, verdicts
from course_utils.datasets.streams import batch_stream
from course_utils.files import sha256
from course_utils.presets import loading as presets
from course_utils.text.wordpiece import SPECIAL_TOKENS, WordPieceVectorizer
from tools.model_card import fill_card, software, write_json

ROOT = Path(__file__).resolve().parents[1]
SEED = 0
BATCH, PAIRS = 64, 32  # texts, and pairs of texts, in a batch
SIZE = {
    "num_layers": 2,
    "num_heads": 4,
    "hidden_dim": 64,
    "intermediate_dim": 128,
    "dropout": 0.0,  # so small a model doesn't overfit in so few steps
}
END = "<|endoftext|>"
# Longest sequences: reviews have at most 60 words, Chinese texts 20 characters.
REVIEW, SENTENCE, VERDICT = 72, 24, 12
# The names of T5's tasks in its training (Raffel et al., 2020, appendix D).
SUMMARY, SENTIMENT = "summarize: ", "sst2 sentence: "
VERDICTS = ("negative", "positive")


def schedule(steps, peak):
    """Return Muon with warm-up and decay."""
    steps = max(steps, 2)  # one for the warm-up, one for the decay
    rate = training.warmup_cosine(peak, steps, max(1, steps // 10))
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
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    byte_level = tokenizers.pre_tokenizers.ByteLevel
    steps = [byte_level(add_prefix_space=False, use_regex=not by_character)]
    if by_character:
        split = tokenizers.pre_tokenizers.Split
        steps.insert(0, split(tokenizers.Regex("."), "isolated"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(steps)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[END],
        initial_alphabet=sorted(byte_level.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
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
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=written,
        vocab_size=vocab_size,
        hard_vocab_limit=False,
        pad_id=0,
        eos_id=1,
        unk_id=2,
        bos_id=-1,
        pad_piece="<pad>",
        normalization_rule_name="identity",
        minloglevel=2,
    )
    return written.getvalue()


def mini_bert(texts, length, epochs, peak):
    """Pre-train the mini BERT of lesson 14 in its own pipeline, for KerasHub."""
    vectorizer = WordPieceVectorizer.train(texts, 700)
    pairs = SentencePairs(vectorizer.encode(texts), length, vectorizer.sentence_ends)
    batches = pretraining_batches(pairs, vectorizer.vocabulary_size, BATCH, seed=SEED)
    encoder = bert.BertEncoder(
        vectorizer.vocabulary_size,
        length,
        SIZE["hidden_dim"],
        SIZE["intermediate_dim"],
        SIZE["num_heads"],
        SIZE["num_layers"],
        SIZE["dropout"],
    )
    network = bert.BertPretraining(encoder)
    bert.start_encoder(encoder)
    steps = len(texts) // BATCH
    network.compile(
        schedule(epochs * steps, peak),
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


def masked_lm(vocabulary, texts, length, epochs, peak):
    """Train a BERT of KerasHub's to fill masks."""
    tokenizer = keras_hub.tokenizers.BertTokenizer(vocabulary)
    preprocessor = keras_hub.models.BertMaskedLMPreprocessor(
        tokenizer, sequence_length=length, mask_selection_length=length // 4
    )
    backbone = keras_hub.models.BertBackbone(
        vocabulary_size=len(vocabulary), max_sequence_length=length, **SIZE
    )
    model = keras_hub.models.BertMaskedLM(backbone, preprocessor)
    return trained(model, texts, epochs, peak)


def causal_lm(texts, pieces, length, epochs, peak):
    """Train a GPT-2 to continue texts."""
    tokenizer = keras_hub.tokenizers.GPT2Tokenizer(*pieces)
    preprocessor = keras_hub.models.GPT2CausalLMPreprocessor(
        tokenizer, sequence_length=length
    )
    backbone = keras_hub.models.GPT2Backbone(
        vocabulary_size=tokenizer.vocabulary_size(), max_sequence_length=length, **SIZE
    )
    model = keras_hub.models.GPT2CausalLM(backbone, preprocessor)
    return trained(model, texts, epochs, peak)


def trained(model, texts, epochs, peak):
    """Train a KerasHub task on texts, which it masks or shifts itself.

    Returns a task with the trained weights and without the state of the optimizer,
    which `save_to_preset` would store with the weights.
    """
    steps = epochs * -(-len(texts) // BATCH)
    model.compile(
        optimizer=schedule(steps, peak),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        weighted_metrics=["accuracy"],
        jit_compile=environment.accelerator(),
    )
    # KerasHub wraps arrays of texts into a dataset, which Keras doesn't shuffle.
    dataset = tf.data.Dataset.from_tensor_slices(texts)
    dataset = dataset.shuffle(len(texts), seed=SEED).batch(BATCH)
    model.fit(dataset, epochs=epochs, shuffle=False, verbose=2)
    clean = type(model)(model.backbone, preprocessor=model.preprocessor)
    clean.set_weights(model.get_weights())
    return clean


def text_to_text(epochs, peak):
    """Train a T5 on two tasks that the beginning of the text names."""
    texts, answers, labels = verdicts.load("train")
    sources = [SUMMARY + text for text in texts] + [SENTIMENT + text for text in texts]
    targets = answers + [VERDICTS[label] for label in labels]
    tokenizer = keras_hub.tokenizers.T5Tokenizer(
        sentence_pieces(sources + targets, 900)
    )
    backbone = keras_hub.models.T5Backbone(
        vocabulary_size=tokenizer.vocabulary_size(), **SIZE
    )
    written = presets.TextToText(backbone, tokenizer, REVIEW)
    source = written.encode(sources)  # (B, S)
    written.source_length = VERDICT
    target = written.encode(targets)  # (B, T)
    states = backbone.output["decoder_sequence_output"]
    logits = presets.text_to_text_logits(backbone, states)
    model = keras.Model(backbone.input, logits)
    steps = len(source) // PAIRS
    # Batches of like length have many shapes, so XLA would compile too often.
    loss = training.MaskedCrossEntropy()
    model.compile(schedule(epochs * steps, peak), loss, jit_compile=False)
    batches = pairs_by_length(source, target)
    model.fit(batches, steps_per_epoch=steps, epochs=epochs, verbose=2)
    written.source_length = REVIEW
    return written


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
                yield (
                    {
                        "encoder_token_ids": ids,
                        "encoder_padding_mask": (ids != 0).astype("int32"),
                        "decoder_token_ids": np.pad(answer, ((0, 0), (1, 0)))[:, :-1],
                        "decoder_padding_mask": np.ones_like(answer),
                    },
                    answer,
                )

    ids = tf.TensorSpec((PAIRS, None), "int32")
    answer = tf.TensorSpec((PAIRS, target.shape[1]), "int32")
    inputs = {f"encoder_{name}": ids for name in ("token_ids", "padding_mask")}
    inputs |= {f"decoder_{name}": answer for name in ("token_ids", "padding_mask")}
    return batch_stream(endless, (inputs, answer))


def tiny_bert_en(epochs):
    texts, _ = reviews.load("train")
    model = mini_bert(texts, REVIEW, epochs or 18, 4e-3)
    told = presets.fill_mask(model, "The plot is not dull, it is [MASK].")
    return [model], model.count_params(), said(told)


def tiny_bert_zh(epochs):
    texts = [sentence.text for sentence in chinese.load("train")]
    vocabulary = characters_as_pieces(texts)
    model = masked_lm(vocabulary, texts, SENTENCE, epochs or 50, 4e-3)
    told = presets.fill_mask(model, "我有三[MASK]书。")
    return [model], model.count_params(), said(told)


def tiny_gpt2_en(epochs):
    texts, _ = reviews.load("train")
    model = causal_lm(texts, byte_pairs(texts, 900), REVIEW, epochs or 5, 4e-3)
    return [model], model.count_params(), continued(model, "The plot is", 40)


def tiny_gpt2_zh(epochs):
    texts = [sentence.text for sentence in chinese.load("train")]
    pieces = byte_pairs(texts, 1000, by_character=True)
    model = causal_lm(texts, pieces, SENTENCE, epochs or 12, 4e-3)
    return [model], model.count_params(), continued(model, "妈妈周末去", SENTENCE)


def tiny_t5_en(epochs):
    model = text_to_text(epochs or 12, 4e-3)
    review = "The plot is dull, but the film itself is clever."
    told = model.generate([SUMMARY + review, SENTIMENT + review], VERDICT)
    return [model.backbone, model.tokenizer], model.backbone.count_params(), told


def said(words):
    """Return (word, probability) pairs with four decimals, for the record."""
    return [[word, round(share, 4)] for word, share in words]


def continued(model, prompt, length):
    """Return the greedy continuation of a prompt."""
    model.compile(sampler="greedy", jit_compile=environment.accelerator())
    return model.generate(prompt, max_length=length)


MAKERS = {
    maker.__name__: maker
    for maker in (tiny_bert_en, tiny_gpt2_en, tiny_t5_en, tiny_bert_zh, tiny_gpt2_zh)
}


def table(facts):
    """Return the card's table of all presets."""
    lines = [
        "| Preset | Weights | File | Made with | sha256 |",
        "|---|---:|---:|---|---|",
    ]
    for name, fact in facts.items():
        size = f"{fact['bytes'] / 1e6:.2f} MB"
        row = [f"`{name}`", f"{fact['weights']:,}", size, fact["made with"]]
        lines.append(f"| {' | '.join(row)} | `{fact['sha256']}` |")
    return "\n".join(lines)


def make(name, output, epochs=None):
    """Train and write one preset; return its facts."""
    keras.utils.set_random_seed(SEED)
    parts, weights, told = MAKERS[name](epochs)
    path = output / f"{name}.zip"
    presets.pack(parts, path)
    return {
        "weights": weights,
        "bytes": path.stat().st_size,
        "sha256": sha256(path),
        "made with": f"{software('Keras', 'KerasHub')}, seed {SEED}",
        "told": told,
    }


def main(arguments=None):
    """Train what is asked for; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=MAKERS, help="make this one only")
    parser.add_argument("--output", type=Path, default=ROOT / "models" / "presets")
    parser.add_argument("--epochs", type=int, help="default: each preset's own")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    record = options.output / "presets.json"
    facts = json.loads(record.read_text("utf-8")) if record.exists() else {}
    for name in [options.only] if options.only else MAKERS:
        facts[name] = make(name, options.output, options.epochs)
        facts = {key: facts[key] for key in MAKERS if key in facts}
        write_json(record, facts)
    card_table = table(facts)
    fill_card(options.output / "README.md", "presets", card_table)
    print(card_table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
