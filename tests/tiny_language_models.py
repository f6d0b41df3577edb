"""A small mini GPT and a small LSTM with random weights, for the tests."""

import keras
import layer_battery as lb
import pytest

from course_utils.language_models import CharacterLSTM, MiniGPT

D, F, H, V = 8, 16, 2, 12
CONTEXT = 16


def make_gpt(seed=0, **options):
    """Return a model with large random weights, so that its outputs vary."""
    keras.utils.set_random_seed(seed)
    model = MiniGPT(V, CONTEXT, D, F, H, num_layers=2, **options)
    model.build()
    return lb.vary(model, 0.5, seed)


def make_lstm(seed=0, **options):
    keras.utils.set_random_seed(seed)
    model = CharacterLSTM(V, embed_dim=6, units=D, num_layers=2, **options)
    model.build()
    return lb.vary(model, 0.5, seed)


MAKERS = {"gpt": make_gpt, "lstm": make_lstm}
both_models = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
