"""Mini GPT and LSTM: equal to references, causal, the same step by step, saved, used.

Decoding is tested against a loop that runs the whole model again for every token.
"""

import subprocess
import sys
import textwrap

import keras
import keras_hub
import layer_battery as lb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops
from test_transformer_encoder import reference_attention

from course_utils.characters import CharacterVectorizer
from course_utils.language_models import (
    NOT_WRITTEN,
    CausalBlock,
    CharacterLSTM,
    MiniGPT,
    TextGenerator,
    bits_per_character,
    generate,
    log_probabilities,
    perplexity,
)
from course_utils.text import END, PAD, START
from course_utils.transformer import TransformerEncoder

D, F, H, V = 8, 16, 2, 12
CONTEXT = 16
both_forms = pytest.mark.parametrize("norm_first", [False, True])


class PeekingBlock(CausalBlock):
    """Sees what comes later."""

    def attention_mask(self, inputs):
        return None


def built(x, kind=CausalBlock, **options):
    """Return a block with random weights, built for this input."""
    block = kind(D, F, H, **options)
    block(x)
    return lb.randomize(block)


def make_gpt(seed=0, **options):
    """Return a model with large random weights, so that its outputs vary."""
    keras.utils.set_random_seed(seed)
    model = MiniGPT(V, CONTEXT, D, F, H, num_layers=2, **options)
    model.build()
    return vary(model, seed)


def make_lstm(seed=0, **options):
    keras.utils.set_random_seed(seed)
    model = CharacterLSTM(V, embed_dim=6, units=D, num_layers=2, **options)
    model.build()
    return vary(model, seed)


def vary(model, seed):
    rng = np.random.default_rng(seed)
    model.set_weights([w + rng.normal(0, 0.5, w.shape) for w in model.get_weights()])
    return model


MAKERS = {"gpt": make_gpt, "lstm": make_lstm}
both_models = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@pytest.fixture(scope="module", params=MAKERS.values(), ids=MAKERS)
def model(request):
    return request.param()


# The block


@both_forms
def test_battery(norm_first):
    lb.battery(
        lambda **options: CausalBlock(
            D, F, H, activation="gelu", norm_first=norm_first, **options
        ),
        lb.random_array(2, 5, D),
        weights=4 * (D * D + D) + (D * F + F) + (F * D + D) + 2 * 2 * D,
        scores=True,
    )


@both_forms
def test_block_equals_keras_hub_decoder_without_an_encoder(norm_first):
    x, real = lb.random_array(3, 6, D), lb.padded_ids([6, 2, 4]) != 0
    ours = built(x, norm_first=norm_first)
    theirs = keras_hub.layers.TransformerDecoder(F, H, normalize_first=norm_first)
    theirs(x)
    weights = [
        *reference_attention(ours.self_attention),
        *ours.self_attention_norm.get_weights(),
    ]
    for part in (ours.dense_in, ours.dense_out, ours.feed_forward_norm):
        weights += part.get_weights()
    theirs.set_weights(weights)
    np.testing.assert_allclose(ours(x), theirs(x), **lb.TOLERANCE)
    expected = lb.to_numpy(theirs(x, decoder_padding_mask=real))
    np.testing.assert_allclose(ours(x, mask=real), expected, **lb.TOLERANCE)
    broken = built(x, PeekingBlock, norm_first=norm_first)
    assert np.abs(lb.to_numpy(broken(x, mask=real)) - expected).max() > 0.01


@both_forms
def test_last_row_of_the_block_equals_the_encoder(norm_first):
    """The last position sees all, so there the causal mask changes nothing."""
    x = lb.random_array(2, 5, D)
    block, encoder = (
        built(x, kind, norm_first=norm_first)
        for kind in (CausalBlock, TransformerEncoder)
    )
    causal, free = lb.to_numpy(block(x)), lb.to_numpy(encoder(x))
    np.testing.assert_allclose(causal[:, -1], free[:, -1], **lb.TOLERANCE)
    assert np.abs(causal[:, :-1] - free[:, :-1]).max() > 0.01
    for t in range(1, 5):  # and so does each one when it is the last
        free = lb.to_numpy(encoder(x[:, : t + 1]))
        np.testing.assert_allclose(causal[:, t], free[:, -1], **lb.TOLERANCE)


