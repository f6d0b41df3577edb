"""What notebooks need to run, and nobody has to read to learn attention."""
