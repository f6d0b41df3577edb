"""What pre-training is worth: three starts, five small pre-trainings, notes.

    python -m benchmarks.bert [--arm labels_1000 --seed 0]

Models and trainings are lesson 14b's own; the lesson explains the arms. Seed 0 of
labels_1000 and of labels_10000 tries all rates on the validation part, and the other
runs take those that were best there. An interval draws the test reviews, the same ones
for both models. Pre-trained weights and encoded texts are kept in build/.
"""

import numpy as np

import course_utils
from benchmarks import evidence as runs
from benchmarks import lesson_code
from benchmarks.imdb import stored
from course_utils import datasets, environment, evidence, models
from course_utils.bert.masking import SentencePairs, mask_tokens, pretraining_batches
from course_utils.bert.model import start_encoder
from course_utils.text.word_vectors import train_word_vectors
from course_utils.text.wordpiece import MASK, SEP
from tools import pretrain_bert

ARMS, SETTINGS = runs.settings(__file__)
SEEDS = (0, 1, 2)
LESSON = lesson_code.definitions("14b", "WINDOW", "LONGEST", "TOKENS", "PEAKS", "TAGS")
STARTS = "scratch", "vectors", "full"
LEADS = {"vectors": ["scratch"], "full": ["vectors", "pairs"]}


def measure(arm, seed):
    """Make one run; return its figures."""
    course_utils.setup(seed)
    kind, _, what = arm.partition("_")
    figures = KINDS[kind](what, seed)
    return {f"bert.{arm}.{name}": float(value) for name, value in figures.items()}


def reviews(_=None):
    """Return each part's texts, their ids and their labels."""
    vectorizer, parts = models.load_mini_bert().vectorizer, {}
    for name in "train", "validation", "test":
        texts, labels = datasets.imdb.load(name)
        parts[name] = texts, vectorizer.encode(texts), labels
    return parts


def start_of(start):
    """Return what `first_weights` takes for a start, besides the seed."""
    if start == "full":
        return {"trained": models.load_mini_bert().network.encoder.get_weights()}
    if start == "vectors":
        return {"vectors": stored("bert_vectors", "tokens", vectors_of)}
    if start == "scratch":
        return {}
    return {"trained": stored("bert_pretrained", start, pretrained)["weights"]}


def options_and_policy():
    options = models.load_mini_bert().network.encoder.options
    return options, environment.fastest_dtype()


# --- sentiment ------------------------------------------------------------------------


def tried(settings, learn):
    """Return the best setting on validation, with its test hits, and all scores.

    Args:
        settings: what to try.
        learn: a function of a setting, to a function from a part to its hits.
    """
    scores, best = [], None
    for setting in settings:
        hits = learn(setting)
        scores.append(hits("validation").mean())
        if scores[-1] == max(scores):
            best = setting, hits("test")
    return *best, scores


def settings_of(size, start, seed, all_of_them):
    """Return the rates, or values of C, that a run tries."""
    tuned = min(one for one in SETTINGS["tuned"] if one >= min(size, 10_000))
    if seed == SEEDS[0] and size == tuned:
        return all_of_them
    return evidence.values(evidence.load("bert"), f"bert.labels_{tuned}.{start}.peak")


def networks_hits(start, ids, labels, parts, seed):
    """Return `learn` for `tried`: train from a start with a rate."""
    options, policy = options_and_policy()
    model = LESSON["new_classifier"](options, policy)
    weights = LESSON["first_weights"](options, seed, **start_of(start))

    def learn(peak):
        LESSON["begin"](model, weights)
        run = peak, SETTINGS["updates"], seed, LESSON["WINDOW"]
        LESSON["train"](model, ids, labels, *run)
        return lambda part: LESSON["hits_of"](model, *parts[part][1:])

    return learn


def pairs_hits(texts, labels, parts):
    """Return `learn` for `tried`: count pairs and fit with a value of C."""

    def learn(c):
        model = LESSON["count_pairs"](texts, labels, c)
        return lambda part: model.predict(parts[part][0]) == parts[part][2]

    return learn


def some_labels(size, seed):
    """Return texts, ids and labels of a seed's reviews, and the parts to measure on."""
    parts = stored("bert_reviews", "ids", reviews)
    order = np.random.default_rng(seed).permutation(len(parts["train"][0]))[:size]
    tested = np.random.default_rng(0).permutation(len(parts["test"][0]))
    chosen = {"train": order, "test": tested[: SETTINGS["tested"]]}
    chosen["validation"] = np.arange(len(parts["validation"][0]))
    parts = {
        name: ([texts[i] for i in rows], [ids[i] for i in rows], labels[rows])
        for name, rows in chosen.items()
        for texts, ids, labels in [parts[name]]
    }
    texts, ids, labels = parts.pop("train")
    ends_of, longest = LESSON["ends_of"], LESSON["LONGEST"]
    for name, (read, long, truth) in parts.items():
        parts[name] = read, [ends_of(one, longest) for one in long], truth
    return texts, ids, labels, parts


def of_labels(size, seed):
    """Train the three starts, and count pairs, with so many labels."""
    size, figures, hits = int(size), {}, {}
    texts, ids, labels, parts = some_labels(size, seed)
    for start in (*STARTS, "pairs"):
        if start == "pairs":
            learn, settings = pairs_hits(texts, labels, parts), SETTINGS["c"]
        else:
            learn = networks_hits(start, ids, labels, parts, seed)
            settings = LESSON["PEAKS"]
        settings = settings_of(size, start, seed, settings)
        peak, hits[start], scores = tried(settings, learn)
        figures |= {f"{start}.peak": peak, f"{start}.validation_accuracy": max(scores)}
        figures[f"{start}.test_accuracy"] = hits[start].mean()
    for one, others in LEADS.items():
        for other in others:
            lead = hits[one].astype(float) - hits[other]
            draws = np.random.default_rng(0).integers(len(lead), size=(1000, len(lead)))
            low, high = np.percentile(lead[draws].mean(axis=1), [2.5, 97.5])
            ends = {"": lead.mean(), "_low": low, "_high": high}
            figures |= {f"{one}_over_{other}{end}": x for end, x in ends.items()}
    return figures


