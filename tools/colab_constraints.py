"""Turn a list of Colab's packages into constraints for requirements.txt.

    python -m tools.colab_constraints colab.txt > constraints.txt
    pip install -r requirements.txt -c constraints.txt

`colab.txt` is `pip freeze` of a Colab machine. One line can't stay: Colab's
tensorflow-metadata makes TFDS lose `tfds.load` with Colab's protobuf, so
requirements.txt asks for an older one, as the lessons' set-up cell does there.
"""

import re
import sys
from pathlib import Path

LEFT_OUT = {"tensorflow-metadata"}
_PINNED = re.compile(r"([A-Za-z0-9_.-]+)==\S+")


def constraints(text):
    """Return the pinned lines that pip can take as constraints.

    Example:
        >>> constraints("keras==3.13.2\\ntensorflow-metadata==1.21.0\\n-e /x\\n")
        'keras==3.13.2\\n'
    """
    lines = [line.strip() for line in text.splitlines()]
    kept = [
        line
        for line in lines
        if (match := _PINNED.fullmatch(line))
        and match.group(1).lower().replace("_", "-") not in LEFT_OUT
    ]
    return "".join(f"{line}\n" for line in kept)


if __name__ == "__main__":
    sys.stdout.write(constraints(Path(sys.argv[1]).read_text(encoding="utf-8")))
