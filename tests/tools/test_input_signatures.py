"""Shapes of batches are counted in whole lessons, on the accelerator's path."""

import nbformat
import pytest

from tools import input_signatures

LESSON = """
import keras, numpy as np, tensorflow as tf
from keras import layers
def rows(*lengths):
    arrays = [(np.zeros((2, n)), np.zeros((2, 1))) for n in lengths]
    signature = tf.TensorSpec((2, None)), tf.TensorSpec((2, 1))
    return tf.data.Dataset.from_generator(lambda: arrays, output_signature=signature)
inputs = keras.Input((None, ))
x = layers.GlobalAveragePooling1D()(layers.Embedding(5, 3)(inputs))
model = keras.Model(inputs, layers.Dense(1)(x))
model.compile("sgd", "mse", jit_compile=True)
model.fit(rows(3, 4, 3, 5), validation_data=rows(3, 4), epochs=2, verbose=0)
model.predict(rows(6), verbose=0)
quiet = keras.Model(inputs, layers.Dense(1)(x))
quiet.compile("sgd", "mse", jit_compile=False)
quiet.fit(rows(*range(1, 20)), verbose=0)
"""


@pytest.mark.slow
def test_shapes_of_models_that_ask_for_xla_are_counted(tmp_path):
    lesson = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(LESSON)])
    nbformat.write(lesson, tmp_path / "00_x.ipynb")
    found = input_signatures.count(tmp_path / "00_x.ipynb")
    assert found == {"fit": 3, "evaluate": 2, "predict": 1}


@pytest.mark.slow
def test_the_pattern_of_all_lessons_has_few_shapes(monkeypatch, capsys):
    assert input_signatures.main(["05"]) == 0
    monkeypatch.setattr(input_signatures, "count", lambda path: {"fit": 9})
    assert input_signatures.main(["05"]) == 1
    assert "05_transformer_encoder needs 9 shapes in fit" in capsys.readouterr().out
