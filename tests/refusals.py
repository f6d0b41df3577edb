"""Tables of inputs; and what is refused is said in one sentence."""

import json
import re
from pathlib import Path

import pytest

# Tables of what is refused; a row ends with what the sentence says.
REFUSED = json.loads(Path(__file__).with_name("refused.json").read_text("utf-8"))
TABLES = json.loads(Path(__file__).with_name("tables.json").read_text("utf-8"))


def refuses(sentence):
    """Expect an error with this sentence in it."""
    return pytest.raises(ValueError, match=re.escape(sentence))


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
