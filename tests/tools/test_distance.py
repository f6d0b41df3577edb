"""The memory test of lesson 04: what is asked for was read, at the right distance."""

import numpy as np
import pytest

from benchmarks import distance


def test_a_question_is_about_the_fact_at_its_distance():
    tokens, answers = distance.ask(3, seed=0, distance=200)
    labels, contents, asked = np.moveaxis(tokens, -1, 0)  # (N, T) each
    assert (asked[:, 200:] == labels[:, :-200]).all()
    assert (answers[:, 200:] == contents[:, :-200] - 1).all()


@pytest.mark.parametrize("arm", distance.ARMS)
def test_an_arm_is_asked_for_what_it_has_read(arm):
    facts = distance.ARMS[arm].get("facts", distance.STEPS)
    tokens, answers = distance.ask(1, 0, facts)
    assert distance.reader(arm)(tokens).shape == (*answers.shape, distance.CONTENTS)
    labels, contents, asked = tokens[0].T.tolist()
    for step, (label, answer) in enumerate(zip(asked, answers[0], strict=True)):
        fact = labels.index(label)  # the only one
        assert fact <= step and fact < facts and contents[fact] - 1 == answer
