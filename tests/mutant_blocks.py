"""Blocks with one bug each, which a proof of the right ones must catch."""

from keras import ops

from course_utils.attention.transformer import TransformerDecoder, TransformerEncoder
from course_utils.language_models import CausalBlock


class DeafEncoder(TransformerEncoder):
    """It ignores the mask."""

    def call(self, inputs, mask=None, **options):
        everything = ops.ones(ops.shape(inputs)[:2], dtype="bool")
        return super().call(inputs, mask=everything, **options)


class MutedDecoder(TransformerDecoder):
    """The bug of many tutorials: the source's mask never arrives."""

    def call(self, inputs, encoder_outputs, inputs_mask=None, **options):
        options.pop("encoder_outputs_mask", None)
        encoder_outputs = encoder_outputs + 0.0  # the sum carries no mask
        return super().call(inputs, encoder_outputs, inputs_mask, **options)


class SwappedDecoder(TransformerDecoder):
    """Its cross-attention uses the target's mask."""

    def call(self, inputs, encoder_outputs, inputs_mask=None, **options):
        options["encoder_outputs_mask"] = inputs_mask
        return super().call(inputs, encoder_outputs, inputs_mask, **options)


class PeekingDecoder(TransformerDecoder):
    """Its self-attention has no causal mask."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        call = self.self_attention.call
        self.self_attention.call = lambda query, value, **options: call(
            query, value, value_mask=options.get("value_mask")
        )


class PeekingBlock(CausalBlock):
    """Sees what comes later."""

    call = TransformerEncoder.call
