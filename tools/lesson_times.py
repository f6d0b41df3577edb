"""How long a lesson takes a careful reader: `make lesson-times`, or

    python -m tools.lesson_times [NOTEBOOK ...]

Minutes are words of prose ÷ 140 plus lines of visible code ÷ 7. This was fitted to the
times of careful readers, for many of whom English is a second language. Folded texts
count; code that is folded away, outputs and the record cell don't. Nor does what
`tools/publish.py` writes into every lesson: how to run it, and where its package is.
"""

import re
import sys
from pathlib import Path

import nbformat

from tools import lessons, publish

WORDS_A_MINUTE = 140
LINES_A_MINUTE = 7
EXERCISES = re.compile(r"## .*\bExercises\b")
HIDDEN_TAGS = {"hide-input", "hide-cell", "remove-input", "remove-cell"}

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HTML_TAG = re.compile(r"<[^>]+>")


def count_words(text):
    """Return the number of words that a reader sees in a text of Markdown.

    Example:
        >>> count_words("BLEU is **47**<!-- translation.bleu --> here.")
        4
    """
    visible = _HTML_TAG.sub(" ", _COMMENT.sub(" ", text))
    return len(visible.split())


def count_code_lines(source):
    """Return the number of lines of a code cell that aren't empty."""
    return sum(1 for line in source.splitlines() if line.strip())


def is_hidden(cell):
    """Tell whether a code cell's source is folded away, in Jupyter or on the site."""
    jupyter = cell["metadata"].get("jupyter", {})
    tags = set(cell["metadata"].get("tags", []))
    return bool(jupyter.get("source_hidden")) or bool(tags & HIDDEN_TAGS)


def reading_size(notebook_cells):
    """Return (words, visible lines of code) of some cells."""
    words = 0
    lines = 0
    for cell in notebook_cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            words += count_words(publish.RUN_LINE.sub("", source, count=1))
        elif cell["cell_type"] == "code" and not is_hidden(cell):
            lines += count_code_lines(publish.SET_UP.sub("", source))
    return words, lines


def minutes(words, lines):
    """Return the minutes that a careful reader needs, as a whole number."""
    return round(words / WORDS_A_MINUTE + lines / LINES_A_MINUTE)


def split_exercises(notebook):
    """Return the cells of the lesson without its exercises, and those of these.

    The exercises begin with their heading and end with the next one of its level.
    """
    lesson = []
    exercises = []
    in_exercises = False
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            if EXERCISES.match(source):
                in_exercises = True
            elif source.startswith(("# ", "## ")):
                in_exercises = False
        part = exercises if in_exercises else lesson
        part.append(cell)
    return lesson, exercises


def lesson_minutes(notebook):
    """Return the reading minutes of a lesson, without its exercises."""
    lesson, _ = split_exercises(notebook)
    return minutes(*reading_size(lesson))


def table(paths):
    """Return one line for each notebook: minutes, words and lines."""
    lines = ["minutes  words  lines  exercises  computing  notebook"]
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        lesson, exercises = split_exercises(notebook)
        words, code_lines = reading_size(lesson)
        computing = notebook.metadata.get("course", {}).get("minutes", "")
        name = path.relative_to(lessons.NOTEBOOKS).as_posix()
        lines.append(
            f"{minutes(words, code_lines):7}  {words:5}  {code_lines:5}  "
            f"{minutes(*reading_size(exercises)):9}  {computing:>9}  {name}"
        )
    return "\n".join(lines)


def main(arguments):
    """Print the table of the named notebooks, or of all lessons."""
    named = [Path(name).resolve() for name in arguments]
    print(table(named or lessons.find(lessons.NOTEBOOKS)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
