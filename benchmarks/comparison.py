"""A GRU with attention against a Transformer: translators, and readers of agreement.

    python -m benchmarks.comparison [--variant pair --seed 0]

Models and their training are those of the lesson "RNN or Transformer?".

The variants trial_* and small_* tune, for as long as the others train; those take, for
each model, the trial with the lowest validation loss at its end, and tuned_* the one
with the lowest loss at the mark that they are trained for.

Two translators learn in turns, so that whatever slows the machine slows both. Minutes
are those of the processor, and begin after the first step, which builds the graph;
vocabularies, scores and translations don't count. After each mark all is kept in
``build/comparison``: a race that is broken off goes on from there. Readers all train
for the same minutes.

Minutes of one core, with scores and translations: a variant trial_1600_* or
trial_4096_* 33, trial_1 to trial_16 4 each, attention, recurrent and *_rare 3 a seed,
pair 37 a seed, tuned_2 8, tuned_5 14, small_* 8, pairs_5000 8 a seed. With all seeds
about 520, so 4½ hours on two cores, if two runs go side by side with one core each.
"""

import pickle
from pathlib import Path

import numpy as np

import course_utils
from benchmarks import evidence, ladder
from benchmarks.lessons import comparison as lesson
from course_utils.datasets.batches import translation_batches
from course_utils.kit.files import atomic_write
from course_utils.seq2seq import Translator
from course_utils.text import SubwordVectorizer

ROW_A_FIGURE = True  # one run trains both translators
LEARNED = 0.95  # of the answers are right
PARTS = Path(__file__).resolve().parents[1] / "build" / "comparison"

# A trial has tokens of a batch (translators only) and the rate in thousandths. A budget
# is a kind, and how much: minutes of the processor, or 10^12 operations.
BASE = {
    "pieces": 4000,  # of the vocabulary that both languages share
    "sizes": {
        "transformer": (192, 768),  # embed_dim, dense_dim
        "gru": (192, 256),  # embed_dim, units
    },
    "turn": 5,  # seconds of learning before the other model's turn
    "held_out": 2000,  # validation pairs
    "texts": 200_000,  # that a reader learns from, again and again
    "looks": ((30, 0.5), (15, 3)),  # at a reader: how many, and seconds between them
    "asked": 1000,  # texts of each distance, at a look and in the end
    "budgets": (("minutes", 2), ("minutes", 5), ("minutes", 15)),
    "far": "",  # "rare": a reader learns from texts in which far verbs are rare
    "pairs": None,  # of the training part; None: all
    "trial": None,
    "tuned": "trial",  # the variants among which a model's best trial is looked for
    "mark": 0,  # minutes after which these are compared; 0: at their end
    "search": "",  # the mark at which a beam translates, too, and lengths are read
}


def reader_trial(rate):
    return {"trial": (rate,), "readers": ("attention", "recurrent"), "seeds": [0]}


def translator_trial(tokens, rate):
    return {"trial": (tokens, rate), "seeds": [0]}


# With less data each model has trials of its own, and is taken at the budget with the
# lower validation loss.
SMALL = {
    "pairs": 5000,
    "pieces": 2000,
    "budgets": (("minutes", 0.5), ("minutes", 1), ("minutes", 2), ("minutes", 3)),
}
VARIANTS = {
    "trial_1": reader_trial(1),
    "trial_2": reader_trial(2),
    "trial_4": reader_trial(4),
    "trial_8": reader_trial(8),
    "trial_16": reader_trial(16),
    "attention": {"readers": ("attention",)},
    "recurrent": {"readers": ("recurrent",)},
    "attention_rare": {"readers": ("attention",), "far": "rare"},
    "recurrent_rare": {"readers": ("recurrent",), "far": "rare"},
    # A rate that is best after 2 minutes needn't be so after 15: trials are as long as
    # what they are for, and are read at the same marks.
    "trial_1600_1": translator_trial(1600, 1),
    "trial_1600_2": translator_trial(1600, 2),
    "trial_1600_4": translator_trial(1600, 4),
    "trial_4096_4": translator_trial(4096, 4),
    # One beyond each end, because the best ones stood there.
    "trial_1600_0.5": translator_trial(1600, 0.5),
    "trial_4096_8": translator_trial(4096, 8),
    "pair": {
        "search": "minutes_15",
        "budgets": (
            ("minutes", 2),
            ("minutes", 5),
            ("minutes", 15),
            ("operations", 12),
            ("operations", 30),
            ("operations", 80),
        ),
    },
    # What a short budget gives with the trial that was best after as many minutes.
    "tuned_2": {"mark": 2, "budgets": (("operations", 12), ("minutes", 2))},
    "tuned_5": {"mark": 5, "budgets": (("operations", 30), ("minutes", 5))},
    "small_1600_1": SMALL | translator_trial(1600, 1),
    "small_1600_2": SMALL | translator_trial(1600, 2),
    "small_1600_4": SMALL | translator_trial(1600, 4),
    "small_4096_4": SMALL | translator_trial(4096, 4),
    "small_1600_0.5": SMALL | translator_trial(1600, 0.5),
    "small_4096_8": SMALL | translator_trial(4096, 8),
    "pairs_5000": SMALL | {"tuned": "small"},
}
SEEDS = (0, 1, 2)


