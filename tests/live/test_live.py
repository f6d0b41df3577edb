"""The site's JavaScript says what Keras says: node runs its tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "website"))


def test_the_browsers_models_say_what_keras_says(tmp_path):
    if not shutil.which("node"):
        pytest.skip("node isn't installed; the tests of the site run a browser")
    import export_models

    export_models.main(["--output", str(tmp_path)])
    command = ["node", "--test", str(HERE / "live.test.mjs")]
    models = {**os.environ, "MODELS": str(tmp_path)}
    done = subprocess.run(command, env=models, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
