"""What a lesson's code draws so that it misleads, found without running it.

Ticks of an axis are real numbers: a logarithmic axis is asked for, and no logarithms
are drawn. That bars begin at 0 is seen to by `plots.bars` itself.
"""

import ast

from tools import cells

LOGARITHMS = {"log2", "log10"}


def misleading_plots(source):
    """Yield what is wrong with the plots of a cell's code, as ends of a sentence.

    Example:
        >>> list(misleading_plots("plots.curves(a, x=np.log10(steps))"))
        ["draws logarithms; pass the numbers and log='x' or log='y'"]
        >>> list(misleading_plots("plots.dots(a, b, c, sum(p * np.log2(p)))"))
        []
    """
    tree, _ = cells.syntax(source)
    plots = [name for name, *_ in cells.calls(tree) if name.startswith("plots.")]
    if plots and _logarithms(tree):
        yield "draws logarithms; pass the numbers and log='x' or log='y'"


def _logarithms(tree):
    """Return the logarithms of a cell; one that a rate is multiplied by is bits."""
    nodes = [*ast.walk(tree)]
    products = [
        n for n in nodes if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)
    ]
    bits = {id(side) for node in products for side in (node.left, node.right)}
    found = [n for n in nodes if isinstance(n, ast.Call) and id(n) not in bits]
    return LOGARITHMS & {ast.unparse(n.func).rpartition(".")[2] for n in found}