def measure(variant, seed, splits=None, **changes):
    """Make one run; return its figures.

    Args:
        splits: the translators' sentence pairs; None takes those of the data mode.
        changes: other settings.
    """
    course_utils.setup(seed)
    settings = BASE | VARIANTS[variant] | changes
    if "readers" in settings:
        figures = read(settings, variant, seed)
    else:
        figures = translate(settings, variant, seed, splits or ladder.splits())
    return {f"comparison.{name}": float(value) for name, value in figures.items()}


def trial_of(settings, name, trials):
    """Return the trial of a variant, or what was the best one for a model."""
    if settings["trial"]:
        return settings["trial"]
    rows = evidence.load("comparison")
    return lesson.chosen(rows, name, trials, settings["tuned"], settings["mark"])


# --- readers --------------------------------------------------------------------------


def read(settings, variant, seed):
    """Train readers; return right answers by distance, and when they were learned.

    A trial's loss is the rate of wrong answers over all looks, so the lowest is that of
    a reader that is right early and stays so.
    """
    data = lesson.questions(settings["texts"], seed, settings["far"] or None)
    figures = {}
    for kind in settings["readers"]:
        (rate,) = trial_of(settings, kind, lesson.RATES)
        trainee = lesson.reader(kind, data, rate / 1000, seed)
        texts, rates = look(trainee, settings)
        if settings["trial"]:
            figures[f"{variant}.{kind}_loss"] = 1 - np.mean(rates)
        else:
            name = f"{kind}_{settings['far']}" if settings["far"] else kind
            figures |= figures_of_reader(trainee, name, texts, rates, settings["asked"])
    return figures


def look(trainee, settings):
    """Let a reader learn; return after each look the texts, and the rates by distance.

    The texts (L,) are those that it has read, the rates (L, distances) right answers.
    """
    texts, rates = [], []
    for looks, seconds in settings["looks"]:
        for _ in range(looks):
            trainee.learn(seconds)
            texts.append(trainee.spent["rows"])
            right = [
                lesson.accuracy_at(trainee.average, far, settings["asked"])
                for far in lesson.DISTANCES
            ]
            rates.append(right)
    return texts, np.array(rates)


def figures_of_reader(trainee, name, texts, rates, asked):
    """Return by distance how often a reader is right, and after how many texts.

    A distance is learned at the first look at which 95 % are right there. One that
    never is counts with all the texts.
    """
    figures = {f"distance.{name}_texts": texts[-1]}
    for column, far in enumerate(lesson.DISTANCES):
        learned = rates[:, column] >= LEARNED
        on_test = lesson.accuracy_at(trainee.average, far, asked, "test")
        figures[f"distance_{far}.{name}"] = on_test
        first = int(learned.argmax()) if learned.any() else -1
        figures[f"distance_{far}.{name}_texts"] = texts[first]
        figures[f"distance_{far}.{name}_learned"] = learned.any()
    return figures


# --- translators ----------------------------------------------------------------------


def translate(settings, variant, seed, splits):
    """Train both translators in turns; return losses, or scores and differences."""
    rows = splits.train
    if settings["pairs"]:
        order = np.random.default_rng(seed).permutation(len(rows))
        rows = [rows[i] for i in order[: settings["pairs"]]]
    texts = [text for source, targets in rows for t in targets for text in (source, t)]
    vectorizer = SubwordVectorizer.train(texts, settings["pieces"])
    pairs = [side[: settings["pairs"]] for side in lesson.encode(vectorizer, rows)]
    held_out = lesson.encode(vectorizer, splits.validation)
    held_out = [side[: settings["held_out"]] for side in held_out]
    held_out = translation_batches(*held_out, 4096)
    asked = splits.validation[:1000] if settings["trial"] else splits.test
    english = [text for text, _ in asked]
    references = [texts for _, texts in asked]
    version = [evidence.commit(), settings]  # of what is kept, to go on from
    trainees = {}
    for name in lesson.NAMES:
        tokens, rate = trial_of(settings, name, lesson.TRIALS)
        version += [tokens, rate]
        trainees[name] = lesson.translator(
            name,
            settings["sizes"][name],
            pairs,
            vectorizer.vocabulary_size,
            tokens,
            rate / 1000,
            seed,
        )
    path = PARTS / f"{variant}_{seed}.pickle"
    marks = go_on(path, version, trainees)
    for name, kind, budget in lesson.race(
        trainees, settings["budgets"], settings["turn"]
    ):
        key = f"{kind}_{budget}"
        if key in marks[name]:
            continue
        trainee = trainees[name]
        mark = {**trainee.spent, "budget": budget}
        mark["epochs"] = mark.pop("rows") / len(pairs[0])
        mark["loss"] = lesson.loss_on(trainee.average, held_out)
        lowest = min([mark["loss"], *(each["loss"] for each in marks[name].values())])
        if mark["loss"] == lowest or not settings["pairs"]:
            written = lesson.written(vectorizer, trainee, english)
            mark["counts"] = lesson.counts_of(written, references)
        if key == settings["search"]:
            translator = Translator(vectorizer, trainee.average)
            best = translator.translate(english, method="beam")
            mark["beam"] = lesson.bleu_of(lesson.counts_of(best, references))
        marks[name][key] = mark
        save(path, version, trainees, marks)
    known = {text for _, targets in splits.train for text in targets}
    clean = np.array([known.isdisjoint(texts) for texts in references])
    figures = report(settings, variant, marks, english, clean)
    path.unlink(missing_ok=True)
    return figures


