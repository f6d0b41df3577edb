"""The course's corpora: imdb and spa_eng are real; the others are generated."""

import importlib

_FOLDERS = {
    "chinese": "generated.",
    "dates": "generated.",
    "imdb": "",
    "phrasebook": "generated.",
    "reviews": "generated.",
    "senses": "generated.",
    "shapes": "generated.",
    "spa_eng": "",
    "verdicts": "generated.",
}

__all__ = sorted(_FOLDERS)


def __getattr__(name):
    if name in _FOLDERS:
        return importlib.import_module(f"{__name__}.{_FOLDERS[name]}{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
