"""The drawings of the course, made by one command: see `__main__`."""
