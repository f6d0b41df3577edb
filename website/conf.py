"""Sphinx's settings for the course's site; `website/build.py` calls Sphinx."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "website")]

from course_site import glossary  # noqa: E402

from tools import publish  # noqa: E402

project = "Attention and Transformers in Keras"
author = "The course's contributors"
copyright = "The course's contributors; code MIT, text and figures CC BY 4.0"
language = "en"

extensions = ["myst_nb", "course_site.lesson_pages"]
course_glossary = glossary.read(
    (ROOT / "notebooks/glossary.md").read_text(encoding="utf-8")
)

# Stored outputs are shown; nothing runs.
nb_execution_mode = "off"
nb_merge_streams = True
# A recorded figure has a MIME type of the course; the page shows its text.
suppress_warnings = ["mystnb.unknown_mime_type"]
myst_enable_extensions = ["amsmath", "dollarmath"]
myst_heading_anchors = 3

# From the folder that build.py fills, so that no page asks another server.
mathjax_path = "mathjax/tex-chtml-full.js"
mathjax3_config = {"options": {"enableMenu": False}}

html_theme = "sphinx_book_theme"
html_title = "Attention and Transformers in Keras"
html_scaled_image_link = False  # a drawing is enlarged on the page
html_favicon = "static/icon.svg"
html_context = {"default_mode": "auto"}
html_static_path = ["static", str(ROOT / "build/website/vendor")]
html_css_files = ["course.css"]
_SCRIPTS = ("viewer.js", "formulas.js", "zoom.js", "names.js")
html_js_files = [(name, {"defer": "defer"}) for name in _SCRIPTS]
html_copy_source = True
html_sourcelink_suffix = ""
_RELEASE = publish.read()
_PUBLIC = {
    "repository_url": _RELEASE.address,
    "repository_branch": _RELEASE.pin,
    "path_to_docs": "",
    "use_repository_button": True,
    "launch_buttons": {"colab_url": "https://colab.research.google.com"},
}
html_theme_options = {
    **(_PUBLIC if _RELEASE.address else {}),
    "use_download_button": True,
    "show_toc_level": 2,
    "navbar_persistent": [],  # the search stands in the side bar
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
