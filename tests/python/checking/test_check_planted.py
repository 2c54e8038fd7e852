"""Kernels with one planted mistake each, and ones that look wrong and are right, in CUDA C++ and in Python: `quern check` distinguishes them,
in the field's words, names both threads of a race, and says what to write.
"""

import pytest
import quern as qn

pytestmark = pytest.mark.usefixtures("on_the_cpu")  # where checks look

N = 64  # threads of a block; launches have two

WRONG = {
    # family: (title, what its advice says), then kernels: `t` is the thread's number in its block, `i` in the launch
    "bounds": (
        "out of bounds",
        "if (i >= 0 && i < n)",
        """
        x[i + 4000] = 1;
        y[i] = x[i - 64];
        __shared__ int s[63]; s[t] = t; __syncthreads(); y[i] = s[62 - t / 2];
        int a[4]; for (int k = 0; k <= 4; ++k) a[k] = k; y[i] = a[t % 4];
        float4* v = (float4*)x; v[960 + i] = make_float4(1, 2, 3, 4);
        atomicAdd(&y[4096 + b], 1);
        int (*u)[30] = (int(*)[30])x; y[i] = u[t][30];
        int (*u)[30] = (int(*)[30])x; u[t][-1] = 1;
        __shared__ int s[8][8]; s[t / 8][t % 8] = t; __syncthreads(); y[i] = s[t / 8][t % 8 + 1];
        __shared__ int s[9][8]; s[t / 8][t % 8] = t; __syncthreads(); y[i] = s[1 + t / 8 - t / 56][t % 8 - 1];
        struct P { int a[3]; int b; }; P p; p.a[0] = p.a[1] = p.a[2] = p.b = t; y[i] = p.a[t % 4];
        int a[2][2][2] = {}; y[i] = a[1][0][t % 5];
        """,
    ),
    "race": (
        "data race",
        "__syncthreads()|atomic|__syncwarp()",
        """
        y[0] = t;
        __shared__ int s[64]; s[t] = t; y[i] = s[63 - t];
        __shared__ int n; if (t == 0) n = 0; atomicAdd(&n, 1); __syncthreads(); y[b] = n;
        y[t] += 1;
        __shared__ int s[64]; s[t] = t; __syncthreads(); int v = s[0]; if (t == 0) s[0] = 7; y[i] = v;
        atomicAdd_block(&y[0], 1);
        __shared__ int s[64]; s[t] = t; __syncthreads(); for (int d = 32; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; } y[b] = s[0];
        if (t % 32 == 0) y[b * 2] = t; else if (t == 5) y[b * 2] = 3;
        cuda::atomic_ref<int, cuda::thread_scope_block> r(y[0]); r.fetch_add(1);
        cuda::atomic_ref<int, cuda::thread_scope_block> r(y[0]); if (t == 0) r.store(b);
        auto* r = (cuda::atomic<int, cuda::thread_scope_block>*)y; r->fetch_max(i);
        """,
    ),
    "uninitialized": (
        "uninitialized read",
        "fill|give it a value",
        """
        __shared__ int s[64]; y[i] = s[t];
        __shared__ int s[64]; if (t % 2) s[t] = t; __syncthreads(); y[i] = s[t];
        int a[4]; a[0] = 1; y[i] = a[1 + t % 3];
        int v; if (t > 70) v = 3; y[i] = v;
        extern __shared__ int d[]; if (t < 16) d[t] = t; __syncthreads(); y[i] = d[t % 32];
        __shared__ int n; atomicAdd(&n, 1); __syncthreads(); y[b] = n;
        """,
    ),
    "barrier": (
        "divergent barrier",
        "branch|mask|loop|only where the lane is there",
        """
        if (t % 2) { __syncthreads(); y[i] = 1; } else { __syncthreads(); y[i] = 2; }
        for (int k = 0; k < t % 3; ++k) __syncthreads(); y[i] = 1; __syncthreads();
        if (t < 16) __syncwarp(0xffffffff); y[i] = 1; __syncthreads();
        if (t % 32 < 16) y[i] = __shfl_down_sync(0xffff, t, 1); else y[i] = __shfl_up_sync(0xffff0000, t, 1);
        if (t == 3) { __syncwarp(0x1); } y[i] = t;
        if (t < 40) { if (t < 20) __syncthreads(); else { y[i] = 1; __syncthreads(); } } else __syncthreads();
        if (t < 40) __syncthreads(); y[i] = t;
        for (int k = 0; k < t % 3; ++k) __syncthreads(); y[i] = 1;
        if (t > 3 && b >= 0) __syncthreads(); y[i] = t;
        for (int k = 0; k < 3; ++k) { if (k == 2 && t < 9) __syncthreads(); } y[i] = t;
        switch (t & 3) { case 0: __syncthreads(); break; default: break; } y[i] = 1;
        if (t != 5) { y[i] = 2; __syncthreads(); } else y[i] = 3; y[i + 1000] = 1;
        """,
    ),
    "misaligned": (
        "misaligned access",
        "multiples",
        """
        *(float4*)(x + 1 + t) = make_float4(1, 2, 3, 4);
        *(double*)(x + 1) = 2;
        y[i] = *(int*)((char*)x + 2);
        *(short*)((char*)x + 1) = 3;
        *(int2*)(y + 2 * t + 1) = make_int2(1, 2);
        atomicAdd((unsigned long long*)(x + 1), 1ull);
        """,
    ),
    "overflow": (
        "integer overflow",
        "64 bits",
        """
        int n = 1 << 20; y[i] = x[(n * (t + 4096)) & 63];
        int k = 2147483647; y[(k + t + 1) & 63] = 1;
        int k = -2147483647; y[(k - 2 - t) & 63] = 1;
        int w = 50000; y[(w * w + t) & 63] = 1;
        int w = 65536; y[i] = x[(t + w * w / 2 * 3) & 63];
        int s = 1 << 30; y[(s * 2 + s * 2 + t) & 63] = 1;
        """,
    ),
}
RIGHT = """
if (x[t] == 0) y[0] = 1;
__shared__ int flag; if (t == 0) flag = 0; __syncthreads(); if (x[t] == 0) flag = 1; __syncthreads(); y[i] = flag;
__shared__ int n; if (t == 0) n = 0; __syncthreads(); atomicAdd(&n, 1); __syncthreads(); if (t == 0) y[b] = n;
__shared__ int s[64]; s[t] = t; __syncwarp(); y[i] = s[t ^ 1];
__shared__ int s[64]; s[t] = t; __syncthreads(); for (int d = 32; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); } y[b] = s[0];
atomicAdd_block(&y[b], 1);
atomicMax(&y[0], t); atomicMax(&y[0], i);
if (i < 100) y[i] = x[99 - i];
int a[4]; for (int k = 0; k < 4; ++k) a[k] = k; y[i] = a[t % 4];
float4* v = (float4*)x; v[t] = make_float4(1, 2, 3, 4);
if (t >= 32) return; __syncwarp(); y[i] = 1;
unsigned int h = 2166136261u; h = (h ^ t) * 16777619u; y[h & 63] = 1;
long long n = 1 << 20; y[i] = x[(n * (t + 4096)) & 63];
int v = t % 2 ? x[t] : 0; if (b == 0) y[t] = v;
for (int k = t; k < 64; k += 64) y[b * 64 + k] = k;
extern __shared__ int d[]; if (t < 32) d[t] = t; __syncthreads(); y[i] = d[t % 32];
if (b == 0) { __syncthreads(); y[t] = 1; __syncthreads(); } else { y[64 + t] = 1; }
int v; if (t < 70) v = 3; y[i] = v;
__shared__ int s[8][8]; s[0][t] = t; __syncthreads(); y[i] = s[t / 8][t % 8];
int (*u)[30] = (int(*)[30])x; y[i] = u[0][t];
int (*u)[64] = (int(*)[64])x; int *first = u[1], *end = &u[1][64]; for (int* q = first; q < end; ++q) y[i] += *q;
struct V { int n; int d[1]; }; V* v = (V*)x; y[i] = v->d[t];
struct P { int a[3]; int b; }; P p; p.a[0] = p.a[1] = p.a[2] = p.b = t; y[i] = p.a[t % 3];
if (t >= 40) return; __syncthreads(); y[i] = t;
if (t >= 40) { y[i] = 3; return; } __syncthreads(); y[i] = t;
for (int k = 0; k < 3; ++k) { if (k == 1 && t > 40) return; if (k == 2) __syncthreads(); y[i] = k; }
if (b == 0) __syncthreads(); y[i] = t;
int n = b + 2; for (int k = 0; k < n; ++k) __syncthreads(); y[i] = t;
cuda::atomic_ref<int, cuda::thread_scope_block> r(y[b]); r.fetch_add(1);
cuda::atomic_ref<int, cuda::thread_scope_device> r(y[0]); r.fetch_add(1);
"""


