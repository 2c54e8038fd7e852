"""Random programs of arrays against NumPy, and against themselves: in tier 0, compiled and fused, compiled line by line.

`+ - * / sqrt`, comparisons, integers, casts, `where`, and the order of reductions are the same bit for bit however a program is
run. After each line, strides, flags and what shares memory with what are NumPy's, too. A failure prints the program and its seed;
random_programs.check(kind, seed) runs it again.

QUERN_RANDOM_PROGRAMS=1000000 runs that many programs in tier 0, and a tenth of it compiled; the seeds are others each time.
"""

import concurrent.futures
import multiprocessing
import os
import random

import numpy as np
import pytest
import quern as qn
import random_programs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from quern.lib import _engine

PROGRAMS = int(os.environ.get("QUERN_RANDOM_PROGRAMS", "0"))
FIRST = random.SystemRandom().randrange(2**32) if PROGRAMS else 0
ON_CPU = _engine.default_device().kind == "cpu"
BATCH = 20


@pytest.mark.skipif(not ON_CPU, reason="tier 0 is the CPU's")
@settings(
    max_examples=(PROGRAMS or 20_000) // BATCH,
    derandomize=not PROGRAMS,
    database=None,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
@given(st.integers(0, 2**32))
def test_in_tier_0(first):
    for seed in range(first * BATCH, (first + 1) * BATCH):
        random_programs.check("tiny", seed)


# Two processes, for a kernel takes a core 30 ms to compile. A GPU has no tier 0, and its compiler takes longer.
COMPILED = {"fused": 1200, "mixed": 100, "unfused": 100, "large": 100} if ON_CPU else {"fused": 100, "large": 50}


def run_in_processes(counts):
    work = []
    for kind, count in counts.items():
        work += [(kind, range(n, min(n + 25, FIRST + count))) for n in range(FIRST, FIRST + count, 25)]
    device = _engine.default_device().name
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        done = [pool.submit(random_programs.check_many, kind, seeds, device) for kind, seeds in work]
        kernels = 0
        for future in done:
            failure, built = future.result()
            if failure:
                pool.shutdown(cancel_futures=True)
                raise AssertionError(failure)
            kernels += built
    return kernels


def test_compiled():
    kernels = run_in_processes({kind: count * PROGRAMS // 20_000 if PROGRAMS else count for kind, count in COMPILED.items()})
    assert kernels > (2_000 if ON_CPU else 100)  # different ones, for one process compiles none twice


def test_functions_without_exact_values():
    for seed in range(FIRST, FIRST + (PROGRAMS // 10 or 1_000) if ON_CPU else FIRST):
        random_programs.check("smooth", seed)
    for seed in range(FIRST, FIRST + (PROGRAMS // 200 or 60)):
        random_programs.check("smooth compiled", seed)


def test_a_failure_is_found_and_printed(monkeypatch):
    """A wrong bit does not pass."""
    right = random_programs.look
    monkeypatch.setattr(random_programs, "look", lambda x: right(x) + right(x).dtype.type(1) if x._dtype_name == "float64" else right(x))
    with pytest.raises(AssertionError, match=r"in the program of seed \d+, 1 lines:\n\nx0 = new"):
        for seed in range(50):
            random_programs.check("tiny", seed)
    assert random_programs.equal_bits(np.float32([0.0, np.nan]), np.float32([0.0, -np.nan]))
    assert not random_programs.equal_bits(np.float32([0.0]), np.float32([-0.0]))
    assert not random_programs.is_near(np.float32([1 + 1e-4]), np.float32([1]), 1)


def test_bfloat16_of_the_oracle():
    x = np.float32([1, 1.00390625, 1.01171875, 3.3895314e38, 1e-40, np.inf, -0.0])
    assert np.array_equal(random_programs.to_bfloat16(x), qn.asnumpy(qn.asarray(x).astype("bfloat16").astype("float32")))
