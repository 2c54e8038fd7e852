"""tools/check_docstrings.py: the public names' docstrings have numpydoc's form; tools/docstrings.py: how those of faces get it."""

import importlib
import os
import sys

import pytest
from places import ROOT


@pytest.fixture
def tools(monkeypatch):
    monkeypatch.setattr(sys, "path", [os.path.join(ROOT, "tools"), *sys.path])
    return importlib.import_module


def test_public_names_pass(tools, capsys):
    pytest.importorskip("numpydoc")
    tools("check_docstrings").main()
    assert "pass numpydoc's checks" in capsys.readouterr().out


ROW = """Return the sum of the elements over ``axis`` (1. or more). Integers are added in 64 bits.

Parameters: ``dtype``: of the result (the inputs'; by default); ``keepdims``: are the axes kept. Raises ValueError for shapes that
do not fit, TypeError for text. Returns an array.

>>> sum([1, 2])
array(3)
"""
MADE = """Return the sum of the elements over ``axis`` (1. or more).

Integers are added in 64 bits.

Parameters
----------
a : array_like
    Input array.
dtype : dtype, optional
    Of the result (the inputs'; by default).
keepdims : bool, optional
    Are the axes kept.
subok : bool, optional
    Accepted for compatibility; has no effect.

Returns
-------
Array
    An array.

Raises
------
ValueError
    For shapes that do not fit.
TypeError
    For text.

Examples
--------
>>> sum([1, 2])
array(3)
"""
PARAMETERS = [("a", False, False), ("dtype", True, False), ("keepdims", True, False), ("subok", True, True)]


def test_a_row_becomes_sections(tools):
    assert tools("docstrings").numpydoc(ROW, PARAMETERS, "numpy", "sum") == MADE


def test_sections_stay(tools):
    assert tools("docstrings").numpydoc(MADE, PARAMETERS, "numpy", "sum") == MADE


@pytest.mark.parametrize(
    "front_end, function, kind",
    [("numpy", "sum", "Array"), ("torch", "sum", "Tensor"), ("numpy", "allclose", "bool"), ("numpy", "nonzero", "tuple of Array")],
)
def test_the_type_of_the_result(tools, front_end, function, kind):
    text = tools("docstrings").numpydoc("Return it.", [], front_end, function)
    assert text.startswith(f"Return it.\n\nReturns\n-------\n{kind}\n    The result, as described above.\n")


@pytest.mark.parametrize(
    "front_end, submodule, function, page",
    [
        ("cupy", "linalg", "svd", "CuPy's page: https://docs.cupy.dev/en/stable/reference/generated/cupy.linalg.svd.html"),
        ("torch", "nn.functional", "gelu", "PyTorch's page: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.gelu.html"),
        ("torch", "special", "zeta", "PyTorch's page: https://docs.pytorch.org/docs/stable/special.html#torch.special.zeta"),
        ("Tensor", "", "sum", "PyTorch's page: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.sum.html"),
    ],
)
def test_the_peers_page_is_linked(tools, front_end, submodule, function, page):
    assert f"Notes\n-----\n{page}\n" in tools("docstrings").numpydoc("Return it.", [], front_end, function, submodule)


def test_no_page_of_numpys(tools):
    assert "Notes" not in tools("docstrings").numpydoc("Return it.", [], "numpy", "sum")