def checked(body):
    x, y = qn.zeros(4096, dtype="int32"), qn.zeros(4096, dtype="int32")
    head = "#include <cuda/atomic>\n" if "cuda::" in body else ""
    text = f'{head}extern "C" __global__ void k(int* x, int* y) {{ int t = threadIdx.x, b = blockIdx.x, i = b * blockDim.x + t; {body} }}'
    with qn.check() as report:
        try:
            qn.RawKernel(text, "k")((2,), (N,), (x, y), shared_mem=128)
            qn.synchronize()
        except qn.LaunchError:  # threads that wait for ever
            pass
    return report


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.parametrize(("family", "body"), [(family, body) for family in WRONG for body in lines(WRONG[family][2])])
def test_mistakes_in_cuda(family, body):
    title, advice, _ = WRONG[family]
    report = checked(body)
    told = [one for one in report if str(one).startswith(title + " in kernel 'k'")]
    assert told, f"{body}\n{report}"
    assert any(part in told[0].advice for part in advice.split("|")), told[0].advice
    if family == "race":
        mine, other = told[0].access, told[0].other
        assert (mine["thread"], mine["block"]) != (other["thread"], other["block"])


@pytest.mark.parametrize("body", lines(RIGHT))
def test_what_looks_wrong_in_cuda(body):
    report = checked(body)
    assert not len(report), str(report)


