"""PyCUDA's compiler: options, the user's headers, what it keeps, modules that are linked."""

import pathlib
import tempfile

import numpy as np
import pytest
from quern.pycuda import compiler
from quern.pycuda import driver as drv
from quern.pycuda.compiler import DynamicModule, DynamicSourceModule, SourceModule

NUMBER = "__global__ void f(int* o) { *o = NUMBER; }  // nvrtc: -DNUMBER=1"


def result(module, name="f"):
    out = np.zeros(1, np.int32)
    module.get_function(name)(drv.Out(out), block=(1, 1, 1))
    return out[0]


@pytest.mark.parametrize(
    "options",
    [
        ["-DNUMBER=5"],
        ["-D", "NUMBER=5"],
        ["-DNUMBER=5", "-use_fast_math", "-O3", "-lineinfo", "-std=c++14"],
        ["-DNUMBER=5", "--ptxas-options=-v", "-Xcompiler", "-fPIC", "--compiler-options", "-Wall", "-arch=sm_61", "-m64", "-w"],
        ["-DNUMBER=5", "--gpu-architecture=sm_70", "--maxrregcount=32", "-Xptxas", "-v", "--std=c++17"],
        ["-DNUMBER=5", "-gencode", "arch=compute_70,code=sm_70", "-ftz=true", "--fmad=false"],
    ],
    ids=" ".join,
)
def test_options(device, options):
    assert result(SourceModule(NUMBER, options=options)) == 5


def test_default_options(device, monkeypatch):
    monkeypatch.setattr(compiler, "DEFAULT_NVCC_FLAGS", ["-DNUMBER=7"])
    assert result(SourceModule(NUMBER)) == 7
    assert result(SourceModule(NUMBER, options=["-DNUMBER=8"])) == 8
    with pytest.raises(drv.CompileError, match="NUMBER"):
        SourceModule(NUMBER, options=[])


def test_the_users_headers(device, tmp_path):
    (tmp_path / "number.h").write_text("#pragma once\n#include \"deeper/more.h\"\n#define NUMBER (MORE + 1)\n")
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "more.h").write_text("#define MORE 10\n")
    source = '#include "number.h"\n' + NUMBER
    for folders in ([str(tmp_path)], (tmp_path,)):
        assert result(SourceModule(source, include_dirs=folders)) == 11
    assert result(SourceModule(source, options=[f"-I{tmp_path}"])) == 11
    (tmp_path / "deeper" / "more.h").write_text("#define MORE 20\n")
    assert result(SourceModule(source, include_dirs=[str(tmp_path)])) == 21  # the file has changed
    with pytest.raises(drv.CompileError, match="number.h"):
        SourceModule(source)
    with pytest.raises(TypeError, match="list of folders"):
        SourceModule(source, include_dirs=str(tmp_path))


def test_text_with_the_users_headers(tmp_path):
    (tmp_path / "a.h").write_text('#include "b.h"\nint a;\n')
    (tmp_path / "b.h").write_text("#pragma once\nint b;\n")
    text = compiler.preprocess_source('#include "a.h"\n#include <b.h>\n#include <stdio.h>\nint c;\n', ["-I", str(tmp_path)], "nvcc")
    assert text.count("int a;") == text.count("int b;") == text.count("int c;") == text.count("#include <stdio.h>") == 1
    assert text.index("int b;") < text.index("int a;") < text.index("int c;")
    assert compiler.preprocess_source('#include "a.h"', [f"-I{tmp_path}"], "nvcc").count("int b;") == 1


def test_every_way_to_write_a_kernel(device):
    assert result(SourceModule('extern "C" { __global__ void f(int* o) { *o = 1; } }', no_extern_c=True)) == 1
    assert result(SourceModule("__global__ void f(int* o) { *o = 2; }", no_extern_c=True)) == 2
    assert result(SourceModule('extern "C" __global__ void f(int* o) { *o = 3; }')) == 3
    assert result(SourceModule("template <class T> __device__ T g(T x) { return x + 1; } __global__ void f(int* o) { *o = g(3); }", no_extern_c=True)) == 4


