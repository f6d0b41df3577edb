"""What the course's trainings cost, in the form of Vaswani et al. (2017), table 2.

Weights, updates, minutes and scores are what the stored lessons recorded. Operations
are the recorded updates times what one update computes, counted from the sizes.
"""

import collections
import json
from pathlib import Path

from course_utils import results
from course_utils.bert.masking import positions_to_guess
from course_utils.scaling import flops

LESSONS = Path(__file__).resolve().parents[2] / "notebooks"
MINUTES = "train_minutes", "pretrain_minutes", "processor_minutes"

GRU = dict(vocab_size=4000, embed_dim=192, units=256)
TRANSLATOR = dict(vocab_size=4000, embed_dim=192, dense_dim=768, num_layers=2)
LSTM = dict(vocab_size=79, embed_dim=64, units=256)
GPT = dict(vocab_size=79, embed_dim=128, dense_dim=512, num_layers=4)
BERT = dict(vocab_size=8000, embed_dim=192, dense_dim=768, num_layers=2)
# Lengths of source and target in a batch as lesson 09 prints one. Other batches have
# other lengths, but as many tokens, and attention's part of the operations is small.
LENGTHS = 7, 10

# How a training's figures are called -> lesson, model, score and its unit.
MODELS = {
    "imdb.positions": ("06", "encoder with positions", "test_accuracy", "accuracy"),
    "translation.gru": ("08", "GRU translator, last state", "bleu", "BLEU"),
    "translation.gru_attention": ("08", "GRU translator, attention", "bleu", "BLEU"),
    "translation.transformer": ("09", "Transformer translator", "bleu", "BLEU"),
    "imdb.language.lstm": ("13", "LSTM of characters", "perplexity", "perplexity"),
    "imdb.language.gpt": ("13", "mini GPT of characters", "perplexity", "perplexity"),
    "imdb.bert": (
        "14",
        "BERT, its first minutes",
        "masked_accuracy",
        "masked accuracy",
    ),
    "imdb.distillation.unlabelled": (
        *("16", "distilled student", "test_accuracy", "accuracy"),
    ),
}
# Operations of the forward pass of one update.
FORWARD = {
    "imdb.positions": flops.classifier_flops(32, 256, words=256, width=128, dense=128),
    "translation.gru": flops.recurrent_translation_flops(GRU, 409, *LENGTHS, False),
    "translation.gru_attention": (
        flops.recurrent_translation_flops(GRU, 409, *LENGTHS, True)
    ),
    "translation.transformer": flops.translation_flops(TRANSLATOR, 160, *LENGTHS),
    "imdb.language.lstm": flops.lstm_flops(LSTM, 16, 256),
    "imdb.language.gpt": flops.language_model_flops(GPT, 8, 256),
    "imdb.bert": flops.masked_model_flops(BERT, 64, 128, positions_to_guess(128)),
    "imdb.distillation.unlabelled": flops.product_flops(8192, 3 * 32, 64),
}


# A row of the table; a figure is None where no stored lesson recorded it.
Cost = collections.namedtuple("Cost", "lesson model weights flops minutes score unit")


def recorded_figures(folder=LESSONS):
    """Return {name: value} of what full runs recorded in the lessons of a folder."""
    figures = {}
    for path in sorted(Path(folder).glob("[0-9]*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if notebook["metadata"].get("course", {}).get("data_mode") == "full":
            figures |= {row["name"]: row["value"] for row in results.collect(notebook)}
    return figures


def cost_table(figures):
    """Return a `Cost` for each model of ``MODELS``.

    Args:
        figures: what `recorded_figures` returns.
    Raises:
        ValueError: there are none, as where only the package is installed.
    """
    if not figures:
        raise ValueError(
            "cost_table: the stored lessons aren't beside the package, so there is no "
            "table here; open the course's repository to read it."
        )

    def figure(prefix, *kinds):
        names = [f"{prefix}.{kind}" for kind in kinds]
        return next((figures[name] for name in names if name in figures), None)

    table = []
    for prefix, (lesson, model, score, unit) in MODELS.items():
        updates = figure(prefix, "updates")
        operations = updates and flops.TRAINING_BY_FORWARD * FORWARD[prefix] * updates
        shown = figure(prefix, "weights"), operations, figure(prefix, *MINUTES)
        table.append(Cost(lesson, model, *shown, figure(prefix, score), unit))
    return table
