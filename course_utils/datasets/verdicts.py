"""A one-sentence verdict for each generated review: what a summary has to find.

The verdict names the adjectives that decide and leaves out those that are denied,
outweighed or somebody else's view, so half of the work is to find out which is which.

Example:
    >>> verdict("The plot is dull, but the film itself is clever.", 1)
    'The film is clever.'
"""

import re

from course_utils.datasets import reviews


def load(split):
    """Load one split of the generated reviews with their verdicts.

    Args:
        split: "train" (8,000 reviews), "validation" (600) or "test" (1,000).

    Returns:
        `(texts, verdicts, labels)`: two lists of strings and an int32 array.

    Raises:
        ValueError: there is no such split.
    """
    texts, labels = reviews.load(split)
    verdicts = [verdict(*pair) for pair in zip(texts, labels, strict=True)]
    return texts, verdicts, labels


def verdict(text, label):
    """Return the verdict of a review: its adjectives on the side of its label.

    Args:
        text: a generated review.
        label: 1 = positive, 0 = negative.

    Returns:
        A sentence such as "The film is clever and moving."
    """
    decisive = reviews.POSITIVE if label else reviews.NEGATIVE
    adjectives = [word for word in re.findall(r"\w+", text) if word in decisive]
    return f"The film is {' and '.join(dict.fromkeys(adjectives))}."
