"""Pick what matters to the course from a list of Colab's packages.

    python -m tools.colab_constraints colab.txt > tests/requirements-colab.txt
    pip install -r requirements.txt -c tests/requirements-colab.txt

`colab.txt` is `pip freeze` of a Colab machine; `make test-colab` installs the result.
Colab's tensorflow-metadata isn't among it: with Colab's protobuf it makes TFDS lose
`tfds.load`, so requirements.txt asks for an older one, as the lessons' set-up cell does
there.
"""

import re
import sys
from pathlib import Path

MATTER = {
    *("tensorflow", "keras", "keras-hub", "numpy", "scipy", "h5py", "protobuf"),
    *("ml-dtypes", "tensorflow-datasets", "matplotlib", "scikit-learn", "psutil"),
    *("ipython", "ipykernel", "jupyter-client", "traitlets", "notebook", "nbclient"),
    *("nbconvert", "nbformat", "pytest", "tokenizers"),
}
_PINNED = re.compile(r"([A-Za-z0-9_.-]+)==\S+")


def constraints(text):
    """Return the pinned lines that matter, for pip.

    Example:
        >>> constraints("keras==3.13.2\\ntensorflow-metadata==1.21.0\\n-e /x\\n")
        'keras==3.13.2\\n'
    """
    kept = [
        match.group()
        for line in text.splitlines()
        if (match := _PINNED.fullmatch(line.strip()))
        and match.group(1).lower().replace("_", "-") in MATTER
    ]
    return "".join(f"{line}\n" for line in kept)


if __name__ == "__main__":
    sys.stdout.write(constraints(Path(sys.argv[1]).read_text(encoding="utf-8")))
