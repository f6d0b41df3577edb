"""Train the tiny presets that come with the course, and write them with their record.

    python -m tools.make_presets [NAME ...] [--output DIRECTORY] [--epochs N]

Each is trained on a generated corpus for about three minutes on one core and written to
`models/presets/` as one zip file of what KerasHub's `save_to_preset` makes. What each
says to a fixed input goes to `presets.json`, and the table of the card into `README.md`
there. Copy the new checksums into `course_utils/kit/presets/cards.toml`. The T5 needs
KerasHub 0.32, which has a task for it.
"""

import argparse
import io
import json
import sys
import tempfile
import zipfile
from pathlib import Path

import keras
import keras_hub
import numpy as np
import tensorflow as tf
import tokenizers

from course_utils import training
from course_utils.bert.kerashub import to_kerashub
from course_utils.bert.model import init_encoder
from course_utils.datasets import chinese, reviews, verdicts
from course_utils.kit import environment, presets
from course_utils.kit.files import atomic_write, sha256
from course_utils.text.wordpiece import SPECIAL_TOKENS, WordPieceVectorizer
from tools import pretrain_bert
from tools.model_card import software
from tools.texts import fill_markers, write_json

ROOT = Path(__file__).resolve().parents[1]
SEED, BATCH, PEAK = 0, 64, 4e-3
# Longest sequences: reviews have at most 60 words, Chinese texts 20 characters.
REVIEW, SENTENCE, VERDICT = 72, 24, 12
SIZE = {"num_layers": 2, "num_heads": 4, "hidden_dim": 64, "intermediate_dim": 128}
SIZE |= {"dropout": 0.0}  # so small a model doesn't overfit in so few steps
OURS = {"num_layers": 2, "num_heads": 4, "embed_dim": 64, "dense_dim": 128}
BERT = {"length": REVIEW, "batch_size": BATCH, "dropout": 0.0, "size": OURS}
# The names of T5's tasks in its training (Raffel et al., 2020, appendix D).
SUMMARY, SENTIMENT = "summarize: ", "sst2 sentence: "
END = "<|endoftext|>"


# --- tokenizers -----------------------------------------------------------------------


def byte_pairs(texts, vocab_size):
    """Learn byte-level BPE, as GPT-2's tokenizer: the vocabulary and the merges."""
    tokenizer = tokenizers.ByteLevelBPETokenizer()
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
    ids |= {"vocab_size": vocab_size, "hard_vocab_limit": False, "minloglevel": 2}
    ids |= {"sentence_iterator": iter(texts), "model_writer": written}
    options = {"normalization_rule_name": "identity", **ids}
    sentencepiece.SentencePieceTrainer.train(**options)
    return written.getvalue()


# --- trainings ------------------------------------------------------------------------


