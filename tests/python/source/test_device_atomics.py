"""Atomics of all types and scopes, votes, matches, reductions and barriers that count, in CUDA source."""

import numpy as np
import pytest
import quern
from quern.pycuda import driver as drv

THREADS = 256
# A type, and what NumPy calls it.
INTEGERS = {
    "int": np.int32,
    "unsigned int": np.uint32,
    "unsigned long long": np.uint64,
    "long long": np.int64,
}


@pytest.mark.parametrize("scope", ["", "_block", "_system"])
@pytest.mark.parametrize("name", INTEGERS)
def test_integers(device, name, scope):
    values = np.random.default_rng(1).integers(0, 2**31 - 1, THREADS).astype(INTEGERS[name])
    table = {"Min": (np.minimum.reduce, 2**31 - 1), "Max": (np.maximum.reduce, 0), "And": (np.bitwise_and.reduce, -1), "Or": (np.bitwise_or.reduce, 0), "Xor": (np.bitwise_xor.reduce, 0)}  # fmt: skip
    if name != "long long":
        table["Add"] = (np.add.reduce, 0)
    if "int" in name:
        table["Sub"] = (lambda v: (0 - np.add.reduce(v)), 0)
    calls = "\n".join(f"  atomic{f}{scope}(&out[{k}], v);" for k, f in enumerate(table))
    text = f'extern "C" __global__ void f(const {name}* x, {name}* out) {{\n  {name} v = x[threadIdx.x];\n{calls}\n}}'
    with np.errstate(all="ignore"):
        out = np.array([b for _, b in table.values()], np.int64).astype(INTEGERS[name])
        places = [drv.to_device(values), drv.to_device(out)]
        quern.RawKernel(text, "f")((1,), (THREADS,), tuple(places))
        got = drv.from_device_like(places[1], out)
        for (function, (reduce, begin)), g in zip(table.items(), got, strict=True):
            wanted = reduce(values.astype(np.int64))
            assert g == np.int64(wanted).astype(INTEGERS[name]), (function, begin)


REALS = r"""
#include <cuda_fp16.h>
extern "C" __global__ void f(float* sums, double* doubles, unsigned short* bits, unsigned* words, unsigned long long* longs) {
  atomicAdd(&sums[0], 0.5f);
  atomicAdd_block(&sums[1], 0.25f);
  atomicAdd_system(&sums[2], 2.0f);
  atomicAdd(&doubles[0], 0.5);
  atomicAdd_block(&doubles[1], 0.25);
  atomicAdd_system(&doubles[2], 2.0);
  if (threadIdx.x == 3) sums[4] = atomicExch(&sums[3], 7.0f);
  atomicInc(&words[0], 99);
  atomicDec(&words[1], 99);
  atomicInc_system(&words[2], 0xffffffffu);
  atomicDec_block(&words[3], 0xffffffffu);
  unsigned short old = bits[0], seen;
  do {
    seen = old;
    old = atomicCAS(&bits[0], seen, (unsigned short)(seen + 3));
  } while (old != seen);
  unsigned long long wide = longs[0], before;
  do {
    before = wide;
    wide = atomicCAS_system(&longs[0], before, before + (1ull << 33));
  } while (wide != before);
}
"""


def test_reals_counters_and_exchanges(device):
    sums, doubles, bits = np.zeros(5, np.float32), np.zeros(3), np.zeros(2, np.uint16)
    words, longs = np.array([0, 0, 5, 5], np.uint32), np.zeros(1, np.uint64)
    sums[3] = 11
    arrays = [sums, doubles, bits, words, longs]
    places = [drv.to_device(v) for v in arrays]
    quern.RawKernel(REALS, "f")((1,), (THREADS,), tuple(places))
    sums, doubles, bits, words, longs = (drv.from_device_like(p, v) for p, v in zip(places, arrays, strict=True))
    assert sums.tolist() == [128, 64, 512, 7, 11] and doubles.tolist() == [128, 64, 512]
    assert bits.tolist() == [768, 0] and longs[0] == 256 << 33
    # 256 steps over 100 numbers, up from 0 and down from 0.
    assert words.tolist() == [56, 44, 261, (5 - 256) % 2**32]


TOGETHER = r"""
extern "C" __global__ void f(const int* x, int* out, int n) {
  int i = threadIdx.x, v = x[i];
  int* o = out + 16 * i;
  unsigned m = 0xffffffffu;
  o[0] = __syncthreads_count(v > 3);
  o[1] = __syncthreads_and(v >= 0);
  o[2] = __syncthreads_or(v > 1000);
  o[3] = __match_any_sync(m, v);
  int all = 5;
  o[4] = __match_all_sync(m, i / 32, &all);
  o[5] = all;
  o[6] = __reduce_add_sync(m, v);
  o[7] = __reduce_min_sync(m, v);
  o[8] = __reduce_max_sync(m, (unsigned)v);
  o[9] = __reduce_and_sync(m, (unsigned)v);
  o[10] = __reduce_or_sync(m, (unsigned)v);
  o[11] = __reduce_xor_sync(m, (unsigned)v);
  o[12] = __ballot_sync(m, v & 1);
  long long start = clock64();
  __nanosleep(20);
  o[13] = clock64() >= start;
  o[14] = __match_any_sync(m, (double)v) == o[3];
  o[15] = __any_sync(m, v == 7) + 2 * __all_sync(m, v < 8);
}
"""


def test_threads_together(device):
    x = np.random.default_rng(2).integers(0, 8, 64).astype(np.int32)
    out = np.zeros((64, 16), np.int32)
    places = [drv.to_device(x), drv.to_device(out)]
    quern.RawKernel(TOGETHER, "f")((1,), (64,), (*places, np.int32(64)))
    out = drv.from_device_like(places[1], out)
    word = lambda bits: int(np.uint32(sum(1 << k for k, b in enumerate(bits) if b)).astype(np.int32))  # noqa: E731
    for i, o in enumerate(out):
        w = x[i // 32 * 32 :][:32]
        wanted = [
            (x > 3).sum(), 1, 0, word(w == x[i]), -1, 1, w.sum(), w.min(), w.max(), np.bitwise_and.reduce(w), np.bitwise_or.reduce(w),
            np.bitwise_xor.reduce(w), word(w & 1), 1, 1, (w == 7).any() + 2,
        ]  # fmt: skip
        # What "true" is for and, or: not zero.
        assert [bool(v) if k in (1, 2, 5) else int(v) for k, v in enumerate(o)] == [bool(v) if k in (1, 2, 5) else int(v) for k, v in enumerate(wanted)]
