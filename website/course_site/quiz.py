"""Questions of the lessons as forms that answer.

In a notebook an option is `<details><summary>a) …</summary>…</details>`: it opens in
Jupyter, in Colab and on GitHub. On the site the same text becomes a form, in which a
reader chooses, checks, and reads why. Without JavaScript each explanation still opens.

Example:
    >>> text = "<details><summary>a) 1</summary>Right. One.</details>"
    >>> options(text)
    [Option(label='a) 1', explanation='Right. One.')]
"""

import html
import re
import typing

from markdown_it import MarkdownIt

_DETAILS = re.compile(
    r"<details>\s*<summary>(.*?)</summary>\s*(.*?)\s*</details>", re.DOTALL
)
_OPTION = re.compile(r"[a-z]\) ")
_markdown = MarkdownIt("commonmark", {"html": True})


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


def opening(ident):
    """Return the HTML in front of the question."""
    return (
        f'<form class="quiz" id="{ident}"><fieldset aria-labelledby="{ident}-question">'
        f'<div class="quiz-question" id="{ident}-question">'
    )


def closing(ident, choices):
    """Return the HTML behind the question: the options, the buttons, the answer.

    Args:
        ident: the form's id, unique on its page.
        choices: list of `Option`.
    """
    rows = "\n".join(_row(ident, option) for option in choices)
    return f"""</div>
{rows}
<p class="quiz-buttons" hidden><button type="submit">Check</button>
<button type="button" class="quiz-all">Show all explanations</button></p>
<div class="quiz-answer" role="status"></div>
</fieldset></form>"""


def inline(text):
    """Return a line of Markdown with HTML in it as HTML.

    Example:
        >>> inline("`x + 1` is *more*")
        '<code>x + 1</code> is <em>more</em>'
    """
    return _markdown.renderInline(" ".join(text.split()))


def folded(text):
    """Return other folded texts, such as hints, with their Markdown rendered."""
    return _DETAILS.sub(
        lambda found: (
            f"<details><summary>{inline(found[1])}</summary>"
            f"<p>{inline(found[2])}</p></details>"
        ),
        text,
    )


def _row(ident, option):
    name = html.escape(f"{ident}-{option.letter}")
    verdict = "right" if option.right else "wrong"
    return f"""<div class="quiz-option" data-verdict="{verdict}">
<input type="radio" name="{ident}" id="{name}" value="{option.letter}">
<label for="{name}">{inline(option.label)}</label>
<details class="quiz-explanation"><summary>Explanation of {option.letter})</summary>
<p>{inline(option.explanation)}</p></details></div>"""
