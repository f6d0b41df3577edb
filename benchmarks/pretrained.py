"""Published weights: MiniLM with few and with all labels, SmolLM2 asked for a label.

    python -m benchmarks.pretrained [--variant all_1000 --seed 0]

Models, trainings and prompts are those of the lessons on published weights. A seed
draws other labels, or other examples for a prompt; all are tested on the same reviews.
With seed 0 each variant tries three settings on the same validation reviews, and a
fourth one where the best lies at an end; the other seeds take the best. With all
labels each pass keeps its weights in build/, and the next one goes on from there;
`teacher` and `cpu` alone read the test part, and the first one writes its logits into
the evidence. `differences` compares variants by review, and comes last.
"""

import functools
import itertools
import time

import keras
import keras_hub
import numpy as np

import course_utils
from benchmarks import answers, evidence, writing
from benchmarks.imdb import ROOT
from benchmarks.lessons import pretrained as lesson
from benchmarks.lessons import prompting
from course_utils import datasets, models
from course_utils.bert import BertClassifier
from course_utils.kit import presets
from course_utils.kit.evidence import FOLDER
from course_utils.kit.files import atomic_write
from course_utils.kit.presets.checkpoints import checkpoint

ROW_A_FIGURE = True  # `fixed` and `differences` measure many models
SEEDS = (0, 1, 2)
TEST = 2500  # reviews
VALIDATION = 1000
PASSES = 3
ASKED = {"test": 500, "validation": 200}  # reviews that SmolLM2 is asked about
WORDS = 40  # of a review, at each end
SHOWN = 20  # words of an example, at each end
SIZES = (100, 250, 1000, 2500)  # labels
READ = (128, 384)  # pieces of a validation review, after each pass over all labels
STRENGTHS = {"pairs": (1, 5, 25), "frozen": (1e-3, 1e-2, 0.1)}  # C, to try
WEIGHTS = ROOT / "build" / "minilm"

# Whose lead over whom is measured, review by review.
COMPARED = (
    ("pretrained.all_1000", "pretrained.scratch_1000"),
    ("pretrained.all_1000", "pretrained.scratch_long_1000"),
    ("pretrained.all_1000", "pretrained.frozen_1000"),
    ("pretrained.lora_1000", "pretrained.frozen_1000"),
    ("pretrained.all_1000", "pretrained.lora_1000"),
    ("pretrained.all_1000", "pretrained.mini_bert_1000"),
    ("pretrained.all_1000", "pretrained.pairs_cut_1000"),
    ("pretrained.all_1000", "pretrained.pairs_1000"),
    ("pretrained.pairs_1000", "pretrained.pairs_cut_1000"),
    ("pretrained.frozen_100", "pretrained.pairs_cut_100"),
    ("pretrained.frozen_250", "pretrained.pairs_cut_250"),
    ("pretrained.frozen_1000", "pretrained.pairs_cut_1000"),
    ("pretrained.frozen_2500", "pretrained.pairs_cut_2500"),
    (
        "minilm.imdb.pass_128.validation_accuracy_384",
        "minilm.imdb.pass_128.validation_accuracy_128",
    ),
    (
        "minilm.imdb.pass_384.validation_accuracy_384",
        "minilm.imdb.pass_128.validation_accuracy_384",
    ),
    ("smollm2.few_shot", "smollm2.no_examples"),
)


def measure(variant, seed):
    """Make one run; return its figures."""
    course_utils.setup(seed)
    settings = dict(VARIANTS[variant])
    settings.pop("seeds", None)
    run = settings.pop("run")
    figures = run(variant, seed, **settings)
    return {name: float(value) for name, value in figures.items()}


def tuned(name, seed, settings, learn):
    """Return the figures of the best setting, which seed 0 finds on validation.

    Args:
        name: under which the figures stand.
        settings: numbers to try.
        learn: a function of a setting, to a function from a part to which of its
            answers are right.
    """
    if seed != SEEDS[0]:
        settings = [first_found(f"{name}.setting")]

    def score(right):
        return np.mean(right("validation"))

    best, right, scores = evidence.best_from_search(settings, learn, score, 1)
    on_test = answers.keep(name, seed, right("test"))
    return {
        f"{name}.setting": best,
        f"{name}.validation_accuracy": scores[best],
        f"{name}.test_accuracy": np.mean(on_test),
    }


