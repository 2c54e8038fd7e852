"""What numba-cuda's pages show of code: of others, compiled for others, pointers, launches that are inspected, debuggers, and what its
reference lists. Programs of our own; each checks its answer."""

import cmath
import math
import operator
import os
import subprocess
import sys

import numpy as np
import pytest
from places import PACKAGE
from programs import has_nvrtc
from quern import cuda, numba
from quern.cuda import bf16, float32x2, int16x2, int16x3, int16x4, launchconfig, types
from quern.cuda.extending import overload
from quern.errors import LogicError
from quern.numba import config, float64, int32, uint8, void


def run(tmp_path, text, said="", **environment):
    """What a program of its own prints under `quern run`; its errors are the test's."""
    program = tmp_path / "program.py"
    program.write_text(text)
    environment = {**os.environ, "PYTHONPATH": PACKAGE, "QUERN_DEVICE": "cpu", **environment}
    command = [sys.executable, "-m", "quern", "run", str(program)]
    done = subprocess.run(command, input=said, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- imports, as the pages write them


def test_imports(tmp_path):
    lines = """
from __future__ import print_function, absolute_import
import numba
from numba import cuda, float32, guvectorize, int32, types, vectorize, void
from numba.cuda import config, float32, float32x3, launchconfig
from numba.cuda.bf16 import bfloat16
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32
from numba.cuda.types import int32
from numba import *
print(numba.cuda is cuda, f8 is double, callable(cuda.jit_module), launchconfig.current_launch_config())
"""
    assert run(tmp_path, lines).split() == ["True", "True", "True", "None"]


# ---- functions of CUDA C++ (the page on foreign functions)

SUM = """
extern "C" __device__ int weighted(float* out, const float* values, int n);
extern "C" __device__ int weighted(float* out, const float* values, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i) total += i * values[i];
  *out = static_cast<float>(total);
  return 0;
}
extern "C" __device__ int difference(float* out, float a, float b) { *out = a - b; return 0; }
"""


class FFI:  # as cffi has it, which need not be installed
    def from_buffer(self, array):
        raise AssertionError("this is for kernels")


def test_a_file_that_the_declaration_links(device, tmp_path, monkeypatch):
    (tmp_path / "parts").mkdir()
    path = tmp_path / "parts" / "functions.cu"
    path.write_text(SUM)
    monkeypatch.chdir(tmp_path / "parts")
    a, b = np.random.default_rng(1).random((2, 64), np.float32)
    declared = "float32(float32, float32)"
    for link in (str(path), "functions.cu", [path], (cuda.CUSource(SUM),), {cuda.CUSource(SUM, name="mine.cu")}):
        minus = cuda.declare_device("difference", declared, link=link)

        @cuda.jit
        def kernel(out, x, y):
            i = cuda.grid(1)
            if i < len(out):
                out[i] = minus(x[i], y[i])  # noqa: B023

        out = np.zeros_like(a)
        kernel[2, 32](out, a, b)
        np.testing.assert_array_equal(out, a - b)
    minus = cuda.declare_device("difference", declared)

    @cuda.jit(link=["functions.cu"])
    def as_before(out, x, y):
        i = cuda.grid(1)
        if i < len(out):
            out[i] = minus(x[i], y[i])

    out = np.zeros_like(a)
    as_before[2, 32](out, a, b)
    np.testing.assert_array_equal(out, a - b)


def test_the_address_of_an_array_for_a_function(device):
    weighted = cuda.declare_device("weighted", "float32(CPointer(float32), int32)", link=cuda.CUSource(SUM))
    ffi = FFI()

    @cuda.jit
    def kernel(out, array):
        address = ffi.from_buffer(array)
        out[()] = weighted(address, len(array))

    x, out = np.arange(12, dtype=np.float32), np.ndarray((), dtype=np.float32)
    kernel[1, 1](out, x)
    assert out[()] == (x * x).sum()


def test_includes_from_folders_of_their_own(device, tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "one" / "less.cuh").write_text("template <class T> __device__ T less_by(T a, T b) { return a - b; }\n")
    (tmp_path / "two" / "more.cuh").write_text("template <class T> __device__ T times(T a, T b) { return a * b; }\n")
    source = tmp_path / "line.cu"
    source.write_text(
        "#include <less.cuh>\n#include <more.cuh>\n"
        'extern "C" __device__ int line(float* out, float m, float x, float c) { *out = less_by(times(m, x), c); return 0; }\n'
    )
    before = config.CUDA_NVRTC_EXTRA_SEARCH_PATHS
    config.CUDA_NVRTC_EXTRA_SEARCH_PATHS = ":".join([str(tmp_path / "one"), str(tmp_path / "two")])
    try:
        line = cuda.declare_device("line", sig="float32(float32, float32, float32)", link=str(source))

        @cuda.jit
        def kernel(m, x, c, out):
            i = cuda.grid(1)
            if i < len(out):
                out[i] = line(m, x[i], c[i])

        x, c, out = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32), np.zeros(1000, np.float32)
        kernel[32, 32](2.5, x, c, out)
    finally:
        config.CUDA_NVRTC_EXTRA_SEARCH_PATHS = before
    np.testing.assert_array_equal(out, np.float32(2.5) * x - c)


