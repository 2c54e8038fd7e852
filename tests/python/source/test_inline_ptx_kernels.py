"""Inline PTX in whole kernels: operands, control flow, memory, barriers, warps; what public programs do with it; refusals."""

import numpy as np
import pytest
import quern
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule


def launch(source, out, *arguments, block=(64, 1, 1), grid=(1, 1), shared=0):
    SourceModule(source).get_function("f")(drv.InOut(out), *arguments, block=block, grid=grid, shared=shared)
    return out


def test_special_registers(device):
    names = ["tid", "ntid", "ctaid", "nctaid"]
    lines, wanted = [], ["threadIdx", "blockDim", "blockIdx", "gridDim"]
    for name, built_in in zip(names, wanted, strict=True):
        for axis in "xyz":
            lines.append((f"mov.u32 %0, %%{name}.{axis};", f"{built_in}.{axis}"))
    thread = "((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)"
    lane = f"({thread} % 32)"
    lines += [
        ("mov.u32 %0, %%laneid;", lane),
        ("mov.u32 %0, %%lanemask_eq;", f"(1u << {lane})"),
        ("mov.u32 %0, %%lanemask_lt;", f"((1u << {lane}) - 1)"),
        ("mov.u32 %0, %%lanemask_le;", f"((2u << {lane}) - 1)"),
        ("mov.u32 %0, %%lanemask_gt;", f"~((2u << {lane}) - 1)"),
        ("mov.u32 %0, %%lanemask_ge;", f"~((1u << {lane}) - 1)"),
        ("mov.u32 %0, WARP_SZ;", "32"),
        ("{ .reg .u32 a; mov.u32 a, %%tid.x; add.u32 %0, a, 7; }", "(threadIdx.x + 7)"),
    ]
    body = "".join(f'  asm volatile("{text}" : "=r"(x)); if (x != {want}) atomicAdd(&o[{i}], 1);\n' for i, (text, want) in enumerate(lines))
    out = launch(f"__global__ void f(int* o) {{ unsigned x;\n{body}}}", np.zeros(len(lines), np.int32), block=(8, 4, 3), grid=(2, 3))
    assert out.tolist() == [0] * len(lines), [line for line, bad in zip(lines, out, strict=True) if bad]


def test_counters_of_time_and_place(device):
    source = """
    __global__ void f(unsigned long long* o) {
      unsigned sm, sms, warp, warps, clock_low; unsigned long long a, b, t, u, grid;
      asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
      asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms));
      asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
      asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(warps));
      asm volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
      asm volatile("mov.u32 %0, %%clock;" : "=r"(clock_low));
      asm volatile("mov.u64 %0, %%clock64;" : "=l"(a) :: "memory");
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
      asm volatile("nanosleep.u32 2000;");
      asm volatile("mov.u64 %0, %%clock64;" : "=l"(b) :: "memory");
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(u));
      if (threadIdx.x == 33) { o[0] = sm < sms; o[1] = warp < warps; o[2] = b > a; o[3] = u >= t; }
    }"""
    assert launch(source, np.zeros(4, np.uint64)).tolist() == [1, 1, 1, 1]


def test_operands(device):
    """Constraints of all kinds: read and written, early clobber, numbers, a template's numbers."""
    source = """
    template <int k> __device__ int more(int x) { asm("add.s32 %0, %0, %1;" : "+r"(x) : "n"(k)); return x; }
    #define WIDE "l"
    #define ADD(r, a, b) asm("add.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b))
    __global__ void f(long long* o, double* p) {
      int i = threadIdx.x, a = i; long long w = i; unsigned short h = i; float s = i; double d = i; int b, c; unsigned u;
      asm volatile("add.s32 %0, %0, %1;\\n\\tadd.s32 %0, %0, 1;" : "+r"(a) : "r"(i) : "memory");
      o[0 * 64 + i] = a;
      asm("add.s64 %0, %1, -3;" : "=l"(w) : WIDE(w));
      o[1 * 64 + i] = w;
      asm("{ add.u16 %0, %0, %1; }" : "+h"(h) : "h"((unsigned short)65535));
      o[2 * 64 + i] = h;
      asm("fma.rn.f32 %0, %1, %1, 0f3F000000;" : "=f"(s) : "f"(s));
      asm("add.f64 %0, %0, 0d3FD0000000000000;" : "+d"(d));
      o[3 * 64 + i] = (long long)(4 * s); o[4 * 64 + i] = (long long)(4 * d);
      asm("mov.u32 %0, 7;\\n mad.lo.s32 %1, %2, %0, %2;" : "=&r"(b), "=&r"(c) : "r"(i));
      o[5 * 64 + i] = b + 1000 * c;
      c = i;
      asm("sub.s32 %0, 100, %0;" : "+r"(c));
      o[6 * 64 + i] = c;
      o[7 * 64 + i] = more<5>(i) + more<-1>(i);
      ADD(u, 3 * i, 0x10u);
      o[8 * 64 + i] = u;
      asm volatile("{ // a comment\\n .reg .u32 %%t<3>; /* and another */ mov.u32 %%t0, %1; { .reg .u32 %%t0; mov.u32 %%t0, 5; }"
                           " add.u32 %%t2, %%t0, %%t0; mov.u32 %0, %%t2; }" : "=r"(u) : "r"(i));
      o[9 * 64 + i] = u;
      asm("mov.f64 %0, 1.5;" : "=d"(p[i]));
      asm volatile("" ::: "memory");
      asm("");
    }"""
    p = np.zeros(64)
    out = launch(source, np.zeros(640, np.int64), drv.Out(p)).reshape(10, 64)
    i = np.arange(64)
    wanted = [2 * i + 1, i - 3, (i - 1) % 65536, 4 * i * i + 2, 4 * i + 1, 7 + 8000 * i, 100 - i, 2 * i + 4, 3 * i + 16, 2 * i]
    for row, (got, want) in enumerate(zip(out, wanted, strict=True)):
        assert np.array_equal(got, want), row
    assert (p == 1.5).all()