def first_found(name):
    """Return a figure that was found with seed 0."""
    return evidence.value_of_seed_0("pretrained", name)


def differences(variant, seed, pairs):
    """Return by how much variants are right more often than others, and the errors."""
    return answers.differences(pairs, SEEDS)


def held_out():
    """Return the validation and the test reviews of all variants with few labels."""
    sizes = {"validation": VALIDATION, "test": TEST}
    return {part: lesson.some(part, count) for part, count in sizes.items()}


# --- MiniLM and mini BERT -------------------------------------------------------------


class MiniLM:
    """The published encoder, its pieces, and a graph from ids to vectors.

    Args:
        name: of the preset.
        options: of the encoder, such as dtype.
    """

    def __init__(self, name="minilm", **options):
        kind = keras_hub.models.BertBackbone
        self.encoder = presets.load(kind, name, **options)
        self.pieces = presets.load_quietly(keras_hub.models.BertTokenizer, name)
        self.embed = lesson.as_graph(lesson.with_pooling(self.encoder))

    def encoded(self, texts, length=lesson.LENGTH):
        return lesson.encoded(self.pieces, texts, length)

    def as_read(self, rows):
        """Return texts of all that is read of rows of ids."""
        texts = []
        for row in rows:
            pieces = [self.pieces.id_to_token(i) for i in row[1:-1]]
            texts.append(" ".join(pieces).replace(" ##", ""))
        return texts


def fixed(variant, seed):
    """A logistic regression on counted word pairs, or on the vectors as they are.

    Counting reads whole reviews, or no more than MiniLM (cut) or SmolLM2 (short).
    """
    minilm = MiniLM()
    parts = held_out()
    parts["train"] = lesson.some("train", max(SIZES), seed)
    inputs = {"pairs": {}, "pairs_cut": {}, "pairs_short": {}, "frozen": {}}
    for part, (texts, _) in parts.items():
        rows = minilm.encoded(texts)
        inputs["pairs"][part] = texts
        inputs["pairs_cut"][part] = minilm.as_read(rows)
        inputs["pairs_short"][part] = [prompting.short(text, WORDS) for text in texts]
        inputs["frozen"][part] = lesson.apply(minilm.embed, rows)

    def answers_to(model, way, part):
        # Beside SmolLM2 the reviews that it answers, which are the first ones.
        count = ASKED[part] if way == "pairs_short" else None
        read, labels = inputs[way][part][:count], parts[part][1][:count]
        return model.predict(read) == labels

    def learn(way, size, c):
        make = lesson.on_vectors if way == "frozen" else lesson.word_pairs
        model = make(c).fit(inputs[way]["train"][:size], parts["train"][1][:size])
        return functools.partial(answers_to, model, way)

    figures = {}
    for way, size in itertools.product(inputs, SIZES):
        name = f"pretrained.{way}_{size}"
        strengths = STRENGTHS["frozen" if way == "frozen" else "pairs"]
        figures |= tuned(name, seed, strengths, functools.partial(learn, way, size))
    if seed == SEEDS[0]:  # all labels
        name = "pretrained.pairs_22500"
        parts["train"] = datasets.imdb.load("train")
        inputs["pairs"]["train"] = parts["train"][0]
        learn_all = functools.partial(learn, "pairs", None)
        figures |= tuned(name, seed, STRENGTHS["pairs"], learn_all)
        best = lesson.word_pairs(figures[f"{name}.setting"]).fit(*parts["train"])
        whole = best.score(*datasets.imdb.load("test"))
        figures[f"{name}.all_test_accuracy"] = whole
    return figures


class Logits(BertClassifier):
    """The course's classifier on BERT, before its sigmoid."""

    def call(self, inputs, training=False):
        x = self.dropout_layer(self.pool(inputs, training), training=training)
        return self.output_dense(x)


