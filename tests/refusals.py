"""What is refused is said in one sentence: the test of a table of bad calls."""

import pytest


def one_sentence(refused):
    """Return the test of (function, arguments, regular expression of the sentence)."""

    @pytest.mark.parametrize("call, arguments, sentence", refused)
    def test(call, arguments, sentence):
        with pytest.raises(ValueError, match=sentence) as caught:
            call(*arguments)
        said = str(caught.value)
        # Keras adds what a layer was called with.
        assert "\n" not in said or "Arguments received by" in said

    return test
