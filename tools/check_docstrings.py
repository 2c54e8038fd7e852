#!/usr/bin/env python3
"""Check the docstrings of quern's public names by numpydoc's validator: PYTHONPATH=python tools/check_docstrings.py

It prints each name that misses a check (https://numpydoc.readthedocs.io/en/latest/validation.html). Start reading at main().
"""

import collections
import importlib
import sys

MODULES = (
    *("quern", "quern.fft", "quern.linalg", "quern.random", "quern.autograd", "quern.errors"),
    *("quern.torch.fft", "quern.torch.linalg", "quern.torch.utils.data", "quern.cupy.fft", "quern.cupy.linalg", "quern.cupy.random"),
)
# Checks that do not hold: an extended summary (ES01) and related functions (SA01) are written where they help. All others do.
LEFT_OUT = {"ES01", "SA01", "SA04"}
# Classes that users do not create, and isnat, for which quern has no dtype: they need no example (EX01).
WITHOUT_EXAMPLE = ("Error", "Warning", "NoDerivative", "ufunc", "isnat")


def is_numpys(value):
    """Whether a value's docstring is NumPy's: scalar types, exceptions, and functions that NumPy computes on the host."""
    return getattr(value, "__module__", "").startswith(("numpy", "ml_dtypes", "quern.arrays.host"))


def public_names():
    """(module, name, value) of each public function and class; one that several modules show, of the first."""
    seen = set()
    for name in MODULES:
        module = importlib.import_module(name)
        for one in vars(module).get("__all__") or sorted(name for name in vars(module) if not name.startswith("_")):
            value = getattr(module, one)
            if callable(value) and id(value) not in seen and not is_numpys(value):
                seen.add(id(value))
                yield name, one, value


def findings():
    """{code: [(name, what is wrong)]}, and how many names there are."""
    from numpydoc.validate import validate

    found, count = collections.defaultdict(list), 0
    for module, name, _ in public_names():
        count += 1
        for code, text in validate(f"{module}.{name}")["errors"]:
            if code not in LEFT_OUT and not (code == "EX01" and name.endswith(WITHOUT_EXAMPLE)):
                found[code].append((f"{module}.{name}", text))
    return found, count


def main():
    found, count = findings()
    if found:
        sys.exit("\n".join(f"{name}: {code} {text}" for code in sorted(found) for name, text in found[code]))
    print(f"docstrings: {count} public names pass numpydoc's checks but {', '.join(sorted(LEFT_OUT))}")


if __name__ == "__main__":
    main()
