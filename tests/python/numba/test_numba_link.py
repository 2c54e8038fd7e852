"""What kernels written in Python are linked with: cuda.declare_device, link=, CUSource and related classes; loops over tuples of several types."""

import gc
import io
import json
import math
import pathlib
import shutil
import struct
import subprocess

import numpy as np
import pytest
import quern as qn
from kernels import module_of
from programs import has_nvrtc, python, stand_in
from quern import cuda, numba
from quern.cuda import errors
from quern.device import set_current_device
from quern.kernel.errors import LinkError
from quern.lib import _engine

SOURCE = """
#include <cstdint>
static __device__ int twice(int x) { return 2 * x; }
extern "C" __device__ int add_twice(int* out, int a, int b) { *out = a + twice(b); return 0; }
extern "C" __device__ int half_of(double* out, float x) { *out = x / 2.0; return 0; }
extern "C" __device__ int is_odd(bool* out, long long x) { *out = x % 2 != 0; return 0; }
extern "C" __device__ int total(float* out, const float* values, int64_t n) {
  float s = 0;
  for (int64_t i = 0; i < n; ++i) s += values[i];
  *out = s;
  return 0;
}
extern "C" __device__ int clear(void* out, float* values, int n) {
  for (int i = 0; i < n; ++i) values[i] = 0;
  return 0;
}
extern "C" __device__ float plain(float a, float b) { return a * b + 1; }
extern "C" __device__ void set_to(int* where, int value) { *where = value; }
"""
CODE = cuda.CUSource(SOURCE, name="functions.cu")

add_twice = cuda.declare_device("add_twice", "int32(int32, int32)", link=CODE)
half_of = cuda.declare_device("half_of", numba.float64(numba.float32), link=[CODE])
is_odd = cuda.declare_device("is_odd", "boolean(int64)", link=CODE)
total = cuda.declare_device("total", "float32(CPointer(float32), int64)", link=CODE)
clear = cuda.declare_device("clear", "void(CPointer(float32), int32)", link=CODE)
plain = cuda.declare_device("plain", "float32(float32, float32)", link=CODE, abi="c")
set_to = cuda.declare_device("set_to", cuda.void(cuda.types.CPointer(cuda.int32), cuda.int32), link=CODE, abi="c")
unlinked = cuda.declare_device("add_twice", "int32(int32, int32)")


def test_numbers(device):
    @cuda.jit
    def kernel(x, out, halves, odd):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = add_twice(x[i], 10)
            halves[i] = half_of(x[i])
            odd[i] = is_odd(x[i])

    x = np.arange(100)
    out, halves, odd = np.zeros(100, np.int64), np.zeros(100), np.zeros(100, bool)
    kernel[4, 32](x, out, halves, odd)
    np.testing.assert_array_equal(out, x + 20)
    np.testing.assert_array_equal(halves, x / 2)
    np.testing.assert_array_equal(odd, x % 2 == 1)


def test_arrays_go_as_pointers(device):
    @cuda.jit
    def kernel(rows, sums):
        i = cuda.grid(1)
        if i < rows.shape[0]:
            own = cuda.local.array(3, numba.float32)
            for k in range(3):
                own[k] = rows[i, k]
            sums[i] = total(rows[i], rows.shape[1]) + total(own, 3)
            clear(rows[i], 3)

    rows = np.arange(12, dtype=np.float32).reshape(3, 4)
    given, sums = rows.copy(), np.zeros(3, np.float32)
    kernel[1, 32](given, sums)
    np.testing.assert_array_equal(sums, rows.sum(axis=1) + rows[:, :3].sum(axis=1))
    rows[:, :3] = 0  # what the function writes comes back
    np.testing.assert_array_equal(given, rows)


