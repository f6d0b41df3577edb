"""The course's trained translator as a command.

python -m course_utils translate "I like green tea."
python -m course_utils translate --beam 4 < sentences.txt
python -m course_utils translate "I like green tea." --attention tea.html
"""

import argparse
import sys

from course_utils.environment import quiet_stderr
from course_utils.files import DataError, atomic_write


def main(arguments=None):
    """Run the command; return the exit status, 2 after a sentence on what is wrong.

    Args:
        arguments: list of strings; None takes those of the command line.
    """
    options = _parser().parse_args(arguments)
    try:
        for line in _translate(options):
            print(line)
    except KeyboardInterrupt:
        return 130  # what a shell calls a program that was interrupted
    except (DataError, OSError, ValueError) as error:
        print(f"translate: {error}", file=sys.stderr)
        return 2
    return 0


def _parser():
    parser = argparse.ArgumentParser(prog="python -m course_utils")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser(
        "translate",
        help="translate English into Spanish",
        description="Translate English sentences into Spanish, one a line.",
    )
    command.add_argument(
        "sentences", nargs="*", help="English sentences; none reads them from stdin"
    )
    command.add_argument(
        "--beam",
        type=int,
        default=1,
        metavar="K",
        help="keep the K best beginnings at each step; 1 is greedy search (default)",
    )
    command.add_argument(
        "--attention",
        metavar="FILE",
        help="write a page that shows what attention looked at, for one sentence",
    )
    return parser


def _translate(options):
    """Return the translations; write the page of attention if it was asked for."""
    lines = options.sentences or sys.stdin.read().rstrip("\n").split("\n")
    sentences = [line for line in lines if line.strip()]
    _check(options, sentences)
    with quiet_stderr():
        from course_utils import models
    translator = models.load_translator()
    search = {"method": "beam", "beam_width": options.beam} if options.beam > 1 else {}
    if options.attention:
        found, attention = translator.translate(
            sentences, return_attention=True, **search
        )
        _write_attention(options.attention, sentences[0], found[0], attention[0])
    else:
        found = translator.translate(sentences, **search)
    rest = iter(found)  # an empty line stays one, so that lines fit together
    return [next(rest) if line.strip() else "" for line in lines]


def _check(options, sentences):
    """Raise a ValueError for what can't be translated."""
    if not sentences:
        raise ValueError("there is no sentence; pass one, or one a line through stdin.")
    if options.attention and len(sentences) > 1:
        raise ValueError(
            f"--attention shows one sentence, but there are {len(sentences)}; "
            "pass one of them."
        )
    if options.beam < 1:
        raise ValueError(f"--beam is {options.beam}; it must be at least 1.")


def _write_attention(path, sentence, translation, attention):
    """Write the viewer of cross-attention as one HTML file."""
    from course_utils.plots import viewer

    source_tokens, target_tokens, weights = attention
    page = viewer.page(
        source_tokens,
        target_tokens,
        weights,
        title=f"{sentence} → {translation}",
        alt=f"Cross-attention from '{translation}' to '{sentence}'.",
    )
    with atomic_write(path) as file:
        file.write(page)


if __name__ == "__main__":
    sys.exit(main())
