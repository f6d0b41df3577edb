"""Run the proofs of the layers on the other two backends of Keras: JAX and PyTorch.

    python -m tools.run_backends [jax torch]

The lessons use TensorFlow. The layers are written with `keras.ops` alone, so the same
tests, from the NumPy loop to the comparison with KerasHub and PyTorch, must pass with
KERAS_BACKEND=jax and =torch. Both packages have to be installed (`make test-backends`
does that). Marked tests need TensorFlow's own tools and are left out.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BACKENDS = ("jax", "torch")
PROOFS = (
    "tests/attention/test_multi_head.py",
    "tests/attention/test_masked_pooling.py",
    "tests/attention/test_positions.py",
    "tests/attention/test_rotary.py",
    "tests/attention/test_blocks.py",
    "tests/attention/test_cached_steps.py",
    "tests/attention/test_scores.py",
    "tests/attention/test_windows.py",
    "tests/test_layers.py",
)


def run(backend):
    """Run the proofs on one backend; return pytest's exit status."""
    print(f"== {backend}", flush=True)
    # JAX and PyTorch would use a GPU where there is one; the tests compare at 1e-5.
    variables = {**os.environ, "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}
    variables["KERAS_BACKEND"] = backend
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not tensorflow", *PROOFS]
    return subprocess.run(command, cwd=ROOT, env=variables).returncode


def main(arguments=None):
    """Run the chosen backends; return 0 when all proofs pass on all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("backends", nargs="*", metavar="BACKEND", default=BACKENDS)
    backends = parser.parse_args(arguments).backends
    for backend in backends:
        if backend not in BACKENDS:
            parser.error(f"there is no {backend}; choose from {', '.join(BACKENDS)}")
        if importlib.util.find_spec(backend) is None:
            parser.error(f"{backend} isn't installed; call make test-backends")
    return max([run(backend) for backend in backends])


if __name__ == "__main__":
    sys.exit(main())
