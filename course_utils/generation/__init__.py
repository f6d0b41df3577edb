"""Decoding: greedy search, beam search and sampling, with a cache."""

from course_utils.generation.beam_search import all_beams, beam_search
from course_utils.generation.fast_search import (
    fast_beam_search,
    fast_generate,
    fast_greedy_search,
    fast_greedy_search_in_batches,
    fast_sample_search,
)
from course_utils.generation.sampling import keep_top_k, keep_top_p
from course_utils.generation.search import greedy_search, sample_search
from course_utils.generation.text_generator import TextGenerator, generate
