"""Random functions under njit: results, their types and exceptions are Numba's (random_functions.py, numba_oracle.py).

Numba compiles for most of a second what quern compiles in a tenth of it. So the normal run compares many functions with answers that Numba
gave once, and asks Numba itself about a few others; `./quern test --long` asks it about thousands.
"""

import collections
import re

import numba_oracle
import numpy as np
import pytest
from kernels import module_of
from long_runs import part, programs, seeds
from quern.numba import njit
from random_functions import Function

pytestmark = pytest.mark.usefixtures("silent_fallback")

RECORDED = 150
MORE = programs("QUERN_NUMBA_PROGRAMS", 20)
AT_ONCE = 100  # functions of a process that has Numba
FEATURES = [
    "names change type", "mixed signs", "unsigned", "8 to 64 bits", "float32", "early return", "ends without return", "for", "while",
    "else of loops", "break, continue", "tuples", "enum", "nested calls", "exceptions", "error model", "arrays", "new arrays", "functions",
]  # fmt: skip


def is_undefined(function, number, here, there):
    """Is it an overflow of int64? Numba's compiler takes that for impossible; where it optimizes nothing, it computes what is computed here."""
    unoptimized = numba_oracle.answers([function.case], NUMBA_OPT="0")[0][number]
    return unoptimized != there and not numba_oracle.differs(here, unoptimized, function.loose)


def compare(functions, theirs, folder, asks=False):
    ours = numba_oracle.run([f.case for f in functions], njit, folder)
    wrong, refused = [], 0
    for function, here, there in zip(functions, ours, theirs, strict=True):
        if there[0][0] is None:  # Numba has no types for it
            refused += 1
            continue
        for i, (call, a, b) in enumerate(zip(function.calls, here, there, strict=True)):
            if numba_oracle.differs(a, b, function.loose) and not (asks and is_undefined(function, i, a, b)):
                wrong.append(f"seed {function.seed}{function.text}\n{call}\nhere  {a}\nNumba {b}")
                break
    assert refused <= len(functions) // 10
    assert not wrong, f"{len(wrong)} of {len(functions)}:\n" + "\n\n".join(wrong[:5])


def test_each_feature_occurs(capsys):
    functions = [Function(seed) for seed in range(RECORDED)]
    counted = collections.Counter(feature for f in functions for feature in f.features)
    with capsys.disabled():
        print(f"\nfeatures of njit functions ({RECORDED}): " + ", ".join(f"{name} {counted[name] / RECORDED:.0%}" for name in FEATURES))
    assert set(counted) == set(FEATURES)
    assert min(counted.values()) >= 0.05 * RECORDED


def test_recorded_answers(tmp_path):
    functions = part(map(Function, range(RECORDED)), 60)
    compare(functions, numba_oracle.recorded([f.case for f in functions]), tmp_path)


@pytest.mark.skipif(bool(numba_oracle.missing()), reason=numba_oracle.missing())
def test_answers_of_numba(tmp_path):
    waiting = list(seeds(MORE, skip=RECORDED))
    while waiting:
        functions = [Function(seed) for seed in waiting[:AT_ONCE]]
        del waiting[:AT_ONCE]
        folder = tmp_path / str(len(waiting))
        folder.mkdir()
        compare(functions, numba_oracle.answers([f.case for f in functions]), folder, asks=True)


KERNEL = """

@cuda.jit
def kernel(x, y, z, w, out):
    made = function(x, y, z, w)
    {stores}
"""


def test_kernels_of_these_functions(device, tmp_path):
    """They compile for each device; `.ci/run` keeps the sources and compiles them with NVRTC."""
    for function in (f for f in map(Function, range(RECORDED)) if not f.with_arrays):
        stores = "out[0] = -1 if made is None else made" if function.structure == "number" else "out[0], out[1], out[2], out[3] = made"
        text = "from quern import cuda\n" + re.sub(r"@njit.*", "@cuda.jit(device=True)", function.text) + KERNEL.format(stores=stores)
        numbers = [np.dtype(kind).type(value) for kind, value in function.calls[0]]
        module_of(tmp_path, text).kernel[1, 1](*numbers, np.zeros(4))
