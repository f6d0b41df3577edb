"""Folded texts, such as hints and the options of questions, with Markdown in them.

Within HTML, Markdown stays as it is; here it is rendered.
"""

import re

from markdown_it import MarkdownIt

_DETAILS = re.compile(
    r"<details>\s*<summary>(.*?)</summary>\s*(.*?)\s*</details>", re.DOTALL
)
_markdown = MarkdownIt("commonmark", {"html": True})


def inline(text):
    """Return a line of Markdown with HTML in it as HTML.

    Example:
        >>> inline("`x + 1` is *more*")
        '<code>x + 1</code> is <em>more</em>'
    """
    return _markdown.renderInline(" ".join(text.split()))


def rendered(text):
    """Return folded texts with their Markdown rendered."""
    return _DETAILS.sub(_as_html, text)


def _as_html(found):
    summary = inline(found[1])
    return f"<details><summary>{summary}</summary><p>{inline(found[2])}</p></details>"
