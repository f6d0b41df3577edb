"""What the lessons of the course share.

`import course_utils` is quick: TensorFlow is loaded by `setup()`, and a submodule when
it is first used.

Example:
    >>> from course_utils.kit import results
    >>> results.format_value(0.891234)
    '0.8912'
"""

import importlib.metadata
import pkgutil

from course_utils.kit.environment import setup

__all__ = ["setup"]

_SUBMODULES = {module.name for module in pkgutil.iter_modules(__path__)}


def __getattr__(name):
    if name == "__version__":  # of the installed package, from pyproject.toml
        try:
            return importlib.metadata.version(__name__)
        except importlib.metadata.PackageNotFoundError:  # imported from a folder
            return "0+unknown"
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_SUBMODULES})
