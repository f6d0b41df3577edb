"""Mends what the theme's pages lack: names for screen readers, and a light weight.

The theme draws its icons with a script of more than a megabyte; `icons` replaces it. It
names functions in attributes, which `policy` forbids; static/buttons.js calls them.
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
    # Without a choice a page is "auto", neither light nor dark, until its end is read.
    (
        re.compile(r'(localStorage\.getItem\("theme"\) \|\|) "auto"'),
        r'\1 (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")',
    ),
    (re.compile(r'onclick="window\.print\(\)"'), 'data-does="print"'),
    (re.compile(r'onclick="toggleFullScreen\(\)"'), 'data-does="fullscreen"'),
)


def mend(site):
    """Mend every page of a built site, and leave out the theme's own templates."""
    for template in (site / "_static").rglob("*.html"):
        template.unlink()
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
