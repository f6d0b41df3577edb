"""Where the notebooks of the course lie, and what a lesson is called.

The core lessons lie in `notebooks/` and have a number; a further lesson lies in
`notebooks/further/`, where the number of its file is that of the core lesson that it
belongs to. The solutions lie in the same tree below `notebooks/solutions/`.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
SOLUTIONS = NOTEBOOKS / "solutions"
FURTHER = "further"
PATTERN = "[0-9][0-9]_*.ipynb"


def key(path):
    """Return what tables, checks and commands call a lesson: its number, or its name.

    Example:
        >>> key("notebooks/04_self_attention.ipynb")
        '04'
        >>> key("notebooks/further/06_which_model_when.ipynb")
        'which_model_when'
    """
    number, _, name = Path(path).stem.partition("_")
    return name if is_further(path) else number


def is_further(path):
    """Tell whether a notebook is a further lesson, or the solutions of one."""
    return Path(path).parent.name == FURTHER


def find(folder=NOTEBOOKS):
    """Return the lessons of a folder in order: what goes further follows its lesson."""
    paths = [*folder.glob(PATTERN), *folder.glob(f"{FURTHER}/{PATTERN}")]
    return sorted(paths, key=lambda path: (path.name[:2], is_further(path), path.name))


def path_of(lesson, folder=NOTEBOOKS):
    """Return the notebook of a lesson, such as "05" or "which_model_when".

    Raises:
        ValueError: there is no such lesson.
    """
    for path in find(folder):
        if key(path) == lesson:
            return path
    known = ", ".join(map(key, find(folder))) or "none"
    raise ValueError(f"There is no lesson {lesson!r}; the lessons here are: {known}.")


def checks_of(lesson):
    """Return the name of the module with a lesson's checks.

    Example:
        >>> checks_of("04"), checks_of("which_model_when")
        ('lesson_04', 'which_model_when')
    """
    return f"lesson_{lesson}" if lesson.isdigit() else lesson
