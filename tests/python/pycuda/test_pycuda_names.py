"""Every public name of PyCUDA's array modules is here; what is not is named."""

import doctest
import importlib
import importlib.util
import inspect
import os
import pathlib

import pytest
from places import ROOT

NAMES = os.environ.get("QUERN_API_NAMES")
MODULES = ("gpuarray", "cumath", "elementwise", "reduction", "scan", "curandom")


def page():
    spec = importlib.util.spec_from_file_location("pycuda_names_tool", pathlib.Path(ROOT, "tools", "pycuda_names.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OTHERS = {(module, name) for module, names, _ in page().LEFT_OUT for name in names.split()}


def test_the_page_is_what_the_tool_writes():
    assert pathlib.Path(ROOT, "docs", "pycuda.md").read_text() == page().page(), "run tools/pycuda_names.py"


def test_what_the_page_says_is_so():
    for module, name in OTHERS:
        assert not hasattr(importlib.import_module(f"quern.pycuda.{module}"), name), name
    for module, names, _ in page().REFUSED:
        place = importlib.import_module(f"quern.pycuda.{module}") if module != "gl" else None
        for name in names.split() if place and not {"of", "with"} & set(names.split()) else ():
            found = place
            for part in name.split("."):
                found = getattr(found, part)


@pytest.mark.skipif(not NAMES, reason="QUERN_API_NAMES is not set")
def test_all_names_are_here():
    missing = []
    for line in pathlib.Path(NAMES, "pycuda.tsv").read_text().splitlines():
        path, name = line.split("\t")[:2]
        _, module, *parts = path.split(".")
        if module not in MODULES or (module, name) in OTHERS:
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


@pytest.mark.parametrize("module", [*MODULES, "_array", "_vectors", "_arguments", "_textures"])
def test_examples_in_docstrings(module):
    assert doctest.testmod(importlib.import_module(f"quern.pycuda.{module}")).failed == 0
