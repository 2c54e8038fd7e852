"""What tests of `quern check` share: kernels run once under `qn.check()`."""

import os

import numpy as np
import quern as qn

N = 64
# What kernels get instead of x = 0 ... 63, y = 1 ... and n = 64.
ZEROS = lambda x, y: (x, qn.zeros(N, dtype="float32"), np.int32(N))  # noqa: E731
INTS = lambda x, y: (qn.arange(N, dtype="int32"), qn.zeros(N, dtype="int32"), np.int32(N))  # noqa: E731


def run_text(text, *, name="k", block=N, grid=1, shared=0, values=None, cooperative=False, options=(), **checks):
    """The findings of a kernel, run once on x = 0 ... 63 and y = 1 ... of floats, and n = 64, or on what ``values(x, y)`` gives."""
    x, y = qn.array(np.arange(N, dtype=np.float32)), qn.array(np.ones(N, dtype=np.float32))
    given = (x, y, np.int32(N)) if values is None else values(x, y)
    with qn.check(**checks) as report:
        kernel = qn.RawKernel(text, name, options=tuple(options), enable_cooperative_groups=cooperative)
        try:
            kernel(grid if isinstance(grid, tuple) else (grid,), block if isinstance(block, tuple) else (block,), given, shared_mem=shared)
            qn.synchronize()
        except qn.LaunchError:
            pass  # threads that wait for ever
    return report


def run(body, *, arguments="float* x, float* y, int n", helpers="", **options):
    """The same of a kernel of this body."""
    return run_text(f'{helpers}\nextern "C" __global__ void k({arguments}) {{\n{body}\n}}', **options)


def kinds(report):
    return {one.kind for one in report}


def line_of_mistake(text):
    """The line that ends in "// <-"."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if "// <-" in line)


def is_found(report, kind, text):
    """Does the report tell of that mistake, at its line and in words?"""
    line = line_of_mistake(text)
    found = [one for one in report if one.kind == kind]
    assert found, f"nothing of kind {kind}:\n{report}"
    assert line in [place["line"] for one in found for place in (one.access, one.other) if place], f"{report}"
    assert all(os.path.basename(one.launched).startswith("checked.py:") for one in found)
    assert all(one.title and one.advice and str(one) for one in found)
