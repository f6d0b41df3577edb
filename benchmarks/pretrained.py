"""Published weights: MiniLM with few and with all labels, SmolLM2 asked for a label.

    python -m benchmarks.pretrained [--variant all_1000 --seed 0]

Lessons 13 and 14 read the file; models, trainings and prompts are those that they
build in view. A seed draws other labels, or other examples for a prompt; all are tested
on the same reviews. With seed 0 each variant tries three settings on the same
validation reviews, and a fourth one where the best lies at an end; the other seeds take
the best. With all labels each pass keeps its weights in build/, and the next one goes
on from there; `teacher` and `cpu` alone read the test part, and the first one writes
its logits into the evidence. `differences` compares variants by review, and comes last.
"""

import itertools
import time

import keras
import keras_hub
import numpy as np
import tensorflow as tf

import course_utils
from benchmarks import answers, evidence, lesson_code, writing
from benchmarks.imdb import ROOT
from course_utils import datasets, models
from course_utils.bert import BertClassifier
from course_utils.kit import presets
from course_utils.kit.evidence import FOLDER
from course_utils.kit.files import atomic_write
from course_utils.kit.presets.checkpoints import checkpoint

(VARIANTS, _), SEEDS = evidence.settings(__file__), (0, 1, 2)
ROW_A_FIGURE = True  # `fixed` and `differences` measure many models
TEST, VALIDATION, PASSES = 2500, 1000, 3
ASKED, WORDS, SHOWN = {"test": 500, "validation": 200}, 40, 20  # words at each end
SIZES = 100, 250, 1000, 2500
READ = 128, 384  # pieces of a validation review, after each pass over all labels
C = {"pairs": (1, 5, 25), "frozen": (1e-3, 1e-2, 0.1)}
NAMES = {"13": ["PARTS"], "14": ["SYSTEM", "CHAT", "ASK", "PROMPTS", "options"]}
WEIGHTS = ROOT / "build" / "minilm"


def measure(variant, seed):
    """Make one run; return its figures."""
    given = {"course": course_utils.setup(seed), "corpus": datasets.imdb, "LENGTH": 128}
    settings = {
        key: value for key, value in VARIANTS[variant].items() if key != "seeds"
    }
    kind = settings.pop("kind")
    number = "14" if kind in ("zero_shot", "few_shot", "speed") else "13"
    lesson = lesson_code.definitions(number, *NAMES[number], **given)
    figures = globals()[kind](lesson, variant, seed, **settings)
    return {name: float(value) for name, value in figures.items()}


def tried(name, seed, settings, learn):
    """Return the figures of the best setting, which seed 0 finds on validation.

    Args:
        name: under which the figures stand.
        settings: numbers to try.
        learn: a function of a setting, to a function from a part to which of its
            answers are right.
    """
    if seed != SEEDS[0]:
        settings = [first_found(f"{name}.setting")]
    score = lambda right: np.mean(right("validation"))  # noqa: E731
    best, right, scores = evidence.best_from_search(settings, learn, score, 1)
    figures = {"setting": best, "validation_accuracy": scores[best]}
    figures["test_accuracy"] = np.mean(answers.kept(name, seed, right("test")))
    return {f"{name}.{figure}": value for figure, value in figures.items()}


def first_found(name):
    """Return a figure that was found with seed 0."""
    return evidence.value_of_seed_0("pretrained", name)


def differences(lesson, variant, seed, pairs):
    """Return by how much variants are right more often than others, and the errors."""
    return answers.differences(pairs, SEEDS)


def parts_of(lesson):
    """Return the validation and the test reviews of all variants with few labels."""
    sizes = {"validation": VALIDATION, "test": TEST}
    return {part: lesson["some"](part, count) for part, count in sizes.items()}


# --- MiniLM and mini BERT -------------------------------------------------------------


