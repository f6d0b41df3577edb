"""Tables of inputs; and what is refused is said in one sentence."""

import contextlib
import json
import re
from pathlib import Path

import pytest

from course_utils.kit.files import DataError

# Tables of what is refused; a row ends with what the sentence says.
REFUSED = json.loads(Path(__file__).with_name("refused.json").read_text("utf-8"))
TABLES = json.loads(Path(__file__).with_name("tables.json").read_text("utf-8"))


def refuses(sentence):
    """Expect an error with this sentence in it."""
    return pytest.raises(ValueError, match=re.escape(sentence))


@contextlib.contextmanager
def data_error(*parts):
    """Expect one sentence that has these parts and says how to go on without data."""
    with pytest.raises(DataError) as caught:
        yield
    said = str(caught.value)
    assert "\n" not in said and said.endswith(".") and ". " not in said
    for part in ("COURSE_DATA=sample", *parts):
        assert part in said


def one_sentence(refused):
    """Return the test of (function, arguments if any, what matches the sentence)."""
    rows = [(call, *(arguments or [()]), said) for call, *arguments, said in refused]

    @pytest.mark.parametrize("call, arguments, sentence", rows)
    def test(call, arguments, sentence):
        with pytest.raises(ValueError, match=sentence) as caught:
            call(*arguments)
        said = str(caught.value)
        # Keras adds what a layer was called with.
        assert "\n" not in said or "Arguments received by" in said

    return test
