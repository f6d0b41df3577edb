"""What the course's models cost, after the pattern of Vaswani et al. (2017), table 2.

Weights, steps, minutes and scores are read out of the stored lessons; FLOPs are counted
from the sizes of the models and the number of steps. Nothing is measured here.
"""

import dataclasses
import json
import re
from pathlib import Path

from course_utils import results
from course_utils.bert.masking import places_to_guess
from course_utils.scaling import flops as scaling

LESSONS = Path(__file__).resolve().parents[2] / "notebooks"

# A batch of translation pairs as lesson 09 prints one; others have other lengths, but
# as many tokens, and attention's share in the operations is small.
SOURCE, TARGET = 7, 10


@dataclasses.dataclass(frozen=True)
class Recipe:
    """Where the figures of a model stand, and what one step of its training computes.

    Attributes:
        model: its name.
        lesson: the file's name in notebooks/, without ".ipynb".
        weights: pattern of the line that prints the number of weights, or the number
            of those that are trained.
        steps: pattern of the line that prints the steps, of one epoch if ``epochs``.
        epochs: how often these steps are made.
        step_flops: operations of the forward pass of one batch.
        minutes: name of the recorded minutes, or the pattern of a line; None where
            the lesson doesn't measure this training alone.
        score: name of the recorded score.
        unit: what the score is.
        sizes: pieces of the lesson's code from which ``step_flops`` and ``epochs`` are.
    """

    model: str
    lesson: str
    weights: str | int
    steps: str
    epochs: int
    step_flops: int
    minutes: str | None
    score: str
    unit: str
    sizes: tuple


@dataclasses.dataclass(frozen=True)
class Cost:
    """A row of the table; a figure is None where the lesson or its run lacks it."""

    model: str
    lesson: str
    weights: float | None
    flops: float | None
    minutes: float | None
    score: float | None
    unit: str


def _classifier_flops(positions, length, words, width, dense):
    """Word vectors, narrowed to the width of one encoder block."""
    narrow = scaling.product_flops(positions, words, width)
    rows = positions // length
    return narrow + scaling.encoder_block_flops(rows, length, width, dense)


def _classifier_weights(positions, words, width, dense):
    """Positions, narrowing, one block, one number from mean and maximum."""
    attention = 4 * (width * width + width)
    block = attention + 2 * width * dense + dense + width + 4 * width
    return positions * words + words * width + block + 2 * width + 1


def _recurrent_translation_flops(tokens, embed, units, vocab, attention):
    """A GRU that reads in both directions, and one that writes."""
    rows = tokens // TARGET
    flops = 2 * scaling.recurrent_flops(rows, SOURCE, embed, units, gates=3)
    flops += scaling.recurrent_flops(rows, TARGET, embed, units, gates=3)
    if attention:  # project the states, score, mix, combine
        flops += scaling.product_flops(tokens, units, units)
        flops += 2 * scaling.product_flops(tokens, units, SOURCE)
        flops += scaling.product_flops(tokens, 2 * units, units)
    return flops + scaling.product_flops(tokens, units, vocab)


def _lstm_flops(tokens, embed, units, vocab):
    states = scaling.recurrent_flops(1, tokens, embed, units, gates=4)
    return states + scaling.product_flops(tokens, units, vocab)


def _masked_model_flops(rows, length, size, vocab):
    """An encoder and two heads: of masked tokens, and of the next sentence."""
    width, dense = size["embed_dim"], size["dense_dim"]
    blocks = scaling.encoder_block_flops(rows, length, width, dense)
    places = rows * places_to_guess(length)
    heads = scaling.product_flops(places, length, width)  # picks the places
    heads += scaling.product_flops(places, width, width + vocab)
    heads += scaling.product_flops(rows, width, width + 1)
    return size["num_layers"] * blocks + heads


_BERT = dict(embed_dim=192, dense_dim=768, num_layers=2)
_TRANSLATOR = dict(vocab_size=4000, embed_dim=192, dense_dim=768, num_layers=2)
_GPT = dict(vocab_size=79, embed_dim=128, dense_dim=512, num_layers=4)
_GPT_LENGTH = 256

