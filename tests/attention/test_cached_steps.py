"""One position at a time with a cache gives the same as all positions at once."""

from functools import partial

import layer_battery as lb
import numpy as np
import pytest
from keras import ops

from course_utils.attention.blocks import TransformerDecoder
from course_utils.language_models import CausalBlock

D, F, H, STEPS = 8, 16, 2, 5
both_forms = pytest.mark.parametrize("norm_first", [False, True])
tensor = ops.convert_to_tensor


@both_forms
@pytest.mark.parametrize("beams", [1, 3])
def test_steps_of_the_decoder_equal_one_call(norm_first, beams):
    target = lb.random_array(2 * beams, STEPS, D)
    source, real = lb.random_array(2, 4, D, seed=1), lb.padded_ids([4, 2]) != 0
    repeated = np.repeat(source, beams, axis=0)
    make = partial(TransformerDecoder, D, F, H, norm_first=norm_first)
    layer = lb.built(make, (target, repeated))
    mask = np.repeat(real, beams, axis=0)
    expected = layer(target, repeated, encoder_outputs_mask=mask)
    cache = layer.empty_cache(2 * beams, STEPS + 2)  # longer than needed
    memory = layer.cross_attention.project_keys_values(tensor(source))
    for t in range(STEPS):
        x = tensor(target[:, t : t + 1])
        x, cache = layer.step(x, t, cache, memory, real)
        lb.assert_close(x[:, 0], expected[:, t])
    x = layer.before(layer.self_attention_norm, tensor(target))
    expected = layer.self_attention.project_keys_values(x)
    lb.assert_close([part[:, :, :STEPS] for part in cache], expected)


@both_forms
def test_steps_of_the_causal_block_equal_one_call(norm_first):
    x = lb.random_array(3, STEPS, D)
    block = lb.built(partial(CausalBlock, D, F, H, norm_first=norm_first), (x,))
    expected = lb.to_numpy(block(x))
    cache = block.empty_cache(3, STEPS + 2)
    for t in range(STEPS):
        y, cache = block.step(tensor(x[:, t : t + 1]), t, cache)
        lb.assert_close(y[:, 0], expected[:, t])