def muon(steps):
    """Return Muon with warm-up and decay."""
    steps = max(steps, 2)  # one for the warm-up, one for the decay
    rate = training.warmup_cosine(PEAK, steps, max(1, steps // 10))
    return keras.optimizers.Muon(rate, global_clipnorm=1.0)


def trained(kind, pieces, examples, epochs, batch=BATCH, **lengths):
    """Train a task of KerasHub's on texts.

    Args:
        kind: its class.
        pieces: arguments of its tokenizer.
        examples: texts, or a dictionary of several kinds of them.
        epochs, batch: how often they are read, and how many at a time.
        lengths: options of its preprocessor.
    Returns:
        The task with its weights, without the state of the optimizer, which
        `save_to_preset` would store, too.
    """
    tokenizer = kind.preprocessor_cls.tokenizer_cls(*pieces)
    preprocessor = kind.preprocessor_cls(tokenizer, **lengths)
    options = dict(SIZE, vocabulary_size=tokenizer.vocabulary_size())
    if "sequence_length" in lengths:
        options["max_sequence_length"] = lengths["sequence_length"]
    backbone = kind.backbone_cls(**options)
    task = kind(backbone, preprocessor)
    # KerasHub wraps arrays of texts into a dataset, which Keras doesn't shuffle.
    data = tf.data.Dataset.from_tensor_slices(examples)
    data = data.shuffle(len(data), seed=SEED).batch(batch)
    task.compile(
        optimizer=muon(epochs * len(data)),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        weighted_metrics=["accuracy"],
    )
    with presets.without_notes():
        task.fit(data, epochs=epochs, shuffle=False, verbose=2)
    clean = kind(backbone, preprocessor)
    clean.set_weights(task.get_weights())
    return clean


def tiny_bert_en(epochs):
    """The mini BERT of lesson 11, pre-trained in its own pipeline, for KerasHub."""
    texts, _ = reviews.load("train")
    vectorizer = WordPieceVectorizer.train(texts, 700)
    network = pretrain_bert.build(BERT, vectorizer.vocabulary_size)
    init_encoder(network.encoder)
    steps, epochs = len(texts) // BATCH, epochs or 18
    losses = [training.MaskedCrossEntropy(), keras.losses.BinaryCrossentropy(True)]
    network.compile(muon(epochs * steps), losses)
    batches = pretrain_bert.batches(vectorizer, vectorizer.encode(texts), BERT, SEED)
    network.fit(batches, steps_per_epoch=steps, epochs=epochs, verbose=2)
    model = to_kerashub(network, vectorizer)
    # The next-sentence task drives the tanh of this layer to its ends, where hardly
    # any gradient passes, so a classifier gets a fresh one.
    pooled = model.backbone.pooled_dense
    fresh = keras.initializers.TruncatedNormal(stddev=0.02, seed=SEED)
    pooled.set_weights([fresh(pooled.kernel.shape), np.zeros(pooled.units)])
    return [model], filled(model, "The plot is not dull, it is ", ".")


def tiny_bert_zh(epochs):
    texts = [sentence.text for sentence in chinese.load("train")]
    pieces = [SPECIAL_TOKENS + sorted({sign for text in texts for sign in text})]
    lengths = {"sequence_length": SENTENCE, "mask_selection_length": SENTENCE // 4}
    task = keras_hub.models.BertMaskedLM
    model = trained(task, pieces, texts, epochs or 50, **lengths)
    return [model], filled(model, "我有三", "书。")


def tiny_gpt2_en(epochs):
    texts, _ = reviews.load("train")
    task, pieces = keras_hub.models.GPT2CausalLM, byte_pairs(texts, 900)
    model = trained(task, pieces, texts, epochs or 5, sequence_length=REVIEW)
    model.compile(sampler="greedy")
    return [model], model.generate("The plot is", max_length=40)


def tiny_t5_en(epochs):
    texts, answers, labels = verdicts.load("train")
    sources = [task + text for task in (SUMMARY, SENTIMENT) for text in texts]
    targets = answers + [("negative", "positive")[label] for label in labels]
    lengths = {"encoder_sequence_length": REVIEW, "decoder_sequence_length": VERDICT}
    model = trained(
        keras_hub.models.T5Seq2SeqLM,
        [sentence_pieces(sources + targets, 900)],
        {"encoder_text": sources, "decoder_text": targets},
        epochs or 12,
        BATCH // 2,
        **lengths,
    )
    review = "The plot is dull, but the film itself is clever."
    model.compile(sampler="greedy")
    told = model.generate([SUMMARY + review, SENTIMENT + review])
    return [model.backbone, model.preprocessor.tokenizer], told


def filled(model, before, after):
    """Return the five most probable pieces between two texts, for the record."""
    tokenizer = model.preprocessor.tokenizer
    start, rest = (presets.token_ids(tokenizer, text) for text in (before, after))
    ids = [tokenizer.start_token_id, *start, tokenizer.mask_token_id, *rest]
    ids = np.array([[*ids, tokenizer.end_token_id]])
    inputs = {"token_ids": ids, "padding_mask": ids > -1, "segment_ids": 0 * ids}
    logits = model(inputs | {"mask_positions": np.array([[1 + len(start)]])})[0, 0]
    p = keras.ops.convert_to_numpy(keras.ops.softmax(logits))
    names = [tokenizer.id_to_token(i).removeprefix("##") for i in range(len(p))]
    return [[names[i], round(float(p[i]), 4)] for i in np.argsort(-p)[:5]]


# --- files ----------------------------------------------------------------------------

MAKERS = {
    maker.__name__: maker
    for maker in (tiny_bert_en, tiny_gpt2_en, tiny_t5_en, tiny_bert_zh)
}


def table(facts):
    """Return the card's table of all presets."""
    lines = ["| Preset | Weights | File | Made with | sha256 |"]
    lines += ["|---|---:|---:|---|---|"]
    for name, fact in facts.items():
        size = f"{fact['bytes'] / 1e6:.2f} MB"
        row = [f"`{name}`", f"{fact['weights']:,}", size, fact["made with"]]
        lines.append(f"| {' | '.join(row)} | `{fact['sha256']}` |")
    return "\n".join(lines)


def pack(parts, path):
    """Write a preset as one zip file: what `save_to_preset` writes, packed."""
    with tempfile.TemporaryDirectory() as folder:
        for part in parts:
            part.save_to_preset(folder)
            head = Path(folder) / "task.weights.h5"
            if head.exists():
                # KerasHub 0.26 looks in this file for all weights of the task, 0.32
                # only for those outside the backbone; with all, both can load it.
                part.save_weights(head)
        with atomic_write(path, "wb") as file, zipfile.ZipFile(file, "w") as archive:
            for written in sorted(Path(folder).rglob("*")):
                if written.is_file():
                    # without the time of writing, so that equal contents are equal
                    info = zipfile.ZipInfo(written.relative_to(folder).as_posix())
                    archive.writestr(info, written.read_bytes(), zipfile.ZIP_DEFLATED)


def make(name, output, epochs=None):
    """Train and write one preset; return its facts."""
    keras.utils.set_random_seed(SEED)
    parts, told = MAKERS[name](epochs)
    path = output / f"{name}.zip"
    pack(parts, path)
    return {
        "weights": parts[0].count_params(),
        "bytes": path.stat().st_size,
        "sha256": sha256(path),
        "made with": f"{software('Keras', 'KerasHub')}, seed {SEED}",
        "told": told,
    }


def main(arguments=None):
    """Train what is asked for; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--output", type=Path, default=ROOT / "models" / "presets")
    parser.add_argument("--epochs", type=int, help="default: each preset's own")
    options = parser.parse_args(arguments)
    environment.xla_only_when_asked()
    options.output.mkdir(parents=True, exist_ok=True)
    record, card = options.output / "presets.json", options.output / "README.md"
    facts = json.loads(record.read_text("utf-8")) if record.exists() else {}
    for name in options.names or MAKERS:
        facts[name] = make(name, options.output, options.epochs)
        facts = {key: facts[key] for key in MAKERS if key in facts}
        write_json(record, facts)
    if card.exists():
        fill_markers(card, "presets", table(facts))
    print(table(facts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