def encoded_for_mini_bert(texts):
    """Return ids without [CLS] and [SEP], which the classifier puts in."""
    rows = models.load_mini_bert().vectorizer.encode(texts)
    return [row if len(row) < 127 else row[:63] + row[-63:] for row in rows]


def trained(variant, seed, tries=None, at_rate_of="", passes=PASSES):
    """Train MiniLM in one of its ways, or the course's own small BERT."""
    way, _, labels = variant.replace("_long", "").rpartition("_")
    tries = tries or [first_found(f"pretrained.{at_rate_of}.setting")]
    texts, labels = lesson.some("train", int(labels), seed)
    parts = held_out()
    if way == "mini_bert":
        encoded = encoded_for_mini_bert
    else:
        minilm = MiniLM()
        encoded = minilm.encoded
    rows = {part: encoded(own) for part, (own, _) in parts.items()}

    def learn(peak):
        keras.utils.set_random_seed(seed)
        if way == "mini_bert":
            model = Logits(models.load_mini_bert().network.encoder)
        else:
            model = lesson.classifier(lesson.body_of(minilm.encoder, way))
        lesson.fine_tune(model, encoded(texts), labels, peak, passes, seed)

        def right(part):
            logits = lesson.apply(lesson.as_graph(model), rows[part])[:, 0]
            return (logits > 0) == parts[part][1]

        return right

    return tuned(f"pretrained.{variant}", seed, tries, learn)


def for_all_labels(minilm, after=None):
    """Return the classifier of all labels, with the weights that a pass has left.

    Raises:
        FileNotFoundError: the pass before wasn't made here.
    """
    model = lesson.classifier(lesson.body_of(minilm.encoder, "all"))
    if after:
        path = WEIGHTS / f"{after}.weights.h5"
        if not path.is_file():
            raise FileNotFoundError(f"{path.name} isn't there: measure {after} first.")
        model.load_weights(path)
    return model


def one_pass(variant, seed, length, tokens, of_peak, after=None, **options):
    """Read all labels once, with a part of the rate that few labels have chosen."""
    minilm = MiniLM(**options)
    model = for_all_labels(minilm, after)
    peak = of_peak * first_found("pretrained.all_1000.setting")
    texts, labels = datasets.imdb.load("train")
    rows = minilm.encoded(texts, length)
    start = time.perf_counter()
    lesson.fine_tune(model, rows, labels, peak, 1, seed + length, tokens)
    minutes = (time.perf_counter() - start) / 60
    WEIGHTS.mkdir(parents=True, exist_ok=True)
    model.save_weights(WEIGHTS / f"{variant}.weights.h5")
    figures = {f"minilm.imdb.{variant}.minutes": minutes}
    texts, labels = datasets.imdb.load("validation")
    graph = lesson.as_graph(model)
    for read in READ:  # so that a longer text and one more pass can be told apart
        logits = lesson.apply(graph, minilm.encoded(texts, read))[:, 0]
        name = f"minilm.imdb.{variant}.validation_accuracy_{read}"
        figures[name] = np.mean(answers.keep(name, seed, (logits > 0) == labels))
    return figures


def teacher(variant, seed, after, parts, name="minilm.imdb", **options):
    """Test the last pass, once; of more parts than the test, write the logits."""
    minilm = MiniLM(**options)
    graph = lesson.as_graph(for_all_labels(minilm, after))
    length = VARIANTS[after]["length"]
    stored = {}
    for part in parts:
        texts, _ = datasets.imdb.load(part)
        logits = lesson.apply(graph, minilm.encoded(texts, length))[:, 0]
        if part == "test":
            on_test = logits
        stored[part] = logits.astype("float16")
    if len(parts) > 1:
        with atomic_write(FOLDER / "minilm_logits.npz", "wb") as file:
            np.savez_compressed(file, **stored)
    texts, labels = datasets.imdb.load("test")
    right = (on_test > 0) == labels
    copied = copies(texts)
    minutes = [
        first_found(f"minilm.imdb.{run}.minutes")
        for run in (VARIANTS[after]["after"], after)
    ]
    return {
        f"{name}.test_accuracy": right.mean(),
        f"{name}.copies": copied.sum(),
        f"{name}.clean_accuracy": right[~copied].mean(),
        f"{name}.train_minutes": sum(minutes),
    }


