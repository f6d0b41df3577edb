"""The course's corpora: imdb and spa_eng are real; the others come with the package."""

from course_utils.datasets import (
    chinese,
    dates,
    imdb,
    notes,
    phrasebook,
    reviews,
    senses,
    shapes,
    spa_eng,
    verdicts,
)
