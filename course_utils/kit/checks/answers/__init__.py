"""Right answers of the exercises, a module a lesson, written by `make answers`."""
