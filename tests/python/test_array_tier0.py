"""Tiny work on the CPU: every instruction set gives the same bits, and none of the higher ones is used where it was not asked for."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from quern.lib import _engine

LEVELS = ["baseline", "avx2", "avx512"]

# For each row and type that has a loop, a checksum of its results for the edge values: alone, each with each, at every length that
# leaves a rest after the vectors, and with a number in place of an operand. NaNs count as one.
EVERY_ROW = """
import json, sys, warnings, zlib
import numpy as np
import quern as qn
from quern.device import set_current_device
from quern.lib import _engine

set_current_device(qn.device("cpu"))
qn.set_fallback("error")
np.seterr(all="ignore")


def edges(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        return np.array([low, low + 1, high, high - 1, high // 2, 0, 1, 2, 3, 7, 8, 31, 32, 63, 64, 100, *([-1, -2, -7] if low else [])]).astype(dtype)
    if dtype.kind == "f":
        info = np.finfo(dtype)
        values = [0.0, 0.5, 1.0, 1.5, 2.5, 3.7, 1e-3, 7e3, np.inf, info.max, info.tiny, info.smallest_subnormal]
        near = [1 + 2.0**-11 + 2.0**-40, 1 + info.eps, 1 - info.epsneg, info.tiny - info.smallest_subnormal, 2.0**info.nmant - 0.5, 2.0**info.nmant + 1]
        return np.array([np.nan] + values + near + [-v for v in values + near]).astype(dtype)
    parts = [0.0, -0.0, 1.0, -2.5, 1e-3, np.inf, -np.inf, np.nan, np.finfo(dtype).max]
    return np.array([complex(re, im) for re in parts for im in parts]).astype(dtype)


def checksum(results):
    sum = 0
    for result in results:
        got = np.array(qn.asnumpy(result)).reshape(-1)
        if got.dtype.kind in "fc":
            real = got.view(got.real.dtype)
            real[np.isnan(real)] = np.nan
        sum = zlib.crc32(got.tobytes(), sum)
    return sum


def runs(function, values):
    # Integers have no negative powers.
    seconds = np.where(values < 0, ~values, values) if function is qn.power and values.dtype.kind == "i" else values
    full, second = np.resize(values, 81), np.resize(seconds, 81)
    for step in range(len(values)) if function.nin == 2 else [0]:
        operands = [full, np.roll(second, step)][: function.nin]
        yield function(*[qn.asarray(o) for o in operands])
    for n in range(1, 72):
        yield function(*[qn.asarray(o[i : n + i]) for i, o in enumerate([full, second][: function.nin])])
    if function.nin == 2:
        for value, exponent in zip(values, seconds, strict=True):
            yield function(qn.asarray(value), qn.asarray(second))
            yield function(qn.asarray(full), qn.asarray(exponent))


sums = {}
for dtype in "?bhilBHILefdFD":
    values = edges(dtype)
    for name in sorted(n for n in dir(np) if isinstance(getattr(qn, n, None), qn.ufunc)):
        function = getattr(qn, name)
        if function._op is None or function.__name__ != name:
            continue
        try:
            sums[f"{name} {dtype}"] = checksum(runs(function, values))
        except TypeError:
            pass
    x, y = qn.asarray(np.resize(values, 81)), qn.asarray(np.roll(np.resize(values, 81), 5))
    choice = qn.asarray(np.resize([True, False, False, True, True], 81))
    sums[f"where {dtype}"] = checksum(qn.where(choice[:n], x[:n], y[:n]) for n in range(1, 81))
    sums[f"where one {dtype}"] = checksum([qn.where(choice, x, y[3]), qn.where(choice, x[3], y), qn.where(choice[1], x, y)])
    for to in "?bhilBHILefdFD":
        sums[f"{dtype} to {to}"] = checksum([qn.asarray(np.resize(values, 81)[::step]).astype(to) for step in (1, 2)])
    sums[f"copy {dtype}"] = checksum(x[i : n].copy() for n in range(1, 81) for i in (0, 1))
    for name in ("sum", "prod", "max", "min", "any", "all"):
        try:
            sums[f"{name} {dtype}"] = checksum(getattr(x[i:n], name)() for n in range(2, 81) for i in (0, 1))
        except TypeError:
            pass
print(json.dumps([_engine.tier0_level(), sums]))
"""


def level_and_sums(level):
    environment = dict(os.environ, QUERN_TIER0_LEVEL=level, PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", EVERY_ROW], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def baseline():
    level, sums = level_and_sums("baseline")
    assert level == "baseline"
    assert len(sums) > 700
    return sums


@pytest.mark.parametrize("wish", LEVELS[1:])
def test_levels_give_the_same_bits(wish, request):
    if LEVELS.index(_engine.tier0_level()) < LEVELS.index(wish):
        pytest.skip(f"this processor, or QUERN_TIER0_LEVEL, allows {_engine.tier0_level()} at most")
    baseline = request.getfixturevalue("baseline")
    level, sums = level_and_sums(wish)
    assert level == wish
    assert [name for name in baseline if sums[name] != baseline[name]] == []
    assert sums.keys() == baseline.keys()


def test_an_unknown_level_is_no_wish():
    code = "from quern.lib import _engine; print(_engine.tier0_level())"
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    levels = [
        subprocess.run([sys.executable, "-c", code], env=dict(environment, QUERN_TIER0_LEVEL=wish), capture_output=True, text=True).stdout
        for wish in ("", "sse9", LEVELS[-1])
    ]
    assert levels[0] == levels[1] == levels[2]
    assert levels[0].strip() in LEVELS


def test_only_the_loops_of_a_level_have_its_instructions():
    """The linker keeps one copy of an inline function: were it an AVX2 loop's, an older processor would stop at it."""
    library = os.path.join(os.path.dirname(_engine.__file__), "libquern.so")
    if not shutil.which("objdump"):
        pytest.skip("needs objdump")
    objdump = ["objdump", "--disassemble", "--no-show-raw-insn", "--no-addresses", library]
    name, found = "", set()
    vector = re.compile(r"\tv[a-z0-9]+ .*%[xyz]mm|%[yz]mm|%k[0-7]")
    for line in subprocess.run(objdump, capture_output=True, text=True, check=True).stdout.splitlines():
        if line.startswith("<"):
            name = line
        elif "%" in line and vector.search(line):
            found.add(name)
    if not any("_avx2" in name for name in found):
        pytest.skip("a library without the names of its functions, or for a processor without levels")
    assert [name for name in found if "_avx" not in name] == []
