"""What the corpora refuse, each in one sentence that names what would be right."""

import pytest

from course_utils.datasets import (
    chinese,
    dates,
    imdb,
    phrasebook,
    reviews,
    senses,
    shapes,
    verdicts,
)

SMALL = {"train": 400, "validation": 60, "test": 80}
PARTS = r"\('train', 'validation', 'test'\)"
REFUSED = [
    *[
        (load, (split,), rf"^{name}: split must be one of {PARTS}, got '{split}'\.$")
        for name, load, split in (
            ("chinese.load", chinese.load, "dev"),
            ("dates.alignments", dates.alignments, "tests"),
            ("phrasebook.alignments", phrasebook.alignments, "dev"),
            ("reviews.load", reviews.load, "unsupervised"),
            ("reviews.load", verdicts.load, "dev"),
            ("senses.load", senses.load, "dev"),
            ("shapes.load", shapes.load, "dev"),
        )
    ],
    (imdb.load, ("valid",), r"split must be one of .*'unsupervised'\), got 'valid'\."),
    *[
        (dates.load, (sizes,), r"^dates: sizes is .*at least 1, for each of .*\.$")
        for sizes in ({}, {"train": 1}, {**SMALL, "test": 0}, {"x": 3})
    ],
]


@pytest.mark.parametrize("call, arguments, sentence", REFUSED)
def test_what_is_refused_is_said_in_one_sentence(call, arguments, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        call(*arguments)
    assert "\n" not in str(caught.value)