def test_calls_before_and_after_a_module(device):
    seen = []
    source = cuda.CUSource(SUM, setup_callback=lambda module: seen.append(module), teardown_callback=lambda module: seen.append(None))
    minus = cuda.declare_device("difference", "float32(float32, float32)", link=source)

    def launched():
        @cuda.jit
        def kernel(out, x):
            out[0] = minus(x, 1)

        out = np.zeros(1, np.float32)
        for _ in range(3):
            kernel[1, 1](out, np.float32(5))
        assert out[0] == 4 and len(seen) == 1 and seen[0] is not None

    launched()


# ---- Python compiled for others (the page on compilation, and the one on call conventions)


def less(x, y):
    return x - y


@pytest.mark.skipif(not has_nvrtc(), reason="no NVRTC")
def test_text_for_other_programs():
    text, result = cuda.compile_ptx(less, int32(int32, int32), device=True)
    assert result == int32 and ".func" in text and text.count(".param .b64") == 1  # where the result goes
    text, result = cuda.compile_ptx(less, int32(int32, int32), device=True, abi="c")
    head = text[text.index(".visible .func") :].split("{")[0]
    assert " less(" in head and ".param .b64" not in head and head.count("less_param") == 2
    text, result = cuda.compile_ptx(less, float64(float64, float64), device=True, abi="c", abi_info={"abi_name": "less_f64"})
    assert result == float64 and " less_f64(" in text and "sub.f64" in text.replace("sub.rn.f64", "sub.f64")
    assert " less(" in cuda.compile(less, int32(int32, int32))[0] and cuda.compile_for_current_device is not None


def test_functions_of_both_conventions_call_each_other(device):
    triple = cuda.CUSource('extern "C" __device__ double triple(double x) { return 3 * x; }')
    outside = cuda.declare_device("triple", "float64(float64)", link=triple, abi="c")

    @cuda.jit(device=True)
    def inner(x):
        return outside(x) + 1

    @cuda.jit(device=True, abi="c")
    def middle(x):
        return inner(x) * 2

    @cuda.jit(device=True)
    def outer(x):
        return middle(x) - outside(x)

    @cuda.jit
    def kernel(out):
        out[cuda.grid(1)] = outer(float(cuda.grid(1)))

    out = np.zeros(8)
    kernel[2, 4](out)
    np.testing.assert_array_equal(out, 3 * np.arange(8.0) + 2)


# ---- addresses as arguments (the examples' page, and the reference of kernels)


def test_a_kernel_of_addresses(device, capsys):
    @cuda.jit(void(types.CPointer(uint8), types.uint32))
    def inverted(p, n):
        i = cuda.grid(1)
        if i < n:
            p[i] ^= 255

    there = cuda.to_device(np.arange(20, dtype=np.uint8))
    print(there.copy_to_host()[:3])
    if device.kind == "cpu":
        with pytest.raises(AttributeError, match="on the CPU; its address is device_ctypes_pointer.value"):
            _ = there.__cuda_array_interface__
        address = there.device_ctypes_pointer.value
    else:
        address = there.__cuda_array_interface__["data"][0]
    inverted[1, 32](address, len(there))
    print(there.copy_to_host()[:3])
    np.testing.assert_array_equal(there.copy_to_host(), 255 - np.arange(20))
    assert capsys.readouterr().out.split("\n")[:2] == ["[0 1 2]", "[255 254 253]"]
    inverted[1, 32](np.uint64(address + 10), np.int8(10))
    np.testing.assert_array_equal(there.copy_to_host(), np.where(np.arange(20) < 10, 255 - np.arange(20), np.arange(20)))


