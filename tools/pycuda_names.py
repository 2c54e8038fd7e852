#!/usr/bin/env python3
"""Writes docs/pycuda.md: which of PyCUDA's names refuse their work, and which are left out, with the reason.

    .venv/bin/python tools/pycuda_names.py [--check]

All stands in the tables below. Start at page().
"""

import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE = os.path.join(ROOT, "docs", "pycuda.md")

# (module, names, why): not there.
LEFT_OUT = (
    (
        "scan",
        "CLUDA_PREAMBLE EXCLUSIVE_UPDATE_SOURCE INCLUSIVE_UPDATE_SOURCE SCAN_INTERVALS_SOURCE SHARED_PREAMBLE",
        "sources of PyCUDA's own kernels; quern has other kernels",
    ),
    ("scan", "mako", "a package that PyCUDA imports for itself"),
    (
        "curandom",
        "gen_log_template gen_poisson_inplace_template gen_poisson_template gen_template mrg32k3a_random_source "
        "mrg32k3a_skip_ahead_sequence_source random_skip_ahead32_source random_skip_ahead64_source random_source "
        "scrambledsobol_random_source sobol_random_source xorwow_random_source xorwow_skip_ahead_sequence_source",
        "sources of PyCUDA's own kernels; quern has other kernels",
    ),
    ("curandom", "array pycuda", "modules that PyCUDA imports for itself"),
)

# (module, names, why): there, and raise one clear error.
REFUSED = (
    ("driver", "Event.from_ipc_handle Event.ipc_handle", "on the CPU: events belong to one process; supported on a GPU"),
    ("driver", "mem_get_ipc_handle IPCMemoryHandle", "on the CPU: memory belongs to one process; supported on a GPU"),
    (
        "gpuarray",
        "GPUArray.__cuda_array_interface__",
        "on the CPU: AttributeError, because the interface is for GPU memory; use NumPy or DLPack; supported on a GPU",
    ),
    ("compiler", 'compile() of target "ptx"', "on the CPU: there is no PTX; supported on a GPU"),
    ("compiler", "DynamicSourceModule with kernels that launch kernels", "kernels cannot launch other kernels"),
    (
        "curandom",
        "generate_direction_vectors generate_scramble_constants32 generate_scramble_constants64",
        "all generators use Philox, the Sobol generators, too: the distribution is the same, the numbers differ from cuRAND's",
    ),
    ("gl", "all of it", "OpenGL is not supported"),
)


def table(head, rows):
    return [head, "|---" * (head.count("|") - 1) + "|", *("| " + " | ".join(row) + " |" for row in rows), ""]


def marked(names):
    return ", ".join(f"`{name}`" for name in names.split(" "))


DIFFERS = (
    (
        "sources on the CPU",
        "Jumps past an initialization, and `__shared__` variables with constructors, are compile errors.",
    ),
    ("random numbers", "quern's own generators have the same distributions, but draw other numbers."),
)


def page():
    """The text of docs/pycuda.md."""
    lines = [
        "# PyCUDA's names",
        "",
        "Written by `tools/pycuda_names.py`. Under `./quern run`, `import pycuda.driver` and related modules load `quern.pycuda`; PyCUDA",
        "need not be installed. Of the 819 public names of `driver`, `compiler`, `gpuarray`, `cumath`, `elementwise`, `reduction`,",
        "`scan`, `curandom`, `tools` and their classes, 798 are supported; the tests in `tests/python/pycuda/` call them.",
        "",
        "## Names that raise an error",
        "",
        "Each raises an error of PyCUDA's type, which names the reason.",
        "",
        *table(
            "| module | names | why |",
            [(f"`{m}`", marked(n) if "of" not in n.split() and "with" not in n.split() else n, w) for m, n, w in REFUSED],
        ),
        "## Left out",
        "",
        *table("| module | names | why |", [(f"`{m}`", marked(n), w) for m, n, w in LEFT_OUT]),
        "## What differs",
        "",
        *table("| what | how |", DIFFERS),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    import generated_page

    generated_page.main(__doc__, FILE, page)
