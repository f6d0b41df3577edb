"""Build the course's site from the stored notebooks: `make site`, or

    python website/build.py [--output build/site]

Nothing is executed and nothing is asked from the network. Every warning is an error.
What the pages load (MathJax) lies in website/node_modules, where `npm install` puts it
once.
"""

import argparse
import shutil
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

import export_models  # noqa: E402
import live_pages  # noqa: E402
from course_site import pages  # noqa: E402
from sphinx.cmd.build import build_main  # noqa: E402

WORK = ROOT / "build/website"
MODULES = ROOT / "website/node_modules"
# What the pages need of each package: (place in it, place on the site).
VENDOR = (
    ("mathjax/es5/tex-chtml-full.js", "mathjax/tex-chtml-full.js"),
    ("mathjax/es5/output/chtml/fonts", "mathjax/output/chtml/fonts"),
    ("mathjax/LICENSE", "mathjax/LICENSE"),
)


def main(arguments=None):
    """Build the site; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "build/site")
    output = parser.parse_args(arguments).output
    start = time.perf_counter()
    try:
        collect_vendor(WORK / "vendor")
        pages.prepare(WORK / "source")
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    shutil.rmtree(output, ignore_errors=True)
    options = ["-b", "html", "-q", "-W", "--keep-going", "-c", str(ROOT / "website")]
    options += ["-d", str(WORK / "doctrees"), str(WORK / "source"), str(output)]
    status = build_main(options)
    if status:
        return status
    live_pages.write_site(output / "live")
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


if __name__ == "__main__":
    sys.exit(main())
