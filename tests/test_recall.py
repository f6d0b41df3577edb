"""The memory game: every question has its fact, and readers return answers only."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from course_utils.recall import (
    BOXES,
    CONTENTS,
    QUESTION,
    QUESTIONS,
    SelfAttention,
    loss_without_boxes,
    most_frequent_accuracy,
    most_frequent_content,
    recall_reader,
    recall_texts,
)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, BOXES), st.integers(0, 1000))
def test_every_answer_is_the_content_of_the_box_asked_for(facts, seed):
    tokens, answers = recall_texts(5, facts, seed)
    assert tokens.shape == (5, facts + QUESTIONS, 2)
    for text, right in zip(tokens, answers, strict=True):
        contents = dict(text[:facts])
        assert len(contents) == facts  # no box holds two things
        assert all(0 <= content < CONTENTS for content in contents.values())
        assert (text[facts:, 1] == QUESTION).all()
        asked = [contents[box] for box in text[facts:, 0]]
        assert asked == list(right)


def test_the_same_seed_gives_the_same_texts():
    first, _ = recall_texts(3, 4, (1, 2))
    again, _ = recall_texts(3, 4, (1, 2))
    other, _ = recall_texts(3, 4, (1, 3))
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize("facts", [0, BOXES + 1])
def test_an_impossible_number_of_facts_is_refused(facts):
    with pytest.raises(ValueError, match="from 1 to 16"):
        recall_texts(2, facts, 0)


def test_most_frequent_content_by_hand():
    boxes = np.arange(3 + QUESTIONS) % BOXES
    contents = [2, 1, 2] + [QUESTION] * QUESTIONS
    tokens = np.stack([boxes, contents], axis=-1)[None]
    assert most_frequent_content(tokens).tolist() == [[2]]


def test_naming_the_most_frequent_content_is_right_for_one_fact_and_rarely_for_many():
    assert most_frequent_accuracy(1) == 1
    assert 1 / CONTENTS < most_frequent_accuracy(16) < 0.5


def test_the_reader_answers_its_questions():
    tokens, answers = recall_texts(2, 4, 0)
    layer = SelfAttention(8)
    assert recall_reader(layer)(tokens).shape == (*answers.shape, CONTENTS)


def test_at_first_scores_have_the_same_size_at_any_width():
    x = np.random.default_rng(0).normal(size=(64, 16, 64)).astype("float32")
    for width in (16, 256):
        layer = SelfAttention(width)
        layer(x)
        scores = layer.query(x) @ ops.swapaxes(layer.key(x), 1, 2) / width**0.5
        assert 0.7 < np.std(scores) < 1.4


def test_loss_without_boxes_is_between_knowing_and_guessing():
    assert loss_without_boxes(1) == 0
    assert 0.9 * np.log(CONTENTS) < loss_without_boxes(16) < np.log(CONTENTS)