def assert_no_peeking(block, x):
    """Changing position t leaves the outputs before t bit-identical."""
    before = lb.to_numpy(block(x))
    for t in range(x.shape[1]):
        changed = x.copy()
        changed[:, t, 0] += 1
        after = lb.to_numpy(block(changed))
        np.testing.assert_array_equal(after[:, :t], before[:, :t])
        assert np.abs(after[:, t:] - before[:, t:]).max(axis=(0, 2)).min() > 1e-4


@both_forms
def test_no_peeking(norm_first):
    x = lb.random_array(2, 6, D)
    assert_no_peeking(built(x, norm_first=norm_first), x)
    with pytest.raises(AssertionError):
        assert_no_peeking(built(x, PeekingBlock, norm_first=norm_first), x)


@both_forms
def test_weights_of_the_block_are_shares_of_what_came_before(norm_first):
    x, real = lb.random_array(2, 5, D), lb.padded_ids([5, 3]) != 0
    block = built(x, norm_first=norm_first)
    weights = lb.to_numpy(block(x, mask=real, return_attention_scores=True)[1])
    allowed = np.tri(5, dtype=bool) & real[:, None, None, :]
    allowed = np.broadcast_to(allowed, weights.shape)
    assert (weights[allowed] > 0).all() and (weights[~allowed] == 0).all()
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-5)


