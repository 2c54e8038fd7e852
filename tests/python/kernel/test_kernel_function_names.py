"""Functions and kernels by names that the prelude of kernels in Python has, too."""

import re

import numpy as np
import pytest
from kernels import module_of
from places import ROOT
from quern.kernel import source

PRELUDE = ROOT / "engine" / "codegen" / "prelude" / "quern"
TEXT = "\n".join(path.read_text() for path in sorted(PRELUDE.glob("python*.cuh")))
TYPES = sorted(set(re.findall(r"^(?:struct|class) (\w+)", TEXT, re.MULTILINE)))
FUNCTIONS = sorted(set(re.findall(r"^__QUERN_DEVICE [\w:<> ]+? (\w+)\(", TEXT, re.MULTILINE)) - {"operator"})

FUNCTION = """
from quern import cuda
from quern.numba import njit, vectorize

@{decorator}
def {name}({arguments}):
    {body}

function = {name}
"""


def test_there_are_such_names():
    assert {"tuple", "perhaps", "array"} <= set(TYPES) and {"square", "cube", "divisor", "round_to"} <= set(FUNCTIONS)
    assert set(TYPES) <= source._TAKEN


@pytest.mark.parametrize("name", ["square", "cube", "base", "value", *TYPES])
def test_functions(tmp_path, name):
    body = "last = x if x > 2 else None; return x ** 2 + x ** 3, (x, last), x / 2.0"
    function = module_of(tmp_path, FUNCTION.format(decorator="njit", name=name, arguments="x", body=body)).function
    assert function(3) == (36, (3, 3), 1.5) and function(2.0) == (12.0, (2.0, None), 1.0)


@pytest.mark.parametrize("name", ["square", "cube", "power"])
def test_ufuncs(device, tmp_path, name):
    text = FUNCTION.format(decorator="vectorize(['float64(float64)'])", name=name, arguments="x", body="return x ** 2 + x ** 3")
    np.testing.assert_array_equal(module_of(tmp_path, text).function(np.arange(3.0)), [0, 2, 12])


@pytest.mark.parametrize("name", ["square", "divisor", *TYPES])
def test_kernels(device, tmp_path, name):
    body = "i = cuda.grid(1); t = (x[i, 0], 1.5); x[i, 0] = t[0] ** 2 + t[1] ** 3"
    kernel = module_of(tmp_path, FUNCTION.format(decorator="cuda.jit", name=name, arguments="x", body=body)).function
    x = np.arange(2.0).reshape(2, 1)
    kernel[1, 2](x)
    assert x.tolist() == [[3.375], [4.375]]
