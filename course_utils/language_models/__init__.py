"""Models of one text: n-grams, an LSTM, a mini GPT."""

from course_utils.language_models.networks import (
    CausalBlock,
    CharacterLSTM,
    MiniGPT,
    bits_per_character,
    log_probabilities,
    perplexity,
)
from course_utils.language_models.ngrams import NgramModel
