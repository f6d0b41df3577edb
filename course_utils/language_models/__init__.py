"""Models of one text: n-grams, an LSTM, a mini GPT; scored, and writing."""

from course_utils.generation.text_generator import TextGenerator, generate
from course_utils.language_models.lstm import CharacterLSTM
from course_utils.language_models.mini_gpt import CausalBlock, MiniGPT
from course_utils.language_models.ngrams import NgramModel
from course_utils.language_models.perplexity import (
    bits_per_character,
    log_probabilities,
)
