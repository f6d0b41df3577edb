"""The links of the README, the other Markdown pages and the notebooks' texts.

    python -m tools.course_links             check the links inside the course
    python -m tools.course_links --external  ask the addresses outside as well

What was asked, and when it last answered, stays in `tools/external_links.json`, so
that the same addresses aren't asked again within 30 days.
"""

import argparse
import datetime
import json
import os
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path

from tools import cells
from tools.texts import tell, write_json, written_by_people

ROOT = Path(__file__).resolve().parents[1]
CACHE = "tools/external_links.json"
FRESH_DAYS = 30
# Written only when the site is built, from the lessons (website/course_site/pages.py).
GENERATED = ("website/results.md",)
# The badges follow from one setting; `make badges` and its test keep them in step.
BADGES = "https://colab.research.google.com/"

_LINK = re.compile(r"\]\(<?((?:[^()\s<>]|\([^()\s]*\))+)>?(?:\s+\"[^\"]*\")?\)")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`\n]+`")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
_ID = re.compile(r"<[^>]+\b(?:id|name)=\"([^\"]+)\"")


def texts(root=ROOT):
    """Return the texts that people read: path in the repository to Markdown."""
    found = {}
    for path in written_by_people(root, "*.md", "*.ipynb"):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            text = cells.markdown(json.loads(text))
        found[path.relative_to(root).as_posix()] = text
    return found


def links(pages):
    """Return (file, target) of every link in texts, without those in code."""
    found = []
    for file, text in pages.items():
        plain = _CODE.sub("", _FENCE.sub("", text))
        found += [(file, target) for target in _LINK.findall(plain)]
    return found


def anchors(text):
    """Return the anchors of a text: of its headings, as GitHub makes them, and ids.

    Example:
        >>> sorted(anchors("# The map\\n\\n## 1. What, then?\\n\\n## The map"))
        ['1-what-then', 'the-map', 'the-map-1']
    """
    found = set(_ID.findall(text))
    for heading in _HEADING.findall(_FENCE.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number = 1
        while (name := slug if number == 1 else f"{slug}-{number - 1}") in found:
            number += 1
        found.add(name)
    return found


def broken(pages, root=ROOT):
    """Return what is wrong with the links inside the course, as sentences."""
    for file, link in links(pages):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        path = (root / file).parent / target if target else root / file
        place = Path(os.path.relpath(path, root)).as_posix()
        if place in GENERATED:
            continue
        if not path.exists():
            yield f"{file}: {link} leads nowhere"
        elif anchor and place in pages and anchor not in anchors(pages[place]):
            yield f"{file}: {target or file} has no heading #{anchor}"


def external(pages):
    """Return the addresses outside the course, sorted, each once."""
    targets = {target.partition("#")[0] for _, target in links(pages)}
    return sorted(t for t in targets if t.startswith("http") and BADGES not in t)


def read_cache(root=ROOT):
    """Return when each address last answered: a date, or None for never asked."""
    return json.loads((root / CACHE).read_text(encoding="utf-8"))


def ask(addresses, cache, today, answers):
    """Ask the addresses that weren't asked lately.

    Args:
        addresses: list of addresses.
        cache: what `read_cache` returns.
        today: a date.
        answers: function from an address to "" or what went wrong.
    Returns:
        (the new cache, the failures as sentences); a failed address keeps its date.
    """
    fresh = (today - datetime.timedelta(days=FRESH_DAYS)).isoformat()
    found, failures = {}, []
    for address in addresses:
        found[address] = cache.get(address)
        if found[address] is not None and found[address] > fresh:
            continue
        if problem := answers(address):
            failures.append(f"{address}: {problem}")
        else:
            found[address] = today.isoformat()
    return found, failures


def answer(address, seconds=20):
    """Ask one address; return "" when it answers, else what went wrong."""
    request = urllib.request.Request(address, headers={"User-Agent": "Mozilla/5.0"})
    try:
        with urllib.request.urlopen(request, timeout=seconds):
            return ""
    except urllib.error.HTTPError as error:
        # Some servers turn programs away; the page is there all the same.
        return "" if error.code in (403, 429) else f"status {error.code}"
    except OSError as error:
        return str(getattr(error, "reason", error))


def main(arguments=None, root=ROOT):
    """Check the links; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--external", action="store_true", help="needs a network")
    options, pages = parser.parse_args(arguments), texts(root)
    problems = list(broken(pages, root))
    if options.external:
        today = datetime.date.today()
        known = read_cache(root) if (root / CACHE).exists() else {}
        found, failures = ask(external(pages), known, today, answer)
        problems += failures
        write_json(root / CACHE, found)
    return tell(problems)


if __name__ == "__main__":
    sys.exit(main())