RECIPES = (
    Recipe(
        "encoder with positions",
        "06_positional_embedding",
        _classifier_weights(512, words=256, width=128, dense=128),
        r"(\d+) training batches",
        4,
        _classifier_flops(8192, 256, words=256, width=128, dense=128),
        "imdb.positions.train_minutes",
        "imdb.positions.test_accuracy",
        "accuracy",
        (
            "tokens_per_batch = 8192 if full",
            "window=256",
            "(128, 128, 2) if full",
            "(0.3, 4, 1.5e-3) if full",
        ),
    ),
    *(
        Recipe(
            f"GRU translator, {kind}",
            "08_gru_translation",
            rf"{name} +([\d,]+) weights",
            rf"{name} .*? ([\d,]+) steps",
            1,
            _recurrent_translation_flops(4096, 192, 256, 4000, name == "attention"),
            rf"{name} .*? ([\d.]+) minutes by the clock",
            score,
            "BLEU",
            (
                "tokens_per_batch = 4096 if full",
                "embed_dim, units = (192, 256) if full",
                "4000 if full",
            ),
        )
        for kind, name, score in (
            ("last state", "vanilla", "translation.gru.bleu"),
            ("attention", "attention", "translation.gru_attention.bleu"),
        )
    ),
    Recipe(
        "Transformer translator",
        "09_transformer_translation",
        r"([\d,]+) weights",
        r"(\d+)/\1 - ",
        7,
        scaling.translation_flops(_TRANSLATOR, 160, SOURCE, TARGET),
        "translation.transformer.train_minutes",
        "translation.transformer.bleu",
        "BLEU",
        (
            '"vocab_size": 4000, "embed_dim": 192, "dense_dim": 768, "num_layers": 2',
            '"epochs": 7, "tokens_per_batch": 1600',
        ),
    ),
    Recipe(
        "LSTM of characters",
        "13_language_models",
        r"LSTM: ([\d,]+) weights",
        r"LSTM: .* ([\d.]+) million characters",
        1,
        _lstm_flops(10**6, embed=64, units=256, vocab=79),
        "imdb.language.lstm.processor_minutes",
        "imdb.language.lstm.perplexity",
        "perplexity",
        ("lstm_sizes = dict(embed_dim=64, units=256)",),
    ),
    Recipe(
        "mini GPT of characters",
        "13_language_models",
        r"mini GPT: ([\d,]+) weights",
        r"mini GPT: .* ([\d.]+) million characters",
        1,
        scaling.language_model_flops(_GPT, 10**6 / _GPT_LENGTH, _GPT_LENGTH),
        "imdb.language.gpt.processor_minutes",
        "imdb.language.gpt.perplexity",
        "perplexity",
        ("gpt_sizes = dict(embed_dim=128, dense_dim=512, num_heads=4, num_layers=4)",),
    ),
    Recipe(
        "BERT, its first minutes",
        "14_bert_from_scratch",
        r"([\d,]+) weights, [\d,]+ of them in the table",
        r"(?s).* (\d+) steps: masked tokens",  # the last of these lines
        1,
        _masked_model_flops(64, 128, _BERT, vocab=8000),
        "imdb.bert.pretrain_minutes",
        "imdb.bert.masked_accuracy",
        "masked accuracy",
        (
            "(8000, 128) if full",
            '"embed_dim": 192, "dense_dim": 768, "num_heads": 4, "num_layers": 2',
            "batch_size, rounds, steps, peak = (64, ",
        ),
    ),
    Recipe(
        "distilled student",
        "16_distillation",
        r"'student': '([\d,]+)'",
        r"chosen: .* alone, \([\d.]+, [\d.]+, (\d+)\) with a teacher",
        1,
        scaling.product_flops(8192, 3 * 32, 64),
        None,
        "imdb.distillation.unlabelled.test_accuracy",
        "accuracy",
        (
            "tokens_per_batch = 8192 if full",
            "student_width, radius, columns = (32, 1, 64) if full",
        ),
    ),
)


def read(folder=LESSONS, recipes=RECIPES):
    """Return the `Cost` of each model whose lesson is stored in a folder.

    Raises:
        ValueError: there is none, as where only the package is installed.
    """
    folder = Path(folder)
    rows = []
    for recipe in recipes:
        path = folder / f"{recipe.lesson}.ipynb"
        if path.exists():
            rows.append(cost(recipe, json.loads(path.read_text(encoding="utf-8"))))
    if not rows:
        raise ValueError(
            "costs.read: the stored lessons aren't beside the package, so there is no "
            "table here; open the course's repository to read it."
        )
    return rows


def cost(recipe, notebook):
    """Return one model's row, read out of its stored lesson.

    A lesson whose stored run isn't one with the real data has other sizes, so its row
    has the names only.
    """
    if notebook["metadata"].get("course", {}).get("data_mode") != "full":
        nothing = [None] * 4
        return Cost(recipe.model, recipe.lesson[:2], *nothing, recipe.unit)
    recorded = {
        payload["name"]: payload["value"] for payload in results.collect(notebook)
    }
    text = printed(notebook)
    steps = _find(recipe.steps, text)
    flops = None
    if steps is not None:
        forward = steps * recipe.epochs * recipe.step_flops
        flops = scaling.TRAINING_BY_FORWARD * forward
    minutes = recorded.get(recipe.minutes)
    if minutes is None and recipe.minutes is not None:
        minutes = _find(recipe.minutes, text)
    return Cost(
        recipe.model,
        recipe.lesson[:2],
        recipe.weights
        if isinstance(recipe.weights, int)
        else _find(recipe.weights, text),
        flops,
        minutes,
        recorded.get(recipe.score),
        recipe.unit,
    )


def printed(notebook):
    """Return all text that the cells of a notebook have printed."""
    return "\n".join(
        "".join(output.get("text", ""))
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
    )


def _find(pattern, text):
    """Return the first number that a pattern finds, None if there is none."""
    match = re.search(pattern, text)
    return float(match.group(1).replace(",", "")) if match else None
