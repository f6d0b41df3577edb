"""Idempotent changes of shared files when a lesson lands."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORDS = {n: w for n, w in enumerate(
    "Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen "
    "Fifteen Sixteen Seventeen Eighteen Nineteen Twenty".split())}

def read(name): return (ROOT / name).read_text("utf-8")
def write(name, text): (ROOT / name).write_text(text, "utf-8")

def change(name, old, new):
    """Replace a string that stands there once; fine when the new one is there already."""
    text = read(name)
    if new in text:
        return
    assert text.count(old) == 1, (name, text.count(old), old)
    write(name, text.replace(old, new))

def add_line_after(name, start, line):
    """Put a line after the last line that begins with `start`."""
    text = read(name)
    if line in text.splitlines():
        return
    lines = text.split("\n")
    found = [i for i, one in enumerate(lines) if one.startswith(start)]
    assert found, (name, start)
    lines.insert(found[-1] + 1, line)
    write(name, "\n".join(lines))

def add_to_tuple(name, variable, entry):
    """Add a quoted entry to `VARIABLE = (...)` or a list, sorted."""
    text = read(name)
    match = re.search(rf"^{variable} = ([(\[])(.*?)([)\]])", text, re.S | re.M)
    assert match, (name, variable)
    entries = re.findall(r'"([^"]*)"', match.group(2))
    if entry in entries:
        return
    entries = sorted([*entries, entry])
    one = f"{variable} = {match.group(1)}" + ", ".join(f'"{e}"' for e in entries) + match.group(3)
    if len(one) > 88:
        one = f"{variable} = {match.group(1)}\n" + "".join(f'    "{e}",\n' for e in entries) + match.group(3)
    write(name, text[: match.start()] + one + text[match.end() :])

def add_test_to_row(row_start, tests):
    """Name more test files in the last cell of a row of README's table."""
    text = read("README.md")
    (line,) = [one for one in text.splitlines() if one.startswith(row_start)]
    new = line.removesuffix(" |")
    for test in tests:
        if f"`{test}`" not in new:
            new += f", `{test}`"
    write("README.md", text.replace(line, new + " |"))

def count_sessions():
    """Let the sentence above the plan count its rows."""
    text = read("README.md")
    rows = len(re.findall(r"^\| \d+ \| \[\d\d\]", text, re.M))
    text, n = re.subn(r"^\w+ sessions of 90 minutes", f"{WORDS[rows]} sessions of 90 minutes", text, flags=re.M)
    assert n == 1
    write("README.md", text)

def add_session(lesson, row):
    """Add the session of a lesson, `row` without its number, after those before it."""
    text = read("README.md")
    if row in text:
        return
    rows = re.findall(r"^\| \d+ \| \[\d\d\].*$", text, re.M)
    before = [r for r in rows if int(re.search(r"\[(\d\d)\]", r).group(1)) <= lesson]
    new = []
    for r in rows:
        new.append(r)
        if r == before[-1]:
            new.append(f"| 0 {row}")
    numbered = [re.sub(r"^\| \d+", f"| {i}", r) for i, r in enumerate(new, 1)]
    start, end = text.index(rows[0]), text.index(rows[-1]) + len(rows[-1])
    write("README.md", text[:start] + "\n".join(numbered) + text[end:])
    count_sessions()

def not_planned(part):
    """Take a lesson off README's sentence of planned ones."""
    text = read("README.md")
    match = re.search(r"^Planned, in this order of numbers: (.*?)\.\n", text, re.S | re.M)
    left = [one.strip() for one in match.group(1).replace("pre-\ntrained", "pre-trained").replace("\n", " ").split("·")]
    left = [one for one in left if one != part]
    import textwrap
    sentence = textwrap.fill("Planned, in this order of numbers: " + " · ".join(left) + ".", 88, break_on_hyphens=False)
    write("README.md", text[: match.start()] + sentence + "\n" + text[match.end() :])

ROAD = {14: ("14 BERT from scratch", "(film reviews)"), 15: ("15 pre-trained models", "(English, Chinese)"), 16: ("16 distillation", "(film reviews)")}

def start_here(lesson, old_row, new_row):
    """Link the lesson in 00's map, and draw it on the road, after those that are there."""
    name = "notebooks/00_start_here.ipynb"
    change(name, old_row, new_row)
    text = read(name)
    if f'"{ROAD[lesson][0]}' in text or f"> {ROAD[lesson][0]}" in text:
        return
    there = [n for n in ROAD if n == lesson or f"| [{n} " in text]  # those with a link
    lines = text.split("\n")
    old = [i for i, one in enumerate(lines) if any(one.lstrip().startswith(f'"{ROAD[n][0]}') for n in ROAD)]
    if old:  # the line of the road, the line of its data and the empty one before them
        del lines[old[0] - 1 : old[0] + 2]
    top, below = "", ""
    for i, n in enumerate(there):
        width = max(len(ROAD[n][0]), len(ROAD[n][1]))
        last = i == len(there) - 1
        top += ROAD[n][0] + ("" if last else " " + "─" * (width - len(ROAD[n][0])) + "──> ")
        below += ROAD[n][1] if last else ROAD[n][1].ljust(width + 5)
    hurry = next(i for i, one in enumerate(lines) if "In a hurry?" in one)
    fence = max(i for i in range(hurry) if "```" in lines[i])
    road = ['    "\\n",', f'    "{top}\\n",', f'    "{below}\\n",']
    lines[fence:fence] = road
    write(name, "\n".join(lines))