def test_what_is_accepted(device, tmp_path):
    assert result(SourceModule(NUMBER, "/usr/local/cuda/bin/nvcc", ["-DNUMBER=1"], False, False, "sm_61", "sm_61", str(tmp_path), [])) == 1
    assert result(SourceModule(NUMBER, nvcc="nvcc", options=("-DNUMBER=2",), arch="compute_50", code="sm_50", cache_dir=False)) == 2
    assert isinstance(compiler.get_nvcc_version("nvcc"), str)


def test_what_is_kept(device, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    module = SourceModule(NUMBER, options=["-DNUMBER=6"], keep=True)
    folder = capsys.readouterr().out.split("compiler output in ")[1].strip()
    assert result(module) == 6 and (pathlib.Path(folder) / "kernel.cu").read_text() == NUMBER
    code = compiler.compile(NUMBER, options=["-DNUMBER=6"], keep=True)
    folder = capsys.readouterr().out.split("compiler output in ")[1].strip()
    assert (pathlib.Path(folder) / "kernel.cubin").read_bytes() == code


def test_code_alone(device):
    code = compiler.compile_plain(NUMBER, ["-DNUMBER=9"], False, "nvcc", None)
    assert isinstance(code, bytes) and result(drv.module_from_buffer(code)) == 9
    assert compiler.compile(NUMBER, options=["-DNUMBER=9"]) == code
    if device.kind == "cuda":
        assert result(drv.module_from_buffer(compiler.compile(NUMBER, options=["-DNUMBER=9"], target="ptx"))) == 9
    else:
        with pytest.raises(drv.LogicError, match="unsupported target 'ptx'"):
            compiler.compile(NUMBER, options=["-DNUMBER=9"], target="ptx")


def test_errors_of_the_compiler(device):
    with pytest.raises(drv.CompileError) as caught:
        SourceModule("__global__ void f(int* o) {\n  *o = no_such_thing;\n}")
    assert "no_such_thing" in str(caught.value) and "kernel.cu" in str(caught.value) and caught.value.msg
    with pytest.raises(drv.LogicError, match="other"):
        SourceModule("__global__ void other() {}").get_function("f")


def test_modules_are_of_one_family(device):
    module = SourceModule(NUMBER, options=["-DNUMBER=1"])
    assert isinstance(module, compiler.CudaModule) and isinstance(module.module, drv.Module)
    with pytest.raises(drv.LogicError, match="comes from"):
        compiler.CudaModule()


def test_modules_of_several_sources(device, tmp_path):
    (tmp_path / "number.h").write_text("#define NUMBER 30\n")
    module = DynamicModule(include_dirs=[str(tmp_path)])
    with pytest.raises(drv.LogicError, match="link\\(\\) was not called"):
        module.get_function("f")
    module.add_source("__device__ int twice(int x) { return 2 * x; }", name="twice.ptx")
    assert module.add_source('#include "number.h"\n__global__ void f(int* o) { *o = twice(NUMBER) + PLUS; }  // nvrtc: skip', ["-DPLUS=1", "-rdc=true"]) is module
    module.add_stdlib("cudadevrt")
    assert module.link() is module and result(module) == 61
    with pytest.raises(drv.LogicError, match="linked already"):
        module.add_source("")
    with pytest.raises(drv.LogicError, match="no code to link"):
        DynamicModule().link()
    with pytest.raises(drv.LogicError, match="no libno_such.a"):
        DynamicModule().add_stdlib("no_such")
    with pytest.raises(drv.CompileError, match="b.cu"):
        DynamicModule().add_source("int a;", name="a.ptx").add_source("wrong", name="b.ptx").link()


def test_modules_with_compiled_code(device):
    if device.kind == "cpu":
        module = DynamicModule().add_source(NUMBER, ["-DNUMBER=1"]).add_data(b".version 8.0", drv.jit_input_type.PTX)
        with pytest.raises(drv.LogicError, match="GPU code cannot be linked"):
            module.link()
        code = compiler.compile(NUMBER, options=["-DNUMBER=12"])
        assert result(DynamicModule().add_data(code, drv.jit_input_type.CUBIN).link()) == 12
        return
    from quern.lib import _engine

    major, minor = device.info()["compute_capability"]
    ptx = _engine.ptx('extern "C" __device__ int twice(int x) { return 2 * x; }', "twice.cu", [], f"compute_{major}{minor}", True)
    module = DynamicModule().add_source('extern "C" __device__ int twice(int);\n__global__ void f(int* o) { *o = twice(21); }', ["-rdc=true"])
    assert result(module.add_data(ptx, drv.jit_input_type.PTX, "twice.ptx").link()) == 42


def test_kernels_that_launch_kernels_are_refused(device):
    assert result(DynamicSourceModule("// f<<<1, 1>>>()\n" + NUMBER, options=["-DNUMBER=3", "-rdc=true", "-lcudadevrt"])) == 3
    with pytest.raises(drv.CompileError, match="launches kernels"):
        DynamicSourceModule("__global__ void g() {} __global__ void f(int* o) { g<<<1, 1>>>(); }")


def test_helpers():
    assert compiler.call_capture_output(["echo", "text"])[:2] == (0, b"text\n")
    calls = []
    remembered = compiler.memoize(lambda x: calls.append(x) or x)
    assert remembered(1) == remembered(1) == 1 and calls == [1]


def test_what_the_compiler_says_is_a_warning(device):
    text = "__global__ void f(int* a) {\n#warning take care\n  *a = 1;\n}"
    for _ in range(2):  # compiled, and from the cache
        with pytest.warns(UserWarning, match="succeeded, but said the following:\n(.*\n)*.*take care"):
            SourceModule(text)
    if device.kind == "cpu":
        with pytest.warns(UserWarning, match="--frobnicate is not known"):
            SourceModule("__global__ void f() {}  // nvrtc: skip", options=["--frobnicate"])


def test_sources_that_have_a_text(device):
    class Template:
        def __init__(self, number):
            self.number = number

        def __str__(self):
            return f"__global__ void f(int* o) {{ *o = {self.number}; }}"

    assert result(SourceModule(Template(7))) == 7 and result(drv.module_from_buffer(compiler.compile(Template(8)))) == 8
    assert result(SourceModule(str(Template(9)).encode())) == 9 and result(DynamicSourceModule(Template(10))) == 10


def test_what_a_compile_error_contains(device):
    with pytest.raises(drv.CompileError, match="nonsense") as raised:
        SourceModule("__global__ void f(int* o) { *o = nonsense; }")
    assert "nonsense" in raised.value.stderr and "nonsense" in raised.value.msg and not raised.value.stdout


@pytest.mark.parametrize("own", ["", "typedef unsigned int uint32_t;\ntypedef unsigned long long uint64_t;\n", "#include <stdint.h>\n"])
def test_types_of_fixed_width_without_their_header(device, own):
    source = own + """
    __device__ uint32_t turned(uint32_t x, int by) { return x << by | x >> (32 - by); }
    __global__ void mixed(const uint32_t* x, uint64_t* y) { y[threadIdx.x] = (uint64_t)turned(x[threadIdx.x], 13) * 3266489917U; }
    """
    x = np.arange(1, 9, dtype=np.uint32) * 123456789
    y = np.zeros(8, np.uint64)
    SourceModule(source).get_function("mixed")(drv.In(x), drv.Out(y), block=(8, 1, 1))
    np.testing.assert_array_equal(y, (x << 13 | x >> 19).astype(np.uint64) * 3266489917)
