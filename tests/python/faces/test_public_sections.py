"""help() of functions of kernels, devices and arrays in Numba's and PyCUDA's ways has numpydoc's sections where there are parameters."""

import importlib
import inspect
import re

import pytest

# One sentence says all: queries of types, other forms of a function, refusals, and names that are not for users.
BRIEF = {
    "quern.cuda": """compile_all compile_for_current_device compile_ptx compile_ptx_for_current_device is_homogeneous
        maybe_literal parse_integer_bitwidth parse_integer_signed prepare_shape_strides_dtype require_context
        unliteral""",
    "quern.pycuda.gpuarray": "as_gpu common_dtype is_scalar memoize memoize_method on_stream placed plain",
}


def parameters(function):
    try:
        return [*inspect.signature(function).parameters]
    except ValueError:
        return []


@pytest.mark.parametrize("module", BRIEF)
def test_functions_have_sections(module):
    found = {name: value for name, value in vars(importlib.import_module(module)).items() if name[0] != "_" and callable(value)}
    functions = {name: value for name, value in found.items() if inspect.isfunction(value) or type(value).__name__ == "Intrinsic"}
    with_sections = {name for name, value in functions.items() if re.search(r"^\w+\n-+$", inspect.cleandoc(value.__doc__), re.MULTILINE)}
    without = {name for name, value in functions.items() if parameters(value)} - with_sections
    assert without == {*BRIEF[module].split()} and len(with_sections) > 30
