"""Measured results as pictures: bars from 0, each with its number beside it; and back.

Example:
    >>> "47.55" in bars("BLEU", "", {"a": 26.3, "b": 47.55}, 100)
    True
"""

import html

from course_utils.kit import results

WIDTH, ROW, TOP = 420, 46, 30  # so narrow that a telephone needn't shrink the text


def bars(title, note, values, most):
    """Return an SVG picture of some values.

    Args:
        title: what is measured.
        note: what to know before comparing; "" for nothing.
        values: name to number, from 0 to ``most``, where an axis ends.
    """
    said = "; ".join(f"{name}: {results.format_value(v)}" for name, v in values.items())
    label = html.escape(f"{title}. {said}. {note}".strip())
    height = TOP + ROW * len(values) + (24 if note else 4)
    parts = [f'<text x="0" y="18" class="title">{html.escape(title)}</text>']
    for row, (name, value) in enumerate(values.items()):
        y, length = TOP + ROW * row, (WIDTH - 60) * value / most
        number = results.format_value(value)
        parts += [
            f'<text x="0" y="{y + 14}">{html.escape(name)}</text>',
            f'<rect x="0" y="{y + 19}" width="{length:.1f}" height="20"/>',
            f'<text x="{length + 6:.1f}" y="{y + 34}">{number}</text>',
        ]
    if note:
        parts.append(
            f'<text x="0" y="{height - 6}" class="note">{html.escape(note)}</text>'
        )
    return (
        f'<svg class="bars" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{label}">{"".join(parts)}</svg>'
    )


def as_html(table):
    """Return a picture's numbers as a table that a reader can open."""
    rows = []
    for kind, cells in ("col", table["columns"]), *(("row", r) for r in table["rows"]):
        head = range(len(cells)) if kind == "col" else (0,)
        written = [html.escape(c if isinstance(c, str) else f"{c:.10g}") for c in cells]
        rows.append(
            "".join(
                f'<th scope="{kind}">{cell}</th>' if n in head else f"<td>{cell}</td>"
                for n, cell in enumerate(written)
            )
        )
    return (
        '<details class="figure-data"><summary>The numbers as a table</summary>'
        '<div role="region" tabindex="0" aria-label="The numbers of the picture">'
        f"<table><tr>{'</tr><tr>'.join(rows)}</tr></table></div></details>"
    )