def test_plain_functions(device):
    @cuda.jit
    def kernel(x, n):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = plain(x[i], 2)
            set_to(n[i : i + 1], i)

    x, n = np.arange(5, dtype=np.float32), np.zeros(5, np.int32)
    kernel[1, 32](x, n)
    assert x.tolist() == [1, 3, 5, 7, 9]
    assert n.tolist() == [0, 1, 2, 3, 4]


def kernel_of(scaled):
    @cuda.jit
    def kernel(x):
        x[0] = scaled(x[0])

    return kernel


def test_what_is_linked_may_be_a_file(device, tmp_path):
    (tmp_path / "values.h").write_text("#define FACTOR 7\n")
    path = tmp_path / "scaled.cu"
    path.write_text('#include "values.h"\nextern "C" __device__ int scaled(int* out, int x) { *out = FACTOR * x; return 0; }\n')
    for link in (str(path), path, [path], cuda.CUSource(io.StringIO("#define FACTOR 7\n" + path.read_text().split("\n", 1)[1]))):
        x = np.array([6])
        kernel_of(cuda.declare_device("scaled", "int32(int32)", link=link))[1, 1](x)
        assert x[0] == 42
    with pytest.raises(FileNotFoundError):
        cuda.jit(link=[str(tmp_path / "nothing.cu")])


def test_the_kernel_or_a_device_function_may_say_what_is_linked(device):
    @cuda.jit(link=[CODE])
    def kernel(x):
        x[0] = unlinked(x[0], 3)

    @cuda.jit(device=True, link=CODE)
    def helper(a):
        return unlinked(a, 4)

    @cuda.jit
    def other(x):
        x[0] = helper(x[0])

    x = np.array([1])
    kernel[1, 1](x)
    assert x[0] == 7
    other[1, 1](x)
    assert x[0] == 15


def test_callbacks_of_linked_code(device):
    seen = []
    code = cuda.CUSource(SOURCE, setup_callback=lambda p: seen.append("in"), teardown_callback=lambda p: seen.append("out"))

    def make():
        @cuda.jit(link=[code])
        def kernel(x):
            x[0] = unlinked(x[0], 3)

        kernel[1, 1](np.array([1]))
        kernel[1, 1](np.array([1]))

    make()
    assert seen[:1] == ["in"]
    gc.collect()
    assert seen == ["in", "out"]
    with pytest.raises(TypeError, match="setup_callback"):
        cuda.CUSource("", setup_callback=3)


def test_a_buffer_of_cffi(device):
    class FFI:  # as cffi has it, which need not be installed
        def from_buffer(self, array):
            raise AssertionError("this is for kernels")

    ffi = FFI()

    @cuda.jit
    def kernel(x, out):
        pointer = ffi.from_buffer(x)
        out[0] = total(pointer, x.size)

    out = np.zeros(1)
    kernel[1, 1](np.arange(4, dtype=np.float32), out)
    assert out[0] == 6


def test_faults_are_reported(device):
    @cuda.jit
    def nowhere(x):
        x[0] = unlinked(x[0], 3)

    with pytest.raises(LinkError, match="add_twice"):
        nowhere[1, 1](np.zeros(1, int))
    with pytest.raises(errors.LinkerError, match=r"broken\.cu"):

        @cuda.jit("void(int64[:])", link=[cuda.CUSource("int broken(", name="broken.cu")])
        def broken(x):
            x[0] = 1

    with pytest.raises(errors.TypingError, match="2 arguments"):

        @cuda.jit("void(int64[:])")
        def few(x):
            x[0] = add_twice(x[0])

    with pytest.raises(errors.TypingError, match=r"float32\*, not float64\*"):

        @cuda.jit("void(float64[::1])")
        def other_type(x):
            x[0] = total(x, 3)

    with pytest.raises(errors.TypingError, match="gaps"):

        @cuda.jit("void(float32[:])")
        def with_gaps(x):
            x[0] = total(x, 3)

    with pytest.raises(errors.TypingError, match="a number is needed"):

        @cuda.jit("void(float32[::1])")
        def no_number(x):
            x[0] = add_twice(x, 3)

    with pytest.raises(NotImplementedError, match="ABI"):
        cuda.declare_device("f", "int32()", abi="rust")
    with pytest.raises(TypeError, match="Return type must be provided"):
        cuda.declare_device("f", "(int32, int32)")
    with pytest.raises(TypeError, match="not int"):
        cuda.declare_device("f", "int32()", link=[3])
    with pytest.raises(RuntimeError, match="called in kernels only"):
        add_twice(1, 2)