def copies(texts):
    """Return which texts stand in training or validation, too, (N,)."""

    def plain(text):
        return " ".join(text.lower().split())

    seen = set()
    for part in ("train", "validation"):
        seen |= {plain(text) for text in datasets.imdb.load(part)[0]}
    return np.array([plain(text) in seen for text in texts])


# --- SmolLM2 --------------------------------------------------------------------------


def load_writer():
    return prompting.Writer(presets.load(keras_hub.models.CausalLM, "smollm2"))


def speed(variant, seed):
    """Pieces a second, greedy with the cache."""
    return writing.speed(load_writer())


def ask(writer, name, starts, part):
    """Ask for labels after each start, in three ways; return both as (P, 3, N).

    Args:
        name: of the prompt.
        starts: P texts that stand before a review.

    Returns:
        The labels, and which of them are right.
    """
    _, suffix, both, _ = prompting.PROMPTS[name]
    texts, truth = lesson.some(part, ASKED[part])
    texts = [" " + prompting.short(text, WORDS) for text in texts]
    labels = []
    for start in starts:
        scores = writer.log_odds(start, texts, suffix, both)
        (neutral,) = writer.log_odds(start, [" N/A"], suffix, both)
        labels.append(list(prompting.labelled(scores, neutral).values()))
    return np.array(labels), np.array(labels) == truth


def accuracies(kind, values):
    """Return the accuracies of the three ways to a label, by name."""
    as_it_says, calibrated, half = values
    return {
        f"smollm2.{kind}.accuracy": as_it_says,
        f"smollm2.{kind}.calibrated.accuracy": calibrated,
        f"smollm2.{kind}.half.accuracy": half,
    }


def try_prompts(writer, kind, starts):
    """Try prompts on validation; return figures, and the best prompt for each way."""
    figures, right = {}, {}
    for name, start in starts.items():
        _, hits = ask(writer, name, [start], "validation")
        right[name] = hits[0].mean(axis=1)  # of three ways
        figures |= accuracies(f"{kind}.{name}", right[name])
    best = []
    for way in range(3):
        of_way = {name: rates[way] for name, rates in right.items()}
        best.append(max(of_way, key=of_way.get))
    return figures, best


def zero_shot(variant, seed):
    """Choose a prompt on validation for each way to a label, and test it."""
    writer = load_writer()
    starts = {name: prompt[0] for name, prompt in prompting.PROMPTS.items()}
    figures, best = try_prompts(writer, "prompt", starts)
    tested = {name: ask(writer, name, [starts[name]], "test") for name in set(best)}
    labels, _ = tested[best[0]]
    figures["smollm2.zero_shot.says_positive"] = labels[0, 0].mean()
    folder = checkpoint("smollm2", presets.CARDS["smollm2"], weights=False)
    figures["smollm2.came_with_bits"] = 4 if list(folder.glob("*.gguf")) else 16
    right = [tested[name][1][0, way].mean() for way, name in enumerate(best)]
    return figures | accuracies("zero_shot", right)


def few_shot(variant, seed):
    """Show four examples, others for each seed, in all orders of their labels.

    With seed 0 the first order chooses a prompt, as it says, for all runs.
    """
    writer = load_writer()
    texts, labels = lesson.some("train", 40, seed)
    shown = [prompting.short(text, SHOWN) for text in texts]
    orders = prompting.orders_of(shown, labels, 2).values()
    starts = {}
    for name, prompt in prompting.PROMPTS.items():
        starts[name] = [prompting.with_examples(order, *prompt) for order in orders]
    figures = {}
    if seed == SEEDS[0]:
        first = {name: own[0] for name, own in starts.items()}
        figures, (best, _, _) = try_prompts(writer, "few_shot.prompt", first)
    else:
        known = {
            name: first_found(f"smollm2.few_shot.prompt.{name}.accuracy")
            for name in starts
        }
        best = max(known, key=known.get)
    labels, right = ask(writer, best, starts[best], "test")  # (P, 3, N)
    answers.keep("smollm2.few_shot", seed, right[:, 0].mean(axis=0))
    # The same prompt without examples: what do the examples bring?
    _, bare = ask(writer, best, [prompting.PROMPTS[best][0]], "test")
    figures |= accuracies("no_examples", bare[0].mean(axis=1))
    answers.keep("smollm2.no_examples", seed, bare[0, 0])
    votes = labels[:, 0].mean(axis=0)  # of the orders, for each review
    of_orders = right[:, 0].mean(axis=1)
    figures["smollm2.few_shot.disagree"] = np.mean((votes > 0) & (votes < 1))
    figures["smollm2.few_shot.lowest"] = of_orders.min()
    figures["smollm2.few_shot.highest"] = of_orders.max()
    return figures | accuracies("few_shot", right.mean(axis=(0, 2)))


