"""The course's corpora: imdb and spa_eng are real; the others are generated."""

import importlib

__all__ = [
    "chinese",
    "dates",
    "imdb",
    "phrasebook",
    "reviews",
    "senses",
    "shapes",
    "spa_eng",
    "verdicts",
]


def __getattr__(name):
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
