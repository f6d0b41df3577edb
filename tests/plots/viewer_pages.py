"""A small page of the attention viewer, and what its tests read it with."""

from html.parser import HTMLParser

import numpy as np

SOURCE = ["the", "cat", "sat"]
TARGET = ["el", "gato"]
WEIGHTS = np.array(  # (L=2, H=2, T=2, S=3)
    [
        [[[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]], [[0.5, 0.4, 0.1], [0.3, 0.2, 0.5]]],
        [[[0.6, 0.3, 0.1], [0.0, 0.9, 0.1]], [[0.2, 0.1, 0.7], [0.2, 0.3, 0.5]]],
    ]
)
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--",
    "<!--<script>",
    "-->",
    "]]>",
    '"',
    "'",
    "&lt;",
    "&quot; onload=&quot;alert(1)",
    '"><img onerror=alert(1)>',
    "</title></iframe>",
    "\\u003c\\",
    "\u2028\u2029\r\n\t\0",
    "${alert(1)} $data $$ %s {0}",
    "\ud800",
    "",
]


class Reader(HTMLParser):
    """The elements of a page in order, each with its text up to the next tag."""

    def __init__(self, document):
        super().__init__()
        self.elements, self.texts, self.open = [], [], False
        self.feed(document)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.texts.append("")
        self.open = True

    def handle_endtag(self, tag):
        self.open = False

    def handle_data(self, data):
        if self.open:
            self.texts[-1] += data

    def handle_comment(self, data):
        raise AssertionError(f"a comment in the page: {data!r}")

    def all(self, tag):
        """Return (attributes, text) of each element of this kind."""
        return [
            (attributes, text)
            for (name, attributes), text in zip(self.elements, self.texts, strict=True)
            if name == tag
        ]


def chosen(document):
    options = Reader(document).all("option")
    return [attrs["value"] for attrs, _ in options if "selected" in attrs]
