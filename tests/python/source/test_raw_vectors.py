"""What stands in a kernel in order happens in order, whichever threads are computed together: on the CPU those of a warp are vectorised.

The kernels are families around mistakes that a vectoriser can make: what one thread writes and reads at places a stride apart, indices
that wrap, divisions behind a condition.
"""

import itertools

import numpy as np
import pytest
import quern
import quern as qn

THREADS = 96


def results(text, values, *, each=1, head=""):
    """What ``text`` leaves in ``own[each]`` of each thread, with ``t``, ``n`` (9), ``given`` and shared memory."""
    kernel = quern.RawKernel(head + f"""
extern "C" __global__ void k(const unsigned* given, unsigned* out, unsigned n) {{
  __shared__ unsigned shared[{THREADS}];
  unsigned t = threadIdx.x, own[{each}] = {{}};
  shared[t] = t * 3;
  __syncthreads();
  {text}
  for (int i = 0; i < {each}; ++i) out[t * {each} + i] = own[i];
}}""", "k")
    out = qn.zeros((THREADS, each), "u4")
    kernel((1,), (THREADS,), (qn.asarray(values), out, np.uint32(9)))
    return np.asarray(out)


VALUES = np.random.default_rng(7).integers(0, 1000, 4096).astype("u4")
SYNCS = {"": "nothing", "__syncwarp();": "warp", "__syncthreads();": "block"}


@pytest.mark.parametrize("sync", SYNCS, ids=SYNCS.values())
@pytest.mark.parametrize("first, second", list(itertools.product(["t % 4u", "n % 4u", "given[t] % 4u"], ["((n ^ t) + t) % 4u", "1", "given[t + 7] % 4u"])))
@pytest.mark.parametrize("read", ["p[0]", "p[given[t] % 4u]", "5u"])
def test_an_array_of_a_thread(device, sync, first, second, read):
    got = results(f"""unsigned p[4] = {{1, t, 3, 4}};
  p[{first}] = 7;
  {sync}
  p[{second}] = {read};
  for (int i = 0; i < 4; ++i) own[i] = p[i];
  {sync}""", VALUES, each=4)
    want = []
    for t in range(THREADS):
        p, names = [1, t, 3, 4], {"t": t, "n": 9, "given": [int(v) for v in VALUES]}
        p[eval(first.replace("u", ""), names)] = 7
        p[eval(second.replace("u", ""), names)] = eval(read.replace("u", ""), names | {"p": p})
        want.append(p)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("sync", SYNCS, ids=SYNCS.values())
