"""What makes a translator better than that of lesson 08, on the validation part.

    python -m benchmarks.translator [--variant recipe --seed 0]

``VARIANTS`` says what each one changes in the stages of `tools/translator_recipe.toml`.
All figures are those of the validation part; the test part isn't translated.
Differences are those to the model of lesson 08 on the same sentences, with their 95 %
interval by paired bootstrap. Operations are counted, see `Operations`; processor
minutes are those of all cores, so that other work hardly changes them.

States, translations and parameters go to `build/translator/`; an interrupted run
goes on where its last epoch ended.
"""

import json
import time

import numpy as np
import sacrebleu

import course_utils
from benchmarks import evidence
from course_utils import metrics, models
from course_utils.datasets import spa_eng
from course_utils.seq2seq import Translator
from course_utils.seq2seq.bayes_risk import translate_with_least_risk
from tools import train_translator

SEEDS = (0,)
DRAWS = 1000
FOLDER = evidence.ROOT / "build" / "translator"

# How a variant translates unless it says otherwise. Sharpness is that of the weights of
# minimum Bayes risk; with 0 the best beam is taken.
DECODING = {"beam_width": 4, "length_penalty": 1.0, "sharpness": 0.0}

# What a variant changes in each stage that it has; or whose model it takes, and how it
# translates.
LESSON_08 = {"model": "lesson_08"}
LONGER = {"beam_width": 8, "length_penalty": 1.5}
BAYES = LONGER | {"sharpness": 10.0}
R_DROP = {
    "both_directions": False,
    "dropout": 0.25,
    "agreement": 5.0,
    "agreement_epochs": 10,
    "tokens_per_batch": 2400,
    "epochs": 18,
    "falling_epochs": 9,
}
VARIANTS = {
    "lesson_08": LESSON_08,
    "lesson_08_beam_8": LESSON_08 | {"decoding": {"beam_width": 8}},
    "lesson_08_beam_8_longer": LESSON_08 | {"decoding": LONGER},
    "lesson_08_bayes": LESSON_08 | {"decoding": BAYES},
    "r_drop": {"first": R_DROP},
    "r_drop_bayes": {"model": "r_drop", "decoding": BAYES},
    "first_stage": {"first": {}},
    "recipe": {"first": {}, "second": {}},
    "recipe_beam_8_longer": {"model": "recipe", "decoding": LONGER},
    "recipe_bayes": {"model": "recipe", "decoding": BAYES},
}


def measure(variant, seed):
    """Train one variant and translate the validation part; return its figures."""
    course_utils.setup(seed)
    FOLDER.mkdir(parents=True, exist_ok=True)
    settings = VARIANTS[variant]
    splits = spa_eng.load()
    lesson = models.load_lesson_translator()
    figures = {}
    if settings.get("model") == "lesson_08":
        translator = lesson
    elif "model" in settings:
        path = FOLDER / f"{settings['model']}-{seed}.weights.h5"
        translator = stored(splits, VARIANTS[settings["model"]], path)
    else:
        translator, figures = trained(splits, settings, seed)
        translator.transformer.save_weights(FOLDER / f"{variant}-{seed}.weights.h5")
    figures["parameters"] = translator.count_params()

    english = [source for source, _ in splits.validation]
    references = [several for _, several in splits.validation]
    decoding = {**DECODING, **settings.get("decoding", {})}
    beam = translate(translator, english, **decoding)
    greedy = translator.translate(english)
    texts = json.dumps({"beam": beam, "greedy": greedy}, ensure_ascii=False, indent=1)
    (FOLDER / f"{variant}-{seed}.json").write_text(texts, encoding="utf-8")

    interval = metrics.bleu_interval(beam, references)
    figures["bleu_beam"] = interval.score
    figures["bleu_low"] = interval.low
    figures["bleu_high"] = interval.high
    figures["bleu_greedy"] = metrics.bleu(greedy, references)
    figures["chrf_beam"] = metrics.chrf(beam, references)
    lesson_beam = translate(lesson, english, **DECODING)
    difference = bleu_difference(beam, lesson_beam, references)
    figures["difference"] = difference.score
    figures["difference_low"] = difference.low
    figures["difference_high"] = difference.high
    if "model" not in settings:
        figures["greedy_speed"] = speed_ratio(translator, lesson, english)
    return figures


