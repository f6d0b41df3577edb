"""Build the course's site from the stored notebooks: `make site`, or

    python website/build.py [--output build/site]

Nothing is executed and nothing is asked from the network. Every warning is an error.
What the pages load (MathJax, reveal.js) lies in website/node_modules, where
`npm install` puts it once.
"""

import argparse
import concurrent.futures
import json
import shutil
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

import export_models  # noqa: E402
import live_pages  # noqa: E402
from course_site import icons, pages, policy, slides, theme  # noqa: E402
from sphinx.cmd.build import build_main  # noqa: E402

WORK = ROOT / "build/website"
MODULES = ROOT / "website/node_modules"
SPEAKER = MODULES / "reveal.js/plugin/notes/speaker-view.html"  # is in notes.js, too
# What the pages need of each package: (place in it, place on the site).
VENDOR = (
    ("mathjax/es5/tex-chtml-full.js", "mathjax/tex-chtml-full.js"),
    ("mathjax/es5/output/chtml/fonts", "mathjax/output/chtml/fonts"),
    ("mathjax/LICENSE", "mathjax/LICENSE"),
    ("reveal.js/dist/reveal.js", "reveal/dist/reveal.js"),
    ("reveal.js/dist/reveal.css", "reveal/dist/reveal.css"),
    ("reveal.js/dist/theme/white.css", "reveal/dist/theme/white.css"),
    ("reveal.js/dist/theme/fonts", "reveal/dist/theme/fonts"),
    ("reveal.js/plugin/notes/notes.js", "reveal/plugin/notes/notes.js"),
    ("reveal.js/LICENSE", "reveal/LICENSE"),
)


def main(arguments=None):
    """Build the site; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "build/site")
    output = parser.parse_args(arguments).output
    start = time.perf_counter()
    try:
        collect_vendor(WORK / "vendor")
        stored = pages.prepare(WORK / "source")
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    shutil.rmtree(output, ignore_errors=True)
    options = ["-b", "html", "-q", "-W", "--keep-going", "-c", str(ROOT / "website")]
    options += ["-d", str(WORK / "doctrees"), str(WORK / "source"), str(output)]
    with concurrent.futures.ProcessPoolExecutor(1) as other:  # they take as long
        decks = other.submit(write_slides, stored, output / "slides")
        status = build_main(options)
        decks.result()
    if status:
        return status
    theme.mend(output)
    policy.write(output, SPEAKER.read_text(encoding="utf-8"))
    icons.write(output)
    live_pages.write_site(output / "live")
    facts = json.dumps([lesson.facts for lesson in stored], ensure_ascii=False)
    (output / "_static/lessons.json").write_text(facts, encoding="utf-8")
    status = export_models.main(["--output", str(output / "_static/models")])
    seconds = time.perf_counter() - start
    count = sum(1 for _ in output.rglob("*.html"))
    print(f"{count} pages in {seconds:.0f} s: {output / 'index.html'}")
    return status


def collect_vendor(folder, modules=MODULES):
    """Copy what the pages load in the browser into one folder.

    Raises:
        OSError: `npm install` hasn't run in website/.
    """
    shutil.rmtree(folder, ignore_errors=True)
    for place, target in VENDOR:
        source, copy = modules / place, folder / target
        if not source.exists():
            raise OSError(
                f"website/node_modules/{place} is missing: run `npm install` in "
                "website/ (the site's pages load it), or `make site`, which does so."
            )
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, copy)
        else:
            shutil.copyfile(source, copy)


def write_slides(stored, folder):
    """Write the slides of all lessons."""
    folder.mkdir(parents=True, exist_ok=True)
    for lesson in stored:
        text = slides.page(
            lesson.notebook,
            templates=ROOT / "website/templates",
            reveal="../_static/reveal",
            mathjax="../_static/mathjax/tex-chtml-full.js",
        )
        (folder / f"{lesson.number}.html").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
