"""The course's corpora: imdb and spa_eng are real; the others are generated."""

import importlib

_REAL = "imdb", "spa_eng"
_GENERATED = "chinese", "dates", "notes", "phrasebook", "reviews"
_GENERATED += "senses", "shapes", "verdicts"

__all__ = sorted(_REAL + _GENERATED)


def __getattr__(name):
    if name in __all__:
        folder = "generated." if name in _GENERATED else ""
        return importlib.import_module(f"{__name__}.{folder}{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
