"""The cells of notebooks: those that nbformat reads, and those of plain JSON."""

import ast

from IPython.core.inputtransformer2 import TransformerManager


def of_kind(notebook, kind):
    """Yield (position, cell) for each cell of a kind; positions count all from 1."""
    for position, cell in enumerate(notebook["cells"], start=1):
        if cell["cell_type"] == kind:
            yield position, cell


def markdown(notebook):
    """Return the text cells as one text."""
    texts = ("".join(cell["source"]) for _, cell in of_kind(notebook, "markdown"))
    return "\n\n".join(texts)


def syntax(source):
    """Return the syntax tree of a code cell, Jupyter's commands as calls, and its text.

    Args:
        source: a text, or its lines.
    """
    code = TransformerManager().transform_cell("".join(source))
    return ast.parse(code), code


def calls(tree):
    """Yield (dotted name, call, keyword arguments) of each call in a syntax tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            keywords = {word.arg: word.value for word in node.keywords}
            yield ast.unparse(node.func), node, keywords


def code(notebook):
    """Yield (position, syntax tree, text) of each code cell, as `syntax` has them."""
    for position, cell in of_kind(notebook, "code"):
        yield position, *syntax(cell["source"])