@both_forms
def test_steps_of_the_block_equal_one_call(norm_first):
    x = lb.random_array(3, 5, D)
    block = built(x, norm_first=norm_first)
    expected = lb.to_numpy(block(x))
    empty = ops.zeros((3, H, 7, D // H))  # longer than needed
    cache = (empty, empty)
    for t in range(5):
        y, cache = block.step(ops.convert_to_tensor(x[:, t : t + 1]), t, cache)
        np.testing.assert_allclose(y[:, 0], expected[:, t], **lb.TOLERANCE)


def test_dropout_of_the_block_acts_in_training_only():
    x = lb.random_array(2, 5, D)
    block = built(x, dropout=0.5)
    quiet = lb.to_numpy(built(x)(x))
    np.testing.assert_array_equal(block(x), quiet)
    assert np.abs(lb.to_numpy(block(x, training=True)) - quiet).max() > 0.1


# The models


def test_models_see_no_later_token(model):
    ids = lb.padded_ids([8, 8], vocab_size=V)
    before = lb.to_numpy(model(ids))
    for t in range(1, 8):
        changed = ids.copy()
        changed[:, t] = ids[:, t] % (V - 1) + 1
        after = lb.to_numpy(model(changed))
        np.testing.assert_array_equal(after[:, :t], before[:, :t])
        assert np.abs(after[:, t:] - before[:, t:]).max(axis=(0, 2)).min() > 1e-5


def test_padding_changes_no_real_token(model):
    ids = lb.padded_ids([3, 6, 1], vocab_size=V)
    expected = lb.to_numpy(model(ids))[ids != 0]
    longer = lb.to_numpy(model(lb.lengthen(ids, 5)))[:, :6]
    np.testing.assert_allclose(longer[ids != 0], expected, atol=1e-5)
    alone = lb.to_numpy(model(ids[:1, :3]))
    np.testing.assert_allclose(alone[0], expected[:3], atol=1e-5)
    assert np.isfinite(longer).all()


def test_steps_equal_one_call(model):
    ids = lb.padded_ids([9, 9, 9], vocab_size=V, seed=1)
    expected = lb.to_numpy(model(ids))
    cache = model.empty_cache(3, 11)
    for t in range(9):
        logits, cache = model.step(ops.convert_to_tensor(ids[:, t]), t, cache)
        np.testing.assert_allclose(logits, expected[:, t], **lb.TOLERANCE)


def test_mini_gpt_is_its_parts():
    """Embedding, blocks, norm, and the embedding matrix again, in a plain loop."""
    gpt = make_gpt()
    ids = lb.padded_ids([7], vocab_size=V)
    tokens, positions = gpt.embedding.get_weights()
    x = (tokens[ids] * np.sqrt(D) + positions[:7]).astype("float32")
    for block in gpt.blocks:
        x = block(x)
    expected = lb.to_numpy(gpt.norm(x)) @ tokens.T
    np.testing.assert_allclose(gpt(ids), expected, rtol=1e-4, atol=1e-4)
    assert not any("predict" in weight.path for weight in gpt.weights)


def test_positions_begin_as_waves_and_are_learned():
    gpt = MiniGPT(V, CONTEXT, D, F, H, 1)
    gpt.build()
    table = gpt.embedding.position_embeddings.embeddings
    waves = lb.to_numpy(table)
    assert waves[0].tolist() == [0, 1] * (D // 2)
    np.testing.assert_allclose(waves[3, :2], [np.sin(3), np.cos(3)], atol=1e-6)
    assert any(weight is table for weight in gpt.trainable_weights)


def test_attention_of_all_blocks():
    gpt = make_gpt()
    weights = lb.to_numpy(gpt.attention(lb.padded_ids([5, 5], vocab_size=V)))
    assert weights.shape == (2, 2, H, 5, 5)
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-5)
    assert (weights[..., np.tri(5) == 0] == 0).all()


def test_the_context_is_a_limit():
    gpt = make_gpt()
    assert gpt(np.ones((1, CONTEXT), "int32")).shape == (1, CONTEXT, V)
    with pytest.raises(ValueError, match=f"the input has {CONTEXT + 1} tokens"):
        gpt(np.ones((1, CONTEXT + 1), "int32"))
    assert make_lstm()(np.ones((1, 99), "int32")).shape == (1, 99, V)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: MiniGPT(V, 8, 10, 16, 4), "embed_dim .10. must be divisible"),
        (lambda: MiniGPT(V, 8, num_layers=0), "MiniGPT: num_layers is 0"),
        (lambda: MiniGPT(0, 8), "vocab_size is 0"),
        (lambda: CharacterLSTM(V, units=-1), "CharacterLSTM: units is -1"),
        (lambda: CharacterLSTM(V, num_layers=0), "CharacterLSTM: num_layers is 0"),
    ],
)
def test_impossible_sizes(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@both_models
def test_configuration_and_shape(make):
    model = make(dropout=0.3)
    twin = type(model).from_config(model.get_config())
    assert twin.get_config() == model.get_config()
    twin.build()
    twin.set_weights(model.get_weights())
    ids = lb.padded_ids([4, 6], vocab_size=V)
    np.testing.assert_array_equal(twin(ids), model(ids))
    assert model.compute_output_shape((2, 6)) == model(ids).shape == (2, 6, V)


@both_models
def test_half_precision(make):
    exact, half = make(), make(dtype="mixed_bfloat16")
    ids = lb.padded_ids([6, 6], vocab_size=V)
    logits = half(ids)
    assert keras.backend.standardize_dtype(logits.dtype) == "bfloat16"
    assert all(weight.dtype == "float32" for weight in half.weights)
    np.testing.assert_allclose(lb.to_numpy(logits), exact(ids), rtol=0.15, atol=0.3)
    assert generate(half, [[START]], 3).shape == (1, 3)


@both_models
def test_training_lowers_the_loss_of_a_repeated_text(make):
    from course_utils.training import MaskedCrossEntropy

    model = make(dropout=0.1)
    text = np.tile([4, 5, 6, 7], (8, 3))
    model.compile(keras.optimizers.Adam(0.03), MaskedCrossEntropy())
    history = model.fit(text[:, :-1], text[:, 1:], epochs=40, verbose=0)
    losses = history.history["loss"]
    assert losses[-1] < 0.5 < 1.5 < losses[0]


# Scores


def test_log_probabilities_equal_a_plain_loop(model):
    inputs = lb.padded_ids([5, 3, 4], vocab_size=V)
    targets = lb.padded_ids([5, 3, 2], total=5, vocab_size=V, seed=1)
    found = log_probabilities(model, inputs, targets, batch_size=2)
    assert found.shape == (3, 5)
    for n, t in np.ndindex(3, 5):
        row = lb.to_numpy(model(inputs[n : n + 1]))[0, t].astype("float64")
        right = row[targets[n, t]] - np.log(np.exp(row).sum())
        right = right if targets[n, t] else 0.0
        assert found[n, t] == pytest.approx(right, abs=1e-5)


def test_perplexity_does_not_depend_on_padding_or_batches(model):
    inputs = lb.padded_ids([5, 3, 4], vocab_size=V)
    targets = lb.padded_ids([5, 3, 4], vocab_size=V, seed=1)
    expected = perplexity(log_probabilities(model, inputs, targets), targets)
    inputs, targets = (lb.lengthen(ids, 3) for ids in (inputs, targets))
    inputs, targets = (np.pad(ids, ((0, 2), (0, 0))) for ids in (inputs, targets))
    found = log_probabilities(model, inputs, targets, batch_size=2)
    assert perplexity(found, targets) == pytest.approx(expected, rel=1e-5)


def test_perplexity_of_equal_chances_is_their_number():
    targets = np.array([[4, 5, 0], [6, 0, 0]])
    log_probs = np.where(targets > 0, np.log(1 / V), -99.0)
    assert perplexity(log_probs, targets) == pytest.approx(V)
    assert bits_per_character(log_probs, targets) == pytest.approx(np.log2(V))


def test_scores_refuse():
    ids = np.ones((2, 3), "int32")
    with pytest.raises(ValueError, match="no target to score"):
        perplexity(np.zeros((1, 2)), np.zeros((1, 2)))
    for inputs, targets in ((ids, ids[:1]), (ids[0], ids[0]), (ids[:0], ids[:0])):
        with pytest.raises(ValueError, match="expected the same .N, T."):
            log_probabilities(make_lstm(), inputs, targets)


# Decoding

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


def strip(row):
    return [int(token) for token in row if token != PAD]


@both_models
def test_greedy_equals_running_the_whole_model(make):
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


def test_a_row_does_not_depend_on_the_others(model):
    """Its draws come from the seed and its place; other prompts may be longer."""
    options = dict(temperature=2.0, top_p=0.95, seed=5)
    found = generate(model, PROMPTS, 10, **options)
    shorter = generate(model, PROMPTS[:1], 10, **options)
    np.testing.assert_array_equal(shorter[0], found[0])
    others = [[START, 6], [START, 5, 6, 7, 8], [START, 7, 7, 7, 7, 7, 7]]
    np.testing.assert_array_equal(generate(model, others, 10, **options)[1], found[1])
    np.testing.assert_array_equal(generate(model, PROMPTS, 4, **options), found[:, :4])


def test_a_seed_gives_the_same_text_again(model):
    first = generate(model, PROMPTS, 10, temperature=2.0, seed=1)
    keras.utils.set_random_seed(9)  # other random numbers have no part in it
    again = generate(model, PROMPTS, 10, temperature=2.0, seed=1)
    np.testing.assert_array_equal(again, first)
    other = generate(model, PROMPTS, 10, temperature=2.0, seed=2)
    assert not np.array_equal(other, first)


def test_only_characters_and_ends_are_written(model):
    found = generate(model, [[START]] * 60, 10, temperature=50.0)
    assert set(np.unique(found)) == {PAD, *range(END, V)}
    for row in found:
        ends = np.flatnonzero((row == END) | (row == PAD))
        assert not len(ends) or (row[ends[0]] == END and not row[ends[0] + 1 :].any())


@pytest.mark.parametrize(
    "options",
    [
        {"temperature": 1e-4},
        {"top_k": 1},
        {"top_p": 1e-6},
        {"temperature": 9, "top_k": 1},
    ],
)
def test_the_limits_of_sampling_are_greedy(options, model):
    np.testing.assert_array_equal(
        generate(model, PROMPTS, 8, seed=3, **options),
        generate(model, PROMPTS, 8, temperature=0),
    )


@settings(max_examples=5, derandomize=True, deadline=None)
@given(
    prompts=st.lists(
        st.lists(st.integers(4, V - 1), max_size=5), min_size=1, max_size=4
    ),
    k=st.sampled_from([2, 3]),
    seed=st.integers(0, 9),
)
def test_draws_are_among_the_best_k(prompts, k, seed):
    gpt = SHARED.setdefault("gpt", make_gpt())
    prompts = [[START, *prompt] for prompt in prompts]
    found = generate(gpt, prompts, 6, temperature=5.0, top_k=k, seed=seed)
    for prompt, row in zip(prompts, found, strict=True):
        new = strip(row)
        logits = lb.to_numpy(gpt(np.array([[*prompt, *new]])))[0]
        logits[:, list(NOT_WRITTEN)] = -np.inf
        for place, token in enumerate(new, start=len(prompt) - 1):
            assert token in np.argsort(-logits[place])[:k]


SHARED = {}


def test_first_draws_have_the_probabilities_of_the_model(model):
    found = generate(model, [[START, 5]] * 3000, 1)[:, 0]
    logits = lb.to_numpy(model(np.array([[START, 5]])))[0, -1].astype("float64")
    chances = np.exp(logits)
    chances[list(NOT_WRITTEN)] = 0
    chances /= chances.sum()
    shares = np.bincount(found, minlength=V) / len(found)
    assert (np.abs(shares - chances) < 4 * np.sqrt(chances / 3000) + 1e-9).all()


def test_the_whole_context_can_be_used():
    gpt = make_gpt()
    prompt = [START, *[5] * (CONTEXT - 4)]
    assert generate(gpt, [prompt], 4).shape == (1, 4)
    with pytest.raises(
        ValueError, match=f"13 ids and 5 new ones .* context of {CONTEXT}"
    ):
        generate(gpt, [[START], prompt], 5)
    assert generate(make_lstm(), [prompt], 50).shape == (1, 50)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"prompts": []}, "there is no prompt"),
        ({"prompts": [[START], []]}, "prompt 1 is empty; begin each prompt with START"),
        ({"length": 0}, "generate: length is 0"),
        ({"length": 2.5}, "generate: length is 2.5"),
        ({"temperature": -1}, "temperature is -1; it must be 0 .* or above"),
        ({"temperature": float("nan")}, "temperature is nan"),
        ({"temperature": float("inf")}, "temperature is inf"),
        ({"top_k": 0}, "generate: top_k is 0"),
        ({"top_p": 0.0}, "top_p is 0.0; it must be above 0 and at most 1"),
        ({"top_p": 1.01}, "top_p is 1.01"),
        ({"seed": -1}, "seed is -1; expected an integer"),
        ({"seed": None}, "seed is None"),
    ],
)
def test_generate_refuses(options, message, model):
    call = {"prompts": [[START]], "length": 4, **options}
    with pytest.raises(ValueError, match=message):
        generate(model, **call)


