"""Language models write on, as a loop does that runs the whole model for each token."""

import re

import keras
import layer_battery as lb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_models import at_the_limits, strip
from tiny_language_models import CONTEXT, MAKERS, V, both_models, make_gpt, make_lstm

from course_utils.generation.text_generator import NOT_WRITTEN, TextGenerator, generate
from course_utils.text.characters import CharacterVectorizer
from course_utils.text.vectorizers import END, PAD, START

kind, model, _ = lb.kinds_of_models(MAKERS, lambda kind: MAKERS[kind]())
PROMPTS = [[START], [START, 5, 6, 7, 8], [START, 9], [START, 4, 4, 4]]


def greedy_without_a_cache(model, prompt, length):
    """Run the whole model again for each token."""
    tokens, new = list(prompt), []
    while len(new) < length and new[-1:] != [END]:
        logits = lb.to_numpy(model(np.array([tokens])))[0, -1]
        logits[list(NOT_WRITTEN)] = -np.inf
        new.append(int(logits.argmax()))
        tokens.append(new[-1])
    return new


@both_models
def test_generate_at_temperature_0_equals_running_the_whole_model(make):
    """Also for prompts of different lengths in one batch, and one at a time."""
    ended = []
    for seed in range(3):
        model = make(seed)
        found = generate(model, PROMPTS, 9, temperature=0)
        assert found.shape == (4, 9)
        for prompt, row in zip(PROMPTS, found, strict=True):
            assert strip(row) == greedy_without_a_cache(model, prompt, 9)
            assert strip(generate(model, [prompt], 9, temperature=0)[0]) == strip(row)
            ended.append(END in row)
    assert any(ended) and not all(ended)  # else the test would show little


def test_generate_draws_depend_on_seed_and_place_only(model):
    """Not from the other rows, which may be longer, or from other random numbers."""

    def draw(prompts, length=10, seed=5):
        options = dict(temperature=2.0, top_p=0.95, seed=seed)
        return generate(model, prompts, length, **options)

    found = draw(PROMPTS)
    np.testing.assert_array_equal(draw(PROMPTS[:1])[0], found[0])
    others = [[START, 6], [START, 5, 6, 7, 8], [START, 7, 7, 7, 7, 7, 7]]
    np.testing.assert_array_equal(draw(others)[1], found[1])
    np.testing.assert_array_equal(draw(PROMPTS, 4), found[:, :4])
    keras.utils.set_random_seed(9)
    np.testing.assert_array_equal(draw(PROMPTS), found)
    assert not np.array_equal(draw(PROMPTS, seed=2), found)


def test_generate_writes_only_characters_and_ends(model):
    found = generate(model, [[START]] * 60, 10, temperature=50.0)
    assert set(np.unique(found)) == {PAD, *range(END, V)}
    for row in found:
        ends = np.flatnonzero((row == END) | (row == PAD))
        assert not len(ends) or (row[ends[0]] == END and not row[ends[0] + 1 :].any())


@at_the_limits
def test_generate_at_the_limits_of_sampling_is_greedy(options, model):
    found = generate(model, PROMPTS, 8, seed=3, **options)
    np.testing.assert_array_equal(found, generate(model, PROMPTS, 8, temperature=0))


PROMPT = st.lists(st.integers(4, V - 1), max_size=5).map(lambda ids: [START, *ids])


@settings(max_examples=5, derandomize=True)
@given(st.lists(PROMPT, min_size=1, max_size=4), st.integers(2, 3), st.integers(0, 9))
def test_generate_draws_among_the_best_k(model, prompts, k, seed):
    found = generate(model, prompts, 6, temperature=5.0, top_k=k, seed=seed)
    for prompt, row in zip(prompts, found, strict=True):
        new = strip(row)
        logits = lb.to_numpy(model(np.array([[*prompt, *new]])))[0]
        logits[:, list(NOT_WRITTEN)] = -np.inf
        for place, token in enumerate(new, start=len(prompt) - 1):
            assert token in np.argsort(-logits[place])[:k]