def test_work_through_addresses_is_in_order(device):
    @cuda.jit("void(CPointer(int64), int64, int64)")
    def added(p, n, by):
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            p[i] += by

    there = cuda.to_device(np.arange(5000))
    address = there.device_ctypes_pointer.value
    for turn in range(1, 40):
        added[8, 32](address, 5000, 1)
        if turn % 3 == 0:
            assert there[4999] == 4999 + turn
        elif turn % 3 == 1:
            np.testing.assert_array_equal((there + there).copy_to_host(), 2 * (np.arange(5000) + turn))
    np.testing.assert_array_equal(there.copy_to_host(), np.arange(5000) + 39)


def test_elements_of_addresses(device):
    record = np.dtype([("a", np.int32), ("b", np.float32)], align=True)

    @cuda.jit(
        void(types.CPointer(types.float32), types.CPointer(int32), types.CPointer(types.boolean), types.CPointer(types.complex128), types.int64)
    )
    def kernel(x, count, flags, z, n):
        i = cuda.grid(1)
        if i < n:
            cuda.atomic.add(count, 0, 1)
            flags[i] = cuda.ldcg(x, i) > 2
            z[i] = z[i] * 2 + 1j
            cuda.stwb(x, i, x[i] + 0.5)
            x[i], count[i + 1] = -x[i], 10 * i

    @cuda.jit(device=True)
    def before(p, i):
        return p[i - 1]

    @cuda.jit(void(types.CPointer(numba.from_dtype(record)), types.CPointer(float64)))
    def of_records(r, out):
        r[1].a = r[0].a + 4
        r[2]["b"] = 2.5
        out[0] = before(out, 2) + r[0].b

    host = [np.arange(5, dtype=np.float32), np.zeros(6, np.int32), np.zeros(5, bool), np.arange(5) + 0j]
    there = [cuda.to_device(a) for a in host]
    kernel[1, 32](*(a.device_ctypes_pointer.value for a in there), 5)
    x, count, flags, z = (a.copy_to_host() for a in there)
    np.testing.assert_array_equal(x, -(host[0] + np.float32(0.5)))
    assert count.tolist() == [5, 0, 10, 20, 30, 40] and flags.tolist() == [False] * 3 + [True] * 2
    np.testing.assert_array_equal(z, 2 * np.arange(5) + 1j)
    records, out = cuda.to_device(np.array([(3, 1.5), (0, 0), (0, 0)], record)), cuda.to_device(np.array([0, 7.0]))
    of_records[1, 1](records.device_ctypes_pointer.value, out.device_ctypes_pointer.value)
    assert records.copy_to_host().tolist() == [(3, 1.5), (7, 0), (0, 2.5)] and out.copy_to_host().tolist() == [8.5, 7]


@pytest.mark.parametrize(
    "given, line, said",
    [
        ("void(CPointer(float32))", "p[1:3] = 0", "a pointer has single elements; numba.carray"),
        ("void(CPointer(none))", "p[0] = 1", r"void\* has no elements; numba.carray"),
        ("void(CPointer(float32))", "p[0.5] = 1", "an index is needed, not float64"),
        ("void(int64)", "p[0] = 1", "int64 has no elements; an address is a pointer where the signature says so"),
    ],
)
def test_what_addresses_refuse(device, tmp_path, given, line, said):
    from kernels import module_of

    with pytest.raises(numba.errors.NumbaError, match=said):
        module_of(tmp_path, f"@cuda.jit({given!r})\ndef kernel(p):\n    {line}\n")


def test_addresses_in_plain_python(device, tmp_path, monkeypatch):
    monkeypatch.setenv("QUERN_PURE_PYTHON", "1")

    @cuda.jit(void(types.CPointer(types.float32), types.int64))
    def kernel(p, n):
        i = cuda.grid(1)
        if i < n:
            cuda.atomic.add(p, 0, 1)
            p[i + 1] *= 2

    there = cuda.to_device(np.arange(6, dtype=np.float32))
    if device.kind != "cpu":
        with pytest.raises(LogicError, match="does not see a GPU's memory"):
            kernel[1, 8](there.device_ctypes_pointer.value, 5)
        return
    kernel[1, 8](there.device_ctypes_pointer.value, 5)
    np.testing.assert_array_equal(there.copy_to_host(), [5, 2, 4, 6, 8, 10])


