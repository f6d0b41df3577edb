"""Decoding: greedy search, beam search and sampling, with a cache."""

from course_utils.generation.beam_search import beam_search
from course_utils.generation.graphs import compiled
from course_utils.generation.sampling import keep_top_k, keep_top_p
from course_utils.generation.search import greedy_search, sample_search
from course_utils.generation.text_generator import TextGenerator, generate