@pytest.mark.parametrize("width", [2, 3, 4, 8])
def test_rows_of_an_array(device, sync, width):
    """Each thread reads and writes its row of global memory; the place of one write is known at run time alone."""
    text = f"""
extern "C" __global__ void k(unsigned* rows, const unsigned* places, unsigned* out) {{
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, *row = rows + {width} * t;
  {sync}
  unsigned before = row[0];
  row[(places[t] + (t ^ 5u)) % {width}u] = 7;
  unsigned after = row[1];
  row[0] = before + 1;
  unsigned found = row[places[t] % {width}u];
  row[1] = found;
  {sync}
  out[t] = before * 10000 + after;
}}"""
    rows = VALUES[: THREADS * width].reshape(THREADS, width)
    places = VALUES[:THREADS] + 3
    mine, out = qn.asarray(rows), qn.zeros(THREADS, "u4")
    quern.RawKernel(text, "k")((2,), (THREADS // 2,), (mine, qn.asarray(places), out))
    want, seen = rows.copy(), np.zeros(THREADS, "u4")
    for t, row in enumerate(want):
        before = row[0]
        row[(int(places[t]) + (t ^ 5)) % width] = 7
        seen[t] = before * 10000 + row[1]
        row[0] = before + 1
        row[1] = row[places[t] % width]
    np.testing.assert_array_equal(np.asarray(out), seen)
    np.testing.assert_array_equal(np.asarray(mine), want)


@pytest.mark.parametrize("sync", SYNCS, ids=SYNCS.values())
@pytest.mark.parametrize("step, modulus", list(itertools.product([1, 2, 3, 5, 7, 8], [16, 32, 64, 128])))
@pytest.mark.parametrize("start", [0, 5])
def test_an_index_that_wraps(device, sync, step, modulus, start):
    got = results(f"{sync} own[0] = given[({step} * (t & 31u) + {start}) % {modulus}u]; {sync}", VALUES)
    want = VALUES[(step * (np.arange(THREADS) & 31) + start) % modulus]
    np.testing.assert_array_equal(got[:, 0], want)


def test_an_index_that_wraps_in_a_loop_of_the_thread(device):
    got = results("for (unsigned i = 0; i < 100; ++i) own[0] += given[(5 * i) % 64u]; for (unsigned char i = 0; i < 200; ++i) "
                  "own[1] += given[(unsigned char)(3 * i)];", VALUES, each=2)
    i = np.arange(200)
    assert (got == [VALUES[5 * i[:100] % 64].sum(), VALUES[3 * i % 256].sum()]).all()


CONDITIONS = {"(n ^ t) & 2u": lambda t: (9 ^ t) & 2, "t % 5u == 3": lambda t: t % 5 == 3, "given[t] > 500": lambda t: VALUES[t] > 500}


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("operation", ["/", "%"])
@pytest.mark.parametrize("sign", ["unsigned", "int"])
@pytest.mark.parametrize("group", ["t >> 5", "n"])
def test_a_division_behind_a_condition(device, condition, operation, sign, group):
    got = results(f"""{sign} number = threadIdx.y + 40, divisor = (({group}) | 1u);
  if (!({condition})) {{ own[0] = 77; }} else {{
    __syncwarp(__activemask());
    own[0] = shared[number {operation} divisor];
  }}""", VALUES)
    for t in range(THREADS):
        divisor = (t >> 5 if group == "t >> 5" else 9) | 1
        at = 40 // divisor if operation == "/" else 40 % divisor
        assert got[t, 0] == (3 * at if CONDITIONS[condition](t) else 77), t


@pytest.mark.parametrize("left", ["return", "stay"])
def test_a_division_after_some_have_left(device, left):
    text = "if ((n ^ t) & 2u) { out[t] = 1; return; }" if left == "return" else "if (!((n ^ t) & 2u))"
    got = results(f"""{text}
  {{ auto all = cg::coalesced_threads();
     unsigned v = shared[threadIdx.y % ((t >> 5) | 1u)], sum = cg::reduce(all, t, cg::plus<unsigned>());
     own[0] = v + sum; }}""", VALUES, head="#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
                  "namespace cg = cooperative_groups;\n")
    stay = np.array([not (9 ^ t) & 2 for t in range(THREADS)])
    sums = [np.arange(THREADS)[32 * w : 32 * w + 32][stay[32 * w : 32 * w + 32]].sum() for w in range(3)]
    want = np.where(stay, np.repeat(sums, 32), 1 if left == "return" else 0)
    np.testing.assert_array_equal(got[:, 0], want)


@pytest.mark.parametrize("divisor", ["(t & 1u ? 0 : n)", "(given[t] > 500 ? 0 : 1)", "(n - 9)", "(int)(t & 1u) - 1"])
def test_a_division_by_zero_does_not_end_the_process(device, divisor):
    got = results(f"unsigned d = {divisor}; own[0] = (100 + t) / d; own[1] = (int)(0x80000000u + (t & 1u)) / (int)d;", VALUES, each=2)
    for t in range(THREADS):
        d = {"(t & 1u ? 0 : n)": 0 if t & 1 else 9, "(given[t] > 500 ? 0 : 1)": 0 if VALUES[t] > 500 else 1, "(n - 9)": 0}.get(divisor, (t & 1) - 1)
        if d > 0:
            assert got[t, 0] == (100 + t) // d