def stored(splits, settings, path):
    """Return the translator of a variant that has been trained already."""
    recipe = recipes_of(settings)[-1]
    vectorizer = train_translator.train_vectorizer(splits, recipe)
    model = train_translator.build(recipe, vectorizer.vocabulary_size)
    model.load_weights(path)
    return Translator(vectorizer, model)


def recipes_of(settings):
    """Return the recipes of the trainings that a variant has, in their order."""
    return [
        train_translator.read_recipe(name, settings[name])
        for name in train_translator.STAGES
        if name in settings
    ]


def trained(splits, settings, seed):
    """Return the translator of a variant, and what its training took and reached."""
    english = [source for source, _ in splits.validation]
    references = [several for _, several in splits.validation]

    def after_epoch(translator, progress):
        greedy = metrics.bleu(translator.translate(english), references)
        print(f"epoch {progress['epoch']}: greedy BLEU {greedy}", flush=True)

    recipes = recipes_of(settings)
    if len(recipes) == 2:
        translator, progress = train_translator.train_in_stages(
            splits, recipes, FOLDER, seed, after_epoch
        )
    else:
        translator, progress = train_translator.train(
            splits, recipes[0], FOLDER, seed, after_epoch
        )
    figures = {
        "epochs": progress["epoch"],
        "steps": progress["steps"],
        "operations": progress["operations"],
        "processor_minutes": progress["processor_seconds"] / 60,
        "training_loss": progress["loss"],
        "validation_loss": progress["held_out_loss"],
    }
    return translator, figures


def translate(translator, texts, beam_width, length_penalty, sharpness):
    """Translate with beam search, or with minimum Bayes risk if it has a sharpness."""
    if sharpness:
        return translate_with_least_risk(
            translator, texts, beam_width, length_penalty, sharpness
        )
    return translator.translate(
        texts, method="beam", beam_width=beam_width, length_penalty=length_penalty
    )


def bleu_difference(one, other, references):
    """Return how much higher the BLEU of ``one`` is, with its 95 % bootstrap interval.

    Args:
        one, other: lists of N hypotheses for the same N sentences.
        references: list of N lists of texts.
    """
    number = len(references)
    rng = np.random.default_rng(12345)
    draws = rng.integers(number, size=(DRAWS, number))
    times = np.stack([np.bincount(rows, minlength=number) for rows in draws])
    scores = []
    for texts in (one, other):
        counts = bleu_counts(texts, references)  # (N, F)
        of_draws = [bleu_of(total) for total in times @ counts]
        scores.append([bleu_of(counts.sum(axis=0)), *of_draws])
    differences = np.subtract(scores[0], scores[1])
    low, high = np.quantile(differences[1:], [0.025, 0.975])
    return metrics.Interval(float(differences[0]), float(low), float(high))


def bleu_counts(texts, references):
    """Return each sentence's lengths, n-grams and matches, whose sums give BLEU."""
    metric = sacrebleu.BLEU(effective_order=False)
    rows = []
    for text, several in zip(texts, references, strict=True):
        score = metric.corpus_score([text], [[reference] for reference in several])
        rows.append([score.sys_len, score.ref_len, *score.counts, *score.totals])
    return np.array(rows)


def bleu_of(counts):
    """Return the BLEU of summed counts."""
    counts = [int(count) for count in counts]
    score = sacrebleu.BLEU.compute_bleu(
        correct=counts[2:6], total=counts[6:], sys_len=counts[0], ref_len=counts[1]
    )
    return score.score


def speed_ratio(translator, lesson, english, rounds=3):
    """Return how many times as fast as lesson 08's model it translates greedily.

    The two take turns, and the fastest round of each counts, so that other work on the
    machine slows both.
    """
    seconds = []  # of both, in each round
    for _ in range(rounds):
        start = time.perf_counter()
        translator.translate(english)
        middle = time.perf_counter()
        lesson.translate(english)
        seconds.append((middle - start, time.perf_counter() - middle))
    of_translator, of_lesson = np.min(seconds, axis=0)
    return float(of_lesson / of_translator)


if __name__ == "__main__":
    evidence.main("translator")
