"""The course's layers, searches and recipes beside those of others, in one run."""
