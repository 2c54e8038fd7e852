"""RawKernel and RawModule, in CuPy's way."""

import copy
import io
import pickle

import numpy as np
import pytest
import quern
from quern.pycuda import driver as drv

AXPY = r"""
extern "C" __global__ void axpy(double a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += (float)a * x[i];
}
"""


def test_call(device):
    axpy = quern.RawKernel(AXPY, "axpy")
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    dx, dy = drv.to_device(x), drv.to_device(y)
    axpy((4,), (256,), (2.0, dx, dy, 1000))
    axpy((4, 1, 1), (256,), [np.float64(1), int(dx), dy, np.int32(1000)])
    assert np.array_equal(drv.from_device_like(dy, y), 1 + 3 * x)


def test_cuda_array_interface(device):
    x = np.arange(8, dtype=np.float32)
    dx = drv.to_device(x)

    class Array:
        __cuda_array_interface__ = {"shape": (8,), "typestr": "<f4", "data": (int(dx), False), "version": 3}

    quern.RawKernel(AXPY, "axpy")((1,), (32,), (1.0, Array(), Array(), 8))
    assert np.array_equal(drv.from_device_like(dx, x), 2 * x)


def test_templates_by_name_expression(device):
    code = "template <class T, int N> __global__ void fill(T* o) { if (threadIdx.x < N) o[threadIdx.x] = T(N); }"
    module = quern.RawModule(code=code, name_expressions=["fill<float, 3>", "fill<long long, 5>"], options=("-std=c++17",))
    for name, dtype, n in (("fill<float, 3>", np.float32, 3), ("fill<long long, 5>", np.int64, 5)):
        d = drv.to_device(np.zeros(8, dtype))
        module.get_function(name)((1,), (32,), (d,))
        assert drv.from_device(d, 8, dtype).tolist() == [n] * n + [0] * (8 - n)
    d = drv.to_device(np.zeros(2, np.float64))
    quern.RawKernel(code, "fill<double, 2>")((1,), (32,), (d,))
    assert drv.from_device(d, 2, np.float64).tolist() == [2, 2]


def test_options_reach_the_compiler(device):
    f = quern.RawKernel('extern "C" __global__ void f(int* o) { o[0] = N; }', "f", options=("-DN=42",))
    d = drv.mem_alloc(4)
    f((1,), (1,), (d,))
    assert drv.from_device(d, 1, np.int32)[0] == 42


def test_include_folders(device, tmp_path):
    header = tmp_path / "mine.h"
    for value in (7, 8):  # a changed header is compiled again
        header.write_text(f"#define MINE {value}{'0' * value}\n")
        f = quern.RawKernel('#include "mine.h"\nextern "C" __global__ void f(int* o) { o[0] = MINE; }', "f", options=(f"-I{tmp_path}",))
        d = drv.mem_alloc(4)
        f((1,), (1,), (d,))
        assert drv.from_device(d, 1, np.int32)[0] == int(f"{value}{'0' * value}")


def test_shared_memory_and_stream(device):
    f = quern.RawKernel(
        'extern "C" __global__ void f(int* o) { extern __shared__ int s[]; s[threadIdx.x] = threadIdx.x;'
        " __syncthreads(); o[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x]; }",
        "f",
    )
    d, stream = drv.mem_alloc(256), drv.Stream()
    f((1,), (64,), (d,), shared_mem=256, stream=stream)
    stream.synchronize()
    assert drv.from_device(d, 64, np.int32).tolist() == [*range(1, 64), 0]


def test_attributes(device):
    f = quern.RawKernel(
        'extern "C" __global__ void f(int* o) { __shared__ int s[100]; s[threadIdx.x] = 1; __syncthreads(); o[0] = s[3]; }', "f"
    )
    assert f.attributes["shared_size_bytes"] == f.shared_size_bytes == 400
    assert f.max_threads_per_block == 1024 and f.num_regs >= 0 and f.local_size_bytes >= 0 and f.const_size_bytes >= 0
    assert f.name == "f" and f.backend == "nvrtc" and f.options == ()
    assert f.max_dynamic_shared_size_bytes > 48 * 1024
    with pytest.raises(ValueError):
        f.max_dynamic_shared_size_bytes = 1 << 30
    f.max_dynamic_shared_size_bytes = 64000
    assert f.max_dynamic_shared_size_bytes == f.attributes["max_dynamic_shared_size_bytes"] == 64000


