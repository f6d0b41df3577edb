"""What lessons built when a study was measured: its models, trainings and scores.

A study measures this code and not a notebook's, so a lesson can be rewritten without a
change of what its evidence says. Change it only together with a new run.
"""