def test_arguments_that_are_no_addresses(device):
    @cuda.jit("void(CPointer(float32))")
    def kernel(p):
        p[0] = 1

    for wrong in (np.zeros(3, np.float32), 2.5, np.int32(3), None):
        with pytest.raises(TypeError, match="No matching definition"):
            kernel[1, 1](wrong)


# ---- the environment


def test_debugging_by_the_environment(tmp_path):
    text = """
import warnings
warnings.simplefilter("ignore")
import numpy as np
from numba import config, cuda
@cuda.jit
def kernel(x):
    assert x[0] > 3
try:
    kernel[1, 1](np.zeros(1))
    print("nothing")
except AssertionError as e:
    print("raised")
print(config.CUDA_DEBUGINFO_DEFAULT, config.DEBUGINFO_DEFAULT)
"""
    assert run(tmp_path, text, NUMBA_CUDA_DEBUGINFO="1").split() == ["raised", "1", "0"]
    assert run(tmp_path, text, NUMBA_DEBUGINFO="1", NUMBA_CUDA_DEBUGINFO="0").split() == ["nothing", "0", "1"]


# ---- launches (the reference of kernels)


def test_a_configured_launch(device):
    @cuda.jit
    def kernel(x, y, z):
        own = cuda.shared.array(0, float64)
        i = cuda.threadIdx.x
        own[i] = x[i] * y
        cuda.syncthreads()
        z[i] = own[cuda.blockDim.x - 1 - i]

    stream = cuda.stream()
    x, z = cuda.to_device(np.arange(8.0), stream=stream), cuda.to_device(np.zeros(8), stream=stream)
    configured = kernel[1, (8,), stream, 64]
    configured(x, 2, z)
    assert (configured.griddim, configured.blockdim, configured.sharedmem) == ((1, 1, 1), (8, 1, 1), 64)
    np.testing.assert_array_equal(z.copy_to_host(stream=stream), 2 * np.arange(8.0)[::-1])
    for again in (kernel.configure(1, 8, stream, 64), kernel[(1, 1), (8, 1, 1), 0, 64]):
        again(x, 3.0, z)
        np.testing.assert_array_equal(z.copy_to_host(), 3 * np.arange(8.0)[::-1])


def test_the_launch_that_a_kernel_is_compiled_for(device):
    @cuda.jit
    def kernel(x):
        x[cuda.grid(1)] = 7

    x = cuda.device_array(64, dtype="i4")
    with launchconfig.capture_compile_config(kernel) as captured:
        kernel[2, 32](x)
    seen = captured["config"]
    assert (seen.griddim, seen.blockdim, seen.sharedmem) == ((2, 1, 1), (32, 1, 1), 0)
    assert seen.args[0] is x and seen.dispatcher is kernel and not seen.is_kernel_launch_config_sensitive()
    with launchconfig.capture_compile_config(kernel) as captured:
        kernel[1, 64](x)  # it is compiled already
    assert captured["config"] is None and launchconfig.current_launch_config() is None
    with pytest.raises(RuntimeError, match="No launch config set for this thread"):
        launchconfig.ensure_current_launch_config()
    with pytest.raises(TypeError, match="a kernel that @cuda.jit made is needed"), launchconfig.capture_compile_config(None):
        pass


def test_a_kernel_whose_code_depends_on_its_launch(device):
    def threads_of_a_block(): ...

    compiled = []

    @overload(threads_of_a_block)
    def of_the_launch():
        launch = launchconfig.ensure_current_launch_config()
        launch.mark_kernel_as_launch_config_sensitive()
        compiled.append(launch.blockdim)
        count = launch.blockdim[0]
        return lambda: count

    def body(x):
        x[cuda.grid(1)] = threads_of_a_block() + cuda.threadIdx.x

    for options in ({}, {"debug": True, "opt": False}):
        kernel = cuda.jit(**options)(body)
        compiled.clear()
        for count in (4, 8, 4, 8, 16):
            x = np.zeros(2 * count)
            kernel[2, count](x)
            np.testing.assert_array_equal(x, np.tile(np.arange(count) + count, 2))
        assert [c[0] for c in compiled] == [4, 8, 16] and len(kernel.overloads) == 1
    other = cuda.jit(body)  # another kernel is compiled for its own launches
    other[1, 2](x)
    assert x[:2].tolist() == [2, 3] and compiled[-1] == (2, 1, 1)


