"""Train the tiny presets that come with the course, and write them with their card.

    python -m tools.make_presets [--only NAME] [--output DIRECTORY] [--epochs N]

Each is trained on a generated corpus for about three minutes on one core and written to
`models/presets/` as one zip file of what KerasHub's `save_to_preset` makes. What each
says to a fixed input goes to `presets.json`, and the table of the card into `README.md`
there. Copy the new checksums into `course_utils/presets/cards.toml`. The T5 preset
needs the package `sentencepiece`, which KerasHub brings along from 0.32 on.
"""

import argparse
import json
import sys
import tempfile
import zipfile
from pathlib import Path

import keras
from keras_hub.models import BertMaskedLM, GPT2CausalLM

from course_utils import environment, presets
from course_utils.datasets.generated import chinese, reviews, verdicts
from course_utils.files import atomic_write, sha256
from tools import preset_training as training
from tools.model_card import software
from tools.texts import fill_between, write_json

ROOT = Path(__file__).resolve().parents[1]
# Longest sequences: reviews have at most 60 words, Chinese texts 20 characters.
REVIEW, SENTENCE, VERDICT = 72, 24, 12
# The names of T5's tasks in its training (Raffel et al., 2020, appendix D).
SUMMARY, SENTIMENT = "summarize: ", "sst2 sentence: "
VERDICTS = ("negative", "positive")


def tiny_bert_en(epochs):
    texts, _ = reviews.load("train")
    model = training.mini_bert(texts, REVIEW, epochs or 18)
    told = presets.fill_mask(model, "The plot is not dull, it is [MASK].")
    return [model], model.count_params(), said(told)


def tiny_bert_zh(epochs):
    texts = [sentence.text for sentence in chinese.load("train")]
    vocabulary = training.characters_as_pieces(texts)
    masks = {"mask_selection_length": SENTENCE // 4}
    model = training.language_model(
        BertMaskedLM, [vocabulary], texts, SENTENCE, epochs or 50, **masks
    )
    told = presets.fill_mask(model, "我有三[MASK]书。")
    return [model], model.count_params(), said(told)


def tiny_gpt2_en(epochs):
    texts, _ = reviews.load("train")
    pieces = training.byte_pairs(texts, 900)
    model = training.language_model(GPT2CausalLM, pieces, texts, REVIEW, epochs or 5)
    return [model], model.count_params(), continued(model, "The plot is", 40)


def tiny_gpt2_zh(epochs):
    texts = [sentence.text for sentence in chinese.load("train")]
    pieces = training.byte_pairs(texts, 1000, by_character=True)
    model = training.language_model(GPT2CausalLM, pieces, texts, SENTENCE, epochs or 12)
    return [model], model.count_params(), continued(model, "妈妈周末去", SENTENCE)


def tiny_t5_en(epochs):
    texts, answers, labels = verdicts.load("train")
    sources = [SUMMARY + text for text in texts] + [SENTIMENT + text for text in texts]
    targets = answers + [VERDICTS[label] for label in labels]
    model = training.text_to_text(sources, targets, REVIEW, VERDICT, epochs or 12)
    review = "The plot is dull, but the film itself is clever."
    told = model.generate([SUMMARY + review, SENTIMENT + review], VERDICT)
    return [model.backbone, model.tokenizer], model.backbone.count_params(), told


def said(words):
    """Return (word, probability) pairs with four decimals, for the record."""
    return [[word, round(probability, 4)] for word, probability in words]


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
    head = "| Preset | Weights | File | Made with | sha256 |"
    lines = [head, "|---|---:|---:|---|---|"]
    for name, fact in facts.items():
        size = f"{fact['bytes'] / 1e6:.2f} MB"
        row = [f"`{name}`", f"{fact['weights']:,}", size, fact["made with"]]
        lines.append(f"| {' | '.join(row)} | `{fact['sha256']}` |")
    return "\n".join(lines)


def pack(parts, path):
    """Write a preset as one zip file: what `save_to_preset` writes, packed.

    Args:
        parts: KerasHub tasks, backbones or tokenizers that make up the preset.
        path: the file to write; it is complete under that name, or not there.
    """
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
                    name = written.relative_to(folder).as_posix()
                    # without the time of writing, so that equal contents are equal
                    info = zipfile.ZipInfo(name)
                    archive.writestr(info, written.read_bytes(), zipfile.ZIP_DEFLATED)


def make(name, output, epochs=None):
    """Train and write one preset; return its facts."""
    keras.utils.set_random_seed(training.SEED)
    parts, weights, told = MAKERS[name](epochs)
    path = output / f"{name}.zip"
    pack(parts, path)
    return {
        "weights": weights,
        "bytes": path.stat().st_size,
        "sha256": sha256(path),
        "made with": f"{software('Keras', 'KerasHub')}, seed {training.SEED}",
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
    if (card := options.output / "README.md").exists():
        fill_between(card, "presets", card_table)
    print(card_table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
