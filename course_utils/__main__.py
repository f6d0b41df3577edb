"""The course's trained translator as a command, and one for a language pair of yours.

python -m course_utils translate "I like green tea."
python -m course_utils translate --beam 4 < sentences.txt
python -m course_utils translate "I like green tea." --attention tea.html
python -m course_utils train-translator pairs.tsv --output german.keras
python -m course_utils translate "Good morning." --model german.keras
"""

import argparse
import sys
from pathlib import Path

from course_utils.kit.environment import quiet_stderr, tune_malloc
from course_utils.kit.files import DataError, atomic_write

HELP_ON_BEAM = "keep the K best beginnings at each step; 1 is greedy search (default)"
HELP_ON_TRAINING = """Train the course's translator on sentence pairs. One sentence in
ten is held out, and at the end the translations of half of them are scored. After an
interruption, the same command goes on."""
HELP_ON_OUTPUT = (
    "the model's file, which --model and Translator.load take (default: %(default)s)"
)
HOW_TO_GO_ON = "\nInterrupted; the same command goes on after the last epoch.\n"


def main(arguments=None):
    """Run the command; return the exit status, 2 after a sentence on what is wrong.

    Args:
        arguments: list of strings; None takes those of the command line.
    """
    options = _parser().parse_args(arguments)
    try:
        for line in options.run(options):
            print(line, flush=True)
    except KeyboardInterrupt:
        print(options.interrupted, end="", file=sys.stderr)
        return 130  # what a shell calls a program that was interrupted
    except (DataError, OSError, ValueError) as error:
        print(f"{options.command}: {error}", file=sys.stderr)
        return 2
    return 0


def _parser():
    parser = argparse.ArgumentParser(prog="python -m course_utils")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_translate(commands)
    _add_train_translator(commands)
    return parser


def _add_translate(commands):
    command = commands.add_parser(
        "translate",
        help="translate English into Spanish, or with a model of yours",
        description="Translate sentences, one a line.",
    )
    command.set_defaults(run=_translate, interrupted="")
    command.add_argument(
        "sentences", nargs="*", help="sentences; none reads them from stdin"
    )
    command.add_argument("--model", metavar="FILE", help="what train-translator wrote")
    command.add_argument("--beam", type=int, default=1, metavar="K", help=HELP_ON_BEAM)
    command.add_argument(
        "--attention", metavar="FILE", help="write a page of one sentence's attention"
    )


def _add_train_translator(commands):
    command = commands.add_parser(
        "train-translator",
        help="train the course's translator on sentence pairs of yours",
        description=HELP_ON_TRAINING,
    )
    command.set_defaults(run=_train, interrupted=HOW_TO_GO_ON)
    command.add_argument(
        "pairs", type=Path, help="lines of a sentence, a tab, its translation; UTF-8"
    )
    command.add_argument(
        "--output",
        type=Path,
        default="translator.keras",
        metavar="FILE",
        help=HELP_ON_OUTPUT,
    )
    command.add_argument(
        "--vocabulary", type=int, metavar="N", help="subwords of both languages"
    )
    command.add_argument(
        "--seed", type=int, default=0, help="of all random numbers (default: 0)"
    )
    length = command.add_mutually_exclusive_group()
    length.add_argument("--epochs", type=int, metavar="N", help="passes over all pairs")
    length.add_argument(
        "--minutes", type=float, metavar="M", help="as many epochs as fit into them"
    )


def _translate(options):
    """Return the translations; write the page of attention if it was asked for."""
    lines = options.sentences or sys.stdin.read().rstrip("\n").split("\n")
    sentences = [line for line in lines if line.strip()]
    _check(options, sentences)
    with quiet_stderr():
        from course_utils import models
    translator = models.load_translator(options.model)
    search = {}
    if options.beam > 1:
        search = {"method": "beam", "beam_width": options.beam}
    if options.attention:
        translations, attention = translator.translate(
            sentences, return_attention=True, **search
        )
        if not translations[0]:
            raise ValueError(
                "the translation is empty, so no word of it attends to anything; "
                "leave out --attention, or train the model for longer."
            )
        _write_attention(options.attention, sentences[0], translations[0], attention[0])
    else:
        translations = translator.translate(sentences, **search)
    return _with_empty_lines(lines, translations)


def _with_empty_lines(lines, translations):
    """Return the translations, with an empty line for each empty line of the input."""
    translations = iter(translations)
    output = []
    for line in lines:
        output.append(next(translations) if line.strip() else "")
    return output


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
    from course_utils.kit.plots import viewer

    alt = f"Cross-attention from '{translation}' to '{sentence}'."
    page = viewer.page(*attention, f"{sentence} → {translation}", alt)
    with atomic_write(path) as file:
        file.write(page)


def _train(options):
    """Train, store and score a translator; yield what there is to say."""
    output = options.output
    for name in ("epochs", "minutes", "vocabulary"):
        value = getattr(options, name)
        if value is not None and value <= 0:
            raise ValueError(f"--{name} is {value:g}; it must be above 0.")
    if output.suffix != ".keras" or not output.parent.is_dir():
        raise ValueError(
            f"--output is {output}; it must end with .keras and lie in a folder that "
            f"is there."
        )
    tune_malloc()
    with quiet_stderr():
        from course_utils.datasets import pairs
        from course_utils.seq2seq import train
    splits = pairs.split(pairs.read(options.pairs))
    num_pairs = sum(len(targets) for _, targets in splits.train)
    recipe = train.recipe_for(
        num_pairs,
        vocab_size=options.vocabulary,
        epochs=options.epochs,
        minutes=options.minutes,
    )
    yield (
        f"{num_pairs:,} pairs for the training; {len(splits.validation):,} sentences "
        f"to follow it, {len(splits.test):,} for the test"
    )
    state = train.state_path(output, splits, recipe, options.seed)
    translator = train.train(splits, recipe, state, options.seed)
    part = output.with_name(f".{output.stem}.part.keras")
    try:
        translator.save(part)
        part.replace(output)
    finally:
        part.unlink(missing_ok=True)
    state.unlink()
    yield f"{output} is stored; now the test ..."
    yield train.report(translator, splits.test)


if __name__ == "__main__":
    sys.exit(main())