def test_what_is_called_before_a_launch(device):
    class Same:
        def prepare_args(self, type_, value, stream, retr):
            return type_, value

    def body(x):
        x[0] += 1

    for options in ({}, {"debug": True, "opt": False}, {"extensions": [Same()]}):
        kernel, seen = cuda.jit(**options)(body), []
        launch = kernel[3, 2]
        launch.pre_launch_callbacks.append(lambda kernel, launch: seen.append((kernel.signature.args, launch.griddim, launch.blockdim)))  # noqa: B023
        x = np.zeros(1, np.int64)
        for _ in range(2):
            launch(x)
        kernel[1, 1](x)  # another launch has none
        assert seen == [((numba.typeof(x),), (3, 1, 1), (2, 1, 1))] * 2

    def refuse(kernel, launch):
        raise KeyError("not now")

    launch.pre_launch_callbacks[:] = [refuse]
    before = x.copy()
    with pytest.raises(KeyError, match="not now"):
        launch(x)
    np.testing.assert_array_equal(x, before)


def test_signatures_are_one_argument(device):
    for wrong in ((void, int32[::1]), (void, "int32[:]")):
        with pytest.raises(TypeError, match=r"a signature is one argument: void\(int32\[::1\]\)"):
            cuda.jit(*wrong)

    @cuda.jit("float64(float64)", True)
    def halved(x):
        return x / 2

    @cuda.jit((float64[:],))
    def kernel(x):
        x[0] = halved(x[0])

    x = np.ones(1)
    kernel[1, 1](x)
    assert x[0] == 0.5


# ---- a whole module (jit_module)

MODULE = """
import numpy as np
from quern import cuda, numba
from quern.numba import vectorize

constant = 10

def doubled(x):
    return 2 * x

def both(x, y):
    return doubled(x) + y * constant

class Kept:
    def method(self):
        return 1

JIT

def one(x):
    x[0] = doubled(x[0])

def two(x, y):
    x[0] = both(x[0], y[0])

cuda.jit_module(device=False)

def on_the_host(x, y):
    x, y = np.array([x]), np.array([y])
    two[1, 1](x, y)
    one[1, 1](x)
    return x[0]
"""


def test_a_module_of_functions_and_kernels(device, tmp_path):
    from kernels import module_of

    module = module_of(tmp_path, MODULE.replace("JIT", "cuda.jit_module()"))
    assert module.on_the_host(3, 4) == 92 and module.on_the_host(0.5, 0.25) == 7
    assert module.doubled.py_func(4) == 8 and module.Kept().method() == 1 and callable(module.vectorize)
    with pytest.raises(RuntimeError, match="a device function is called by kernels"):
        module.both(1, 2)
    module = module_of(tmp_path, MODULE.replace("JIT", "numba.jit_module(nopython=True)"))
    assert module.both(3, 4) == 46 and numba.extending.is_jitted(module.both) and module.on_the_host(3, 4) == 92


# ---- debuggers (the pages on the simulator and on debugging)

IN_ONE_THREAD = """
import numpy as np
from numba import cuda

@cuda.jit(device=True)
def product(x, y):
    return x * y

@cuda.jit
def kernel(a, b, out):
    thread, block = cuda.threadIdx.x, cuda.blockIdx.x
    if thread == 2 and block == 1:
        STOP
    i = block * cuda.blockDim.x + thread
    out[i] = product(a[i], b[i])

a, out = np.arange(12.0), np.zeros(12)
kernel[3, 4](a, a, out)
print(out.tolist())
"""