# The generator of texts


@pytest.fixture(scope="module")
def generator(model):
    return TextGenerator(CharacterVectorizer("abcdefgh"), model)


def test_complete_continues_each_prompt(generator):
    prompts = ["", "abc", "h"]
    found = generator.complete(prompts, 5, temperature=0)
    for prompt, text in zip(prompts, found, strict=True):
        ids = [START, *generator.vectorizer.encode([prompt])[0]]
        ids = greedy_without_a_cache(generator.model, ids, 5)
        assert text == generator.vectorizer.decode([ids])[0]
        assert set(text) <= set("abcdefgh") and len(text) <= 5


def test_characters_outside_the_vocabulary_are_read_as_unknown(generator):
    one, other = (
        generator.complete(["a☃"], 6, seed=1),
        generator.complete(["aé"], 6, seed=1),
    )
    assert one == other
    assert "☃" not in one[0]


@pytest.mark.parametrize(
    "prompts, message",
    [
        ("abc", "prompts is one string; pass a list"),
        (["a", 3], "3 is not a string"),
        ([], "there is no prompt"),
    ],
)
def test_complete_refuses(prompts, message, generator):
    with pytest.raises(ValueError, match=message):
        generator.complete(prompts)


def test_a_prompt_longer_than_the_context_is_refused():
    generator = TextGenerator(CharacterVectorizer("abcdefgh"), make_gpt())
    with pytest.raises(ValueError, match="a prompt of 31 ids .* shorten one of them"):
        generator.complete(["a" * 30], 1)