def variables(trainee):
    """Return all that changes while a trainee learns, but what it has spent."""
    models = [*trainee.model.variables, *trainee.average.variables]
    return [*models, *trainee.optimizer.variables]


def save(path, version, trainees, marks):
    """Keep a race, so that it can go on from here if it is broken off."""
    states = {}
    for name, trainee in trainees.items():
        arrays = [np.array(variable) for variable in variables(trainee)]
        states[name] = trainee.spent, arrays
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path, "wb") as file:
        pickle.dump((version, states, marks), file)


def go_on(path, version, trainees):
    """Put trainees where a race was broken off, if this version ran it.

    Returns:
        The marks of each trainee until then.
    """
    nothing = {name: {} for name in trainees}
    if not path.is_file():
        return nothing
    kept, states, marks = pickle.loads(path.read_bytes())
    if kept != version:
        return nothing
    for name, (spent, arrays) in states.items():
        trainee = trainees[name]
        trainee.spent |= spent
        for variable, array in zip(variables(trainee), arrays, strict=True):
            variable.assign(array)
        for _ in range(int(trainee.optimizer.iterations) - 1):  # the first is taken
            next(trainee.batches)
    return marks


# --- what is reported -----------------------------------------------------------------


def report(settings, variant, marks, english, clean):
    """Return what a variant reports of its marks: model to key to what was measured.

    Args:
        english: the sentences that were translated.
        clean: which of them have no reference that training has, too.
    """
    if settings["trial"]:
        return report_of_trial(variant, marks)
    if settings["pairs"]:  # where the validation loss is lowest
        marks = {
            name: {variant: min(own.values(), key=lambda mark: mark["loss"])}
            for name, own in marks.items()
        }
    if settings["mark"]:
        marks = {
            name: {f"tuned_{key}": mark for key, mark in own.items()}
            for name, own in marks.items()
        }
    figures = {}
    for key in marks["gru"]:
        counts = {name: own[key]["counts"] for name, own in marks.items()}
        parts = {key: np.ones(len(english), bool)}
        if key == settings["search"]:
            for words in lesson.LENGTHS:
                parts[f"words_{words}"] = lesson.of_length(english, words)
            parts["clean"] = clean
        for part, rows in parts.items():
            figures |= report_of_part(part, rows, counts)
        for name, own in marks.items():
            for figure, value in own[key].items():
                if figure != "counts":
                    figures[f"{key}.{name}.{figure}"] = value
    return figures


def report_of_trial(variant, marks):
    """Return loss and BLEU of a trial at each mark, and its loss at the last one."""
    figures = {}
    for name, own in marks.items():
        for mark in own.values():
            figures[f"{variant}.{name}_loss_{mark['budget']}"] = mark["loss"]
            bleu = lesson.bleu_of(mark["counts"])
            figures[f"{variant}.{name}_bleu_{mark['budget']}"] = bleu
        figures[f"{variant}.{name}_loss"] = mark["loss"]
    return figures


def report_of_part(part, rows, counts):
    """Return the BLEU of both models on some sentences, and the difference."""
    difference, low, high = lesson.ahead(
        counts["transformer"][rows], counts["gru"][rows]
    )
    figures = {
        f"{part}.bleu_difference": difference,
        f"{part}.low": low,
        f"{part}.high": high,
        f"{part}.sentences": rows.sum(),
    }
    for name, own in counts.items():
        figures[f"{part}.{name}.bleu"] = lesson.bleu_of(own[rows])
    return figures


if __name__ == "__main__":
    evidence.main("comparison")
