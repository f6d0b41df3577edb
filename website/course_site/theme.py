"""Mends what the theme's pages lack: names for screen readers, and a light weight.

The theme draws its icons with a script of more than a megabyte; `icons` replaces it.
"""

import re

_CHANGES = (
    # The button says "Search Ctrl+K", so its name may not be another one.
    (
        re.compile(
            r'(<button class="[^"]*\bsearch-button-field\b[^>]*?) aria-label="[^"]*"'
        ),
        r"\1",
    ),
    # An arrow that opens a part of the contents has no name.
    (
        re.compile(r'<summary>(?=<span class="toctree-toggle")'),
        '<summary aria-label="Pages of this part">',
    ),
    (re.compile(r"<script[^>]*fontawesome\.js[^>]*></script>"), ""),
)


def mend(site):
    """Mend every page of a built site."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(mended(text), encoding="utf-8")


def mended(page):
    """Return a page's HTML without the theme's faults.

    Example:
        >>> mended('<summary><span class="toctree-toggle">')
        '<summary aria-label="Pages of this part"><span class="toctree-toggle">'
    """
    for pattern, replacement in _CHANGES:
        page = pattern.sub(replacement, page)
    return page
