"""The film reviews: their generator stands in the package, for a lesson makes more."""

from course_utils.datasets.reviews import generate  # noqa: F401
from tools.corpora import common

HEADER = common.header("split, twin number, label (1 = positive), text")
