"""What a page may load and run, written into each page: its content security policy.

A page may load the site's own files. Of the scripts that stand in it, it may run those
that stood there at the build, known by their hashes; one that gets in later doesn't
run. It may ask no other server. The host adds no headers, so the policy is an element.

Example:
    >>> page = '<meta charset="utf-8"/><script>a()</script>'
    >>> policy(page).split("; ")[1]
    "script-src 'self' 'sha256-qVpDBgj7bpq5hMAcGp3AOc79J3Y1Z4HvySTwKrWDoy4='"
    >>> with_policy(page)[:47]
    '<meta charset="utf-8"/><meta http-equiv="Conten'
"""

import base64
import hashlib
import html
import re

# A page in a frame (the attention viewers) and the speaker's window obey the policy of
# the page that opens them, too, so frames are allowed, and their scripts.
RULES = (
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'"
)
_CHARSET = re.compile(r'<meta charset="utf-8" ?/>')
_SCRIPT = re.compile(
    r"<script\b(?![^>]*(?:\bsrc=|application/json))[^>]*>(.*?)</script>", re.DOTALL
)
_STYLE = re.compile(r"<style\b[^>]*>(.*?)</style>", re.DOTALL)
_FRAME = re.compile(r"""\bsrcdoc=(["'])(.*?)\1""", re.DOTALL)
# MathJax writes styles into the page, a viewer's change with the scheme, and the cells
# of some tables have an attribute; a policy can't know these by their hashes.
_FREE_STYLES = re.compile(r'mathjax/|id="search-results"|\bsrcdoc=|<\w[^>]* style="')
_SPEAKER = "plugin/notes/notes.js"  # the script that opens the speaker's window


def write(site, speaker=""):
    """Write its policy into every page of a built site.

    Args:
        site: the site's folder.
        speaker: the HTML of the window that slides open for a speaker.
    """
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(with_policy(text, speaker), encoding="utf-8")


def with_policy(page, speaker=""):
    """Return a page's HTML with its policy in front of all that it loads.

    Raises:
        ValueError: the page doesn't begin as the others do.
    """
    if not (place := _CHARSET.search(page)):
        raise ValueError(f"No <meta charset> to put a policy behind: {page[:80]!r}")
    name, rules = "Content-Security-Policy", policy(page, speaker)
    meta = f'<meta http-equiv="{name}" content="{rules}">'
    return page[: place.end()] + meta + page[place.end() :]


def policy(page, speaker=""):
    """Return the policy that a page needs, and no wider one."""
    framed = [html.unescape(document) for _, document in _FRAME.findall(page)]
    documents = [page, *framed, *([speaker] if _SPEAKER in page else [])]
    free = _FREE_STYLES.search(page)
    styles = "'unsafe-inline'" if free else _hashes(_STYLE, [page])
    return (
        f"default-src 'none'; script-src 'self' {_hashes(_SCRIPT, documents)}; "
        f"style-src 'self' {styles}; {RULES}"
    )


def _hashes(kind, documents):
    """Return the hashes of all elements of a kind, each once."""
    found = dict.fromkeys(text for one in documents for text in kind.findall(one))
    digests = (hashlib.sha256(text.encode("utf-8")).digest() for text in found)
    return " ".join(f"'sha256-{base64.b64encode(one).decode()}'" for one in digests)
