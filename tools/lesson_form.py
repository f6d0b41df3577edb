"""The form of a lesson of the third edition, as rules that a program can check.

`tools/notebook_contract.py` asks these of each lesson that is rewritten. CONTRIBUTING,
"A lesson", says what they are for.
"""

import re

from tools import cells, lesson_times

# Lessons of the second edition that are still to be rewritten. The list only shrinks.
NOT_YET_REWRITTEN = {f"{number:02}" for number in range(7, 16)} | {
    # Copies of the second edition's lessons 01 to 06 under working names.
    "what_word_vectors_know",
    "bottleneck_measured",
    "attention_family",
    "what_attention_costs",
    "encoder_measured",
    "positions_measured",
    # The other further lessons.
    "which_model_when",
    "attention_on_images",
    "rnn_or_transformer",
    "what_attention_sees",
    "many_devices",
    "scaling_up",
    "distillation",
}
HEADINGS = (
    "What you will be able to do",
    "Before you start",
    "What this doesn't show",
    "Exercises",
    "After the lesson",
    "For the record",
)
# What the header says of the minutes may differ so much from what is counted.
MINUTES_OFF = 5
RECORDING = {"results.record", "results.expect", "results.record_all"}
RECORDING |= {"evidence.record"}

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_QUOTED_OUTPUT = re.compile(r"(\*\*|\*|`)([^*`\n]+)\1<!--\s*out\s*-->")
_OUT_MARK = re.compile(r"<!--\s*out\s*-->")
_BOUND_NUMBER = re.compile(
    r"[-−]?\d[\d,]*(?:\.\d+)?[^\d\n<>]{0,30}<!--\s*[a-z][\w.]*\.[\w.]+.*?-->", re.DOTALL
)
_NOT_PROSE = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)\s]*\)|https?://\S+", re.DOTALL)
_DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?![\w]|\.\d)")
_TIME = re.compile(
    r"\*\*Time:\*\* (?:about )?(\d+) minutes to read, (?:about )?(\d+) for the "
    r"exercises, (?:about )?(\d+|less than one) for the computer"
)


def violations(notebook):
    """Yield what a rewritten lesson breaks, as one sentence each."""
    yield from _headings(notebook)
    yield from _time_line(notebook)
    yield from _record_cell(notebook)
    yield from _settings(notebook)
    yield from _predictions(notebook)
    yield from _quoted_outputs(notebook)
    yield from _loose_decimals(notebook)


def _headings(notebook):
    text = cells.markdown(notebook)
    headings = re.findall(r"^#{1,6}\s+(.*)$", text, re.MULTILINE)
    for wanted in HEADINGS:
        if not any(wanted.lower() in heading.lower() for heading in headings):
            yield f'there is no heading "{wanted}"'


def _time_line(notebook):
    """The header's minutes are those of the formula, not of a wish."""
    text = " ".join(cells.markdown(notebook).split())  # a line may be broken
    found = _TIME.search(text)
    if found is None:
        yield (
            'no line says "**Time:** about 45 minutes to read, 25 for the exercises, '
            '3 for the computer"'
        )
        return
    stated = int(found[1])
    counted = lesson_times.lesson_minutes(notebook)
    if abs(stated - counted) > MINUTES_OFF:
        yield f"the header says {stated} minutes to read, but {counted} are counted"


def _record_cell(notebook):
    """All figures are recorded with one call in the last code cell, which is folded."""
    code = list(cells.of_kind(notebook, "code"))
    recording = []
    for position, cell in code:
        tree, _ = cells.syntax(cell.source)
        names = [name for name, _, _ in cells.calls(tree) if name in RECORDING]
        recording += [(position, name) for name in names]
    last_position, last_cell = code[-1]
    if recording != [(last_position, "results.record_all")]:
        places = ", ".join(f"{name} in cell {place}" for place, name in recording)
        yield (
            "figures are recorded by one call of results.record_all in the last code "
            f"cell, but here by {places or 'none'}"
        )
    elif not lesson_times.is_hidden(last_cell):
        yield f"cell {last_position} records figures, so its source has to be folded"


def _settings(notebook):
    """What differs between the data modes stands in one cell."""
    picking = []
    for position, cell in cells.of_kind(notebook, "code"):
        tree, _ = cells.syntax(cell.source)
        if any(name == "course.pick" for name, _, _ in cells.calls(tree)):
            picking.append(position)
    if len(picking) > 1:
        places = ", ".join(map(str, picking))
        yield f"course.pick stands in the cells {places}; put all settings into one"


def _predictions(notebook):
    """The result of a prediction isn't seen before the learner has chosen."""
    for position, cell in cells.of_kind(notebook, "markdown"):
        asks = "**Predict" in cell.source.split("\n## ")[-1]
        answers_open = "<details>" in cell.source.rpartition("**Predict")[2]
        if not asks or answers_open or position >= len(notebook.cells):
            continue
        following = notebook.cells[position]  # positions count from 1
        if following.cell_type != "code":
            continue
        if not following.metadata.get("jupyter", {}).get("outputs_hidden"):
            yield (
                f"cell {position} asks for a prediction, but the output of cell "
                f"{position + 1} isn't folded (metadata jupyter.outputs_hidden)"
            )


def _quoted_outputs(notebook):
    """What a text quotes of an output stands in a stored output."""
    shown = " ".join(_stored_texts(notebook).split())
    for position, cell in cells.of_kind(notebook, "markdown"):
        quotes = _QUOTED_OUTPUT.findall(cell.source)
        for _, quoted in quotes:
            if " ".join(quoted.split()) not in shown:
                yield f"cell {position} quotes {quoted!r}, which no output shows"
        if len(_OUT_MARK.findall(cell.source)) > len(quotes):
            yield f"cell {position} has <!-- out --> without *text* or `text` before it"


def _loose_decimals(notebook):
    """A decimal number in prose is bound, or stands in the code or an output."""
    known = set(_decimals(_stored_texts(notebook)))
    for _, cell in cells.of_kind(notebook, "code"):
        known |= set(_decimals(cell.source))
    for position, cell in cells.of_kind(notebook, "markdown"):
        prose = _NOT_PROSE.sub(" ", cell.source)
        prose = _QUOTED_OUTPUT.sub(" ", _BOUND_NUMBER.sub(" ", prose))
        for number in _decimals(_COMMENT.sub(" ", prose)):
            if number not in known:
                yield (
                    f"cell {position} says {number}, which stands in no code and no "
                    "output; bind it to a result, or show it"
                )


def _decimals(text):
    return _DECIMAL.findall(text)


def _stored_texts(notebook):
    """Return every text that stored outputs show."""
    texts = []
    for _, cell in cells.of_kind(notebook, "code"):
        for output in cell.get("outputs", []):
            texts.append("".join(output.get("text", "")))
            for kind, shown in output.get("data", {}).items():
                if kind.startswith("text/"):
                    texts.append("".join(shown))
    return "\n".join(texts)
