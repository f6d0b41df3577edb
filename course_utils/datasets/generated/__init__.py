"""Corpora that are generated from a seed, each made to show something."""
