"""Random programs of arrays against NumPy, and against themselves: in tier 0, compiled and fused, compiled line by line.

`+ - * / sqrt`, comparisons, integers, casts, `where`, and the order of reductions are the same bit for bit however a program is
run. After each line, strides, flags and what shares memory with what are NumPy's, too. A failure prints the program and its seed;
random_programs.check(kind, seed) runs it again.

QUERN_RANDOM_PROGRAMS=N runs N programs in tier 0, and a tenth of it compiled.
"""

import concurrent.futures
import multiprocessing
import warnings

import numpy as np
import pytest
import quern as qn
import random_programs
from features import Features
from long_runs import programs, seeds
from quern.lib import _engine

USUAL = 5_000
PROGRAMS = programs("QUERN_RANDOM_PROGRAMS", USUAL)
ON_CPU = _engine.default_device().kind == "cpu"


@pytest.mark.skipif(not ON_CPU, reason="tier 0 is the CPU's")
@pytest.mark.parametrize("tenth", range(10))
def test_in_tier_0(tenth):
    for seed in seeds(PROGRAMS)[tenth::10]:
        random_programs.check("tiny", seed)


# Two processes, for a kernel takes a core 30 ms to compile. A GPU has no tier 0, and its compiler takes longer.
COMPILED = {"fused": 300, "mixed": 25, "unfused": 25, "large": 25} if ON_CPU else {"fused": 100, "large": 50}


def run_in_processes(counts):
    work = []
    for kind, count in counts.items():
        work += [(kind, seeds(count)[n : n + 25]) for n in range(0, count, 25)]
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
    kernels = run_in_processes({kind: count * PROGRAMS // USUAL for kind, count in COMPILED.items()})
    assert kernels > (PROGRAMS // 10 if ON_CPU else 100)  # different ones, for one process compiles none twice


def test_functions_without_exact_values():
    for seed in seeds(PROGRAMS // 10 if ON_CPU else 0):
        random_programs.check("smooth", seed)
    for seed in seeds(PROGRAMS // 100):
        random_programs.check("smooth compiled", seed)


FEATURES = {
    "a write in place": r"^x\d+ (\+|-|\*|/|//|%|&|\||\^)= ",
    "a part written": r"^x\d+\[.*\] \S*= ",
    "a slice": r"= x\d+\[[^\]]*:",
    "a negative step": r":-\d|::-1",
    "a transpose": r"\.T\b|swapaxes|moveaxis",
    "a reshape": r"reshape|ravel",
    "a reduction": r"m\.(sum|mean|max|min|prod|any|all|average)\(",
    "a running sum": r"m\.cum|accumulate|m\.diff",
    "a sort or a search": r"sort\(|m\.arg|nonzero",
    "a join": r"concatenate|stack|append",
    "places or a mask": r"take|compress|extract|put|place|\[x\d+",
    "a choice": r"m\.where",
    "a comparison": r" (<|>|==|!=|<=|>=) ",
    "a product of matrices": r"matmul|outer|kron|@",
    "out=": r"out=",
    "an error": r"# \w+Error",
    "no elements": r"\(0,|, 0[,)]",
    "no axes": r"\(\), ",
    "a short type": r"float16|int8",
    "complex numbers": r"complex",
    "bools": r"'bool'",
    "numbers without a sign": r"uint",
}


@pytest.mark.skipif(not ON_CPU, reason="the same programs on the CPU, where they need not be compiled")
def test_what_programs_have(capsys):
    features = Features("programs of arrays", FEATURES)
    for seed in seeds(400):
        program = random_programs.Program(seed)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            program.run()
        features.add(program.text())
    features.check(capsys)


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
