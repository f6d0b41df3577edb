"""Checks of the exercises: `lesson_NN` has those of a lesson."""
