#!/usr/bin/env python3
"""Runs the tests that Keras's wheel carries, on JAX's backend and on quern's, and says how many pass on both and which on JAX's alone.

    PYTHONPATH=python PYTHON tools/keras_own_tests.py [FOLDER...]

PYTHON is one that has Keras, JAX, h5py, SciPy, pandas, scikit-learn and pytest. Without folders: the tests of what docs/keras.md lists,
about half an hour on two cores. The numbers and the reasons stand in keras_own_tests.tsv.
"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile

ALL = """layers/activations layers/core layers/merging layers/normalization layers/regularization layers/reshaping layers/layer_test.py
layers/preprocessing/normalization_test.py layers/preprocessing/discretization_test.py layers/preprocessing/category_encoding_test.py losses
metrics optimizers activations initializers models trainers callbacks""".split()
# What Keras's repository has beside the tests, and its wheel does not.
CONFTEST = """
import keras, pytest

def skip_if_backend(given_backend, reason):
    return pytest.mark.skipif(keras.backend.backend() == given_backend, reason=reason)
"""


def passed(backend, folders, beside):
    """The names of the tests that pass."""
    root = os.path.join(os.path.dirname(importlib.util.find_spec("keras").origin), "src")
    path = os.pathsep.join(p for p in (beside, os.environ.get("PYTHONPATH")) if p)
    plugin = ["-p", "quern.keras"] if backend == "quern" else []
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugin, "-q", "-rp", "-p", "no:cacheprovider", "--tb=no", "--continue-on-collection-errors"]
        + [os.path.join(root, one) for one in folders],
        env=dict(os.environ, KERAS_BACKEND=backend, JAX_PLATFORMS="cpu", PYTHONPATH=path),
        capture_output=True,
        text=True,
    )
    print(backend, done.stdout.rstrip().rpartition("\n")[2], flush=True)
    return set(re.findall(r"^PASSED \S*keras/src/(\S+)", done.stdout, re.MULTILINE))


def main():
    """Prints the counts and the names."""
    folders = sys.argv[1:] or ALL
    with tempfile.TemporaryDirectory() as beside:
        with open(os.path.join(beside, "conftest.py"), "w") as file:
            file.write(CONFTEST)
        ours, theirs = (passed(backend, folders, beside) for backend in ("quern", "jax"))
    for name in sorted(theirs - ours):
        print(name)
    share = 100 * len(theirs & ours) / max(len(theirs), 1)
    print(f"{len(theirs)} pass on JAX's backend, {len(theirs & ours)} of them on quern's: {share:.1f} %")


if __name__ == "__main__":
    main()