def after(kind, seed):
    """Fine-tune a small pre-training with 1,000 labels."""
    _, ids, labels, parts = some_labels(1000, seed)
    learn = networks_hits(kind, ids, labels, parts, seed)
    peak = evidence.values(evidence.load("bert"), "bert.labels_1000.full.peak")[0]
    return {"test_accuracy": learn(peak)("test").mean()}


def of_all(start, seed):
    """Learn from all labels; test on all test reviews."""
    parts = stored("bert_reviews", "ids", reviews)
    (texts, ids, labels), (more, more_ids, others) = parts["train"], parts["validation"]
    labels, (read, test_ids, truth) = np.concatenate([labels, others]), parts["test"]
    if start == "pairs":
        model = LESSON["count_pairs"](texts + more, labels)
        return {"test_accuracy": (model.predict(read) == truth).mean()}
    options, policy = options_and_policy()
    model = LESSON["new_classifier"](options, policy)
    weights = LESSON["first_weights"](options, seed, **start_of(start))
    peak = settings_of(len(labels), start, seed, ())[0]
    LESSON["learn_all"](model, weights, ids + more_ids, labels, peak, seed)
    test_ids = [LESSON["ends_of"](one, LESSON["LONGEST"]) for one in test_ids]
    return {"test_accuracy": LESSON["hits_of"](model, test_ids, truth).mean()}


# --- pre-training ---------------------------------------------------------------------


def texts_of(kind):
    """Return the ids of the texts of a pre-training."""
    vectorizer = models.load_mini_bert().vectorizer
    if kind == "other":
        english = [pair[0] for pair in datasets.spa_eng.load().train]
        step = SETTINGS["pretrain"]["sentences"]
        starts = range(0, len(english), step)
        texts = [" ".join(english[i : i + step]) for i in starts]
        return pretrain_bert.encode(vectorizer, texts)
    ids = pretrain_bert.encode(vectorizer, pretrain_bert.load_texts("full")[0])
    if kind == "few":
        pieces, count = sum(map(len, texts_of("other"))), np.cumsum([*map(len, ids)])
        ids = ids[: np.searchsorted(count, pieces) + 1]
    return ids


def vectors_of(kind):
    """Return word vectors (V, D), learned from the texts of a pre-training."""
    options = models.load_mini_bert().network.encoder.options
    shape = options["vocab_size"], options["embed_dim"]
    return train_word_vectors(texts_of(kind), *shape, SETTINGS["pretrain"]["passes"])


def pretrained(kind):
    """Pre-train; return the encoder's weights, and figures on held-out reviews."""
    plan, vectorizer = SETTINGS["pretrain"], models.load_mini_bert().vectorizer
    recipe, size = pretrain_bert.RECIPES["full"], vectorizer.vocabulary_size
    texts_kind = kind if kind in ("few", "other") else "tokens"
    network = pretrain_bert.build(recipe, size)
    start_encoder(network.encoder, stored("bert_vectors", texts_kind, vectors_of))
    pretrain_bert.compile_network(network)
    pairs = SentencePairs(
        texts_of(kind),
        plan["length"],
        vectorizer.sentence_ends,
        follow=0.5 if kind == "both" else 1.0,
    )
    hide = LESSON["mask_runs"] if kind == "runs" else mask_tokens
    data = pretraining_batches(pairs, size, plan["batch_size"], hide=hide)
    network.fit(
        data,
        steps_per_epoch=plan["updates"],
        callbacks=[LESSON["Rate"](plan["peak"], plan["updates"])],
        shuffle=False,
        verbose=0,
    )
    held_out = stored("bert_reviews", "ids", reviews)["validation"][1]
    held_out = pretrain_bert.batches(vectorizer, held_out, recipe, 1)
    held_out = held_out.take(plan["held_out"])
    found = network.evaluate(held_out, verbose=0, return_dict=True)
    figures = {"masked_accuracy": found["tokens"], "follows": found["follows"]}
    return {"weights": network.encoder.get_weights(), "figures": figures}


def pretrain(kind, seed):
    """Pre-train unless the weights are there; return what was measured then."""
    return stored("bert_pretrained", kind, pretrained)["figures"]


# --- notes ----------------------------------------------------------------------------


def of_notes(kind, seed):
    """Train a reader of the generated notes from a start, or with hidden questions."""
    options, policy = options_and_policy()
    notes = {split: datasets.notes.load(split) for split in ("train", "test")}
    pieces = LESSON["pieces_of_notes"](models.load_mini_bert().vectorizer, notes)
    data = {split: LESSON["arrays_of"](part, pieces) for split, part in notes.items()}
    if kind == "blind":
        for ids, segments, *_ in data.values():
            ids[(segments == 0) & (ids > SEP)] = MASK
    weights = start_of("full" if kind == "blind" else kind).get("trained")
    run = seed, *SETTINGS["reader"].values()
    reader = LESSON["train_reader"](options, policy, data["train"], weights, *run)
    exact, f1, names = LESSON["read"](reader, data["test"])
    return {"exact_match": exact.mean(), "f1": f1.mean(), "name_f1": names}


KINDS = {"labels": of_labels, "after": after, "all": of_all}
KINDS |= {"pretrain": pretrain, "notes": of_notes}

if __name__ == "__main__":
    runs.main("bert")
