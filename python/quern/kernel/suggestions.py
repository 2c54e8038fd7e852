"""What errors suggest in place of names, attributes and tuples that kernels do not have."""

from __future__ import annotations

import ast
import difflib
import math

from quern.kernel import types

_OF_CUDA = ("grid", "gridsize", "syncthreads", "threadIdx", "blockIdx", "blockDim", "gridDim", "shared", "local", "atomic")
_OF_NUMPY = ("zeros", "ones", "empty", "array", "arange", "linspace")


def near_attribute(type_, name):
    """Ask for the attribute of an array that was meant, where one has a similar name."""
    near = difflib.get_close_matches(name, ("shape", "size", "ndim", "dtype", "itemsize", "strides", "nbytes", "sum", "T"), 1, 0.7)
    if not near and name in ("length", "lenght", "len"):
        near = ["size"]
    return f"did you mean .{near[0]}?" if near and isinstance(type_, types.Array) else ""


def item_of_tuple(node, value):
    """What to write in place of a tuple: ``range(a.shape)`` at ``node`` means ``a.shape[0]``."""
    if not isinstance(value.type, types.Tuple):
        return ""
    given = [part for part in (*getattr(node, "args", ()), node) if isinstance(part, ast.Attribute) and part.attr == "shape"]
    return f"write {ast.unparse(given[0])}[0]" if given else "take one item of the tuple, as in t[0]"


def missing_import(name):
    """What to write for a name that is not defined: ``sqrt`` is ``math.sqrt``."""
    hints = {"numba": "import numba", "np": "import numpy as np", "math": "import math", "cuda": "from numba import cuda"}
    if name in hints:
        return f"is `{hints[name]}` missing?"
    if hasattr(math, name):
        return f"write math.{name}, with `import math` at the top of the file"
    if name in _OF_CUDA:
        return f"write cuda.{name}, with `from numba import cuda` at the top of the file"
    if name in _OF_NUMPY or isinstance(getattr(types, name, None), types.Number):
        return f"write np.{name}, with `import numpy as np` at the top of the file"
    return ""
