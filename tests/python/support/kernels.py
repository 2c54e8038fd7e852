"""Kernels written by the tests: Python text in a file of its own, since a kernel is read by its source."""

import importlib.util
import itertools

_numbers = itertools.count()


def module_of(folder, text):
    """Return the module with that source; NumPy is `np` in it, the Numba front end `cuda`."""
    name = f"written_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text("import cmath, math, operator\nimport numpy as np\nfrom quern import cuda, numba\n" + text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kernel_of(folder, expressions, inputs):
    """A kernel that writes `expressions[k]` of the arrays' i-th elements into `out[k, i]`; the inputs' names are given."""
    lines = [f"@cuda.jit\ndef kernel({', '.join([*inputs, 'out'])}):", "    i = cuda.grid(1)", f"    if i < {inputs[0]}.shape[0]:"]
    for k, expression in enumerate(expressions):
        for name in inputs:
            expression = expression.replace(f"<{name}>", f"{name}[i]")
        lines.append(f"        out[{k}, i] = {expression}")
    return module_of(folder, "\n".join(lines) + "\n").kernel