def with_encoder(lesson, **options):
    """Load MiniLM, and give the lesson's functions what they read."""
    encoder = presets.load(keras_hub.models.BertBackbone, "minilm", **options)
    pieces = presets.load_quietly(keras_hub.models.BertTokenizer, "minilm")
    lesson |= {"encoder": encoder, "bert_pieces": pieces}
    lesson["embedder"] = lesson["as_graph"](lesson["with_pooling"](encoder))


def fixed(lesson, variant, seed):
    """A logistic regression on counted word pairs, or on the vectors as they are.

    Counting reads whole reviews, or no more than MiniLM (cut) or SmolLM2 (short).
    """
    with_encoder(lesson)
    parts = parts_of(lesson) | {"train": lesson["some"]("train", max(SIZES), seed)}
    short, piece = lesson_code.definitions("14")["short"], lesson["bert_pieces"]
    inputs = {way: {} for way in ("pairs", "pairs_cut", "pairs_short", "frozen")}
    for part, (texts, _) in parts.items():
        inputs["pairs"][part], rows = texts, lesson["encoded"](texts)
        signs = [" ".join(map(piece.id_to_token, row[1:-1])) for row in rows]
        inputs["pairs_cut"][part] = [text.replace(" ##", "") for text in signs]
        inputs["pairs_short"][part] = [short(text, WORDS) for text in texts]
        inputs["frozen"][part] = lesson["apply"](lesson["embedder"], rows)
    makers = {"pairs": lesson["word_pairs"], "frozen": lesson["on_vectors"]}

    def learner(way, size):
        def learn(c):
            own, labels = inputs[way], parts["train"][1][:size]
            model = makers[way.partition("_")[0]](c).fit(own["train"][:size], labels)
            # Beside SmolLM2 the reviews that it answers, which are the first ones.
            most = ASKED if way == "pairs_short" else dict.fromkeys(ASKED)
            cut = {part: slice(count) for part, count in most.items()}
            truth = {part: parts[part][1][some] for part, some in cut.items()}
            return lambda part: model.predict(own[part][cut[part]]) == truth[part]

        return learn

    figures = {}
    for way, size in itertools.product(inputs, SIZES):
        name, settings = f"pretrained.{way}_{size}", C[way.partition("_")[0]]
        figures |= tried(name, seed, settings, learner(way, size))
    if seed == SEEDS[0]:
        parts["train"], name = datasets.imdb.load("train"), "pretrained.pairs_22500"
        inputs["pairs"]["train"] = parts["train"][0]
        figures |= tried(name, seed, C["pairs"], learner("pairs", None))
        best = makers["pairs"](figures[f"{name}.setting"])
        texts, labels = datasets.imdb.load("test")
        whole = best.fit(*parts["train"]).score(texts, labels)
        figures[f"{name}.all_test_accuracy"] = whole
    return figures


class Logits(BertClassifier):
    """Lesson 11's classifier, before its sigmoid."""

    def call(self, inputs, training=False):
        x = self.dropout_layer(self.pool(inputs, training), training=training)
        return self.output_dense(x)


def trained(lesson, variant, seed, tries=(), at_rate_of="", passes=PASSES):
    """Train MiniLM in one of its ways, or the course's own small BERT."""
    way, _, labels = variant.replace("_long", "").rpartition("_")
    tries = tries or [first_found(f"pretrained.{at_rate_of}.setting")]
    train, parts = lesson["some"]("train", int(labels), seed), parts_of(lesson)
    if way == "mini_bert":
        vectorizer = models.load_mini_bert().vectorizer

        def encoded(texts):  # [CLS] and [SEP] are put in by the classifier
            rows = vectorizer.encode(texts)
            return [r if len(r) < 127 else r[:63] + r[-63:] for r in rows]

    else:
        with_encoder(lesson)
        encoded = lesson["encoded"]
    rows = {part: encoded(texts) for part, (texts, _) in parts.items()}

    def learn(peak):
        keras.utils.set_random_seed(seed)
        if way == "mini_bert":
            model = Logits(models.load_mini_bert().network.encoder)
        else:
            model = lesson["classifier"](lesson["body_of"](lesson["encoder"], way))
        lesson["fine_tune"](model, encoded(train[0]), train[1], peak, passes, seed)

        def right(part):
            said = lesson["apply"](lesson["as_graph"](model), rows[part])[:, 0]
            return (said > 0) == parts[part][1]

        return right

    return tried(f"pretrained.{variant}", seed, tries, learn)


