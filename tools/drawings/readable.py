"""Find words of a drawing that can't be read well."""

import itertools
import re

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.path import Path

from tools.drawings.primitives import SMALL

MARGIN = 5  # pixels, with 100 for an inch


def problems(figure):
    """Yield a line for each word that is too small or not free of all others.

    A word may not come near the border, another word, an arrow or an edge. What lies
    lower than 1, such as the residual path, is hidden by the boxes.
    """
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    (axes,) = figure.axes
    page = figure.bbox.padded(-MARGIN)
    places = [(t.get_text(), t.get_window_extent(canvas.renderer)) for t in axes.texts]
    for text, (word, box) in zip(axes.texts, places, strict=True):
        shrunk = 0.7 if re.search("[_^]", word) else 1
        if text.get_fontsize() * shrunk < SMALL:
            yield f"small: {word}"
        if not (page.contains(box.x0, box.y0) and page.contains(box.x1, box.y1)):
            yield f"at the border: {word}"
    for (word, box), (other, its_box) in itertools.combinations(places, 2):
        if box.overlaps(its_box):
            yield f"over each other: {word}, {other}"
    for artist in [*axes.lines, *axes.patches]:
        path = artist.get_transform().transform_path(artist.get_path())
        lines = [Path(part) for part in path.to_polygons(closed_only=False)]
        for word, box in places if artist.zorder >= 1 else ():
            if any(line.intersects_bbox(box, filled=False) for line in lines):
                yield f"on a line: {word}"