def test_functions_of_arrays_are_not_linked(device):
    @cuda.vectorize
    def f(x):
        return add_twice(x, 1)

    with pytest.raises(errors.UnsupportedError, match="called in kernels only"):
        f(np.arange(3))


def test_a_function_that_waits_for_the_grid(device):
    source = """#include <cooperative_groups.h>
extern "C" __device__ int wait(int* out) { cooperative_groups::this_grid().sync(); *out = 1; return 0; }"""
    wait = cuda.declare_device("wait", "int32()", link=cuda.CUSource(source), use_cooperative=True)

    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        x[i] = i
        if wait() == 1:
            out[i] = x[x.size - 1 - i]

    x, out = cuda.to_device(np.zeros(64, int)), np.zeros(64, int)
    kernel[4, 16](x, out)
    np.testing.assert_array_equal(out, np.arange(64)[::-1])


# ---- compiled code

KINDS = ["PTXSource", "Cubin", "Fatbin", "Object", "Archive"]
ENDINGS = {"PTXSource": ".ptx", "Cubin": ".cubin", "Fatbin": ".fatbin", "Object": ".o", "Archive": ".a"}
HAS_NVRTC = has_nvrtc()
on_a_gpu = pytest.mark.skipif(not _engine.cuda_count(), reason="no GPU")
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


def calling(declared, link=None):
    @cuda.jit(link=link)
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = declared(x[i], 10)

    return kernel


def architecture():
    major, minor = cuda.get_current_device().compute_capability
    return f"{major}{minor}"


def made_by_nvrtc(kind, source=SOURCE):
    if kind == "PTXSource":
        return _engine.ptx(source, "made.cu", [], f"compute_{architecture()}", True).encode()
    cubin = _engine.cubin(source, "made.cu", [], f"sm_{architecture()}")
    if kind == "Fatbin":  # a head, and one cubin behind a head of its own
        cubin += bytes(-len(cubin) % 8)
        arch = int(architecture())
        entry = struct.pack("<HHIQIIHHIIIQQQ", 2, 0x101, 64, len(cubin), 0, 0, 7, 1, arch, 0, 0, 0x11, 0, 0) + cubin
        return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry
    return cubin


def made_by_nvcc(kind, folder, source=SOURCE):
    (folder / "made.cu").write_text(source)
    options = {"PTXSource": "-ptx", "Cubin": "-cubin", "Fatbin": "-fatbin", "Object": "-c", "Archive": "-lib"}[kind]
    out = folder / ("made" + ENDINGS[kind])
    subprocess.run([NVCC, f"-arch=sm_{architecture()}", "-rdc=true", options, "made.cu", "-o", out], cwd=folder, check=True)
    return out


@on_a_gpu
@pytest.mark.parametrize("kind", ["PTXSource", "Cubin", "Fatbin", "Object"])
def test_code_of_nvrtc_is_linked(kind, device, tmp_path):
    if device.kind == "cpu":
        pytest.skip("of a GPU")
    code = made_by_nvrtc(kind)
    path = tmp_path / ("functions" + ENDINGS[kind])
    path.write_bytes(code)
    for link in (getattr(cuda, kind)(code), getattr(cuda, kind)(io.BytesIO(code), name="named"), str(path), [path]):
        for kernel in (calling(cuda.declare_device("add_twice", "int32(int32, int32)", link=link)), calling(unlinked, link)):
            x = np.arange(100)
            kernel[4, 32](x)
            np.testing.assert_array_equal(x, np.arange(100) + 20)