def for_all_labels(lesson, after=None, **options):
    """Return the classifier of all labels, with the weights that a pass has left."""
    with_encoder(lesson, **options)
    model = lesson["classifier"](lesson["body_of"](lesson["encoder"], "all"))
    if after:
        path = WEIGHTS / f"{after}.weights.h5"
        if not path.is_file():
            raise FileNotFoundError(f"{path.name} isn't there: measure {after} first.")
        model.load_weights(path)
    return model


def one_pass(lesson, variant, seed, length, tokens, of_peak, after=None, **options):
    """Read all labels once, with a part of the rate that few labels have chosen."""
    model = for_all_labels(lesson, after, **options)
    peak = of_peak * first_found("pretrained.all_1000.setting")
    texts, labels = datasets.imdb.load("train")
    rows, start = lesson["encoded"](texts, length), time.perf_counter()
    lesson["fine_tune"](model, rows, labels, peak, 1, seed + length, tokens)
    minutes = (time.perf_counter() - start) / 60
    WEIGHTS.mkdir(parents=True, exist_ok=True)
    model.save_weights(WEIGHTS / f"{variant}.weights.h5")
    texts, labels = datasets.imdb.load("validation")
    graph, figures = (
        lesson["as_graph"](model),
        {f"minilm.imdb.{variant}.minutes": minutes},
    )
    for read in READ:  # so that a longer text and one more pass can be told apart
        said = lesson["apply"](graph, lesson["encoded"](texts, read))[:, 0]
        name = f"minilm.imdb.{variant}.validation_accuracy_{read}"
        figures[name] = np.mean(answers.kept(name, seed, (said > 0) == labels))
    return figures


def teacher(lesson, variant, seed, after, parts, name="minilm.imdb", **options):
    """Test the last pass, once; of more parts than the test, write the logits."""
    graph = lesson["as_graph"](for_all_labels(lesson, after, **options))
    length, said, right, words = VARIANTS[after]["length"], {}, {}, {}
    for part in dict.fromkeys([*parts, "train", "validation"]):
        texts, labels = datasets.imdb.load(part)
        words[part] = [" ".join(text.lower().split()) for text in texts]
        if part in parts:
            logits = lesson["apply"](graph, lesson["encoded"](texts, length))[:, 0]
            said[part], right[part] = logits.astype("float16"), (logits > 0) == labels
    if len(parts) > 1:
        with atomic_write(FOLDER / "minilm_logits.npz", "wb") as file:
            np.savez_compressed(file, **said)
    seen = {*words["train"], *words["validation"]}
    copied, right = np.array([text in seen for text in words["test"]]), right["test"]
    figures = {"test_accuracy": right.mean(), "copies": copied.sum()}
    figures["clean_accuracy"] = right[~copied].mean()
    minutes = [
        f"minilm.imdb.{run}.minutes" for run in (VARIANTS[after]["after"], after)
    ]
    figures["train_minutes"] = sum(map(first_found, minutes))
    return {f"{name}.{figure}": value for figure, value in figures.items()}


# --- SmolLM2 --------------------------------------------------------------------------


def with_writer(lesson):
    """Load SmolLM2, and give the lesson's functions what they read."""
    writer = presets.load(keras_hub.models.CausalLM, "smollm2")
    lesson |= {"writer": writer, "writer_pieces": writer.preprocessor.tokenizer}
    lesson["step"] = tf.function(writer.call_with_cache, **lesson["options"])


