"""The drawings of the course, one function each, made by one command."""
