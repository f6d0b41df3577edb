"""The map of the lessons as a picture: arrows lead from a lesson to those that need it.

What a lesson needs stands in its own first text ("You need: lessons 05 and 06"), and
nowhere else. An arrow that follows from two others is left out.

Example:
    >>> needs = {"00": (), "05": ("00",), "06": ("05",), "09": ("05", "06")}
    >>> essential(needs)["09"]
    ('06',)
    >>> levels(needs)
    {'00': 0, '05': 1, '06': 2, '09': 3}
"""

import html
import textwrap

WIDTH, HEIGHT = 154, 84  # of a lesson's box
GAP, DROP = 14, 48  # between boxes, and between rows
THREAD = 18  # the room that a passing arrow gets in a row
LINE = 17  # characters of a title on one line
MARGIN = 8


def essential(needs):
    """Return the needs without those that follow from others.

    Args:
        needs: dict from a lesson's number to the numbers of those that it needs.
    """
    before, found = {}, {}
    for lesson in sorted(needs):
        direct = [need for need in needs[lesson] if need in needs]
        above = set().union(*(before[need] for need in direct))
        before[lesson] = above.union(direct)
        found[lesson] = tuple(need for need in direct if need not in above)
    return found


def levels(needs):
    """Return the row of each lesson: one below the lowest lesson that it needs."""
    found = {}
    for lesson, above in essential(needs).items():
        found[lesson] = 1 + max((found[need] for need in above), default=-1)
    return found


def rows(needs):
    """Return the rows of the picture, and the arrows between neighbouring rows.

    An arrow that passes a row gets a place of its own there, its two lessons and the
    row, so that it doesn't run through a box.

    Returns:
        (rows, arrows): lists of lessons and passing places; and pairs of places.
    """
    level, arrows = levels(needs), []
    found = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for lesson in sorted(needs):
        found[level[lesson]].append(lesson)
    for lesson, above in essential(needs).items():
        for need in above:
            place = need
            for row in range(level[need] + 1, level[lesson]):
                passing = (need, lesson, row)
                found[row].append(passing)
                arrows.append((place, passing))
                place = passing
            arrows.append((place, lesson))
    for _ in range(4):  # each place moves below the middle of what leads to it
        _sort(found[1:], found, [(b, a) for a, b in arrows])
        _sort(found[-2::-1], found, arrows)
    return found, arrows


def _sort(chosen, all_rows, pairs):
    """Sort rows by the mean place of the partners of each entry, in place."""
    for row in chosen:
        centre = {}
        for other in all_rows:
            for index, entry in enumerate(other):
                centre[entry] = (index + 0.5) / len(other)
        means = {}
        for entry in row:
            partners = [centre[b] for a, b in pairs if a == entry]
            means[entry] = sum(partners) / len(partners) if partners else centre[entry]
        row.sort(key=means.get)


def svg(lessons, link):
    """Return the map as an SVG picture to be put into a page.

    Args:
        lessons: list of `Lesson`.
        link: function from a lesson to the address of its page.
    """
    by_number = {lesson.number: lesson for lesson in lessons}
    found, arrows = rows({number: one.needs for number, one in by_number.items()})
    places, width = _places(found)
    height = len(found) * (HEIGHT + DROP) - DROP
    parts = [_curve(places[a], places[b]) for a, b in arrows]
    parts += [_through(places[p]) for row in found for p in row if isinstance(p, tuple)]
    heads = [_head(places[b]) for b in sorted({b for _, b in arrows if b in by_number})]
    boxes = [
        _box(by_number[number], places[number], link(by_number[number]))
        for row in found
        for number in row
        if number in by_number
    ]
    size = f"{-MARGIN} {-MARGIN} {width + 2 * MARGIN} {height + 2 * MARGIN}"
    return "\n".join(
        [
            f'<svg class="course-map" viewBox="{size}" role="group"'
            ' aria-label="Map of the lessons, from top to bottom. The column “Needs” of'
            ' the table of lessons says the same in words." '
            'xmlns="http://www.w3.org/2000/svg">',
            f'<g class="arrows" aria-hidden="true">{"".join(parts + heads)}</g>',
            *boxes,
            "</svg>",
        ]
    )


def _places(found):
    """Return the middle of the top of each entry, and the width of the picture."""

    def room(entry):
        return THREAD if isinstance(entry, tuple) else WIDTH

    widths = [sum(map(room, row)) + GAP * (len(row) - 1) for row in found]
    widest, places = max(widths, default=0), {}
    for number, row in enumerate(found):
        x = (widest - widths[number]) / 2
        for entry in row:
            places[entry] = (x + room(entry) / 2, number * (HEIGHT + DROP))
            x += room(entry) + GAP
    return places, widest


def _curve(start, end):
    (x1, y1), (x2, y2) = start, end
    top, bend = y1 + HEIGHT, DROP * 0.6
    return (
        f'<path d="M{x1:.0f} {top:.0f}C{x1:.0f} {top + bend:.0f} '
        f'{x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2:.0f}"/>'
    )


def _through(place):
    x, y = place
    return f'<path d="M{x:.0f} {y:.0f}v{HEIGHT}"/>'


def _head(place):
    x, y = place
    return f'<path class="head" d="M{x:.0f} {y:.0f}l-5 -9h10z"/>'


def _box(lesson, place, address):
    x, y = place
    name = f"{lesson.number} {lesson.name.partition(':')[0]}"
    lines = textwrap.wrap(name, LINE)
    minutes = lesson.minutes
    lines.append(f"{minutes} min of computing" if minutes else "time not measured")
    step = HEIGHT / (len(lines) + 1)
    texts = ""
    for number, line in enumerate(lines, start=1):
        kind = ' class="cost"' if number == len(lines) else ""
        height = f"{y + step * number + 5:.0f}"
        line = html.escape(line)
        texts += f'<text x="{x:.0f}" y="{height}"{kind}>{line}</text>'
    return (
        f'<a href="{html.escape(address)}"><rect x="{x - WIDTH / 2:.0f}" y="{y}" '
        f'width="{WIDTH}" height="{HEIGHT}" rx="9"/>{texts}</a>'
    )
