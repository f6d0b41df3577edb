"""Builds the course's website from the stored notebooks; nothing is executed."""
