"""Checks of the exercises: `lesson_NN` has those of lesson NN.

A further lesson has no number: its module has its name, such as `scaling_up`.
"""