@pytest.mark.parametrize("stop", ["from pdb import set_trace; set_trace()", "import pdb; pdb.set_trace()", "breakpoint()"])
def test_a_debugger_stops_in_place_of_the_simulator(tmp_path, stop):
    said = run(tmp_path, IN_ONE_THREAD.replace("STOP", stop), "n\np 'it is', i, a[i]\nc\n", NUMBA_ENABLE_CUDASIM="1")
    assert str([float(i * i) for i in range(12)]) in said
    assert "('it is', 6, " in said or "block * cuda.blockDim.x" in said


def test_where_a_debugger_cannot_stop(device, tmp_path):
    from kernels import module_of

    for line in ("breakpoint()", "import pdb; pdb.set_trace()", "debugger.set_trace()"):
        text = f"import pdb as debugger\n@cuda.jit\ndef kernel(x):\n    {line}\n    x[0] = 1\n"
        with pytest.raises(numba.errors.UnsupportedError if "import" in line else numba.errors.TypingError, match="QUERN_PURE_PYTHON=1 runs"):
            module_of(tmp_path, text).kernel[1, 1](np.zeros(1))


def test_a_program_to_debug(device, capfd):
    """What the debugger's example does, without its stops: prints, shared memory, a name of several types."""
    count = 6

    @cuda.jit(debug=True, opt=False)
    def mirrored(given, out):
        i = cuda.grid(1)
        size = len(given)
        if i >= size:
            return
        print("given[", i, "] =", given[i])
        out[i] = given[size - i - 1]
        cuda.syncthreads()
        if i == 0:
            print("all are here")
        own = cuda.shared.array(count, dtype=np.int64)
        own[i] = -given[size - i - 1]
        cuda.syncthreads()
        print("own[", i, "] =", own[i])
        if i == 0:
            name = True
            print("name =", name)
            name = 0x90000000
            print("name =", name)
            name = 0xA000000000000000
            print("name =", name)
            name = 1.75
            print("name =", name)

    given = cuda.to_device(np.arange(count) + 1)
    out = cuda.to_device(np.zeros(count, np.int64))
    mirrored[1, count](given, out)
    cuda.synchronize()
    np.testing.assert_array_equal(out.copy_to_host(), np.arange(count)[::-1] + 1)
    lines = capfd.readouterr().out.splitlines()
    wanted = [f"given[ {i} ] = {i + 1}" for i in range(count)] + [f"own[ {i} ] = {i - count}" for i in range(count)]
    wanted += ["all are here", "name = True", "name = 2415919104", "name = 11529215046068469760", "name = 1.750000"]
    assert sorted(lines) == sorted(wanted)


# ---- what the reference lists


def test_vectors_made_of_each_other(device):
    @cuda.jit
    def kernel(out):
        nothing = types.int16(0)
        pair = int16x2(3, -4)
        three, four = int16x3(nothing, pair), int16x4(pair, pair)
        a, b = float32x2(1.5, 2.0), float32x2(4.0, -1.0)
        own = cuda.float3(three.x, three.y, three.z)
        out[0], out[1], out[2] = three.x, three.z, four.w
        out[3] = a.x * b.x + a.y * b.y
        out[4], out[5] = own.z, cuda.uchar4(1, 2, 3, 4).w

    out = np.zeros(6)
    kernel[1, 1](out)
    assert out.tolist() == [0, -4, -4, 4, -4, 4]


def test_short_floats(device):
    assert cuda.is_bfloat16_supported() in (True, False) and cuda.is_float16_supported()
    assert cuda.get_current_device().supports_float16

    @cuda.jit
    def kernel(h, out):
        b = bf16.bfloat16(1.25)
        b += bf16.bfloat16(np.int32(3))
        out[0], out[1] = np.float32(b), np.float64(bf16.hsqrt(bf16.bfloat16(np.float64(16))))
        out[2] = np.int32(bf16.htrunc(bf16.bfloat16(-7.5)))
        out[3] = np.float32(bf16.hfma_relu(bf16.bfloat16(2.0), bf16.bfloat16(-3.0), bf16.bfloat16(1.0)))
        out[4] = np.float32(bf16.hadd_sat(b, b))
        out[5], out[6] = cuda.fp16.hfma(h[0], h[1], h[2]), cuda.fp16.hrcp(h[1])
        out[7], out[8] = cuda.fp16.hgt(h[0], h[1]), cuda.fp16.hmin(h[0], h[2])

    out = np.zeros(9)
    kernel[1, 1](np.array([3, 4, 0.5], np.float16), out)
    assert out.tolist() == [4.25, 4, -7, 0, 1, 12.5, 0.25, 0, 0.5]


