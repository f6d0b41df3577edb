"""One position at a time with a cache gives the same as all positions at once."""

from functools import partial

import layer_battery as lb
import numpy as np
import pytest
from keras import ops

from course_utils.attention import cached_steps
from course_utils.attention.transformer import TransformerDecoder
from course_utils.language_models import CausalBlock
from course_utils.layers import RotaryTransformerEncoder

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
    cache = cached_steps.empty_cache(layer, 2 * beams, STEPS + 2)  # longer than needed
    memory = layer.cross_attention.project_keys_values(tensor(source))
    for t in range(STEPS):
        x = tensor(target[:, t : t + 1])
        x, cache = cached_steps.step_decoder_block(layer, x, t, cache, memory, real)
        lb.assert_close(x[:, 0], expected[:, t])
    x = tensor(target)
    if norm_first:
        x = layer.self_attention_norm(x)
    expected = layer.self_attention.project_keys_values(x)
    lb.assert_close([part[:, :, :STEPS] for part in cache], expected)


@both_forms
def test_steps_of_the_causal_block_equal_one_call(norm_first):
    x = lb.random_array(3, STEPS, D)
    block = lb.built(partial(CausalBlock, D, F, H, norm_first=norm_first), (x,))
    expected = lb.to_numpy(block(x))
    cache = cached_steps.empty_cache(block, 3, STEPS + 2)
    for t in range(STEPS):
        y, cache = cached_steps.step_causal_block(
            block, tensor(x[:, t : t + 1]), t, cache
        )
        lb.assert_close(y[:, 0], expected[:, t])


def test_a_rotary_block_takes_no_cached_step():
    """Each step would be turned as position 0."""
    x = lb.random_array(3, 1, D)
    block = lb.built(partial(RotaryTransformerEncoder, D, F, H), (x,))
    cache = cached_steps.empty_cache(block, 3, STEPS)
    with pytest.raises(ValueError, match="RotaryAttention: a cached step would turn"):
        cached_steps.step_causal_block(block, tensor(x), 1, cache)
