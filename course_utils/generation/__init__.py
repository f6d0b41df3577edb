"""Decoding: greedy search, beam search and sampling, with a cache."""

from course_utils.generation.beam_search import beam_search
from course_utils.generation.search import (
    greedy_search,
    keep_top_k,
    keep_top_p,
    sample_search,
)
from course_utils.generation.steps import compiled
from course_utils.generation.text_generator import TextGenerator, generate
