"""Make the drawings of the course: mechanisms with their shapes.

    python -m tools.drawings [NAME ...] [--restore]

Each is a function of a module of this folder, which computes what it shows and says it
in words. It is written as PNG into ``course_utils/kit/plots/drawings``, where
``plots.drawing(name)`` finds it. With ``--restore`` the drawings that are stored in
notebooks are replaced by the package's.
"""

import argparse
import sys

from tools.drawings import gallery, readable, stored


def main(arguments=None):
    """Write the named drawings, or all, and say which words can't be read well."""
    parser = argparse.ArgumentParser(prog="python -m tools.drawings")
    parser.add_argument("names", nargs="*", metavar="NAME", help="without any: all")
    parser.add_argument(
        "--restore", action="store_true", help="put the drawings into the notebooks"
    )
    options = parser.parse_args(arguments)
    known = gallery.functions()
    unknown = sorted(set(options.names) - set(known))
    if unknown:
        sys.exit(f"There is no drawing {unknown[0]!r}, only {', '.join(known)}.")
    problems = []
    for name in options.names or known:
        canvas = gallery.write(name)
        for line in readable.problems(canvas.figure):
            problems.append(f"{name}: {line}")
    print("\n".join(problems) or "every word can be read")
    if options.restore:
        stored.main()
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
