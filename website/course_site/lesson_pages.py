"""A Sphinx extension that makes pages of the stored notebooks, without changing them.

On a page, solutions are folded, a figure's text alternative stands where a screen
reader finds it and its numbers in a table, the Colab badge (a picture from elsewhere)
is a plain link if there is one, and the first mention of a term leads to the glossary.
"""

import html
import json
import re
import tomllib
from pathlib import Path

from docutils import nodes
from sphinx.transforms import SphinxTransform

from course_site import folded, glossary, lessons, pictures
from course_utils.kit.plots.pictures import FOLDER
from tools import publish

GLOSSARY = "notebooks/glossary"
LIVE = tomllib.loads((lessons.ROOT / "website/live/pages.toml").read_text("utf-8"))

_BADGE = "colab-badge.svg"
# A figure's text alternative as `plots` folds it in a notebook.
_FOLDED = re.compile(r"^<details>.*?<p>Figure: (.*)</p></details>", re.DOTALL)
_RUN_IT = publish.RUN_IT.strip("*")
_SOLUTION = re.compile(r"\d+\.")
# Emphasis marks titles of papers and words as words.
_NO_TERMS = (nodes.reference, nodes.literal, nodes.math, nodes.emphasis)


class LessonPage(SphinxTransform):
    """Turns one notebook's document into its page."""

    default_priority = 400

    def apply(self, **kwargs):
        place = self.env.docname
        if place == GLOSSARY:
            _anchors(self.env.metadata[place], self.config.course_glossary)
        if Path(self.env.doc2path(place)).suffix != ".ipynb":
            return
        solution = "/solutions/" in place
        _code(self.document)
        _figures(self.document, _stored(self.env.doc2path(place)))
        _facts_line(self.document, place, self.env.doc2path(place))
        _file_names(self.document, place, self.env.found_docs)
        _folded_texts(self.document)
        if solution:
            _fold_solutions(self.document)
        else:
            _terms(self.document, self.config.course_glossary, _glossary_from(place))


def setup(app):
    """Register the extension."""
    app.add_config_value("course_glossary", [], "env")
    app.add_transform(LessonPage)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def raw(text):
    """Return a node that puts HTML into the page as it is."""
    return nodes.raw("", text, format="html")


def _elements(document, name):
    """Return myst-nb's containers of a kind, such as "cell_code_output"."""
    found = document.findall(nodes.container)
    return [node for node in found if node.get("nb_element") == name]


def _anchors(metadata, entries):
    """Tell MyST the glossary's anchors, so that a notebook may link to a term."""
    slugs = metadata.setdefault("myst_slugs", {})
    slugs.update({e.anchor: (None, e.anchor, e.forms[0]) for e in entries})


def _code(document):
    """Colour cells as IPython, for `%pip`."""
    for cell in _elements(document, "cell_code_source"):
        for block in cell.findall(nodes.literal_block):
            block["language"] = "ipython3"


def _stored(path):
    """Return the outputs of a stored notebook that are pictures, by their texts."""
    cells = json.loads(Path(path).read_text("utf-8"))["cells"]
    found = [pair for cell in cells for pair in lessons.pictures(cell)]
    return {text: picture for picture, text in found}


def _figures(document, stored):
    """Give each picture its text, which the lessons print below it, and its numbers."""
    for output in _elements(document, "cell_code_output"):
        places, texts = [], []
        for child in list(output.children):
            if isinstance(child, nodes.literal_block):
                texts += _take_texts(child)
            elif text := _FOLDED.search(child.rawsource or child.astext()):
                texts.append(html.unescape(text[1]).strip())
                output.remove(child)
            elif images := list(child.findall(nodes.image)):
                places.append((child, images))
        for (child, images), text in zip(places, texts, strict=False):
            for image in images:
                image["alt"] = text
                if _is_drawing(stored[text]):
                    image["classes"].append("drawing")
            _caption(child, text, stored[text]["metadata"].get("table"))
        for text in texts[len(places) :]:
            output += nodes.paragraph(text, text, classes=["figure-text"])


def _is_drawing(output):
    """Whether a stored picture is a drawing of the package; its plain text names it."""
    name = "".join(output["data"].get("text/plain", ""))
    return (FOLDER / f"{name}.png").is_file()


def _take_texts(block):
    """Take the lines "Figure: …" out of a printed text, and return them."""
    lines = block.astext().splitlines(keepends=True)
    texts = [line for line in lines if line.startswith(lessons.FIGURE)]
    rest = "".join(line for line in lines if line not in texts)
    if not rest.strip():
        block.parent.remove(block)
    elif texts:
        block.children, block.rawsource = [nodes.Text(rest)], rest
    return [line.removeprefix(lessons.FIGURE).strip() for line in texts]


def _caption(picture, text, table):
    """Put a picture's text below it, for the eyes: screen readers have it already."""
    caption = nodes.paragraph(text, text, classes=["figure-text"])
    below = [raw('<div aria-hidden="true">'), caption, raw("</div>")]
    if table:
        below.append(raw(pictures.as_html(table)))
    place = picture.parent.index(picture) + 1
    picture.parent.insert(place, below)


