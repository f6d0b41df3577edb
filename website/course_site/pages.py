"""Puts the site's sources together: stored notebooks, pages, generated parts.

The sources lie in `build/website/source`. Nothing in a notebook is executed or changed;
only a link to a file that has no page leads to the repository instead, or becomes
plain text while the course has no public address.
"""

import posixpath
import re
import shutil
from pathlib import Path

from course_site import course_map, lessons
from course_utils import results
from tools import publish, readme_tables

HOME = "website/home.md"
# Where a file of the repository stands on the site.
PAGES = {
    "website/teaching.md": "teaching.md",
    "website/gpu.md": "gpu.md",
    "notebooks/glossary.md": "notebooks/glossary.md",
    "data/README.md": "data.md",
    "models/README.md": "translator.md",
    "benchmarks/README.md": "benchmarks.md",
}
_LINK = re.compile(r"\[([^][]*)\]\(((?![a-z]+:|#)[^()\s]+)\)")
_MARK = re.compile(r"<!-- site:(\w+) -->")
_FIGURE = re.compile(r"\{result:([\w.]+)\}")


def prepare(source, root=lessons.ROOT):
    """Write the sources of all pages into an empty folder; return the lessons."""
    shutil.rmtree(source, ignore_errors=True)
    stored = lessons.read(root)
    places = site_places(root)
    release = publish.read(root)
    address = release.page_of("") if release.address else ""
    for path, place in places.items():
        text = (root / path).read_text(encoding="utf-8")
        _write(source / place, with_site_links(text, path, places, address, root))
    home = (root / HOME).read_text(encoding="utf-8")
    home = with_site_links(home, HOME, {**places, HOME: "index.md"}, address, root)
    _write(source / "index.md", home_page(home, stored, places))
    _write(source / "results.md", results_page(stored))
    _write(source / "solutions.md", solutions_page(places))
    return stored


def site_places(root=lessons.ROOT):
    """Return where each file with a page stands on the site: path to place."""
    notebooks = sorted(root.glob("notebooks/[0-9][0-9]*_*.ipynb"))
    notebooks += sorted(root.glob("notebooks/solutions/[0-9][0-9]*_*.ipynb"))
    names = [path.relative_to(root).as_posix() for path in notebooks]
    pages = {path: place for path, place in PAGES.items() if (root / path).is_file()}
    return {**{name: name for name in names}, **pages}


def with_site_links(text, path, places, address, root=lessons.ROOT):
    """Return a text in which local links lead to pages, or else to the repository.

    Args:
        text: Markdown, or the JSON of a notebook.
        path: where the text lies in the repository; links are relative to it.
        places: what `site_places` returns.
        address: of the repository's files, with a slash at the end; "" for none.
        root: the repository.
    """
    here = posixpath.dirname(places[path])

    def site_link(found):
        target, hash_, anchor = found[2].partition("#")
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if wanted in places:
            place = posixpath.relpath(places[wanted], here or ".")
        elif (root / wanted).exists():
            if not address:
                return found[1]
            place = address + wanted
        else:
            return found[0]
        return f"[{found[1]}]({place}{hash_}{anchor})"

    return _LINK.sub(site_link, text)


def home_page(template, stored, places):
    """Return the source of the home page: its template with the generated parts."""
    picture = course_map.svg(stored, page_address)
    parts = {
        "map": raw(f'<div class="map-frame">{picture}</div>'),
        "lessons": lessons_table(stored),
        "contents": contents(places),
    }
    recorded = {
        result["name"]: result for lesson in stored for result in lesson.results
    }

    def figure(found):
        if found[1] not in recorded:
            raise ValueError(f"No stored lesson recorded the figure {found[1]!r}.")
        return results.format_value(recorded[found[1]]["value"])

    return _MARK.sub(lambda found: parts[found[1]], _FIGURE.sub(figure, template))


def page_address(lesson):
    """Return the address of a lesson's page from the site's root."""
    return lesson.path.removesuffix(".ipynb") + ".html"


def lessons_table(stored):
    """Return the table of lessons in Markdown."""
    lines = ["| Lesson | After it you can | Needs | Minutes |", "|---|---|---|---:|"]
    for one in stored:
        goal = one.goals[0].replace("|", "\\|") if one.goals else ""
        needs = ", ".join(one.needs) or "–"
        minutes = one.minutes
        if one.course.get("data_mode") == "sample":
            minutes += " (embedded data)"
        lines.append(f"| [{one.title}]({one.path}) | {goal} | {needs} | {minutes} |")
    return "\n".join(lines)


def results_page(stored):
    """Return the source of the page with every recorded figure."""
    table = readme_tables.results_table([(one.path, one.notebook) for one in stored])
    return (
        "# Measured results\n\nEvery figure below was recorded by a cell of a lesson "
        "and is read from the stored notebook. No choice was made on test data; it is "
        f"used at the end of a lesson.\n\n{table}\n"
    )


def solutions_page(places):
    """Return the source of the page that leads to the worked solutions."""
    found = [place for place in places.values() if "/solutions/" in place]
    return (
        "# Solutions\n\nTry the exercises of a lesson first. Each solution is folded; "
        "open it when you want to compare.\n\n" + toctree(found)
    )


def contents(places):
    """Return the site's tables of contents."""
    found = [path for path in places if path.endswith(".ipynb")]
    found = [path for path in found if "/solutions/" not in path]
    others = [place for path, place in places.items() if path in PAGES]
    others = [*others[:1], "results.md", "solutions.md", *others[1:]]
    return "\n\n".join(
        [
            toctree(found, ":caption: Lessons\n:hidden:"),
            toctree(others, ":caption: Around the lessons\n:hidden:"),
        ]
    )


def toctree(places, options=""):
    """Return a Sphinx table of contents in Markdown."""
    names = "\n".join(str(Path(place).with_suffix("").as_posix()) for place in places)
    options = f"{options}\n\n" if options else "\n"
    return f"```{{toctree}}\n{options}{names}\n```\n"


def raw(text):
    """Return HTML so that it stands on a Markdown page as it is."""
    return f"```{{raw}} html\n{text}\n```"


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
