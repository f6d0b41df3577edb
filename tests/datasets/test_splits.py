"""A split that a corpus doesn't have is refused, and the right ones are named."""

import pytest

from course_utils import datasets
from course_utils.datasets import imdb


@pytest.mark.parametrize(
    "load",
    [
        datasets.chinese.load,
        datasets.dates.alignments,
        datasets.phrasebook.alignments,
        datasets.reviews.load,
        datasets.senses.load,
        datasets.shapes.load,
        datasets.verdicts.load,
        imdb.load,
    ],
)
def test_another_split_is_refused(load):
    with pytest.raises(ValueError, match="'train', 'validation', 'test'.*got 'dev'"):
        load("dev")