# --- what is run ----------------------------------------------------------------------

# Decisive variants first. Minutes are estimates for one run on two free cores, from the
# processor time of single updates and prompts. Together: 128, and up to 15 more where a
# best setting lies at an end and a fourth one is tried.
ONCE = {"seeds": [0]}
CPU = {"dtype": "mixed_bfloat16"}
VARIANTS = {
    # Counted pairs of whole, cut and short reviews, and frozen vectors, at all sizes.
    "fixed": {"run": fixed},  # 5.5, then 2
    # With seed 0 three rates are tried on validation: three trainings for one. All
    # tries reach over a factor of ten.
    "all_1000": {"run": trained, "tries": (3e-5, 1e-4, 3e-4)},  # 6, then 2.5
    "scratch_1000": {"run": trained, "tries": (1e-4, 3e-4, 1e-3)},  # 6, then 2.5
    "lora_1000": {"run": trained, "tries": (3e-4, 1e-3, 3e-3)},  # 4.5, then 2
    "mini_bert_1000": {"run": trained, "tries": (1e-4, 3e-4, 1e-3)},  # 2, then 1
    # Random weights need more updates: four times as many, at the rate that is best
    # above.
    "scratch_long_1000": {
        "run": trained,
        "at_rate_of": "scratch_1000",
        "passes": 12,
        **ONCE,
    },  # 8
    "zero_shot": {"run": zero_shot, **ONCE},  # 4 to 6: up to three prompts win
    "few_shot": {"run": few_shot},  # 9, then 7
    # All labels, two passes: at most so many pieces of a review, and so many in a batch
    # that it holds about 16 reviews both times; the second one at half the rate. Each
    # is a run of its own, so that a break costs one pass at most. Takes 5 GB of memory.
    "pass_128": {
        "run": one_pass,
        "length": 128,
        "tokens": 2048,
        "of_peak": 1.0,
        **ONCE,
    },  # 10.5
    "pass_384": {
        "run": one_pass,
        "length": 384,
        "tokens": 4096,
        "of_peak": 0.5,
        "after": "pass_128",
        **ONCE,
    },  # 24
    # "unsupervised" among the parts adds the logits of reviews without labels: 14 more.
    "teacher": {
        "run": teacher,
        "after": "pass_384",
        "parts": ("train", "validation", "test"),
        **ONCE,
    },  # 14
    # The same two passes on two cores: with numbers of 16 bits, and without dropout.
    "cpu_128": {
        "run": one_pass,
        "length": 128,
        "tokens": 2048,
        "of_peak": 1.0,
        "dropout": 0.0,
        **CPU,
        **ONCE,
    },  # 14
    "cpu_384": {
        "run": one_pass,
        "length": 384,
        "tokens": 4096,
        "of_peak": 0.5,
        "after": "cpu_128",
        "dropout": 0.0,
        **CPU,
        **ONCE,
    },  # 31
    "cpu": {
        "run": teacher,
        "after": "cpu_384",
        "parts": ("test",),
        "name": "minilm.imdb.cpu",
        **CPU,
        **ONCE,
    },  # 17
    # After all others, for it may stop: the first pieces of a long answer have to come.
    "speed": {"run": speed, **ONCE},  # 1
    # From the answers that all these have stored, so with the last seed.
    "differences": {"run": differences, "pairs": COMPARED, "seeds": [2]},
}


if __name__ == "__main__":
    evidence.main("pretrained")
