"""The memory test of lesson 04: what is asked for was read, at the right distance."""

import numpy as np
import pytest

from benchmarks import distance

STEPS = np.arange(distance.STEPS)


@pytest.mark.parametrize("far", [1, 7, 200])
def test_a_question_is_about_the_fact_at_its_distance(far):
    tokens, answers = distance.ask(3, seed=0, distance=far)
    labels, contents, asked = np.moveaxis(tokens, -1, 0)  # (N, T) each
    assert all(len(set(row)) == distance.STEPS for row in labels.tolist())
    assert (asked[:, far:] == labels[:, :-far]).all()
    assert (answers[:, far:] == contents[:, :-far] - 1).all()


@pytest.mark.parametrize("facts", [4, distance.STEPS])
def test_only_facts_that_were_read_are_asked_for(facts):
    tokens, answers = distance.ask(20, 1, facts)
    apart = []
    for (labels, contents, asked), answer in zip(
        np.moveaxis(tokens, -1, 1), answers, strict=True
    ):
        fact = np.array([labels.tolist().index(label) for label in asked])
        assert (fact <= STEPS).all() and fact.max() < facts
        assert (contents[fact] - 1 == answer).all()
        assert not labels[facts:].any()
        apart.append(STEPS - fact)
    if facts == distance.STEPS:  # short distances as often as long ones
        late = np.array(apart)[:, 128:]
        assert 0.4 < (late < 14).mean() < 0.6


@pytest.mark.parametrize("arm", distance.ARMS)
def test_every_arm_answers_at_every_step(arm):
    tokens, answers = distance.ask(2, 0, distance.ARMS[arm].get("facts", len(STEPS)))
    scores = distance.reader(arm)(tokens)
    assert scores.shape == (*answers.shape, distance.CONTENTS)
    assert np.isfinite(scores).all()
