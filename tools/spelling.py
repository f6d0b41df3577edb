"""Check the spelling of texts, code and notebooks: `python -m tools.spelling`.

codespell knows common misspellings. Of a notebook it gets the texts and the code, one
file of lines, without the stored outputs. Words that are right all the same stand in
pyproject.toml under [tool.codespell].
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.texts import tell, written_by_people

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("*.md", "*.py", "*.toml", "*.js", "*.css")


def words(notebook):
    """Return what people wrote in a notebook's JSON, cell after cell."""
    cells = json.loads(notebook)["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells) + "\n"


def misspelt(root=ROOT):
    """Return codespell's lines: file, line, and what it proposes."""
    files = written_by_people(root, *KINDS)
    with tempfile.TemporaryDirectory() as folder:
        copies = []
        for path in written_by_people(root / "notebooks", "*.ipynb"):
            copy = Path(folder) / path.relative_to(root).with_suffix(".txt")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(words(path.read_text(encoding="utf-8")), encoding="utf-8")
            copies.append(copy)
        done = subprocess.run(
            [sys.executable, "-m", "codespell_lib", *files, *copies],
            cwd=root,
            capture_output=True,
            text=True,
        )
    if done.stderr and done.returncode not in (0, 65):  # 65: it found something
        raise RuntimeError(f"codespell failed: {done.stderr.strip()}")
    lines = done.stdout.splitlines()
    return [line.replace(f"{folder}/", "").replace(f"{root}/", "") for line in lines]


if __name__ == "__main__":
    sys.exit(tell(misspelt()))