def test_generate_frequencies_are_the_probabilities(model):
    found = generate(model, [[START, 5]] * 3000, 1)[:, 0]
    logits = lb.to_numpy(model(np.array([[START, 5]])))[0, -1].astype("float64")
    chances = np.exp(logits)
    chances[list(NOT_WRITTEN)] = 0
    chances /= chances.sum()
    shares = np.bincount(found, minlength=V) / len(found)
    assert (np.abs(shares - chances) < 4 * np.sqrt(chances / 3000) + 1e-9).all()


def test_generate_can_use_the_whole_context():
    prompt = [START, *[5] * (CONTEXT - 4)]
    assert generate(make_gpt(), [prompt], 4).shape == (1, 4)
    assert generate(make_lstm(), [prompt], 50).shape == (1, 50)


@pytest.fixture(scope="module")
def generator(model):
    return TextGenerator(CharacterVectorizer("abcdefgh"), model)


def test_complete_continues_each_prompt(generator):
    prompts = ["", "abc", "h"]
    found = generator.complete(prompts, 5, temperature=0)
    vectorizer = generator.vectorizer
    for prompt, text in zip(prompts, found, strict=True):
        ids = [START, *vectorizer.encode([prompt])[0]]
        ids = greedy_without_a_cache(generator.model, ids, 5)
        assert text == vectorizer.decode([ids])[0]
        assert set(text) <= set("abcdefgh") and len(text) <= 5


def test_complete_reads_other_characters_as_unknown(generator):
    found = generator.complete(["a☃"], 6, seed=1)
    assert found == generator.complete(["aé"], 6, seed=1)
    assert "☃" not in found[0]


LOAD = """
    import sys
    import course_utils.language_models
    import keras

    for path in sys.argv[1:]:
        generator = keras.models.load_model(path)
        print(generator.complete(["ab", ""], 8, temperature=2.0, seed=4))
"""


def test_complete_in_a_new_process_writes_the_same(tmp_path):
    paths, expected = [], []
    for name, make in MAKERS.items():
        generator = TextGenerator(CharacterVectorizer("abcdefgh"), make(dropout=0.2))
        paths.append(tmp_path / f"{name}.keras")
        generator.save(paths[-1])
        expected.append(str(generator.complete(["ab", ""], 8, temperature=2.0, seed=4)))
    assert lb.run_python(LOAD, *paths).splitlines() == expected


def test_generate_compiles_one_graph_for_all_settings(monkeypatch):
    lstm, calls = make_lstm(), []
    step = lstm.step
    monkeypatch.setattr(lstm, "step", lambda *given: calls.append(1) or step(*given))
    generate(lstm, PROMPTS, 3)
    made = len(calls)
    generate(lstm, PROMPTS[:2], 5, temperature=0.7, seed=5)
    generate(lstm, [[START, 5, 6]], 9, temperature=2.0)
    generate(lstm, PROMPTS, 3, top_p=0.5)
    assert len(calls) == made


BAD_PROMPTS = [
    ({"prompts": []}, "there is no prompt"),
    ({"prompts": [[2], []]}, "prompt 1 is empty"),
    ({"length": 0}, "generate: length is 0"),
    ({"length": 2.5}, "generate: length is 2.5"),
    (
        {"prompts": [[2], [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]], "length": 5},
        "13 ids and 5 new ones don't",
    ),
    (
        {"prompts": [[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]], "length": 5},
        "context of 16",
    ),
]


@pytest.mark.parametrize("options, said", BAD_PROMPTS)
def test_prompts_and_lengths_that_cannot_be_are_refused(options, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        generate(make_gpt(), **{"prompts": [[START]], "length": 4, **options})


@pytest.mark.parametrize(
    "prompts, letters, said",
    [
        ("abc", "abcdefgh", "prompts is one string"),
        (["a", 3], "abcdefgh", "3 is not a string"),
        ([], "abcdefgh", "there is no prompt"),
        (["a" * 30], "abcdefgh", "31 ids and 1 new"),
        (["a"], "ab", "vectorizer has 6 ids, but the model 12"),
    ],
)
def test_texts_that_cannot_be_completed_are_refused(prompts, letters, said):
    with pytest.raises(ValueError, match=said):
        TextGenerator(CharacterVectorizer(letters), make_gpt()).complete(prompts, 1)