@on_a_gpu
@pytest.mark.skipif(not NVCC, reason="no nvcc")
@pytest.mark.parametrize("kind", KINDS)
def test_code_of_nvcc_is_linked(kind, device, tmp_path):
    if device.kind == "cpu":
        pytest.skip("of a GPU")
    path = made_by_nvcc(kind, tmp_path)
    for link in (path, getattr(cuda, kind)(path.read_bytes())):
        x = np.arange(100)
        calling(unlinked, link)[4, 32](x)
        np.testing.assert_array_equal(x, np.arange(100) + 20)


@on_a_gpu
def test_python_as_ptx_is_linked(device):
    if device.kind == "cpu":
        pytest.skip("of a GPU")

    def hypotenuse(a, b):
        return (a * a + b * b) ** 0.5

    for abi in ("c", "numba"):
        ptx, _ = cuda.compile_for_current_device(
            hypotenuse, "float64(float64, float64)", abi=abi, abi_info={"abi_name": f"hypotenuse_{abi}"}
        )
        declared = cuda.declare_device(f"hypotenuse_{abi}", "float64(float64, float64)", link=cuda.PTXSource(ptx), abi=abi)

        @cuda.jit
        def kernel(x):
            i = cuda.grid(1)
            x[i] = declared(x[i], 4.0)  # noqa: B023

        x = np.array([3.0, 0.0])
        kernel[1, 2](x)
        assert x.tolist() == [5, 4]
        assert f"hypotenuse_{abi}" in kernel.inspect_asm(kernel.signatures[0])


@on_a_gpu
def test_arrays_and_plain_functions_of_compiled_code(device):
    if device.kind == "cpu":
        pytest.skip("of a GPU")
    seen = []
    link = cuda.Cubin(made_by_nvrtc("Cubin"), setup_callback=lambda p: seen.append("in"), teardown_callback=lambda p: seen.append("out"))
    sums = cuda.declare_device("total", "float32(CPointer(float32), int64)", link=link)
    zero = cuda.declare_device("clear", "void(CPointer(float32), int32)", link=link)
    plus = cuda.declare_device("plain", "float32(float32, float32)", link=link, abi="c")
    odd = cuda.declare_device("is_odd", "boolean(int64)", link=link)
    put = cuda.declare_device("set_to", cuda.void(cuda.types.CPointer(cuda.int32), cuda.int32), link=link, abi="c")
    both = cuda.CUSource('extern "C" __device__ float plain(float, float); extern "C" __device__ float sq(float x) { return plain(x, x); }')
    square = cuda.declare_device("sq", "float32(float32)", link=both, abi="c")

    @cuda.jit
    def kernel(x, out, n):
        out[0] = sums(x, x.size)
        out[1] = plus(x[1], x[2])
        out[2] = square(x[3])
        out[3] = 1 if odd(7) and not odd(8) else 0
        zero(x, 2)
        put(n, 9)

    x, out, n = np.arange(5, dtype=np.float32), np.zeros(4, np.float32), np.zeros(1, np.int32)
    kernel[1, 1](x, out, n)
    assert out.tolist() == [10, 3, 10, 1]
    assert x.tolist() == [0, 0, 2, 3, 4]
    assert n[0] == 9
    assert seen == ["in"]
    del kernel
    gc.collect()
    assert seen == ["in", "out"]


