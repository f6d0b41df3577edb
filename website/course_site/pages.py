"""Puts the site's sources together: stored notebooks, pages, generated parts.

The sources lie in `build/website/source`. Nothing in a notebook is executed or changed;
only a link to a file that has no page leads to the repository instead, or becomes
plain text while the course has no public address.
"""

import posixpath
import re
import shutil
from pathlib import Path

from course_site import lessons
from course_utils.kit import evidence, results
from tools import publish, readme_tables
from tools.lessons import find

HOME = "website/home.md"
PROOFS = "website/how_we_know.md"
DRAWINGS = "course_utils/kit/plots/drawings"
MAP = "course-map.png"
# Where a file of the repository stands on the site.
PAGES = {
    "website/teaching.md": "teaching.md",
    "website/colab.md": "colab.md",
    "website/gpu.md": "gpu.md",
    "website/how_we_know.md": "how_we_know.md",
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
    path = source / PAGES[PROOFS]
    _write(path, proofs_page(path.read_text(encoding="utf-8"), stored, root))
    _write(source / "results.md", results_page(stored))
    _write(source / "solutions.md", solutions_page(places))
    shutil.copy(root / DRAWINGS / MAP, source / MAP)
    return stored


def site_places(root=lessons.ROOT):
    """Return where each file with a page stands on the site: path to place."""
    notebooks = find(root / "notebooks") + find(root / "notebooks/solutions")
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
    parts = {
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


def lessons_table(stored):
    """Return the table of lessons in Markdown."""
    labels = {one.key: one.label for one in stored}
    lines = ["| Lesson | After it you can | Needs | Minutes |", "|---|---|---|---:|"]
    for one in stored:
        goal = one.goals[0].replace("|", "\\|") if one.goals else ""
        needs = ", ".join(labels[need] for need in one.needs) or "–"
        row = f"[{one.title}]({one.path})", goal, needs, one.minutes
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def results_page(stored):
    """Return the source of the page with every recorded figure."""
    table = readme_tables.results_table([(one.path, one.notebook) for one in stored])
    return (
        "# Measured results\n\nEvery figure below was recorded by a cell of a lesson "
        "and is read from the stored notebook. No choice was made on test data; it is "
        f"used at the end of a lesson.\n\n{table}\n"
    )


def proofs_page(template, stored, root=lessons.ROOT):
    """Return the page that says how we know: its template with the generated tables."""
    tests = (root / "tests/README.md").read_text(encoding="utf-8")
    _, mutants = tests.split("| A part that … |")
    parts = {
        "mutants": "| A part that … |" + mutants.partition("\n\n")[0],
        "bounds": folded(bounds_table(stored)),
        "evidence": evidence_table(),
    }
    return _MARK.sub(lambda found: parts[found[1]], template)


def folded(table):
    """Return a table of Markdown so that it opens with a click."""
    count = len(table.strip().splitlines()) - 2
    shown = f"<details>\n<summary>Show all {count}</summary>\n\n{table.strip()}\n\n"
    return shown + "</details>"


def bounds_table(stored):
    """Return the table of all figures that had a bound, and whether it was reached."""
    lines = ["| Lesson | Figure | Value | Expected | |", "|---|---|---:|---|---|"]
    for lesson in stored:
        for one in lesson.results:
            if bound := results.bounds(one):
                reached = "reached" if results.passed(one) else "**missed**"
                value = results.format_value(one["value"])
                row = f"[{lesson.label}]({lesson.path})", f"`{one['name']}`", value
                lines.append(f"| {' | '.join([*row, bound, reached])} |")
    return "\n".join(lines)


def evidence_table():
    """Return the table of the evidence: what was measured, how often, how long."""
    lines = [
        "| Study | Variants | Runs | Minutes | Measured |",
        "|---|---:|---:|---:|---|",
    ]
    for path in sorted(evidence.FOLDER.glob("*.csv")):
        runs = evidence.table(path.stem).drop_duplicates(["variant", "seed"])
        first, last = runs["date"].min(), runs["date"].max()
        days = first if first == last else f"{first} to {last}"
        lines.append(
            f"| `{path.stem}` | {runs['variant'].nunique()} | {len(runs)} | "
            f"{runs['minutes'].sum():,.0f} | {days} |"
        )
    return "\n".join(lines)


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


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