def speed(lesson, variant, seed):
    """Pieces a second, greedy with the cache."""
    with_writer(lesson)
    return writing.speed(lesson)


def asked(lesson, name, starts, part):
    """Return labels after each start, in three ways, (P, 3, N); which are right."""
    _, suffix, both, _ = lesson["PROMPTS"][name]
    texts, truth = lesson["some"](part, ASKED[part])
    texts, said = [" " + lesson["short"](text, WORDS) for text in texts], []
    for start in starts:
        scores = lesson["log_odds"](start, texts, suffix, both)
        (neutral,) = lesson["log_odds"](start, [" N/A"], suffix, both)
        said.append([*lesson["labelled"](scores, neutral).values()])
    return np.array(said), np.array(said) == truth


def named(kind, accuracies):
    """Return the accuracies of the three ways to a label, by name."""
    names = [f"smollm2.{kind}{end}.accuracy" for end in ("", ".calibrated", ".half")]
    return dict(zip(names, accuracies, strict=True))


def prompts_tried(lesson, kind, starts):
    """Try prompts on validation; return figures, and the best prompt for each way."""
    figures, right = {}, {}
    for name, start in starts.items():
        right[name] = asked(lesson, name, [start], "validation")[1][0].mean(axis=1)
        figures |= named(f"{kind}.{name}", right[name])
    return figures, [max(right, key=lambda n: right[n][way]) for way in range(3)]


def zero_shot(lesson, variant, seed):
    """Choose a prompt on validation for each way to a label, and test it."""
    with_writer(lesson)
    starts = {name: prompt[0] for name, prompt in lesson["PROMPTS"].items()}
    figures, best = prompts_tried(lesson, "prompt", starts)
    tested = {name: asked(lesson, name, [starts[name]], "test") for name in {*best}}
    figures["smollm2.zero_shot.says_positive"] = tested[best[0]][0][0, 0].mean()
    folder = checkpoint("smollm2", presets.CARDS["smollm2"], weights=False)
    figures["smollm2.came_with_bits"] = 4 if list(folder.glob("*.gguf")) else 16
    right = [tested[name][1][0, way].mean() for way, name in enumerate(best)]
    return figures | named("zero_shot", right)


def few_shot(lesson, variant, seed):
    """Show four examples, others for each seed, in all orders of their labels.

    With seed 0 the first order chooses a prompt, as it says, for all runs.
    """
    with_writer(lesson)
    texts, labels = lesson["some"]("train", 40, seed)
    shown = [lesson["short"](text, SHOWN) for text in texts]
    orders, starts = lesson["orders_of"](shown, labels, 2).values(), {}
    for name, prompt in lesson["PROMPTS"].items():
        starts[name] = [lesson["with_examples"](order, *prompt) for order in orders]
    kind, figures = "few_shot.prompt", {}
    if seed == SEEDS[0]:
        first = {name: own[0] for name, own in starts.items()}
        figures, (best, *_) = prompts_tried(lesson, kind, first)
    else:
        known = {n: first_found(f"smollm2.{kind}.{n}.accuracy") for n in starts}
        best = max(known, key=known.get)
    said, right = asked(lesson, best, starts[best], "test")
    answers.kept("smollm2.few_shot", seed, right[:, 0].mean(axis=0))
    # The same prompt without examples: what do the examples bring?
    bare = asked(lesson, best, [lesson["PROMPTS"][best][0]], "test")[1][0]
    figures |= named("no_examples", bare.mean(axis=1))
    answers.kept("smollm2.no_examples", seed, bare[0])
    votes, each = said[:, 0].mean(axis=0), right[:, 0].mean(axis=1)
    found = {"disagree": np.mean((votes > 0) & (votes < 1))}
    found |= {"lowest": each.min(), "highest": each.max()}
    figures |= {f"smollm2.few_shot.{name}": value for name, value in found.items()}
    return figures | named("few_shot", right.mean(axis=(0, 2)))


if __name__ == "__main__":
    evidence.main("pretrained")
