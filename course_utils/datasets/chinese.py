"""Short Chinese sentences, among them a habit that some cities have more than others.

Five topics. Two of them can be scored: each noun has its measure word (三本书, "three
books"), and in the sentences about food the shares of two words are planted:
four in five of those about Beijing end in noodles, one in five of those about
Guangzhou. So one can ask whether a model repeats the shares of its training text.
The habits are invented and say nothing about people.

Example:
    >>> from course_utils.datasets import chinese
    >>> len(chinese.load("test"))
    360
"""

import collections

from course_utils.datasets import bundled

TOPICS = ("food", "errand", "measure", "opposite", "season")
# Sentences of each topic in a split.
SIZES = {
    "train": (720, 560, 720, 400, 240),
    "validation": (60, 40, 60, 30, 20),
    "test": (90, 70, 120, 50, 30),
}

NOODLES = "面"
FISH = "鱼"
# The share of noodles among the sentences about a city's food, by construction.
NOODLE_SHARES = {"北京": 0.8, "上海": 0.5, "广州": 0.2}

Sentence = collections.namedtuple("Sentence", ["topic", "key", "text"])


def load(split):
    """Load one split in a fixed shuffled order.

    Args:
        split: "train" (2,640 sentences), "validation" (210) or "test" (360).

    Returns:
        A list of `Sentence(topic, key, text)`. The key is the city of a sentence about
        food, the measure word of one with a number, and "-" elsewhere.

    Raises:
        ValueError: there is no such split.
    """
    bundled.check_split("chinese.load", split, SIZES)
    return [Sentence(*row) for row in bundled.rows("chinese", split)]