@on_a_gpu
@pytest.mark.parametrize("options", [{}, {"debug": True, "opt": False}, {"lineinfo": True, "fastmath": True, "max_registers": 64}])
def test_a_kernel_that_is_linked_has_all_that_others_have(options, device, capfd):
    if device.kind == "cpu":
        pytest.skip("of a GPU")

    def third(x):
        return math.sin(x) ** 2 + math.cos(x) ** 2 + x // 3

    def root(x):
        return x**0.5

    def linked(f):
        ptx, _ = cuda.compile_for_current_device(f, "float64(float64)")
        return cuda.declare_device(f.__name__, "float64(float64)", link=cuda.PTXSource(ptx), abi="c")

    thirds, roots = linked(third), linked(root)  # both have the prelude in them
    wait = """#include <cooperative_groups.h>
extern "C" __device__ int wait(int* out) { cooperative_groups::this_grid().sync(); *out = 1; return 0; }"""
    wait = cuda.declare_device("wait", "int32()", link=cuda.CUSource(wait), use_cooperative=True)
    table = np.arange(64.0)

    @cuda.jit(**options)
    def kernel(x, out, count):
        i = cuda.grid(1)
        t = cuda.threadIdx.x
        own = cuda.shared.array(0, numba.float64)
        fixed = cuda.shared.array(32, numba.float64)
        own[t], fixed[t] = x[i], i
        cuda.syncthreads()
        out[i] = roots(own[31 - t] * own[31 - t]) + thirds(fixed[t]) + table[i] + math.erf(0.0)
        cuda.atomic.add(count, 0, 1)
        wait()
        if i == 0:
            print("threads", count[0])

    x, out, count = np.arange(64.0), np.zeros(64), np.zeros(1, int)
    kernel[2, 32, 0, 256](x, out, count)
    cuda.synchronize()
    i = np.arange(64)
    np.testing.assert_allclose(out, x.reshape(2, 32)[:, ::-1].ravel() + 1 + i // 3 + i, rtol=1e-5)
    assert "threads 64" in capfd.readouterr().out
    assert kernel.get_regs_per_thread(kernel.signatures[0]) > 0


@on_a_gpu
def test_faults_of_compiled_code_are_reported(device):
    if device.kind == "cpu":
        pytest.skip("of a GPU")
    ptx = made_by_nvrtc("PTXSource")
    x = np.arange(3)
    cubin = made_by_nvrtc("Cubin")
    cases = [
        (cuda.PTXSource(ptx.replace(b"add_twice", b"add_other")), "Undefined reference to 'add_twice'"),
        ([cuda.PTXSource(ptx), cuda.Cubin(cubin, name="again.cubin")], "Multiple definition"),
        (cuda.PTXSource(ptx.replace(b"ret;", b"rat;"), name="broken.ptx"), r"broken\.ptx cannot be linked: .*rat"),
        (cuda.PTXSource(b"hello", name="no.ptx"), r"no\.ptx is not PTX"),
        (cuda.PTXSource(b""), "is not PTX"),
        (cuda.Cubin(ptx), "is not a cubin"),
        (cuda.Cubin(cubin[:200]), "is not a cubin"),
        (cuda.Fatbin(cubin), "is not a fatbin"),
        (cuda.Fatbin(made_by_nvrtc("Fatbin")[:100]), "is not a fatbin"),
        (cuda.Archive(cubin), "is not an archive"),
        (cuda.Archive(b"!<arch>\n" + cubin[:300], name="cut.a"), r"cut\.a cannot be linked|add_twice"),
        (cuda.Object(ptx), "is not an object file"),
        (cuda.Object(pathlib.Path("/bin/true").read_bytes(), name="true.o"), r"true\.o cannot be linked|add_twice"),
    ]
    for link, says in cases:
        with pytest.raises(errors.LinkerError, match=says) as raised:
            calling(unlinked, link)[1, 3](x)
        assert "kernel" in str(raised.value)
    calling(unlinked, cuda.PTXSource(ptx))[1, 3](x)  # nothing is lost
    assert x.tolist() == [20, 21, 22]


@pytest.mark.parametrize("kind", KINDS)
def test_compiled_code_is_for_gpus_alone(kind, tmp_path):
    path = tmp_path / ("made" + ENDINGS[kind])
    path.write_bytes(b"code")
    set_current_device(qn.device("cpu"))
    try:
        for link in (getattr(cuda, kind)(b"code", name="made"), str(path), [CODE, path]):
            kernel = calling(cuda.declare_device("add_twice", "int32(int32, int32)", link=link))
            with pytest.raises(NotImplementedError, match=r"made.* code for GPUs .*link CUDA C\+\+ source"):
                kernel[1, 1](np.zeros(1, int))
        with pytest.raises(NotImplementedError, match=r"link CUDA C\+\+ source"):

            @cuda.jit("void(int64[:])", link=getattr(cuda, kind)(b"code"))
            def eager(x):
                x[0] = 1

    finally:
        set_current_device(None)
    with pytest.raises(FileNotFoundError):
        cuda.jit(link=str(tmp_path / ("nothing" + ENDINGS[kind])))


def test_what_is_never_linked(tmp_path):
    (tmp_path / "made.ltoir").write_bytes(b"")
    for link in (cuda.LTOIR(b""), tmp_path / "made.ltoir"):
        with pytest.raises(NotImplementedError, match=r"LTO-IR.*link CUDA C\+\+ source"):
            cuda.jit(link=link)
    with pytest.raises(NotImplementedError, match=r"file of kind '\.txt'.*\.cubin"):
        cuda.jit(link="made.txt")


COUNTED = """
import ctypes, json, sys
import numpy as np
from quern import cuda
from quern.cuda import errors
from quern.lib import _engine

source = 'extern "C" __device__ int add_twice(int* out, int a, int b) { *out = a + 2 * b; return 0; }'
declared = cuda.declare_device("add_twice", "int32(int32, int32)")
ptx = _engine.ptx(source, "made.cu", [], "compute_90", True)
cubin = _engine.cubin(source, "made.cu", [], "sm_90")
fake = ctypes.CDLL(sys.argv[1])
fake.fake_cuda_last_link.restype = ctypes.c_char_p
fake.fake_cuda_live.restype = ctypes.c_size_t
told = []
for link in (None, cuda.PTXSource(ptx), [cuda.Cubin(cubin)], [cuda.Object(cubin, name="a.o"), cuda.PTXSource(ptx)]):
    @cuda.jit(link=link)
    def group(x):
        x[0] = declared(x[0], 10) if link else 3

    x = cuda.to_device(np.zeros(1, int))
    _engine.count_driver_calls(True)
    group[1, 1](x)
    calls = _engine.driver_calls()
    told.append([fake.fake_cuda_last_link().decode(), {n: c for n, c in calls.items() if "Link" in n or "Module" in n}])
faults = []
for link in (cuda.PTXSource(ptx.replace("add_twice", "other")), cuda.PTXSource(ptx.replace("ret;", "rat;"), name="broken.ptx"),
             cuda.Cubin(b"?")):
    @cuda.jit(link=link)
    def group(x):
        x[0] = declared(x[0], 10)

    try:
        group[1, 1](x)
    except errors.LinkerError as e:
        faults.append(str(e))
print(json.dumps({"told": told, "faults": faults, "links": fake.fake_cuda_live(b"link")}))
"""


@pytest.mark.skipif(bool(_engine.cuda_count()), reason="there is a GPU")
@pytest.mark.skipif(not HAS_NVRTC, reason="no NVRTC")
def test_calls_of_the_drivers_linker(tmp_path):
    """Against the tests' own driver, which runs nothing."""
    fake = stand_in()
    if not fake:
        pytest.skip("the tests' own driver is not built (ninja -C build/develop)")
    path = tmp_path / "counted.py"
    path.write_text(COUNTED)
    done, again = (python(path, fake, QUERN_CUDA_DRIVER=fake, QUERN_CACHE_DIR=tmp_path / "cache") for _ in range(2))
    assert done.returncode == again.returncode == 0, done.stderr + again.stderr
    result = json.loads(done.stdout)
    plain, *linked = result["told"]
    assert plain == ["", {"cuModuleLoadDataEx": 1, "cuModuleGetFunction": 1}]
    # Another process finds what was linked; what could not be is tried again.
    assert json.loads(again.stdout) == {**result, "told": [plain] * 4}
    for (kinds, calls), expected in zip(linked, ["01", "00", "001"], strict=True):
        assert kinds == expected
        assert calls == {
            **{"cuLinkCreate_v2": 1, "cuLinkAddData_v2": len(kinds), "cuLinkComplete": 1, "cuLinkDestroy": 1},
            **{"cuModuleLoadDataEx": 1, "cuModuleGetFunction": 1},
        }
    missing, broken, damaged = result["faults"]
    assert "[group]" in missing
    assert "Undefined reference to 'add_twice' in 'group.cu'" in missing
    assert "broken.ptx cannot be linked: ptxas" in broken
    assert "<unnamed-cubin> is not a cubin" in damaged
    assert result["links"] == 0


# ---- tuples

AFTER = """
a = np.zeros(1)
@cuda.jit
def kernel(arrays, x):
    for a in arrays:
        x[0] += a[0]
    {}
"""


def test_a_loop_over_a_tuple_of_several_types(device, tmp_path):
    @cuda.jit
    def kernel(arrays, out):
        for a in cuda.literal_unroll(arrays):
            out[0] += a[0]
        for n in cuda.literal_unroll((1, 2.5, True)):
            out[0] += n

    out = np.zeros(1)
    kernel[1, 1]((np.array([1]), np.array([2.5]), np.array([[4.0]], np.float32)[0]), out)
    assert out[0] == 12

    @cuda.jit
    def several(arrays, out):
        for i, (a, factor) in enumerate(zip(arrays, (1, 2.5))):  # noqa: B905
            b = a[0] * factor
            if i == 1:
                continue
            out[i] = b
        for a in arrays:  # once more
            for k in range(a.size):
                a[k] += 1

    first, second, out = np.array([3]), np.array([4.0]), np.zeros(2)
    several[1, 1]((first, second), out)
    assert out.tolist() == [3, 0]
    assert first[0] == 4
    assert second[0] == 5
    module_of(tmp_path, AFTER.format("x[0] = a[0]")).kernel[1, 1]((first, second), out)  # the last one
    assert out[0] == second[0]
    module_of(tmp_path, AFTER.format("a = 1; x[0] = a")).kernel[1, 1]((first, second), out)  # another type from there on
    assert out[0] == 1
    with pytest.raises(errors.TypingError, match="takes a tuple"):

        @cuda.jit("void(float64[:])")
        def wrong(x):
            for n in cuda.literal_unroll(3):
                x[0] = n


@pytest.mark.parametrize(
    "body, message",
    [
        ("x[0] = add_twice(1)", "add_twice was declared with 2 arguments, without names"),
        ("x[0] = add_twice(1, b=2)", "add_twice was declared with 2 arguments, without names"),
        ("x[0] = half_of(1j)", "half_of takes float32, not complex128; take its .real"),
        ("x[0] = half_of(x)", "a number is needed, not array"),
        ("x[0] = total(x[::2], 3)", "an array that may be non-contiguous cannot be passed as a pointer; pass a copy of it"),
        ("x[0] = total(x, 3)", "total takes float32*, not float64*"),
        ("x[0] = total(FFI.from_buffer(3), 3)", "an array is needed, not int64"),
    ],
)
def test_arguments_that_do_not_fit(device, tmp_path, body, message):
    text = f"""class FFI:
    from_buffer = staticmethod(lambda a: a)
FFI.from_buffer.__qualname__ = "FFI.from_buffer"
from {__name__} import add_twice, half_of, total
@cuda.jit
def kernel(x):
    {body}
"""
    with pytest.raises(errors.TypingError) as caught:
        module_of(tmp_path, text).kernel[1, 1](np.zeros(4))
    lines = str(caught.value).split("\n")
    assert len(lines) == 3 and message in lines[0] and body in lines[1] and "^" in lines[2]
