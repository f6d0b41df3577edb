"""Pages that are live: the small ones in the notebooks, and what node says of all."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import export_models
import live_pages
import pytest

ROOT = Path(__file__).resolve().parents[2]
TAGS = "script", "style"


def test_the_live_pages_of_the_package_are_made_of_those_of_the_site(capsys):
    assert live_pages.main(["--check"]) == 0, capsys.readouterr().out
    files = {path.stem for path in live_pages.STORED.iterdir()}
    assert files == set(live_pages.SMALL)


@pytest.mark.parametrize("name", live_pages.SMALL)
def test_a_small_page_allows_its_own_program_alone(name):
    page = (live_pages.STORED / f"{name}.html").read_text("utf-8")
    policy = re.search('Policy" content="(.*)"', page)[1].split("; ")
    inside = {tag: re.search(f"<{tag}.*?>(.*?)</{tag}>", page, re.S)[1] for tag in TAGS}
    allowed = [f"{tag}-src '{live_pages._hash(inside[tag])}'" for tag in TAGS]
    assert policy[:3] == ["default-src 'none'", *allowed] and "unsafe" not in page


@pytest.mark.skipif(shutil.which("node") is None, reason="node isn't installed")
def test_the_models_in_the_browser_say_what_keras_says(tmp_path):
    export_models.main(["--output", str(tmp_path)])
    command = ["node", "--test", ROOT / "tests/live/live.test.mjs"]
    models = {**os.environ, "MODELS": str(tmp_path)}
    done = subprocess.run(command, env=models, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