def test_bits_choices_and_votes(device):
    @cuda.jit
    def kernel(x, out, votes):
        i = cuda.grid(1)
        out[i, 0], out[i, 1], out[i, 2] = cuda.popc(x[i]), cuda.clz(x[i]), cuda.ffs(x[i])
        out[i, 3], out[i, 4] = cuda.brev(x[i]), cuda.selp(x[i] > 4, 1, -1)
        cuda.nanosleep(10)
        votes[0], votes[1] = cuda.syncthreads_count(x[i] > 4), cuda.syncthreads_or(x[i] > 100)
        votes[2] = cuda.syncthreads_and(x[i] < 1000)
        cuda.threadfence_block()
        votes[3] = cuda.fma(2.0, 3.0, 4.0) + cuda.cbrt(8.0)

    x = np.array([0, 1, 12, 2**31], np.uint32)
    out, votes = np.zeros((4, 5), np.int64), np.zeros(4)
    kernel[1, 4](x, out, votes)
    assert out.tolist() == [[0, 32, 0, 0, -1], [1, 31, 1, 2**31, -1], [2, 28, 3, 0x30000000, 1], [1, 0, 32, 1, 1]]
    assert votes.tolist() == [2, 1, 0, 12]


def test_cache_hints(device):
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            total = cuda.ldca(x, i) + cuda.ldcg(x, i) + cuda.ldcs(x, i) + cuda.ldlu(x, i) + cuda.ldcv(x, i)
            cuda.stcg(out, (0, i), total)
            cuda.stcs(out, (1, i), total + 1)
            cuda.stwb(out, (2, i), total + 2)
            cuda.stwt(out, (3, i), total + 3)

    x, out = np.arange(10, dtype=np.int32), np.zeros((4, 10), np.int32)
    kernel[1, 32](x, out)
    np.testing.assert_array_equal(out, 5 * x + np.arange(4)[:, None])


def test_fast_mathematics(device):
    names = ("cos", "sin", "tan", "exp", "log2", "log10", "log", "sqrt")

    @cuda.jit(fastmath=True)
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[0, i], out[1, i], out[2, i] = math.cos(x[i]), math.sin(x[i]), math.tan(x[i])
            out[3, i], out[4, i], out[5, i] = math.exp(x[i]), math.log2(x[i]), math.log10(x[i])
            out[6, i], out[7, i] = math.log(x[i]), math.sqrt(x[i])
            out[8, i], out[9, i] = math.pow(x[i], x[i]), 1 / x[i]

    x = np.linspace(0.2, 1.4, 200).astype(np.float32)
    out = np.zeros((10, 200), np.float32)
    kernel[4, 64](x, out)
    exact = x.astype(float)
    np.testing.assert_allclose(out, [*(getattr(np, n)(exact) for n in names), exact**exact, 1 / exact], rtol=1e-4, atol=1e-5)


MATH = """acos asin atan acosh asinh atanh cos sin tan hypot cosh sinh tanh atan2 erf erfc exp exp2 expm1 fabs frexp ldexp gamma lgamma log
log2 log10 log1p nextafter sqrt remainder pow ceil floor copysign fmod modf isnan isinf isfinite""".split()
CMATH = "acos acosh asin asinh atan atanh cos cosh exp isfinite isinf isnan log log10 phase polar rect sin sinh sqrt tan tanh".split()
OPERATOR = """add and_ eq floordiv ge gt iadd iand ifloordiv ilshift imod imul invert ior ipow irshift isub itruediv ixor le lshift lt mod
mul ne neg not_ or_ pos pow rshift sub truediv xor""".split()
UFUNCS = """sin cos tan arcsin arccos arctan arctan2 hypot sinh cosh tanh arcsinh arccosh arctanh deg2rad radians rad2deg degrees greater
greater_equal less less_equal not_equal equal log log2 log10 logical_and logical_or logical_xor logical_not maximum minimum fmax fmin
bitwise_and bitwise_or bitwise_xor invert bitwise_not left_shift right_shift""".split()
OF_TWO = {"hypot", "atan2", "remainder", "pow", "copysign", "fmod", "nextafter"}


