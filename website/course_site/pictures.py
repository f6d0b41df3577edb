"""Measured results as pictures: bars from 0, each with its number beside it.

Example:
    >>> "47.55" in bars("BLEU", "", {"a": 26.3, "b": 47.55}, 100)
    True
"""

import html

from course_utils import results

WIDTH, NAMES, ROW, TOP = 640, 250, 30, 34  # pixels


def bars(title, note, values, most):
    """Return an SVG picture of some values.

    Args:
        title: what is measured.
        note: what to know before comparing; "" for nothing.
        values: name to number, from 0 to ``most``, where an axis ends.
    """
    wide = WIDTH - NAMES - 60
    said = "; ".join(f"{name}: {results.format_value(v)}" for name, v in values.items())
    label = html.escape(f"{title}. {said}. {note}".strip())
    height = TOP + ROW * len(values) + (24 if note else 4)
    parts = [f'<text x="0" y="18" class="title">{html.escape(title)}</text>']
    for row, (name, value) in enumerate(values.items()):
        y, length = TOP + ROW * row, wide * value / most
        name, number = html.escape(name), results.format_value(value)
        parts += [
            f'<text x="{NAMES - 8}" y="{y + 16}" class="name">{name}</text>',
            f'<rect x="{NAMES}" y="{y}" width="{length:.1f}" height="22"/>',
            f'<text x="{NAMES + length + 6:.1f}" y="{y + 16}">{number}</text>',
        ]
    if note:
        parts.append(
            f'<text x="0" y="{height - 6}" class="note">{html.escape(note)}</text>'
        )
    return (
        f'<svg class="bars" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{label}">{"".join(parts)}</svg>'
    )
