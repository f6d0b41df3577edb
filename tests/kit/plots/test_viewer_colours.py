"""The attention viewer's colours are readable, in light and dark (WCAG 2.2)."""

import re

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from course_utils.kit.plots import viewer


def luminance(colour):
    """Relative luminance of a colour, 0 to 1 for each channel (WCAG 2.2)."""
    curve = ((colour + 0.055) / 1.055) ** 2.4
    return np.where(colour <= 0.04045, colour / 12.92, curve) @ [0.2126, 0.7152, 0.0722]


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_bars_are_readable_at_each_strength(scheme):
    style = viewer._part("viewer.css")
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    codes = re.findall(r"--(\w+): (#\w{6})", light if scheme == "light" else dark)
    colours = {name: np.array(to_rgb(code)) for name, code in codes}
    tint = float(re.search(r"opacity: calc\(([\d.]+) \*", style).group(1))
    assert contrast(colours["line"], colours["page"]) >= 3
    assert contrast(colours["accent"], colours["page"]) >= 3
    for strength in np.linspace(0, 1, 11):
        opacity = tint * strength
        ground = opacity * colours["accent"] + (1 - opacity) * colours["page"]
        assert contrast(colours["text"], ground) >= 7
        assert contrast(colours["accent"], ground) >= 3