def kernel_of_lines(tmp_path, lines):
    from kernels import module_of

    body = "\n".join(f"    out[{i}] = {line}" for i, line in enumerate(lines))
    return module_of(tmp_path, f"@cuda.jit\ndef kernel(x, n, z, out):\n{body}\n").kernel


def test_functions_of_the_standard_library(device, tmp_path):
    lines, wanted = [], []

    def add(line, value):
        lines.append(line)
        wanted.append(value)

    for name in MATH:
        if not hasattr(math, name):
            continue  # exp2: from Python 3.11 on
        f, x = getattr(math, name), 1.5 if name == "acosh" else 0.375
        if name in OF_TWO:
            add(f"math.{name}({x}, x[1])", f(x, -0.75) if name != "pow" else x**-0.75)
        elif name in ("frexp", "modf"):
            add(f"math.{name}(x[0])[0]", f(0.375)[0])
            add(f"math.{name}(x[0])[1]", f(0.375)[1])
        else:
            add(f"math.{name}({'x[0], 3' if name == 'ldexp' else 'x[2]' if x == 1.5 else 'x[0]'})", f(*((x, 3) if name == "ldexp" else (x,))))
    z = 0.5 - 0.25j
    for name in CMATH:
        if name == "polar":
            add("cmath.polar(z[0])[0]", cmath.polar(z)[0])
            add("cmath.polar(z[0])[1]", cmath.polar(z)[1])
        elif name == "rect":
            add("cmath.rect(x[2], x[0])", cmath.rect(1.5, 0.375))
        else:
            add(f"cmath.{name}(z[0])", getattr(cmath, name)(z))
    for name in OPERATOR:
        f = getattr(operator, name)
        one = name in ("invert", "neg", "not_", "pos")
        add(f"operator.{name}({'n[0]' if one else 'n[0], n[1]'})", f(13) if one else f(13, 3))
    for i, line in enumerate(("abs(x[1])", "bool(n[0])", "complex(x[0], x[1])", "float(n[0])", "int(x[2])", "len(x)", "min(x[0], x[1], x[2])",
                              "max(n[0], n[1])", "pow(x[2], 2)", "round(x[0])", "round(x[0], 2)")):  # fmt: skip
        add(line, (0.75, True, 0.375 - 0.75j, 13.0, 1, 3, -0.75, 13, 2.25, 0, 0.38)[i])
    out = np.zeros(len(lines), np.complex128)
    kernel_of_lines(tmp_path, lines)[1, 1](np.array([0.375, -0.75, 1.5]), np.array([13, 3]), np.array([z]), out)
    for line, got, value in zip(lines, out, wanted, strict=True):
        assert abs(got - value) <= 1e-13 * max(1, abs(value)), (line, got, value)


def test_loops_over_what_is_built_in(device):
    @cuda.jit
    def kernel(x, out):
        for i, value in enumerate(x):
            out[0] += i * value
        for a, b in zip(x, x[1:]):  # noqa: B905
            out[1] += a * b
        for i in range(len(x) - 1, -1, -2):
            out[2] += x[i]

    x, out = np.arange(1.0, 6), np.zeros(3)
    kernel[1, 1](x, out)
    assert out.tolist() == [sum(i * v for i, v in enumerate(x)), (x[1:] * x[:-1]).sum(), 9]


def test_ufuncs_of_numpy_with_a_place_for_the_result(device, tmp_path):
    from kernels import module_of

    for name in UFUNCS:
        ufunc = getattr(np, name)
        of_integers = name.startswith(("bitwise", "invert", "left", "right"))
        given = [np.arange(1, 6), np.arange(5) % 3] if of_integers else [np.linspace(0.1, 0.9, 5), np.linspace(0.8, 0.2, 5)]
        given = [g + 1 for g in given] if name == "arccosh" else given
        given = given[: ufunc.nin]
        wanted = ufunc(*given)
        names = ", ".join("ab"[: ufunc.nin])
        text = f"@cuda.jit\ndef kernel({names}, out):\n    np.{name}({names}, out)\n"
        out = np.zeros(5, wanted.dtype)
        module_of(tmp_path, text).kernel[1, 1](*given, out)
        np.testing.assert_allclose(out, wanted, rtol=1e-13, err_msg=name)