def test_one_missing_warp_barrier_is_one_finding():
    body = "__shared__ int s[64]; s[t] = t; __syncthreads(); if (t < 32) { s[t] += s[t + 32]; "
    report = checked(body + " ".join(f"if (t < {d}) s[t] += s[t + {d}];" for d in (16, 8, 4, 2, 1)) + " if (t == 0) y[b] = s[0]; }")
    assert [one.kind for one in report] == ["race"] and "__syncwarp()" in report[0].advice


def test_too_little_dynamic_shared_memory():
    report = checked("extern __shared__ int d[]; d[t] = t; __syncthreads(); y[i] = d[63 - t];")
    assert "dynamic shared memory" in report[0].advice and "it has 128" in report[0].advice


def test_a_launch_that_goes_wrong_without_an_end():
    x = qn.zeros(8, dtype="int32")
    walk = 'extern "C" __global__ void k(int* x) { int i = 0; while (x[i + 1000000000LL] == 0) i = (i + 1) % 3; }'
    with qn.check() as report:
        with pytest.raises(qn.LaunchError, match="stopped after a million findings"):
            qn.RawKernel(walk, "k")((1,), (1,), (x,))
            qn.synchronize()
    assert report[0].kind == "out_of_bounds" and report[0].count == 1_000_000
