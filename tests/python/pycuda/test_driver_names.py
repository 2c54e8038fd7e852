"""Every public name of PyCUDA's driver, compiler and tools is here, and says what it does."""

import importlib
import inspect
import os
import pathlib

import pytest

NAMES = os.environ.get("QUERN_API_NAMES")
MODULES = ("driver", "compiler", "tools")


@pytest.mark.skipif(not NAMES, reason="QUERN_API_NAMES is not set")
def test_all_names_are_here():
    missing, found = [], 0
    for line in pathlib.Path(NAMES, "pycuda.tsv").read_text().splitlines():
        path, name = line.split("\t")[:2]
        _, module, *parts = path.split(".")
        if module not in MODULES:
            continue
        place = importlib.import_module(f"quern.pycuda.{module}")
        for part in parts:
            place = getattr(place, part)
        found += hasattr(place, name)
        if not hasattr(place, name):
            missing.append(f"{path}.{name}")
    assert not missing and found > 500


@pytest.mark.parametrize("module", [*MODULES, "characterize"])
def test_public_things_are_documented(module):
    module = importlib.import_module(f"quern.pycuda.{module}")
    silent = []
    for name, value in vars(module).items():
        if name.startswith("_") or not getattr(value, "__module__", "").startswith("quern.pycuda."):
            continue
        if not inspect.getdoc(value):
            silent.append(name)
        for part in vars(value) if inspect.isclass(value) and not hasattr(value, "names") else ():
            if not part.startswith("_") and callable(getattr(value, part)) and not inspect.getdoc(getattr(value, part)):
                silent.append(f"{name}.{part}")
    assert not silent
