"""The few icons that the pages show, as one small style sheet.

The theme draws its icons with a script that holds thousands of them, more than a
megabyte on each page. Here the shapes of those that stand on a page are taken from it;
`theme` leaves the script out.
"""

import re
from urllib.parse import quote

SCRIPT = "_static/scripts/fontawesome.js"
SHEET = "_static/icons.css"
FAMILIES = {"fa-solid": "fas", "fas": "fas", "fa-brands": "fab", "fab": "fab"}
FAMILIES |= {"fa-regular": "far", "far": "far"}

_USED = re.compile(r'class="([^"]*\bfa[bsr]?(?:-[a-z]+)?\b[^"]*)"')
_SHAPE = re.compile(
    r'["\']?([a-z0-9-]+)["\']?:\[(\d+),(\d+),\[[^\]]*\],"[0-9a-f]+",("[^"]+"|\[[^\]]+\])\]'
)
_RULES = """.fa-solid, .fas, .fa-brands, .fab, .fa-regular, .far {
  display: inline-block; width: 1.25em; height: 1em; vertical-align: -.125em;
  background: currentColor;
  mask: var(--icon) center / contain no-repeat;
}
.fa-solid::before, .fas::before, .fa-brands::before, .fab::before,
.fa-regular::before, .far::before { content: none !important; }
.fa-lg { font-size: 1.25em; }
"""


def write(site):
    """Write the style sheet for the icons of a built site; its script goes."""
    script = (site / SCRIPT).read_text(encoding="utf-8")
    used = set()
    for page in site.rglob("*.html"):
        used |= names(page.read_text(encoding="utf-8"))
    for theme_script in (site / "_static/scripts").glob("*theme.js"):
        used |= names(theme_script.read_text(encoding="utf-8"))
    (site / SHEET).write_text(style_sheet(used, shapes(script)), encoding="utf-8")
    (site / SCRIPT).unlink()


def names(page):
    """Return the names of the icons on a page.

    Example:
        >>> names('<i class="fa-solid fa-moon fa-lg"></i>')
        {'moon'}
    """
    found = set()
    for classes in _USED.findall(page):
        parts = classes.split()
        if FAMILIES.keys() & set(parts):
            found |= {p[3:] for p in parts if p.startswith("fa-")} - {"lg", "fw"}
    return found - {family.removeprefix("fa-") for family in FAMILIES}


def shapes(script):
    """Return width, height and path of each icon in the theme's script."""
    found = {}
    for name, width, height, path in _SHAPE.findall(script):
        path = re.findall(r'"([^"]+)"', path)[-1]
        found.setdefault(name, (int(width), int(height), path))
    return found


def style_sheet(used, known):
    """Return the rules for the icons.

    Raises:
        ValueError: the theme's script has no such icon.
    """
    if missing := sorted(set(used) - set(known)):
        raise ValueError(f"The theme's script has no icon {missing[0]!r}.")
    rules = [_RULES]
    for name in sorted(used):
        width, height, path = known[name]
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
            f'<path d="{path}"/></svg>'
        )
        rules.append(
            f'.fa-{name} {{ --icon: url("data:image/svg+xml,{quote(svg)}"); }}'
        )
    return "\n".join(rules) + "\n"