def test_vectorizer_and_model_must_fit(model):
    with pytest.raises(ValueError, match="the vectorizer has 6 ids, but the model 12"):
        TextGenerator(CharacterVectorizer("ab"), model)


LOAD = """
    import sys
    import course_utils.language_models
    import keras

    for path in sys.argv[1:]:
        generator = keras.models.load_model(path)
        print(generator.complete(["ab", ""], 8, temperature=2.0, seed=4))
"""


def test_saved_generators_write_the_same_in_a_new_process(tmp_path):
    paths, expected = [], []
    for name, make in MAKERS.items():
        generator = TextGenerator(CharacterVectorizer("abcdefgh"), make(dropout=0.2))
        paths.append(str(tmp_path / f"{name}.keras"))
        generator.save(paths[-1])
        expected.append(str(generator.complete(["ab", ""], 8, temperature=2.0, seed=4)))
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(LOAD), *paths],
        capture_output=True,
        text=True,
        cwd=lb.ROOT,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == expected


def test_one_graph_serves_all_prompts_and_settings(monkeypatch):
    lstm, calls = make_lstm(), []
    cache = lstm.empty_cache
    monkeypatch.setattr(
        lstm, "empty_cache", lambda *sizes: calls.append(1) or cache(*sizes)
    )
    generate(lstm, PROMPTS, 3)
    made = len(calls)
    generate(lstm, PROMPTS[:2], 5, temperature=0.7, seed=5)
    generate(lstm, [[START, 5, 6]], 9, temperature=2.0)
    assert len(calls) == made
    generate(lstm, PROMPTS, 3, top_p=0.5)
    assert len(calls) > made