def test_structures_of_another_size(device):
    pair = quern.RawKernel("struct P { float a, b; }; extern \"C\" __global__ void f(P p, float* o) { *o = p.b; }", "f")
    out, one = quern.zeros(1, np.float32), np.zeros((), [("a", "f4")])
    with pytest.raises(TypeError, match="size, 8 bytes"):
        pair((1,), (1,), (one, out))
    with pytest.raises(TypeError, match="numpy.void of 4 bytes, the kernel takes P of 8 bytes"):
        pair((1,), (1,), (one[()], out))
    with pytest.raises(TypeError, match="a Python int, the kernel takes P of 8 bytes"):
        pair((1,), (1,), (3, out))
    pair((1,), (1,), (np.array((1, 2), [("a", "f4"), ("b", "f4")]), out))
    assert out[0] == 2


def test_errors(device):
    with pytest.raises(quern.LogicError, match="it has: axpy"):
        quern.RawKernel(AXPY, "axpi").compile()
    with pytest.raises(quern.CompileError):
        quern.RawKernel("extern C what", "f").compile()
    with pytest.raises(TypeError):
        quern.RawModule()
    axpy = quern.RawKernel(AXPY, "axpy")
    for wrong in ((1,), ((1,), (1,)), ((1,), (1,), (), ())):
        with pytest.raises(TypeError):
            axpy(*wrong)
    with pytest.raises(TypeError, match="argument 2"):
        axpy((1,), (1,), (1.0, "x", "y", 1))
    with pytest.raises(TypeError, match="4 arguments"):
        axpy((1,), (1,), (1.0,))


def test_compile_writes_warnings(device):
    out = io.StringIO()
    quern.RawKernel('extern "C" __global__ void f(int* o) { int unused_value = 3; o[0] = 1; }', "f").compile(log_stream=out)
    assert isinstance(out.getvalue(), str)


def test_global(device):
    module = quern.RawModule(code="__device__ int g[3] = {1, 2, 3};")
    address, size = module.get_global("g")
    assert size == 12 and drv.from_device(address, 3, np.int32).tolist() == [1, 2, 3]


def test_addresses_of_kernels_stay_with_their_device(device):
    axpy = quern.RawKernel(AXPY, "axpy")
    y = drv.to_device(np.zeros(4, np.float32))
    axpy((1,), (4,), (1.0, y, y, 4))
    assert axpy.kernel.info()["name"] == "axpy"


SCALE = 'extern "C" __global__ void scale(float* x, float by, int n) { int i = threadIdx.x; if (i < n) x[i] *= by; }'


