"""The README names files, commands and variables that exist, and only measured figures.

That its tables are in step with the lessons is tested with the script that writes them.
"""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GENERATED = ("build/", ".venv/", "~", "tfds/")

START = json.loads((ROOT / "notebooks/00_start_here.ipynb").read_text("utf-8"))


def outside_tables():
    """Return the README without what `make tables` writes."""
    pattern = r"<!-- (\w+):begin -->.*?<!-- \1:end -->"
    return re.sub(pattern, "", README, flags=re.DOTALL)


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)]+)\)", README))))
def test_links_lead_somewhere(target):
    if not target.startswith("https://"):
        assert (ROOT / target.partition("#")[0]).exists()


def paths():
    """Return what stands between backticks and looks like a path."""
    names = re.findall(r"`([^`\s]+)`", README)
    looks = [name for name in names if re.fullmatch(r"[\w./-]+/[\w.-]*", name)]
    return sorted({name for name in looks if not name.startswith(GENERATED)})


@pytest.mark.parametrize("path", paths())
def test_named_files_exist(path):
    assert (ROOT / path).exists()


def test_layout_names_directories_that_exist():
    layout = re.search(r"```text\n(.*?)```", README, re.DOTALL).group(1)
    names = re.findall(r"^(\w+)/", layout, re.MULTILINE)
    assert names and all((ROOT / name).is_dir() for name in names)


def test_commands_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: ((?:.*\\\n)*.*)$", makefile, re.MULTILINE)[1]
    targets = set(phony.split())
    # `make` stands at the start of a line of commands or after a backtick
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE))
    assert {"run", "test", "install", "lesson"} <= named <= targets


def test_variables_are_read_by_the_course():
    source = (ROOT / "course_utils/environment.py").read_text(encoding="utf-8")
    for name in set(re.findall(r"COURSE_[A-Z_]+", README)):
        assert f'"{name}"' in source, name


def test_figures_stand_in_the_generated_tables_only():
    unit = r"(?:%|BLEU|points|GFLOP/s|sentences/s|sentences per second|times as)"
    assert not re.findall(rf"\d[\d.,]* ?{unit}", outside_tables())
    assert not re.findall(r"\b0\.\d\d", outside_tables())


def test_the_map_names_every_lesson_and_no_other():
    text = "".join("".join(cell["source"]) for cell in START["cells"])
    on_map = set(re.findall(r"^\| \[.*\]\((\d\d_\w+\.ipynb)\) \|", text, re.MULTILINE))
    existing = {path.name for path in ROOT.glob("notebooks/[0-9][0-9]_*.ipynb")}
    assert existing - on_map == {"00_start_here.ipynb"}
    assert on_map <= existing


def test_every_lesson_is_in_the_teaching_plan():
    plan = README.partition("## How to teach from it")[2].partition("\n## ")[0]
    for path in ROOT.glob("notebooks/[0-9][0-9]_*.ipynb"):
        assert f"({path.relative_to(ROOT).as_posix()})" in plan


@pytest.mark.parametrize(
    "words",
    ["Maas", "Tatoeba", "CC BY 2.0 FR", "manythings.org", "CC BY 4.0", "MIT licence"],
)
def test_sources_are_named(words):
    assert words in README
