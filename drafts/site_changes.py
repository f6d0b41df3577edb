"""Put the site's changes into shared files: python drafts/site_changes.py. Idempotent."""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def change(path, *pairs):
    file = ROOT / path
    text = file.read_text(encoding="utf-8")
    for old, new in pairs:
        if new in text:
            continue
        assert text.count(old) == 1, (path, text.count(old), old)
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")


change(
    "Makefile",
    (
        "STAMP := $(VENV)/.installed\n",
        "STAMP := $(VENV)/.installed\nSITE_STAMP := $(VENV)/.site-installed\n",
    ),
    (
        '	@echo "make bench [',
        '	@echo "make site                   build the website in build/site"\n'
        '	@echo "make test-browser           test site and JupyterLab in Chromium"\n'
        '	@echo "make links                  ask the addresses outside the course"\n'
        '	@echo "make bench [',
    ),
    (
        "tables: $(STAMP)\n	$(BIN)/python scripts/readme_tables.py\n",
        "tables: $(STAMP)\n	$(BIN)/python scripts/readme_tables.py\n"
        "	$(BIN)/python scripts/teaching_tables.py\n"
        "\n"
        "# What the pages load in the browser comes from npm, once; the build needs no network.\n"
        "$(SITE_STAMP): $(STAMP) website/requirements.txt website/package.json\n"
        "	@rm -f $@\n"
        "	@command -v npm >/dev/null || { \\\n"
        '	  echo "The site needs npm (it comes with Node.js), for MathJax and reveal.js." >&2; \\\n'
        "	  exit 1; }\n"
        "	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \\\n"
        "	  -r website/requirements.txt\n"
        "	@npm install --prefix website --no-package-lock --no-audit --no-fund --silent\n"
        "	@touch $@\n"
        "\n"
        "site: $(SITE_STAMP)\n"
        "	$(BIN)/python website/build.py\n"
        "\n"
        "# Needs Chromium; see tests/browser/requirements.txt.\n"
        "test-browser: site\n"
        "	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \\\n"
        "	  -r tests/browser/requirements.txt\n"
        "	$(BIN)/python -m pytest tests/browser -q --durations 5\n"
        "\n"
        "links: $(STAMP)\n"
        "	$(BIN)/python scripts/course_links.py --external\n",
    ),
)
makefile = ROOT / "Makefile"
text = makefile.read_text(encoding="utf-8")
if "test-browser links" not in text:
    start = text.index(".PHONY: ")
    end = text.index("\n\n", start)
    text = text[:end] + " \\\n        site test-browser links" + text[end:]
    makefile.write_text(text, encoding="utf-8")

change(
    "requirements.txt",
    ("nbval>=0.11,<1\n", "nbval>=0.11,<1\ncodespell>=2.4,<3\n"),
)
change(
    "pyproject.toml",
    (
        'testpaths = ["tests", "course_utils"]\n',
        'testpaths = ["tests", "course_utils"]\n'
        "# The browser's tests have a command of their own, `make test-browser`.\n"
        'norecursedirs = ["browser", "build", "node_modules", ".*", "*.egg-info"]\n',
    ),
    (
        "[tool.pytest.ini_options]",
        "[tool.codespell]\n"
        "# Spanish, names, and words that are wrong on purpose in tests.\n"
        'skip = "*phrasebook_words.py"\n'
        'ignore-words-list = "aer,blokcs,caf,hace,hart,pinter,ser,smaple,te"\n'
        "\n"
        "[tool.pytest.ini_options]",
    ),
)
change(
    ".gitignore",
    ("# What the course's commands build\nbuild/\n",
     "# What the course's commands build, and what they fetch for the site\n"
     "build/\nnode_modules\n"),
)
change(
    "README.md",
    (
        "| `make lesson N=05` | runs one lesson; `DATA=full` works here too |\n",
        "| `make lesson N=05` | runs one lesson; `DATA=full` works here too |\n"
        "| `make site` | builds a website of all lessons in `build/site`; needs npm once |\n"
        "| `make test-browser` | tests that site, and a lesson in JupyterLab, in Chromium |\n"
        "| `make links` | asks the addresses outside the course whether they still answer |\n",
    ),
    (
        "## How to teach from it\n\n",
        "## How to teach from it\n\n"
        "Plans for 6, 10 and 14 weeks, goals, times, questions to discuss, projects and slides\n"
        "stand on the [teachers' page](website/teaching.md). For single meetings:\n\n",
    ),
    (
        "| Notebooks keep the rules; a changed output makes the tests fail |",
        "| The site's questions, map and slides say what the notebooks say | `tests/test_site.py` |\n"
        "| Pages can be read, searched, answered and explored in a browser, by keyboard and in the dark; axe-core finds nothing serious; JupyterLab runs a lesson | `tests/browser/` |\n"
        "| Links and anchors lead somewhere; no common misspelling | `tests/test_links.py`, `tests/test_spelling.py` |\n"
        "| Notebooks keep the rules; a changed output makes the tests fail |",
    ),
    (
        "benchmarks/      ourselves beside",
        "website/         the site's sources, and the teachers' page\nbenchmarks/      ourselves beside",
    ),
)

# .PHONY may go on in further lines
change(
    "tests/test_readme.py",
    (
        '    targets = set(re.search(r"^\\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split())\n',
        '    phony = re.search(r"^\\.PHONY: ((?:.*\\\\\\n)*.*)$", makefile, re.MULTILINE)[1]\n'
        "    targets = set(phony.split())\n",
    ),
)

# The teachers' tables follow from the lessons that are there now.
import os
import subprocess

subprocess.run(
    [sys.executable, "scripts/teaching_tables.py"],
    cwd=ROOT,
    env={**os.environ, "PYTHONPATH": str(ROOT)},
    check=True,
)