def test_what_other_compilers_take(device):
    """Spellings and constraints of gcc's, names for the linker, special registers as operands of any instruction."""
    if device.kind == "cuda":
        pytest.skip("NVRTC refuses them")
    source = """  // nvrtc: skip
    extern "C" __device__ int named(int) __asm__("another_name");
    extern "C" __device__ int another_name(int x) { return x + 1; }
    __global__ void f(int* o) {
      int i = threadIdx.x, c;
      __asm__ __volatile__("sub.s32 %0, 100, %0;" : "=r"(c) : "0"(i));
      __asm("add.s32 %0, %0, %%tid.x;" : "+r"(c));
      asm("add.s32 %[r], %[x], 1;" : [r] "=r"(c) : [x] "r"(c));
      o[i] = named(c);
    }"""
    assert launch(source, np.zeros(64, np.int32)).tolist() == [102] * 64


def test_predicates_labels_and_branches(device):
    source = """
    __global__ void f(int* o) {
      int i = threadIdx.x, r, q, s, t, v;
      asm("{ .reg .pred p, q; .reg .s32 one; setp.lt.s32 p|q, %2, 10; mov.s32 %0, 1; @p mov.s32 %0, 2; selp.s32 %1, 5, 6, q; }"
          : "=&r"(r), "=r"(q) : "r"(i));
      asm("{ .reg .pred p, q; setp.gt.s32 p, %1, 3; setp.lt.and.s32 q, %1, 7, p; setp.eq.or.s32 q, %1, 20, q; setp.eq.xor.s32 q, %1, 5, !q;"
          " not.pred q, q; selp.b32 %0, 1, 0, q; }" : "=r"(s) : "r"(i));
      // Collatz: how many steps to 1.
      asm("{ .reg .pred p; .reg .s32 n, odd; mov.s32 %0, 0; add.s32 n, %1, 1;\\n"
          "AGAIN_%=: setp.le.s32 p, n, 1; @p bra.uni DONE_%=; and.b32 odd, n, 1; setp.ne.s32 p, odd, 0; add.s32 %0, %0, 1;\\n"
          "@p bra ODD_%=; shr.s32 n, n, 1; bra AGAIN_%=;\\n"
          "ODD_%=: mad.lo.s32 n, n, 3, 1; bra.uni AGAIN_%=;\\n"
          "DONE_%=: }" : "=&r"(t) : "r"(i));
      asm("{ set.lt.u32.s32 %0, %1, 10; }" : "=r"(v) : "r"(i));
      o[i] = r; o[64 + i] = q; o[128 + i] = s; o[192 + i] = t; o[256 + i] = v;
    }"""
    out = launch(source, np.zeros(320, np.int32)).reshape(5, 64)

    def collatz(n):
        steps = 0
        while n > 1:
            n, steps = (3 * n + 1 if n % 2 else n // 2), steps + 1
        return steps

    i = np.arange(64)
    assert np.array_equal(out[0], np.where(i < 10, 2, 1)) and np.array_equal(out[1], np.where(i < 10, 6, 5))
    within = ((i > 3) & (i < 7)) | (i == 20)
    assert np.array_equal(out[2], ~((i == 5) ^ ~within) & 1)
    assert out[3].tolist() == [collatz(n + 1) for n in range(64)]
    assert np.array_equal(out[4], np.where(i < 10, -1, 0))


def test_exit(device):
    source = '__global__ void f(int* o) { o[threadIdx.x] = 1; if (threadIdx.x > 5) asm volatile("exit;"); __syncthreads(); o[threadIdx.x] = 2; }'
    assert launch(source, np.zeros(64, np.int32)).tolist() == [2] * 6 + [1] * 58


def test_loads_and_stores(device):
    source = """
    __global__ void f(int* o, const int* a, const signed char* c, const double* d, float* w) {
      __shared__ int s[64]; int i = threadIdx.x, x, y, z, v; long long big; double e;
      asm volatile("ld.global.nc.L1::no_allocate.L2::128B.s32 %0, [%1];" : "=r"(x) : "l"(a + i));
      asm volatile("ld.global.ca.s32 %0, [%1+4];" : "=r"(y) : "l"(a + i));
      asm volatile("ld.cg.u32 %0, [%1];" : "=r"(z) : "l"(a + i + 2));
      asm volatile("ld.global.s8 %0, [%1];" : "=r"(v) : "l"(c + i));
      asm volatile("ld.global.s32 %0, [%1 + -4];" : "=l"(big) : "l"(a + i + 1));
      asm volatile("prefetch.global.L2 [%0];" :: "l"(d));
      asm volatile("{ .reg .u64 p; cvta.to.global.u64 p, %1; ld.global.cs.f64 %0, [p]; }" : "=d"(e) : "l"(d + i));
      unsigned place = (unsigned)__cvta_generic_to_shared(s + i);
      asm volatile("st.shared.u32 [%0], %1;" :: "r"(place), "r"(10 * i) : "memory");
      asm volatile("bar.sync 0;" ::: "memory");
      int other, again;
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(other) : "r"((unsigned)__cvta_generic_to_shared(s + 63 - i)));
      asm volatile("{ .reg .u64 t; .reg .u32 u; cvta.to.shared.u64 t, %1; cvt.u32.u64 u, t; ld.volatile.shared.s32 %0, [u + 4]; }"
                   : "=r"(again) : "l"(s + (i + 62) % 63));
      asm volatile("st.global.cs.v2.f32 [%0], {%1, %2};" :: "l"(w + 4 * i), "f"((float)x), "f"((float)e) : "memory");
      asm volatile("st.global.wt.v2.f32 [%0+8], {%1, 0f3F800000};" :: "l"(w + 4 * i), "f"((float)v) : "memory");
      asm volatile("st.release.gpu.global.s32 [%0], %1;" :: "l"(o + i), "r"(x + y + z + v) : "memory");
      o[64 + i] = other; o[128 + i] = again; o[192 + i] = (int)big;
    }"""
    random = np.random.default_rng(5)
    a, c, d = random.integers(-1000, 1000, 66).astype(np.int32), random.integers(-128, 128, 64).astype(np.int8), random.normal(size=64)
    w = np.zeros(256, np.float32)
    out = launch(source, np.zeros(256, np.int32), drv.In(a), drv.In(c), drv.In(d), drv.Out(w)).reshape(4, 64)
    i = np.arange(64)
    assert np.array_equal(out[0], a[:64] + a[1:65] + a[2:66] + c)
    assert np.array_equal(out[1], 10 * (63 - i)) and np.array_equal(out[2], 10 * ((i + 62) % 63 + 1)) and np.array_equal(out[3], a[:64])
    assert np.array_equal(w.reshape(64, 4), np.stack([a[:64], d, c, np.ones(64)], 1).astype(np.float32))


def test_vectors_of_four(device):
    source = """
    __global__ void f(unsigned* o, const uint4* a, const ulonglong2* b) {
      int i = threadIdx.x; unsigned x, y, z, w; unsigned long long p, q;
      asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a + i));
      asm("ld.global.v2.u64 {%0,%1}, [%2];" : "=l"(p), "=l"(q) : "l"(b + i));
      asm volatile("st.global.v4.b32 [%0], {%4,%3,%2,%1};" :: "l"(o + 8 * i), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
      asm volatile("st.v2.u32 [%0+16], {%1, %2};" :: "l"(o + 8 * i), "r"((unsigned)p), "r"((unsigned)q) : "memory");
    }"""
    a, b = np.arange(256, dtype=np.uint32) * 77, np.arange(128, dtype=np.uint64) * 3
    out = launch(source, np.zeros(512, np.uint32), drv.In(a), drv.In(b)).reshape(64, 8)
    assert np.array_equal(out[:, :4], a.reshape(64, 4)[:, ::-1]) and np.array_equal(out[:, 4:6], b.reshape(64, 2))


def test_atomics(device):
    source = """
    __global__ void f(unsigned long long* o, float* s, double* t) {
      __shared__ unsigned own; int i = threadIdx.x; unsigned old; unsigned long long big;
      unsigned* u = (unsigned*)(o + 10);
      if (i == 0) own = 0;
      __syncthreads();
      asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(u), "r"(1) : "memory");
      asm volatile("red.global.add.u64 [%0], %1;" :: "l"(o), "l"((unsigned long long)old) : "memory");
      asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" :: "l"(s), "f"(0.5f) : "memory");
      asm volatile("red.global.add.f64 [%0], %1;" :: "l"(t), "d"(0.25) : "memory");
      asm volatile("red.max.u64 [%0], %1;" :: "l"(o + 1), "l"(100ull + i) : "memory");
      asm volatile("red.min.s32 [%0], %1;" :: "l"(o + 2), "r"(-i) : "memory");
      asm volatile("red.or.b32 [%0], %1;" :: "l"(o + 3), "r"(1 << (i & 15)) : "memory");
      asm volatile("red.and.b32 [%0], %1;" :: "l"(o + 4), "r"(~(1 << (i & 7))) : "memory");
      asm volatile("red.xor.b64 [%0], %1;" :: "l"(o + 5), "l"(1ull << i) : "memory");
      asm volatile("atom.inc.u32 %0, [%1], 9;" : "=r"(old) : "l"(o + 6) : "memory");
      asm volatile("atom.dec.u32 %0, [%1], 9;" : "=r"(old) : "l"(o + 7) : "memory");
      asm volatile("atom.shared.add.u32 %0, [%1], 3;" : "=r"(old) : "r"((unsigned)__cvta_generic_to_shared(&own)) : "memory");
      if (i == 5) asm volatile("atom.exch.b64 %0, [%1], %2;" : "=l"(big) : "l"(o + 8), "l"(77ull) : "memory");
      asm volatile("atom.acq_rel.gpu.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(o + 9), "r"(i == 40 ? 0 : -1), "r"(i) : "memory");
      __syncthreads();
      if (i == 0) o[11] = own;
    }"""
    start = np.zeros(12, np.uint64)
    start[4] = 0xFFFFFFFF
    s, t = np.zeros(1, np.float32), np.zeros(1)
    out = launch(source, start, drv.InOut(s), drv.InOut(t))
    low = out & np.uint64(0xFFFFFFFF)
    assert out[0] == 63 * 32 and out[1] == 163 and low[2] == 2**32 - 63 and low[3] == 65535 and low[4] == 0xFFFFFF00
    assert out[5] == 2**64 - 1 and low[6] == 4 and low[8] == 77 and low[9] == 40 and low[10] == 64 and out[11] == 192
    assert low[7] == (0 - 64) % 10 and s[0] == 32 and t[0] == 16


def test_barriers_and_fences(device):
    """Sums in a loop with barriers, and counts, within control flow that differs between warps."""
    source = """
    __global__ void f(int* o) {
      __shared__ int s[64]; int i = threadIdx.x, count, all, any;
      asm volatile("st.shared.s32 [%0], %1;" :: "r"((unsigned)__cvta_generic_to_shared(s + i)), "r"(i) : "memory");
      for (int half = 32; half > 0; half /= 2) {
        asm volatile("bar.sync 0;" ::: "memory");
        if (i < half) asm volatile("{ .reg .s32 a, b; ld.shared.s32 a, [%0]; ld.shared.s32 b, [%1]; add.s32 a, a, b; st.shared.s32 [%0], a; }"
            :: "r"((unsigned)__cvta_generic_to_shared(s + i)), "r"((unsigned)__cvta_generic_to_shared(s + i + half)) : "memory");
      }
      asm volatile("barrier.sync 0;" ::: "memory");
      asm volatile("membar.cta; membar.gl; membar.sys; fence.acq_rel.gpu; fence.sc.cta;" ::: "memory");
      asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 20; bar.red.popc.u32 %0, 0, p; }" : "=r"(count) : "r"(i));
      asm volatile("{ .reg .pred p, q; setp.lt.s32 p, %1, 20; bar.red.and.pred q, 0, p; selp.u32 %0, 1, 0, q; }" : "=r"(all) : "r"(i));
      asm volatile("{ .reg .pred p, q; setp.lt.s32 p, %1, 20; bar.red.or.pred q, 0, !p; selp.u32 %0, 1, 0, q; }" : "=r"(any) : "r"(i));
      asm volatile("bar.warp.sync 0xffffffff;");
      o[i] = s[0] + 10000 * count + 1000000 * all + 10000000 * any;
    }"""
    assert launch(source, np.zeros(64, np.int32)).tolist() == [63 * 32 + 200000 + 10000000] * 64


SHUFFLES = {"idx": "__shfl_sync", "up": "__shfl_up_sync", "down": "__shfl_down_sync", "bfly": "__shfl_xor_sync"}


@pytest.mark.parametrize("mode", list(SHUFFLES))
@pytest.mark.parametrize("width", [32, 8])
def test_shuffles(device, mode, width):
    bound = (32 - width) << 8 | (0 if mode == "up" else 31)
    reach = {"idx": "1", "bfly": "1", "up": "lane >= by", "down": f"lane + by < {width}"}[mode]
    source = f"""
    __global__ void f(int* o) {{
      int i = threadIdx.x, bad = 0, inside;
      for (int by = 0; by < {width}; ++by) {{
        int x, y, z = i * 7 + by;
        asm volatile("shfl.sync.{mode}.b32 %0, %1, %2, {bound}, 0xffffffff;" : "=r"(x) : "r"(z), "r"(by));
        asm volatile("{{ .reg .pred p; shfl.sync.{mode}.b32 %0|p, %2, %3, {bound}, -1; selp.s32 %1, 1, 0, p; }}" : "=r"(y), "=r"(inside) : "r"(z), "r"(by));
        int want = {SHUFFLES[mode]}(0xffffffff, z, by, {width});
        int lane = i % {width}, reach = {reach};
        bad += x != want || y != want || inside != reach;
      }}
      o[i] = bad;
    }}"""
    assert launch(source, np.zeros(64, np.int32)).tolist() == [0] * 64


def test_votes(device):
    source = """
    __global__ void f(unsigned* o, const int* a) {
      int i = threadIdx.x, x = a[i]; unsigned ballot, any, all, uni, same, lanes, sum, most, bits, active = 0;
      asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(ballot) : "r"(x));
      asm volatile("{ .reg .pred p, q; setp.gt.s32 p, %1, 3; vote.sync.any.pred q, p, -1; selp.u32 %0, 1, 0, q; }" : "=r"(any) : "r"(x));
      asm volatile("{ .reg .pred p, q; setp.ge.s32 p, %1, 0; vote.sync.all.pred q, p, -1; selp.u32 %0, 1, 0, q; }" : "=r"(all) : "r"(x));
      asm volatile("{ .reg .pred p, q; setp.ge.s32 p, %1, 2; vote.sync.uni.pred q, !p, -1; selp.u32 %0, 1, 0, q; }" : "=r"(uni) : "r"(x));
      asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(same) : "r"(x));
      asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %1, 0xffffffff; }" : "=r"(lanes) : "r"(x));
      asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(x));
      asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(most) : "r"(x));
      asm volatile("redux.sync.or.b32 %0, %1, 0xffffffff;" : "=r"(bits) : "r"(1 << x));
      if (i % 3 == 0) asm volatile("activemask.b32 %0;" : "=r"(active));
      unsigned want_lanes = __match_any_sync(0xffffffff, x);
      unsigned results[10] = {ballot, any, all, uni, same, lanes, sum, most, bits, active};
      for (int k = 0; k < 10; ++k) o[k * 64 + i] = results[k];
      o[640 + i] = want_lanes;
    }"""
    a = np.concatenate([np.random.default_rng(3).integers(0, 5, 32), np.full(32, 1)]).astype(np.int32)
    out = launch(source, np.zeros(11 * 64, np.uint32), drv.In(a)).reshape(11, 64)
    lane = np.uint64(1) << np.arange(32, dtype=np.uint64)
    for warp in range(2):
        x, got = a[32 * warp :][:32], out[:, 32 * warp : 32 * warp + 32]
        assert (got[0] == (lane * (x != 0)).sum()).all()
        assert (got[1] == (x > 3).any()).all() and (got[2] == 1).all() and (got[3] == (len(set(x >= 2)) == 1)).all()
        assert np.array_equal(got[4], got[10])
        assert (got[5] == (0xFFFFFFFF if warp else 0)).all()
        assert (got[6] == x.sum()).all() and (got[7] == x.max()).all() and (got[8] == np.bitwise_or.reduce(1 << x)).all()
        threes = np.arange(32 * warp, 32 * warp + 32) % 3 == 0
        assert (got[9] == np.where(threes, (lane * threes).sum(), 0)).all()


def test_forms_without_sync(device):
    if device.kind == "cuda":
        pytest.skip("GPUs of compute capability 7.0 and later have them no more")
    source = """  // nvrtc: skip
    __global__ void f(unsigned* o) {
      int i = threadIdx.x; unsigned ballot, other;
      asm("{ .reg .pred p; setp.lt.s32 p, %1, 40; vote.ballot.b32 %0, p; }" : "=r"(ballot) : "r"(i));
      asm("shfl.down.b32 %0, %1, 1, 31;" : "=r"(other) : "r"(i));
      o[i] = ballot; o[64 + i] = other;
    }"""
    out = launch(source, np.zeros(128, np.uint32)).reshape(2, 64)
    assert out[0].tolist() == [0xFFFFFFFF] * 32 + [0xFF] * 32
    assert out[1].tolist() == [i if i % 32 == 31 else i + 1 for i in range(64)]


# ---- what public programs do


def test_aggregated_atomic(device):
    """A warp's lanes take places in a list by one atomic for all of them."""
    source = """
    __device__ __forceinline__ unsigned lanemask_lt() { unsigned m; asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(m)); return m; }
    __device__ __forceinline__ unsigned lane_id() { unsigned l; asm volatile("mov.u32 %0, %%laneid;" : "=r"(l)); return l; }
    __global__ void f(int* o, const int* a, int* count) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      bool keep = a[i] % 3 == 0;
      unsigned wanted = __ballot_sync(0xffffffff, keep), place = 0;
      if (keep) {
        int leader = __ffs(wanted) - 1;
        if (lane_id() == leader) place = atomicAdd(count, __popc(wanted));
        place = __shfl_sync(wanted, place, leader) + __popc(wanted & lanemask_lt());
        o[place] = a[i];
      }
    }"""
    a = np.random.default_rng(1).integers(0, 1000, 1024).astype(np.int32)
    count = np.zeros(1, np.int32)
    out = launch(source, np.zeros(1024, np.int32), drv.In(a), drv.InOut(count), block=(256, 1, 1), grid=(4, 1))
    kept = a[a % 3 == 0]
    assert count[0] == len(kept) and sorted(out[: len(kept)]) == sorted(kept)


def test_wide_sums_across_functions(device):
    """Numbers of 128 bits: each step of the carry is a function of its own, as libraries for large numbers have them."""
    source = """
    typedef unsigned long long u64;
    __device__ u64 add_cc(u64 a, u64 b) { u64 r; asm volatile("add.cc.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b)); return r; }
    __device__ u64 addc(u64 a, u64 b) { u64 r; asm volatile("addc.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b)); return r; }
    __global__ void f(u64* o, const u64* a, const u64* b) {
      int i = threadIdx.x; u64 low, high;
      o[4 * i] = add_cc(a[2 * i], b[2 * i]);
      o[4 * i + 1] = addc(a[2 * i + 1], b[2 * i + 1]);
      asm("sub.cc.u64 %0, %2, %4;\\n\\t"
          "subc.u64   %1, %3, %5;\\n\\t" : "=&l"(low), "=l"(high) : "l"(a[2 * i]), "l"(a[2 * i + 1]), "l"(b[2 * i]), "l"(b[2 * i + 1]));
      o[4 * i + 2] = low; o[4 * i + 3] = high;
    }
    __global__ void again(u64* o) { o[0] = add_cc(~0ull, threadIdx.x + 1); o[1] = addc(3, 4); }
    """
    random = np.random.default_rng(2)
    a, b = (random.integers(0, 2**64 - 1, 128, dtype=np.uint64, endpoint=True) for _ in "ab")
    a[:8], b[:8] = 2**64 - 1, [1, 0, 2**64 - 1, 2**64 - 1, 0, 0, 5, 1]
    out = launch(source, np.zeros(256, np.uint64), drv.In(a), drv.In(b)).reshape(64, 4)
    for i in range(64):
        x, y = (int(n[2 * i]) | int(n[2 * i + 1]) << 64 for n in (a, b))
        assert int(out[i, 0]) | int(out[i, 1]) << 64 == (x + y) % 2**128
        assert int(out[i, 2]) | int(out[i, 3]) << 64 == (x - y) % 2**128
    o = np.zeros(2, np.uint64)
    SourceModule(source).get_function("again")(drv.Out(o), block=(1, 1, 1))
    assert o.tolist() == [0, 8]


def test_bytes_swapped_and_logarithms(device):
    source = """
    __device__ __inline__ unsigned swap(unsigned x) { unsigned r; asm("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(r) : "r"(x)); return r; }
    __device__ __inline__ unsigned log2_of(unsigned x) { unsigned r; asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(x)); return r; }
    template <class T> __device__ T read(const T* p) { T x; asm("ld.global.nc.s32 %0, [%1];" : "=r"(x) : "l"(p)); return x; }
    __global__ void f(unsigned* o, const int* a, int n) {
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        unsigned x = read(a + i);
        o[2 * i] = swap(x), o[2 * i + 1] = log2_of(x);
      }
    }"""
    a = np.random.default_rng(4).integers(1, 2**31, 1000).astype(np.int32)
    out = launch(source, np.zeros(2000, np.uint32), drv.In(a), np.int32(1000), grid=(3, 1)).reshape(1000, 2)
    assert np.array_equal(out[:, 0], a.view(np.uint32).byteswap()) and np.array_equal(out[:, 1], np.floor(np.log2(a)))


def test_mandelbrot(device):
    source = """
    __global__ void f(int* o, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float cx = -2.0f + 3.0f * (i % n) / n, cy = -1.5f + 3.0f * (i / n) / n, x = 0, y = 0; int count = 0;
      float xx = 0, yy = 0;
      while (count < 100 && xx + yy <= 4.0f) {
        asm("{ .reg .f32 t, u;\\n"
            "sub.rn.f32 t, %2, %3; add.rn.f32 t, t, %4;\\n"
            "add.rn.f32 u, %0, %0; fma.rn.f32 %1, u, %1, %5;\\n"
            "mov.f32 %0, t; mul.rn.f32 %2, %0, %0; mul.rn.f32 %3, %1, %1; }"
            : "+f"(x), "+f"(y), "+f"(xx), "+f"(yy) : "f"(cx), "f"(cy));
        ++count;
      }
      o[i] = count;
    }"""
    n = 64
    out = launch(source, np.zeros(n * n, np.int32), np.int32(n), block=(256, 1, 1), grid=(n * n // 256, 1))
    f32 = np.float32
    i = np.arange(n * n)
    cx, cy = f32(-2) + f32(3) * (i % n).astype(f32) / f32(n), f32(-1.5) + f32(3) * (i // n).astype(f32) / f32(n)
    x, y, xx, yy, count = (np.zeros(n * n, f32) for _ in range(5))
    for _ in range(100):
        going = xx + yy <= 4
        t = xx - yy + cx
        with np.errstate(all="ignore"):
            y_next = (np.float64(x + x) * np.float64(y) + cy).astype(f32)
        x, y = np.where(going, t, x), np.where(going, y_next, y)
        xx, yy, count = x * x, y * y, count + going
    assert np.array_equal(out, count)


def test_headers_of_the_user_and_other_standards(device, tmp_path):
    (tmp_path / "lane.h").write_text('__device__ inline int lane() { int x; asm("mov.u32 %0, %%laneid;" : "=r"(x)); return x; }\n')
    code = '#include "lane.h"\nextern "C" __global__ void f(int* o) { o[threadIdx.x] = lane(); }  // nvrtc: skip'
    for standard in ("c++17", "c++20"):
        d = drv.mem_alloc(256)
        quern.RawKernel(code, "f", options=(f"-std={standard}", f"-I{tmp_path}"))((1,), (64,), (d,))
        assert drv.from_device(d, 64, np.int32).tolist() == [*range(32)] * 2


def test_asm_in_other_places(device):
    """Words that hold `asm`, code that is not compiled and functions that nobody calls."""
    source = """
    int asmall = 3;
    template <class T> __device__ T never(T x) { asm volatile("tcgen05.ld.sync %0;" : "+r"(x)); return x; }
    __device__ int never_either(int x) { asm volatile("tcgen05.ld.sync %0;" : "+r"(x)); return x; }
    __device__ int named(int x) { return x + 1; }
    #define PTX(...) asm volatile(__VA_ARGS__)
    __global__ void f(int* o) {
      const char* text = "asm(\\"add\\")";
      int x = named(2);
      if (text[0] == 'b') x = 0;
      if constexpr (sizeof(int) == 8) asm volatile("tcgen05.ld.sync %0;" : "+r"(x));
      PTX("add.s32 %0, %0, 10;" : "+r"(x) :: "memory");
      o[threadIdx.x] = x;
    }"""
    assert launch(source, np.zeros(64, np.int32)).tolist() == [13] * 64


# ---- what is wrong


WRONG = [
    ('asm volatile("wgmma.fence.sync.aligned;");', r"kernel.cu:3:\d+: .*inline PTX: 'wgmma.fence.sync.aligned' is not supported on the CPU"),
    ('asm volatile("{\\n add.s32 %0, %0, 1;\\n cp.async.wait_all;\\n}" : "+r"(x));', "'cp.async.wait_all' is not supported"),
    ('asm volatile("bar.sync 1, 64;");', r"'bar.sync' takes 1 operand on the CPU, not 2"),
    ('asm("mov.u32 %0, %%pm0;" : "=r"(x));', "special register '%pm0' is not supported"),
    ('asm("mov.u32 %0, name;" : "=r"(x));', "'name' in 'mov.u32' is not a register that the statement declares"),
    ('asm("add.u32 %0, %1, 1;" : "=r"(x) : "l"(o));', "'add.u32': %1 has 64 bits, not 32"),
    ('asm("add.u32 %0, %1;" : "=r"(x) : "r"(x));', "'add.u32' takes 3 operands on the CPU, not 2"),
    ('asm("add.u32 %1, %0, 1;" : "=r"(x) : "r"(x));', "'add.u32' writes %1, which is an input"),
    ('asm("ld.global.u32 %0, [%1];" : "=r"(x) : "r"(x));', "the address has 32 bits, not 64"),
    ('asm("ld.global.u32 %0, %1;" : "=r"(x) : "l"(o));', r"'ld.global.u32' requires an \[address\]"),
    ('asm("ld.global.v2.u32 %0, [%1];" : "=r"(x) : "l"(o));', "requires 2 registers"),
    ('asm volatile("bra NOWHERE;");', "undefined label 'NOWHERE'"),
    ('asm volatile("A: A: bra A;");', "the label 'A' is defined twice"),
    ('asm volatile("{ .reg .pred p; @p ; }");', "a name is missing before"),
    ('asm volatile(".shared .b32 s;");', "'.shared' is not supported on the CPU; declare registers"),
    ('asm volatile("{ .reg .u128 a; }");', "registers of the type '.u128'"),
    ('asm volatile("}");', "'}' without '{'"),
    ('asm volatile("/* no end");', "a comment without an end"),
    ('asm volatile("add.u32 %0, %0, 12q;" : "+r"(x));', "is not a number"),
    ('asm volatile("mov.f32 %0, 0f12;" : "=f"(y));', "8 or a double's 16 hexadecimal digits"),
    ('asm("add.u32 %0, %0, 1;" : "+m"(x));', "operands are registers"),
    ('x = leave(x);', "'exit' is supported on the CPU in a kernel only"),
]


@pytest.mark.parametrize("statement, message", WRONG)
def test_refusals(device, statement, message):
    if device.kind == "cuda":
        pytest.skip("PTX's own compiler speaks there")
    source = '__device__ int leave(int x) { asm volatile("exit;"); return x; }\n'
    source += f"__global__ void f(int* o) {{ int x = o[0]; float y = 0;\n  {statement}; o[0] = x + (int)y; }}"
    with pytest.raises(quern.errors.CompileError, match=message) as caught:
        SourceModule(source)
    assert str(caught.value).count("error:") == 1


def test_hostile_texts(device):
    """Any text is refused or translated: nothing crashes."""
    if device.kind == "cuda":
        pytest.skip("the CPU's parser is meant")
    random = np.random.default_rng(11)
    pieces = ["add.u32", "%0", "%1", "%%tid.x", "{", "}", "[", "]", ",", ";", "@", "!", "|", ":", "L", ".reg", ".u32", ".pred", "<", ">", "9", "-", "+"]
    pieces += ["0f3F800000", "0x", "1.5e", "_", "p", "ld.global.v4.f32", "st.shared.b8", "mov.b64", "setp.lt.and.s32", "set.eq", "bra", "//", "/*", "*/", "\\n"]
    pieces += ["cvt", "cvt.", "shfl.sync.up.b32", "%=", "$", "..", "atom.add.u32", "red", "selp.b32", "lop3.b32", ".pragma", "exit", "4294967296", "%{", "%}"]
    texts = ["!" * 100000, "{" * 100000, "[" * 100000, "}" * 10, "{%0," * 1000, "-" * 100000, ".reg .u32 a<4096>;" * 100, "a:" * 20000, "mov.u32 %0, " + "9" * 100000]
    texts += [f".reg .u32 a<{n}>;" for n in (0, 4096, 4097, 2**63, 10**30)]
    for _ in range(600):
        texts.append(" ".join(random.choice(pieces, random.integers(1, 12))))
    body = "".join(f'  asm volatile("{text}" : "+r"(x) : "l"(o));\n' for text in texts)
    with pytest.raises(quern.errors.CompileError) as caught:
        SourceModule(f"__global__ void f(int* o) {{ int x = o[0];\n{body}  o[0] = x; }}")
    message = str(caught.value)
    assert "inline PTX" in message and "please report" not in message and "invalid" not in message
