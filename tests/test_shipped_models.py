"""The models in models/ load in a fresh process and answer as they always did.

The references in ``golden/shipped_models.npz`` were computed with the code of the
course's second edition, commit 7439a0c. After a new training of a model
``python tests/test_shipped_models.py`` writes them anew.
"""

from pathlib import Path

import layer_battery as lb
import numpy as np
import pytest

GOLDEN = Path(__file__).parent / "golden" / "shipped_models.npz"

ANSWERS = """
    import sys
    import keras
    import numpy as np
    import course_utils.layers

    golden = np.load(sys.argv[1])
    translator = keras.models.load_model("models/en_es.keras")
    pair = (golden["translator.source"], golden["translator.target"])
    logits = translator.transformer(pair)
    weights = translator.transformer.cross_attention(pair)
    mini_bert = keras.models.load_model("models/mini_bert.keras")
    ids = golden["bert.ids"]
    tokens, follows = mini_bert.network((ids, 0 * ids, golden["bert.positions"]))
    mini_gpt = keras.models.load_model("models/mini_gpt.keras")
    following = mini_gpt.model(golden["gpt.ids"])
    np.savez(
        sys.argv[2],
        **{
            "translator.logits": np.array(logits)[0, :, :64],
            "translator.weights": np.array(weights)[:, 0, 0],
            "bert.logits": np.array(tokens)[0, :, :64],
            "bert.next": np.array(follows)[0],
            "gpt.logits": np.array(following)[0, :, :64],
        },
    )
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Return what the models answer in a new Python, without ``custom_objects``."""
    path = tmp_path_factory.mktemp("shipped") / "answers.npz"
    lb.run_python(ANSWERS, GOLDEN, path)
    return np.load(path)


@pytest.mark.tensorflow
@pytest.mark.parametrize(
    "name",
    [
        "translator.logits",
        "translator.weights",
        "bert.logits",
        "bert.next",
        "gpt.logits",
    ],
)
def test_a_shipped_model_answers_as_before(answers, name):
    np.testing.assert_allclose(answers[name], np.load(GOLDEN)[name], atol=1e-5)


def write_golden():
    """Store new answers, after a model was trained anew; the inputs stay."""
    golden = dict(np.load(GOLDEN))
    new = GOLDEN.with_name("new_answers.npz")
    lb.run_python(ANSWERS, GOLDEN, new)
    golden.update(np.load(new))
    np.savez_compressed(GOLDEN, **golden)
    new.unlink()


if __name__ == "__main__":
    write_golden()