def _facts_line(document, place, path):
    """Put links and the facts of the stored run in the place of the line on running."""
    for paragraph in list(document.findall(nodes.paragraph)):
        badges = [i for i in paragraph.findall(nodes.image) if _BADGE in i["uri"]]
        if not badges and not paragraph.astext().startswith(_RUN_IT):
            continue
        line = nodes.paragraph(classes=["lesson-facts"])
        up = "../" * place.count("/")
        download = f"{up}_sources/{place}.ipynb"
        for badge in badges:
            colab = badge.parent["refuri"]
            line += [_link("Open in Colab", colab), nodes.Text(" · ")]
        line += [_link("Download the notebook", download)]
        for name, head in LIVE.items():  # the live pages that lead to this lesson
            if f"{place}.html" in head["links"]:
                page = _link(f"Live: {head['title']}", f"{up}live/{name}.html")
                line += [nodes.Text(" · "), page]
        if facts := _facts(path):
            line += nodes.Text(f" · {facts}")
        paragraph.replace_self(line)


def _link(text, address, **options):
    return nodes.reference(text, text, refuri=address, **options)


def _facts(path):
    """Say on what data, how long and where the stored outputs were made."""
    notebook = json.loads(Path(path).read_text(encoding="utf-8"))
    course = notebook["metadata"].get("course", {})
    if "minutes" not in course:
        return ""
    minutes = max(course["minutes"], 0.1)
    return (
        f"Outputs below: real data, {minutes:.1f} minutes on {course['hardware']}, "
        f"{course['date']}"
    )


def _file_names(document, place, known):
    """Make a link of the name of a notebook that has a page."""
    folder = Path(place).parent
    for literal in list(document.findall(nodes.literal)):
        name = literal.astext()
        if not name.endswith(".ipynb"):
            continue
        # A solution names its lesson as if both lay in the same folder.
        for start in (folder.parent, folder, folder.parent.parent):
            target = (start / name).with_suffix("").as_posix()
            if target in known and not isinstance(literal.parent, nodes.reference):
                up = "../" * place.count("/")
                link = _link("", f"{up}{target}.html", internal=True)
                literal.replace_self(link)
                link += literal
                break


def _folded_texts(document):
    """Render the Markdown in folded texts: options of questions, hints."""
    for block in list(document.findall(nodes.raw)):
        if block.get("format") == "html" and "<summary>" in block.astext():
            block.replace_self(raw(folded.rendered(block.astext())))


def _fold_solutions(document):
    """Fold each solution: from its title in bold, "1. Softmax.", to the next one."""
    for section in list(document.findall(nodes.section)):
        kept, is_open = [], False
        for child in section.children:
            title = _solution_title(child)
            ends = isinstance(child, nodes.section)
            if is_open and (title or ends):
                kept.append(raw("</details>"))
                is_open = False
            if title:
                text = f"<summary>Solution {folded.inline(title)}</summary>"
                kept.append(raw(f'<details class="solution">{text}'))
                is_open = True
            kept.append(child)
        if is_open:
            kept.append(raw("</details>"))
        section.children = []
        section += kept


def _solution_title(node):
    """Return the title of the solution that begins with this node, or ""."""
    parts = [part for part in node.children if part.astext()]
    is_text = isinstance(node, nodes.paragraph) and parts
    if not is_text or not isinstance(parts[0], nodes.strong):
        return ""
    text = parts[0].astext().strip()
    return text.rstrip(".") if _SOLUTION.match(text) else ""


def _glossary_from(place):
    """Return the address of the glossary from a lesson's page."""
    return "../" * (place.count("/") - GLOSSARY.count("/")) + "glossary.html"


def _terms(document, entries, page):
    """Let the first mention of each term in running text lead to the glossary."""
    waiting = glossary.names(entries)
    for paragraph in list(document.findall(nodes.paragraph)):
        if "figure-text" in paragraph["classes"]:
            continue
        for text in list(paragraph.findall(nodes.Text)):
            if not waiting:
                return
            if not _inside(text, _NO_TERMS):
                _link_terms(text, waiting, page)


def _inside(node, kinds):
    while node is not None:
        if isinstance(node, kinds):
            return True
        node = node.parent
    return False


def _link_terms(text, waiting, page):
    """Replace the first term that a text mentions, and then those behind it."""
    found = glossary.first_mention(text.astext(), waiting)
    if found is None:
        return
    start, end, entry = found
    whole = text.astext()
    for name in [name for name, other in waiting.items() if other is entry]:
        del waiting[name]
    link = _link(
        whole[start:end],
        f"{page}#{entry.anchor}",
        internal=True,
        classes=["term"],
        reftitle=entry.meaning,
    )
    rest = nodes.Text(whole[end:])
    parts = [nodes.Text(whole[:start]), link, rest]
    parent, index = text.parent, text.parent.index(text)
    parent.remove(text)
    parent.insert(index, parts)
    _link_terms(rest, waiting, page)
