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
        "texts of PyCUDA's own kernels; quern has others",
    ),
    ("scan", "mako", "a package that PyCUDA imports for itself"),
    (
        "curandom",
        "gen_log_template gen_poisson_inplace_template gen_poisson_template gen_template mrg32k3a_random_source "
        "mrg32k3a_skip_ahead_sequence_source random_skip_ahead32_source random_skip_ahead64_source random_source "
        "scrambledsobol_random_source sobol_random_source xorwow_random_source xorwow_skip_ahead_sequence_source",
        "texts of PyCUDA's own kernels; quern has others",
    ),
    ("curandom", "array pycuda", "modules that PyCUDA imports for itself"),
)

# (module, names, why): there, and raise one clear error.
REFUSED = (
    ("driver", "Event.from_ipc_handle Event.ipc_handle", "on the CPU: its events belong to one process; on a GPU they work"),
    ("driver", "mem_get_ipc_handle IPCMemoryHandle", "on the CPU: its memory belongs to one process; on a GPU they work"),
    (
        "gpuarray",
        "GPUArray.__cuda_array_interface__",
        "on the CPU an AttributeError: it is of a GPU's memory; NumPy and DLPack work; on a GPU it does",
    ),
    ("compiler", 'compile() of target "ptx"', "on the CPU: it has no PTX; on a GPU it works"),
    ("compiler", "DynamicSourceModule with kernels that launch kernels", "kernels cannot launch others"),
    (
        "curandom",
        "generate_direction_vectors generate_scramble_constants32 generate_scramble_constants64",
        "all generators draw from Philox, the Sobol ones too: numbers of the right distribution, not cuRAND's",
    ),
    ("gl", "all of it", "there is no OpenGL"),
)


def table(head, rows):
    return [head, "|---" * (head.count("|") - 1) + "|", *("| " + " | ".join(row) + " |" for row in rows), ""]


def marked(names):
    return ", ".join(f"`{name}`" for name in names.split(" "))


DIFFERS = (
    (
        "sources on the CPU",
        "Jumps past an initialisation and `__shared__` variables with constructors are compile errors there.",
    ),
    ("random numbers", "Those of quern's own generators: of the same distributions, other numbers."),
)


def page():
    """The text of docs/pycuda.md."""
    lines = [
        "# PyCUDA's names",
        "",
        "Written by `tools/pycuda_names.py`. Under `./quern run`, `import pycuda.driver` and its neighbours mean `quern.pycuda`; PyCUDA",
        "need not be installed. Of the 819 public names of `driver`, `compiler`, `gpuarray`, `cumath`, `elementwise`, `reduction`,",
        "`scan`, `curandom`, `tools` and their classes 798 are there; the tests in `tests/python/pycuda/` call them.",
        "",
        "## There, but refused",
        "",
        "Each raises one error that says so, of PyCUDA's type.",
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
