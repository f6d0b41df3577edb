"""Numbers in a lesson's text that are bound to recorded results.

    python -m tools.bound_numbers

In a text cell a comment that no reader sees says where a number comes from:

    It reaches BLEU 47.2<!-- translation.transformer.bleu --> after
    28 minutes<!-- translation.transformer.train_minutes -->, 3.1 more<!--
    translation.transformer.bleu - translation.gru.bleu --> than the GRU.

A name stands for its stored result; ``a - b`` and ``a / b`` are differences and ratios.
Between the number and its comment a few words may stand, such as a unit. With ``%`` or
``percentage points`` the result is shown a hundred times as large. The number keeps
the decimals that it was written with; ``?.?`` waits for its first run. Results of all
lessons can be mentioned.

The notebooks' contract finds numbers that differ. Storing a run of a lesson rewrites
the numbers and lists the sentences to read again; so does this program.
"""

import re

import nbformat

from course_utils.kit import results
from tools import cells, lessons, texts
from tools.lessons import NOTEBOOKS

_NAME = r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+"
_COMMENT = (
    rf"<!--\s*(?P<first>{_NAME})(?:\s+(?P<sign>[-/])\s+(?P<second>{_NAME}))?\s*-->"
)
_MENTION = re.compile(
    r"(?P<number>[-−]?\d[\d,]*(?:\.\d+)?|\?(?:\.\?+)?)(?P<unit>[^\d\n<>]{0,30})"
    + _COMMENT
)
_ANY_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?!\s))+[.!?]?")
_HUNDREDFOLD = re.compile(r"^[\s\u00a0]*(%|percentage points?\b)")


class Mention:
    """A number in a text, and where it comes from.

    Args:
        cell: the text's position.
        match: of the number with its comment.
    """

    def __init__(self, cell, match):
        self.cell, self.match = cell, match
        self.written, self.sign = match["number"], match["sign"]
        self.names = [name for name in (match["first"], match["second"]) if name]
        self.factor = 100 if _HUNDREDFOLD.match(match["unit"]) else 1

    def source(self):
        """Return what the comment says."""
        return f" {self.sign} ".join(self.names)

    def value(self, records):
        """Return the number that the records give, as it is to be shown.

        Raises:
            KeyError: a name has no record.
        """
        value, *other = (records[name]["value"] for name in self.names)
        if self.sign == "-":
            value -= other[0]
        elif self.sign == "/":
            value /= other[0]
        return value * self.factor

    def shown(self, records):
        """Return the number with the decimals and the kind of minus of the text."""
        decimals = len(self.written.partition(".")[2])
        value = self.value(records)
        text = f"{value:,.{decimals}f}"
        if "," not in self.written and abs(value) < 10_000:
            text = text.replace(",", "")
        return text.replace("-", "−" if "−" in self.written else "-")

    def noise(self, records):
        """Return by how much the number may change from run to run, as it is shown.

        It is what ``results.record(..., noise=...)`` stated; 0 when nothing was.
        """
        stated = [records[name].get("noise", 0) for name in self.names]
        return self.factor * sum(noise**2 for noise in stated) ** 0.5


def mentions(notebook):
    """Return the bound numbers of a notebook's text cells, in order."""
    return [
        Mention(position, match)
        for position, cell in cells.of_kind(notebook, "markdown")
        for match in _MENTION.finditer(cell["source"])
    ]


def violations(notebook, records):
    """Yield what is wrong with a notebook's bound numbers, as one sentence each.

    Args:
        notebook: an nbformat notebook.
        records: name to stored result, of all lessons.
    """
    for one in mentions(notebook):
        missing = [name for name in one.names if name not in records]
        if missing:
            yield f"cell {one.cell} mentions {missing[0]}, which no lesson records"
        elif one.shown(records) != one.written:
            yield (
                f"cell {one.cell} says {one.written} for {one.source()}, but the "
                f"stored result gives {one.shown(records)}"
            )
    for position, cell in cells.of_kind(notebook, "markdown"):
        for comment in _ANY_COMMENT.findall(_MENTION.sub("", cell["source"])):
            if "TODO" in comment or re.search(_NAME, comment):
                yield f"cell {position} has a comment without a number: {comment}"


def rewrite(notebook, records):
    """Write the records' numbers into a notebook's texts, in place.

    Returns:
        A list of sentences to read again, because a number changed by more than its
        stated noise: each as "cell 7: 47.2 → 46.1: the sentence".
    """
    changed = []
    for one in reversed(mentions(notebook)):
        if any(name not in records for name in one.names):
            continue
        shown = one.shown(records)
        if shown == one.written:
            continue
        cell = notebook["cells"][one.cell - 1]
        start, end = one.match.span("number")
        cell["source"] = cell["source"][:start] + shown + cell["source"][end:]
        if abs(_number(shown) - _number(one.written)) > one.noise(records):
            said = _sentence(one.match.string, one.match.start())
            changed.append(f"cell {one.cell}: {one.written} → {shown}: {said}")
    return changed[::-1]


def stored_records(folder=NOTEBOOKS):
    """Return name to stored result of all lessons in a folder."""
    return {
        payload["name"]: payload
        for path in lessons.find(folder)
        for payload in results.collect(nbformat.read(path, as_version=4))
    }


def update(folder=NOTEBOOKS):
    """Rewrite the texts of all lessons; return the sentences to read again."""
    records = stored_records(folder)
    sentences = []
    for path in lessons.find(folder):
        notebook = nbformat.read(path, as_version=4)
        before = nbformat.writes(notebook)
        sentences += [f"{path.name}, {one}" for one in rewrite(notebook, records)]
        after = nbformat.writes(notebook)
        if after != before:
            texts.write(path, after)
    return sentences


def _sentence(text, position):
    """Return the sentence at a position of a text, without its comments."""
    blanked = _ANY_COMMENT.sub(lambda comment: " " * len(comment.group()), text)
    for match in _SENTENCE.finditer(blanked):
        if match.start() <= position < match.end():
            return re.sub(r"\s+(?=[,.;:!?)])", "", " ".join(match.group().split()))
    return ""


def _number(text):
    return float("inf" if "?" in text else text.replace("−", "-").replace(",", ""))


if __name__ == "__main__":
    print(*update(), sep="\n")
