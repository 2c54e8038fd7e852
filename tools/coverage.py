#!/usr/bin/env python3
"""Writes docs/coverage.md: which of NumPy's functions quern implements natively, and which run through NumPy on the host.

    tools/coverage.py            writes the file, from the installed NumPy
    tools/coverage.py --print    prints it instead

A name counts as native when quern has a function or value of its own for it; keywords and arguments that the function does not take
run on the host all the same, with a warning.
"""

import argparse
import os
import sys
import textwrap
import types

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE = os.path.join(ROOT, "docs", "coverage.md")

# What the Array API standard 2024.12 names.
ARRAY_API = {
    "constants": "e inf nan newaxis pi",
    "creation": "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros "
    "zeros_like",
    "data types": "astype broadcast_arrays broadcast_to can_cast finfo iinfo isdtype result_type bool int8 int16 int32 int64 uint8 uint16 "
    "uint32 uint64 float32 float64 complex64 complex128",
    "elementwise": "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or "
    "bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal "
    "hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor "
    "maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder round sign signbit sin sinh square "
    "sqrt subtract tan tanh trunc",
    "indexing": "take take_along_axis",
    "linear algebra": "matmul matrix_transpose tensordot vecdot",
    "manipulation": "concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile unstack",
    "searching": "argmax argmin count_nonzero nonzero searchsorted where",
    "sets": "unique_all unique_counts unique_inverse unique_values",
    "sorting": "argsort sort",
    "statistics": "cumulative_prod cumulative_sum max mean min prod std sum var",
    "tests": "all any diff",
    "inspection": "__array_namespace_info__",
    "linalg": "linalg.cholesky linalg.cross linalg.det linalg.diagonal linalg.eigh linalg.eigvalsh linalg.inv linalg.matmul "
    "linalg.matrix_norm linalg.matrix_power linalg.matrix_rank linalg.matrix_transpose linalg.outer linalg.pinv linalg.qr linalg.slogdet "
    "linalg.solve linalg.svd linalg.svdvals linalg.tensordot linalg.trace linalg.vecdot linalg.vector_norm",
    "fft": "fft.fft fft.ifft fft.fftn fft.ifftn fft.rfft fft.irfft fft.rfftn fft.irfftn fft.hfft fft.ihfft fft.fftfreq fft.rfftfreq "
    "fft.fftshift fft.ifftshift",
    "the array's methods": "ndarray.__array_namespace__ ndarray.__dlpack__ ndarray.__dlpack_device__ ndarray.to_device ndarray.device "
    "ndarray.dtype ndarray.mT ndarray.ndim ndarray.shape ndarray.size ndarray.T",
}  # fmt: skip


def is_public(name, value):
    return not name.startswith("_") and not isinstance(value, types.ModuleType)


def numpy_names():
    """The public functions, classes and values of NumPy's modules: a dict from a module's title to names as seen from numpy."""
    import numpy

    def of(module, prefix=""):
        return [prefix + n for n in sorted(set(module.__all__)) if hasattr(module, n) and is_public(n, getattr(module, n))]

    methods = [f"ndarray.{n}" for n in sorted(dir(numpy.ndarray)) if not n.startswith("_")]
    return {
        "numpy": of(numpy),
        "numpy.linalg": of(numpy.linalg, "linalg."),
        "numpy.fft": of(numpy.fft, "fft."),
        "numpy.random": of(numpy.random, "random."),
        "numpy.ndarray": methods,
    }


def state(name):
    """native, host (the fallback), or missing."""
    import numpy
    import quern

    value = quern
    try:
        for part in name.split("."):
            value = getattr(value, part)
    except AttributeError:
        return "missing"
    if isinstance(value, type):
        if issubclass(value, numpy.random.BitGenerator):
            return "host"
        if issubclass(value, numpy.generic) and not value.__subclasses__():  # a data type
            return "native" if numpy.dtype(value).name in quern.arrays.core._names else "missing"
        return "native"
    if hasattr(value, "__quern_host__") or type(value).__name__ in ("_HostIndex", "_HostModule"):
        return "host"
    return "native"


def table(groups):
    lines = ["| | native | host | missing | all |", "|---|---:|---:|---:|---:|"]
    counts = {}
    for title, names in groups.items():
        states = [state(n) for n in names]
        counts[title] = dict(zip(names, states, strict=True))
        lines.append(f"| {title} | {states.count('native')} | {states.count('host')} | {states.count('missing')} | {len(states)} |")
    if len(groups) > 1:
        every = [s for states in counts.values() for s in states.values()]
        lines.append(f"| all | {every.count('native')} | {every.count('host')} | {every.count('missing')} | {len(every)} |")
    return lines, counts


def listed(title, counts, wanted):
    """The names in a state, wrapped."""
    names = [name.rpartition(".")[2] for name, s in counts.items() if s == wanted]
    if not names:
        return []
    text = textwrap.fill(f"{title}: " + ", ".join(f"`{n}`" for n in names), 130, break_long_words=False, break_on_hyphens=False)
    return [text, ""]


def page():
    """The text of docs/coverage.md."""
    import numpy

    lines = ["# Coverage of NumPy's names", ""]
    lines += [f"Written by `tools/coverage.py` from NumPy {numpy.__version__}; do not edit.", ""]
    lines += [
        "*native*: quern implements it on the device. *host*: it runs through NumPy, with copies to the host and back, and a warning",
        "(`quern.FallbackWarning`; `quern.set_fallback` changes that). *missing*: there is no such name,",
        "or arrays cannot have that data type.",
        "",
        "## NumPy",
        "",
    ]
    rows, counts = table(numpy_names())
    lines += [*rows, ""]
    rows_api, counts_api = table({title: names.split() for title, names in ARRAY_API.items()})
    lines += ["## The Array API standard, 2024.12", "", *rows_api, ""]
    lines += ["## What runs on the host", ""]
    for title, found in counts.items():
        lines += listed(title, found, "host")
    lines += ["## What is missing", ""]
    for title, found in (*counts.items(), ("the Array API", {k: v for c in counts_api.values() for k, v in c.items()})):
        lines += listed(title, found, "missing")
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--print", action="store_true", help="print the page instead of writing it")
    options = parser.parse_args()
    sys.path.insert(0, os.path.join(ROOT, "python"))
    text = page()
    if options.print:
        print(text, end="")
        return
    with open(FILE, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
