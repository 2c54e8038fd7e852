"""Every public name of PyCUDA's array modules is here; what is not is named."""

import doctest
import importlib
import inspect
import os
import pathlib

import pytest

NAMES = os.environ.get("QUERN_API_NAMES")
MODULES = ("gpuarray", "cumath", "elementwise", "reduction", "scan", "curandom")
# Texts of PyCUDA's own kernels, and modules that it imports for itself.
OTHERS = {
    "scan": "CLUDA_PREAMBLE EXCLUSIVE_UPDATE_SOURCE INCLUSIVE_UPDATE_SOURCE SCAN_INTERVALS_SOURCE SHARED_PREAMBLE mako".split(),
    "curandom": """array pycuda gen_log_template gen_poisson_inplace_template gen_poisson_template gen_template md5_code
    mrg32k3a_random_source mrg32k3a_skip_ahead_sequence_source random_skip_ahead32_source random_skip_ahead64_source random_source
    scrambledsobol_random_source sobol_random_source xorwow_random_source xorwow_skip_ahead_sequence_source""".split(),
}


@pytest.mark.skipif(not NAMES, reason="QUERN_API_NAMES is not set")
def test_all_names_are_here():
    missing = []
    for line in pathlib.Path(NAMES, "pycuda.tsv").read_text().splitlines():
        path, name = line.split("\t")[:2]
        _, module, *parts = path.split(".")
        if module not in MODULES or name in OTHERS.get(module, ()):
            continue
        place = importlib.import_module(f"quern.pycuda.{module}")
        for part in parts:
            place = getattr(place, part)
        if not hasattr(place, name):
            missing.append(f"{path}.{name}")
    assert not missing


@pytest.mark.parametrize("module", MODULES)
def test_public_things_are_documented(module):
    module = importlib.import_module(f"quern.pycuda.{module}")
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", "") not in (module.__name__, "pycuda.gpuarray"):
            continue
        assert inspect.getdoc(value), name
        for part, method in vars(value).items() if inspect.isclass(value) else ():
            if not part.startswith("_") and callable(method) and not isinstance(method, type):
                assert inspect.getdoc(method), f"{name}.{part}"


@pytest.mark.parametrize("module", [*MODULES, "_array", "_vectors", "_arguments"])
def test_examples_in_docstrings(module):
    assert doctest.testmod(importlib.import_module(f"quern.pycuda.{module}")).failed == 0
