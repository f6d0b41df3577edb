"""Film reviews in which the order of the words tells praise from blame.

Four reviews in five have a twin with exactly the same words and the opposite label,
in the same split: "I expected something dull and what I got was clever" and "I
expected something clever and what I got was dull". Whatever looks at a bag of words
gives both twins one answer and is right once. The fifth is plain ("The plot is
clever."), so that the words' own meaning can be learned. So a bag of words is capped
at 4/5 × 50 % + 1/5 × 100 % = 60 % of pairs by construction, whatever the model.

Example:
    >>> from course_utils.datasets import reviews
    >>> texts, labels = reviews.load("test")
    >>> len(texts), labels.mean().item()
    (1000, 0.5)
"""

import itertools
import random

import numpy as np

from course_utils.datasets import bundled

SEED = 0
PLAIN_EVERY = 5  # one pair in five is plain
SIZES = {"train": 8_000, "validation": 600, "test": 1_000}

WORDS = bundled.words("reviews")
POSITIVE = WORDS["positive"]
NEGATIVE = WORDS["negative"]
SLOTS = {
    slot: [" ".join(parts) for parts in itertools.product(*choices)]
    for slot, choices in WORDS["joined"].items()
} | WORDS["slots"]


def load(split):
    """Load one split as lists, in a fixed shuffled order.

    Args:
        split: "train" (8,000 reviews), "validation" (600) or "test" (1,000).

    Returns:
        `(texts, labels)`: a list of strings and an int32 array, 1 = positive.

    Raises:
        ValueError: there is no such split.
    """
    bundled.check_split("reviews.load", split, SIZES)
    chosen = bundled.rows("reviews", split)
    texts = [text for _, _, text in chosen]
    return texts, np.array([int(label) for _, label, _ in chosen], dtype="int32")


def generate(seed=SEED, sizes=None):
    """Generate the corpus; the same seed gives the same rows on every machine.

    Args:
        seed: an integer.
        sizes: a dict from split to its even number of reviews.

    Returns:
        A list of `(split, twin, label, text)`, all strings. Twins share a number.
    """
    rng = random.Random(seed)
    sizes = SIZES if sizes is None else sizes
    seen, rows, twin = set(), [], 0
    for split, size in sizes.items():
        part = []
        while len(part) < size:
            patterns = WORDS["verdicts"] if twin % PLAIN_EVERY else WORDS["plain"]
            first, second = twins(rng, patterns)
            if first in seen or second in seen:
                continue
            seen |= {first, second}
            part += [(split, str(twin), "1", first), (split, str(twin), "0", second)]
            twin += 1
        rng.shuffle(part)
        rows += part
    return rows


def twins(rng, patterns, longest=60):
    """Write a positive review, and the negative one with praise and blame swapped.

    Args:
        rng: a `random.Random`.
        patterns: the sentences to choose from, those of verdicts or the plain ones.
        longest: the most words a review may have.

    Returns:
        `(positive, negative)`.
    """
    number = rng.choice((1, 1, 2))
    aspects = iter(rng.sample(WORDS["aspects"], 2 * number))
    words = {name: rng.choice(choices) for name, choices in SLOTS.items()}
    facts = [rng.choice(WORDS["watching"]), rng.choice(WORDS["about"])]
    facts = facts[rng.choice((0, 1, 1)) :]
    facts = [fill(rng, template, words) for template in facts]
    views = []
    for template in rng.sample(patterns, number):
        about = {
            "first": next(aspects),
            "second": next(aspects),
            "critics": rng.choice(WORDS["critics"]),
        }
        views.append(fill(rng, template, about))
    review = " ".join(views + facts if rng.random() < 0.75 else facts + views)
    if len(review.split()) > longest:
        return twins(rng, patterns, longest)
    praise = rng.sample(POSITIVE, number)
    blame = rng.sample(NEGATIVE, number)
    return insert(review, praise, blame), insert(review, blame, praise)


def insert(review, decisive, other):
    """Put adjectives into the places left for them.

    Args:
        review: text with as many `<+>` as `<->`.
        decisive: adjectives for each `<+>`, the views that count.
        other: adjectives for each `<->`, the views that don't.

    Returns:
        The finished text.
    """
    for mine, theirs in zip(decisive, other, strict=True):
        review = review.replace("<+>", mine, 1).replace("<->", theirs, 1)
    return review


def fill(rng, template, words):
    """Turn a pattern into a sentence in which only the adjectives are missing.

    Args:
        rng: a `random.Random`.
        template: text with slots such as `{actor}` and places such as `<+>`.
        words: dict from slot to text.

    Returns:
        A sentence that begins with a capital letter, with places `<+>` and `<->`.
    """
    for mark in ("<+>", "<->"):
        adverb, tail = rng.choice(WORDS["adverbs"]), rng.choice(WORDS["tails"])
        template = template.replace(mark, f"{adverb} {mark} {tail}")
    text = " ".join(template.format(**words).split())
    for sign in ".,;":
        text = text.replace(f" {sign}", sign)
    text = text.replace("[+]", "<+>").replace("[-]", "<->")
    return text[0].upper() + text[1:]
