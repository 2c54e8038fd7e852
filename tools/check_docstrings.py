#!/usr/bin/env python3
"""Check the docstrings of quern's public names by numpydoc's validator: PYTHONPATH=python tools/check_docstrings.py

It prints each name that misses a check (https://numpydoc.readthedocs.io/en/latest/validation.html). Start reading at main().
"""

import functools
import importlib
import inspect
import pathlib
import sys

# Modules whose public functions and classes are all checked; and those of them whose classes are checked with methods and properties.
WITH_METHODS = ("quern", "quern.fft", "quern.linalg", "quern.random", "quern.autograd", "quern.errors", "quern.cupy.cuda")
MODULES = (
    *WITH_METHODS,
    *("quern.torch.fft", "quern.torch.linalg", "quern.torch.utils.data", "quern.cupy.fft", "quern.cupy.linalg", "quern.cupy.random"),
)
# Modules whose names are checked but for those in docstrings_incomplete.txt, which may lose lines and gets no new ones.
PARTLY = """
    quern.cuda quern.numba quern.kernel.intrinsics quern.cupy quern.cupyx quern.cupyx.jit
    quern.pycuda.driver quern.pycuda.gpuarray quern.pycuda.cumath quern.pycuda.compiler quern.pycuda.curandom quern.pycuda.elementwise
    quern.pycuda.reduction quern.pycuda.scan quern.pycuda.tools
    quern.torch quern.torch.nn quern.torch.nn.functional quern.torch.nn.init quern.torch.nn.utils quern.torch.optim
    quern.torch.optim.lr_scheduler quern.torch.optim.swa_utils quern.torch.autograd quern.torch.autograd.functional quern.torch.special
    quern.torch.random quern.torch.distributions quern.torch.cuda quern.torch.utils.checkpoint
""".split()
INCOMPLETE = pathlib.Path(__file__).with_name("docstrings_incomplete.txt")
# Classes that are no names of these modules.
CLASSES = ("quern.tools.check.Report",)
# Checks that do not hold: an extended summary (ES01) and related functions (SA01) are written where they help. All others do.
LEFT_OUT = {"ES01", "SA01", "SA04"}
# Classes that users do not create, and isnat, for which quern has no dtype: they need no example (EX01).
WITHOUT_EXAMPLE = ("Error", "Warning", "NoDerivative", "ufunc", "isnat")
# Values of kernels that are called by nobody, such as threadIdx and shared, and instances that are called, whose classes are checked.
NOT_CALLED = ("Index", "Number", "Memory", "ConstraintRegistry", "ComposeTransform")
# Helpers of private modules that other modules import; no peer has such names.
HELPERS = "as_gpu check_shapes common_dtype declared is_scalar known_name on_stream placed plain warn_user".split()
# What a function that only raises has no section for: parameters, the result, an example.
ALWAYS_RAISES, OF_CALLS = "NotImplementedError\n    Always.", ("PR01", "RT01", "EX01")


def is_others(value):
    """Whether a value's docstring is Python's or NumPy's: scalar types, exceptions, and functions that NumPy computes on the host."""
    home = getattr(value, "__module__", None) or ""
    if (inspect.isclass(value) or inspect.isroutine(value)) and home.partition(".")[0] in sys.stdlib_module_names - {"builtins"}:
        return True
    return home.startswith(("numpy", "ml_dtypes", "quern.arrays.host")) or hasattr(value, "__quern_host__")


def members(path, kind):
    """(path, value) of a class's own public methods and properties."""
    for name, value in vars(kind).items():
        described = isinstance(value, (property, functools.cached_property, classmethod, staticmethod)) or callable(value)
        if not name.startswith("_") and described and not inspect.isclass(value) and not is_others(value):
            yield f"{path}.{name}", value


def public_names():
    """(path, value) of what is checked; a value that several modules show is one of the first."""
    seen = set()
    for name in (*MODULES, *PARTLY):
        module = importlib.import_module(name)
        for one in sorted({*(vars(module).get("__all__") or (name for name in vars(module) if not name.startswith("_")))}):
            value = getattr(module, one)
            if not callable(value) or id(value) in seen or is_others(value) or type(value).__name__ in NOT_CALLED or one in HELPERS:
                continue
            seen.add(id(value))
            yield f"{name}.{one}", value
            if inspect.isclass(value) and name in WITH_METHODS:
                yield from members(f"{name}.{one}", value)
    for path in CLASSES:
        module, _, name = path.rpartition(".")
        value = getattr(importlib.import_module(module), name)
        yield path, value
        yield from members(path, value)


def checked(path, value):
    """What numpydoc finds in a name's docstring: [(code, text)]."""
    from numpydoc import validate

    # It looks for the line of a `def`, which a property of a lambda has not.
    validate.Validator.source_file_def_line = property(lambda self: None)
    left_out = {*LEFT_OUT, *(OF_CALLS if ALWAYS_RAISES in (inspect.getdoc(value) or "") else ())}
    if path.endswith(WITHOUT_EXAMPLE):
        left_out.add("EX01")
    return [(code, text) for code, text in validate.validate(path)["errors"] if code not in left_out]


def findings():
    """[(code, path, what is wrong)], the names that are in the file and pass, and how many names pass."""
    incomplete = {*INCOMPLETE.read_text(encoding="utf-8").split()}
    found, count = [], 0
    for path, value in public_names():
        errors = checked(path, value)
        count += not errors
        if not errors and path in incomplete:
            found.append(("", path, f"passes; remove it from {INCOMPLETE.name}"))
        elif path not in incomplete:
            found += [(code, path, text) for code, text in errors]
    return sorted(found), count


def main():
    found, count = findings()
    if found:
        sys.exit("\n".join(f"{path}: {code} {text}" for code, path, text in found))
    print(f"docstrings: {count} public names pass numpydoc's checks but {', '.join(sorted(LEFT_OUT))}")


if __name__ == "__main__":
    main()
