"""Windows of long texts, and the classifier that reads them."""

import layer_battery as lb
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from keras import ops
from tiny_bert import T, V, make_encoder

from course_utils.bert.classifier import BertClassifier, split_windows
from course_utils.text.wordpiece import CLS, SEP


@settings(max_examples=40, deadline=None)
@given(
    lengths=st.lists(st.integers(0, 30), min_size=1, max_size=4),
    extra=st.integers(0, 9),
    length=st.integers(3, 12),
)
def test_windows_hold_every_token_once_and_in_order(lengths, extra, length):
    total = max(lengths) + extra
    assume(total)
    ids = np.zeros((len(lengths), total), dtype="int32")
    for row, number in zip(ids, lengths, strict=True):
        row[:number] = np.arange(10, 10 + number)
    windows = ops.convert_to_numpy(split_windows(ids, length))
    count = -(-total // (length - 2))
    assert windows.shape == (len(ids), count, min(length, total + 2))
    for row, own in zip(ids, windows, strict=True):
        assert own[own >= 10].tolist() == row[row > 0].tolist()
        for window in own:
            real = window[window > 0]
            assert (window[len(real) :] == 0).all()
            if len(real):
                assert (real[0], real[-1]) == (CLS, SEP) and len(real) >= 3


@pytest.mark.parametrize("pooling", ["mean", "first"])
def test_a_classifier_reads_long_texts_whatever_the_padding(pooling):
    model = lb.randomize(BertClassifier(make_encoder(), pooling=pooling))
    ids = lb.padded_ids([33, 4], vocab_size=V)
    expected = lb.to_numpy(model(ids))
    np.testing.assert_allclose(model(lb.lengthen(ids, 25)), expected, atol=1e-5)
    np.testing.assert_allclose(model(ids[1:, :4]), expected[1:], atol=1e-5)
    compiled = model.predict(ids, verbose=0)  # the graph doesn't know the lengths
    np.testing.assert_allclose(compiled, expected, atol=1e-5)
    changed = ids.copy()
    changed[0, 30] = changed[0, 30] % (V - 1) + 1  # the last window counts, too
    assert abs(lb.to_numpy(model(changed)) - expected)[0, 0] > 1e-6


def test_the_mean_is_that_of_all_real_tokens():
    model = lb.randomize(BertClassifier(make_encoder()))
    ids = lb.padded_ids([15], vocab_size=V)
    windows = ops.convert_to_numpy(split_windows(ids, T))[0]  # (2, T)
    x = lb.to_numpy(model.encoder(windows))
    expected = x[windows > 0].mean(axis=0)
    np.testing.assert_allclose(model.pool(ids)[0], expected, **lb.TOLERANCE)
    first = BertClassifier(model.encoder, pooling="first")
    np.testing.assert_allclose(first.pool(ids)[0], x[:, 0].mean(axis=0), **lb.TOLERANCE)
