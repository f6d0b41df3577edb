"""The numbers of a picture, as a table that a reader can open."""

import html


def as_html(table):
    """Return a table of numbers as HTML.

    Args:
        table: {"columns": names, "rows": lists of texts and numbers}.
    """
    header = _row([_cell("th", "col", name) for name in table["columns"]])
    rows = [header]
    for first, *numbers in table["rows"]:
        cells = [_cell("th", "row", first)]
        cells += [_cell("td", None, number) for number in numbers]
        rows.append(_row(cells))
    return (
        '<details class="figure-data"><summary>The numbers as a table</summary>'
        '<div role="region" tabindex="0" aria-label="The numbers of the picture">'
        f"<table>{''.join(rows)}</table></div></details>"
    )


def _row(cells):
    return f"<tr>{''.join(cells)}</tr>"


def _cell(tag, scope, content):
    text = content if isinstance(content, str) else f"{content:.10g}"
    attribute = f' scope="{scope}"' if scope else ""
    return f"<{tag}{attribute}>{html.escape(text)}</{tag}>"
