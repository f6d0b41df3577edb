"""What corpora and batches refuse, each in one sentence that names what is right."""

import numpy as np
from refusals import one_sentence

from course_utils import datasets
from course_utils.datasets import character_windows as windows
from course_utils.datasets import dates, imdb
from course_utils.datasets.streams import array_batches

ROWS = np.zeros(3)
ONE_EACH = {"train": 1, "validation": 1, "test": 1}
PARTS = r"\('train', 'validation', 'test'(, 'far_.*')?\)"
REFUSED = [
    *[
        (load, (split,), rf"^{name}: split must be one of {PARTS}, got '{split}'\.$")
        for name, load, split in (
            ("chinese.load", datasets.chinese.load, "dev"),
            ("dates.alignments", dates.alignments, "tests"),
            ("phrasebook.alignments", datasets.phrasebook.alignments, "dev"),
            ("reviews.load", datasets.reviews.load, "unsupervised"),
            ("reviews.load", datasets.verdicts.load, "dev"),
            ("senses.load", datasets.senses.load, "dev"),
            ("shapes.load", datasets.shapes.load, "dev"),
        )
    ],
    (imdb.load, ("valid",), r"split must be one of .*'unsupervised'\), got 'valid'\."),
    *[
        (dates.load, (sizes,), r"^dates: sizes is .*at least 1, for each of .*\.$")
        for sizes in ({}, {"train": 1}, {**ONE_EACH, "test": 0}, {"x": 3})
    ],
    (windows.split_texts, (["a", "b", "b."], (1, 1)), "take 2 texts, .* only 2 diff"),
    (windows.training_batches, (np.arange(6), 6, 1), "stream has 6 ids; .* length 6"),
    *[
        (windows.scoring_windows, ([[5] * 20], 4, n), f"is {n}; it must be at least 0")
        for n in (-1, 4, 9)
    ],
    (array_batches, ((ROWS, np.zeros(4)), ROWS, 2), r"have \[3, 4, 3\] rows; expected"),
]

test_what_is_refused_is_said_in_one_sentence = one_sentence(REFUSED)