def test_calls_by_name(device):
    a = quern.ones(8, "float32")
    scale = quern.RawKernel(SCALE, "scale")
    scale(grid=(1,), block=(8,), args=(a, 2.0, 8))
    scale((1,), (8,), args=(a, np.float32(3), np.int32(8)), shared_mem=0)
    scale((1,), block=(8,), args=[a, 2, 4], stream=None, enable_cooperative_groups=False)
    scale((1,), (8,), (a, 5, 2), 64, None)
    assert quern.asnumpy(a).tolist() == [60, 60, 12, 12, 6, 6, 6, 6]
    for wrong in (
        lambda: scale((1,), (8,)), lambda: scale((1,), (8,), (a, 1, 1), args=(a, 1, 1)), lambda: scale((1,), (8,), (a, 1, 1), colour=1),
        lambda: scale(), lambda: scale((1,), (8,), (a, 1, 1), 0, None, False, 7), lambda: scale((1,), (8,), a), lambda: scale((1,), (8,), (a, 1)),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            wrong()


def test_pickles_and_copies(device):
    module = quern.RawModule(code="template <class T> __global__ void set(T* a, T v) { *a = v; }", name_expressions=["set<float>"])
    for kernel, args in ((quern.RawKernel(SCALE, "scale", ("-DN=3",)), (4.0, 1)), (module.get_function("set<float>"), (4.0,))):
        for compiled in (False, True):
            if compiled:
                kernel.compile()
            for made in (pickle.loads(pickle.dumps(kernel)), copy.copy(kernel), copy.deepcopy(kernel)):
                a = quern.ones(1, "float32")
                made((1,), (1,), (a, *args))
                assert quern.asnumpy(a).tolist() == [4] and made.name == kernel.name and made.options == kernel.options
    back = pickle.loads(pickle.dumps(module))
    assert back.name_expressions == ("set<float>",) and back.get_function("set<float>").name == "set<float>"


def test_what_is_not_there(device):
    with pytest.raises(quern.LogicError, match="CUDA_ERROR_FILE_NOT_FOUND"):
        quern.RawModule(path="/nowhere/missing.cubin").get_function("f")
    with pytest.raises(quern.LogicError, match="CUDA_ERROR_NOT_FOUND.*named symbol not found"):
        quern.RawModule(code=SCALE).get_function("absent")
    with pytest.raises(quern.LogicError, match="CUDA_ERROR_NOT_FOUND"):
        quern.RawKernel(SCALE, "absent").compile()


ALIGNED = r"""
struct alignas(32) Block { float v[6]; };
alignas(64) __device__ float first[2];
__constant__ alignas(16) int table[4] = {1, 2, 3, 4};
#define ROOM(T, n) __shared__ alignas(T) char room[n]
template <int n> __device__ int sum(const int* x) {
  __shared__ alignas(alignof(double2)) unsigned char raw[4 * n];
  int *s = (int*)raw, total = 0;
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int i = 0; i < n; ++i) total += s[i];
  return total;
}
extern "C" __global__ void aligned(const int* x, int* o, unsigned long long* past) {
  extern __shared__ __align__(128) unsigned char dynamic[];
  __shared__ alignas(64) short a[3];
  __shared__ alignas(double2) char b[5];
  __shared__ char c;
  ROOM(float4, 20);
  __shared__ Block d;
  alignas(16) char own[3];
  int t = threadIdx.x;
  if (t == 0) {
    past[0] = (unsigned long long)dynamic % 128, past[1] = (unsigned long long)a % 64, past[2] = (unsigned long long)b % 16;
    past[3] = (unsigned long long)room % 16, past[4] = (unsigned long long)&d % 32, past[5] = (unsigned long long)first % 64;
    past[6] = (unsigned long long)table % 16, past[7] = (unsigned long long)own % 16;
    c = 2, a[1] = 3, b[4] = room[19] = 1, d.v[5] = 4;
  }
  dynamic[t] = t;
  __syncthreads();
  o[t] = dynamic[31 - t] + c + a[1] + b[4] + room[19] + (int)d.v[5] + table[t & 3] + sum<32>(x) + alignof(Block);
}
"""


def test_alignments_among_the_words_of_a_declaration(device):
    x, past = np.arange(32, dtype=np.int32), np.ones(8, np.uint64)
    places = [drv.to_device(v) for v in (x, x, past)]
    quern.RawKernel(ALIGNED, "aligned")((1,), (32,), tuple(places), shared_mem=128)
    assert drv.from_device_like(places[2], past).tolist() == [0] * 8
    assert drv.from_device_like(places[1], x).tolist() == [31 - t + 11 + 1 + t % 4 + 496 + 32 for t in range(32)]
    with pytest.raises(quern.CompileError, match="(?s)2.*nope"):
        text = 'extern "C" __global__ void f() {\n  __shared__ alignas(16) int x[nope];\n}  // nvrtc: skip'
        quern.RawKernel(text, "f").compile()


NARROWED = r"""
struct Mixed { float a; int b; unsigned char c; };
extern "C" __global__ void narrowed(const double* x, const int* n, float* out) {
  int t = threadIdx.x;
  float2 f = {x[t], x[t] * 2};
  uchar4 u = {n[t], n[t] + 1, 300, 0};
  unsigned pair[2] = {n[t], -1};
  int cut[2] = {2.5f, x[t]};
  Mixed m = {x[t], x[t], n[t]}, k{n[t], n[t], n[t]};
  float* o = out + 8 * t;
  o[0] = f.x + f.y, o[1] = u.x, o[2] = u.y + u.z, o[3] = pair[0] + (pair[1] == 0xffffffffu);
  o[4] = cut[0] + cut[1], o[5] = m.a + m.b, o[6] = m.c, o[7] = k.a + k.b + k.c;
}
"""


def test_braces_narrow(device):
    x, n = np.arange(32) * 1.25, np.arange(240, 272, dtype=np.int32)
    places = [drv.to_device(v) for v in (x, n, np.zeros((32, 8), np.float32))]
    quern.RawKernel(NARROWED, "narrowed")((1,), (32,), tuple(places))
    byte, whole = n % 256, x.astype(int)
    wanted = [3 * x, byte, (n + 1) % 256 + 300 % 256, n + 1, 2 + whole, x + whole, byte, 2 * n + byte]
    np.testing.assert_array_equal(drv.from_device(places[2], (32, 8), np.float32), np.stack(wanted, 1))


GONE = {
    "struct S { int a = 1; }; __shared__ S s; o[0] = s.a;": "dynamic initialization is not supported for a __shared__ variable.*= default",
    "o[0] = __shfl_down(o[0], 1);": "'__shfl_down'.*_sync takes a mask",
    "o[0] = __ballot(o[0]);": "'__ballot'.*_sync takes a mask",
    "o[0] = __isShared(o);": "'__isShared'.*pointers do not tell",
    "tex2Dgather<float4>(1ull, 0.5f, 0.5f);": "'tex2Dgather'.*call tex2D",
}


@pytest.mark.parametrize("text", GONE)
def test_what_cuda_has_or_had_and_the_cpu_has_not(device, text):
    if device.kind != "cpu":
        pytest.skip("NVRTC says it its own way")
    with pytest.raises(quern.CompileError, match=GONE[text]):
        quern.RawKernel('extern "C" __global__ void f(int* o) { ' + text + " }", "f").compile()  # nvrtc: skip


@pytest.mark.parametrize("kind", ["complex64", "complex128"])
def test_cucomplex_translated(device, kind):
    c, real = ("cuFloatComplex", "float") if kind == "complex64" else ("cuDoubleComplex", "double")
    f = "f" if kind == "complex64" else ""
    text = f"""
#include <cuComplex.h>
extern "C" __global__ void all({c}* out, const {c}* a, const {c}* b, {real}* reals)
{{
  int i = threadIdx.x;
  {c} x = a[i], y = b[i];
  out[0 * 4 + i] = cuCadd(x, y);
  out[1 * 4 + i] = cuCsub{f}(x, y);
  out[2 * 4 + i] = cuCmul{f}(x, y);
  out[3 * 4 + i] = cuCdiv(x, y);
  out[4 * 4 + i] = cuConj{f}(x);
  out[5 * 4 + i] = cuCfma(x, y, x);
  out[6 * 4 + i] = x * y + x;
  out[7 * 4 + i] = cuCadd(x, reals[i]);
  out[8 * 4 + i] = make_{c}(cuCreal(x), cuCimag{f}(y));
  out[9 * 4 + i] = cuCmul({real}(2), y);
  reals[i] = cuCabs{f}(x);
}}
"""
    rng = np.random.default_rng(0)
    a, b = ((rng.normal(size=4) + 1j * rng.normal(size=4)).astype(kind) for _ in range(2))
    r = np.arange(4).astype(a.real.dtype)
    out, reals = quern.zeros((10, 4), kind), quern.asarray(r)
    quern.RawKernel(text, "all", translate_cucomplex=True)((1,), (4,), (out, quern.asarray(a), quern.asarray(b), reals))
    want = [a + b, a - b, a * b, a / b, a.conj(), a * b + a, a * b + a, a + r, a.real + 1j * b.imag, 2 * b]
    np.testing.assert_allclose(quern.asnumpy(out), want, rtol=1e-5 if kind == "complex64" else 1e-13)
    np.testing.assert_allclose(quern.asnumpy(reals), np.abs(a), rtol=1e-6)


def test_calls_of_host_functions(device):
    text = """
float shifted(float x) { return x + 1; }
extern "C" __global__ void kernel(float* x) {
  x[0] = shifted(x[0]);
}
"""
    x = quern.zeros(1, dtype="float32")
    if device.kind != "cpu":  # compiled with --device-as-default-execution-space
        quern.RawKernel(text, "kernel")((1,), (1,), (x,))
        assert quern.asnumpy(x).tolist() == [1]
        return
    with pytest.raises(quern.CompileError) as caught:
        quern.RawKernel(text, "kernel")((1,), (1,), (x,))
    said = str(caught.value)
    assert "'shifted' is a host function, which kernels cannot call; add `__device__` to its definition" in said
    assert "x[0] = shifted(x[0]);" in said
