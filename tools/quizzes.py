"""The questions of a lesson, read from its texts.

In a notebook an option is `<details><summary>a) …</summary>…</details>`: it opens in
Jupyter, in Colab, on GitHub and on the site.

Example:
    >>> text = "<details><summary>a) 1</summary>Right. One.</details>"
    >>> options(text)
    [Option(label='a) 1', explanation='Right. One.')]
"""

import re
import typing

_DETAILS = re.compile(
    r"<details>\s*<summary>(.*?)</summary>\s*(.*?)\s*</details>", re.DOTALL
)
_OPTION = re.compile(r"[a-z]\) ")


class Option(typing.NamedTuple):
    """One answer that a reader can choose."""

    label: str
    explanation: str

    @property
    def right(self):
        """Whether this is the right answer: its explanation then begins so."""
        return re.match(r"Right\b", self.explanation) is not None

    @property
    def letter(self):
        """The letter in front of the answer."""
        return self.label[0]


def options(text):
    """Return the options in a piece of HTML; [] when it isn't all options.

    Args:
        text: the HTML of one block of a Markdown cell.
    """
    found = [Option(*pair) for pair in _DETAILS.findall(text)]
    if not found or _DETAILS.sub("", text).strip():
        return []
    return found if all(_OPTION.match(option.label) for option in found) else []


def problems(choices):
    """Return what is wrong with the options of a question, as sentences."""
    right = sum(option.right for option in choices)
    if len(choices) < 2:
        yield "it has fewer than two options"
    if right != 1:
        yield f'{right} options begin with "Right", but one must'
    letters = "".join(option.letter for option in choices)
    if letters != "abcdefgh"[: len(letters)]:
        yield f"its options are called {', '.join(letters)}"
    if not all(option.explanation for option in choices):
        yield "an option has no explanation"


def questions(text):
    """Return the options of each question in the texts of a lesson."""
    blocks = re.split(r"\n{2,}", text)
    found = [options(block) for block in blocks if block.startswith("<details>")]
    return [choices for choices in found if choices]
