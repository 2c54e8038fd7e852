"""Numba's names, each with what it does: numba.cuda, numba.cuda.cg, numba.cuda.random, streams and events; the modules' paths.

Arrays: test_numba_arrays.py; dispatchers: test_numba_dispatcher.py; CUDA C++ that is linked: test_numba_link.py; libdevice:
test_kernel_libdevice.py; what kernels call: test_kernel_*.py. QUERN_API_NAMES names a folder with numba.tsv (module, name, kind,
signature), the list of what Numba has; then names are counted.
"""

import asyncio
import os
import re

import numpy as np
import pytest
import quern as qn
from places import TESTS
from programs import code, quern
from quern import cuda, numba
from quern.cuda import cg, config, cudadrv, errors, random
from quern.cuda.compiler import _text
from quern.kernel import types
from quern.kernel.signatures import Signature  # noqa: F401  (in TRUE_CG)
from quern.lib import _engine

API_NAMES = os.environ.get("QUERN_API_NAMES")
COUNTED = [
    "numba.cuda",
    "numba.cuda.cg",
    "numba.cuda.random",
    "numba.cuda.libdevice",
    "numba.cuda.cudadrv.driver.Stream",
    "numba.cuda.cudadrv.driver.Event",
    "numba.cuda.cudadrv.devicearray.DeviceNDArray",
    "numba.cuda.dispatcher.CUDADispatcher",
]
# Unsupported; each is one message.
REFUSED = {
    "numba.cuda": """Fatbin LTOIR BaseCUDAMemoryManager HostOnlyCUDAMemoryManager set_memory_manager GetIpcHandleMixin IpcHandle
        open_ipc_array""",
    "numba.cuda.cudadrv.devicearray.DeviceNDArray": "get_ipc_handle",
    "numba.cuda.dispatcher.CUDADispatcher": "inspect_cfg inspect_disasm_cfg inspect_lto_ptx inspect_sass inspect_sass_cfg",
}
# The types by NumPy's names.
TYPES = {
    "bool": "boolean bool_ b1 bool",
    "int8": "int8 i1 char",
    "int16": "int16 i2 short",
    "int32": "int32 i4 intc",
    "int64": "int64 i8 int_ intp long_ longlong ssize_t",
    "uint8": "uint8 u1 uchar byte",
    "uint16": "uint16 u2 ushort",
    "uint32": "uint32 u4 uintc",
    "uint64": "uint64 u8 uint uintp ulong ulonglong size_t",
    "bfloat16": "bfloat16",
    "float32": "float32 f4",
    "float64": "float64 f8 double",
    "complex64": "complex64 c8",
    "complex128": "complex128 c16",
}
TRUE = """
In: cuda.In(np.zeros(2)).ary_like.shape == (2,)
InOut: cuda.InOut(np.ones(3)).ary_like.sum() == 3
Out: cuda.Out(np.ones(3)).ary_like.sum() == 3
CudaSupportError: issubclass(cuda.CudaSupportError, ImportError) and str(cuda.CudaSupportError("no")) == "no"
Dim3: type(cuda.dim3) is cuda.Dim3 and cuda.dim3 == cuda.Dim3()
dim3: str(cuda.dim3) == "Dim3"
GridGroup: type(cuda.grid_group) is cuda.GridGroup
grid_group: cuda.grid_group == cg.grid_group and cuda.types.void(cuda.grid_group).args == (cg.grid_group,)
HAS_NUMBA: cuda.HAS_NUMBA is True
KernelRuntimeError: str(cuda.KernelRuntimeError("bad", (1, 0, 0), (2, 0, 0))) == "tid=(1, 0, 0) ctaid=(2, 0, 0): bad"
LinkableCode: cuda.LinkableCode(b"x", "n").name == "n" and cuda.LinkableCode("x").data == b"x"
CUSource: cuda.CUSource("a").data == b"a" and isinstance(cuda.CUSource("a"), cuda.LinkableCode)
PTXSource: cuda.PTXSource(b"a").data == b"a" and cuda.PTXSource(b"a").name == "<unnamed-ptxsource>"
Cubin: cuda.Cubin(b"a", name="c").name == "c"
Archive: cuda.Archive(b"a").kind == "an archive"
Object: cuda.Object(b"a").kind == "an object file"
MemoryInfo: cuda.MemoryInfo(1, 2).free == 1 and cuda.current_context().get_memory_info().total > 0
Reduce: cuda.Reduce(product)(np.arange(1.0, 5)) == 24
reduce: cuda.reduce(larger)(np.array([1.0, 7.0, 3.0])) == 7
as_cuda_array: isinstance(cuda.as_cuda_array(qn.ones(3)), cuda.DeviceNDArray)
is_cuda_array: cuda.is_cuda_array(cuda.device_array(2)) and not cuda.is_cuda_array(3)
config_default_cc: cuda.config_default_cc == config.CUDA_DEFAULT_PTX_CC
numba_cuda_default_ptx_cc: cuda.numba_cuda_default_ptx_cc == (7, 5)
implementation: cuda.implementation == "quern"
cuda_error: cuda.cuda_error() is None
current_context: cuda.current_context().device == cuda.get_current_device() and cuda.current_context(0).device.id == 0
get_current_device: cuda.get_current_device().id in range(max(1, len(cuda.gpus)))
gpus: len(cuda.gpus) >= 1 and cuda.gpus.current in cuda.gpus.lst
list_devices: list(cuda.list_devices()) == cuda.gpus.lst
select_device: cuda.select_device(0).id == 0
close: cuda.close() is None
detect: cuda.detect() is True
synchronize: cuda.synchronize() is None
is_available: cuda.is_available() is True
is_supported_version: cuda.is_supported_version() is True
is_float16_supported: cuda.is_float16_supported() is True
is_bfloat16_supported: cuda.is_bfloat16_supported() is True
is_fp8_supported: cuda.is_fp8_supported() is False
runtime: len(cuda.runtime.get_version()) == 2 and cuda.runtime.is_supported_version() and (12, 8) in cuda.runtime.supported_versions
require_context: cuda.require_context(abs)(-3) == 3 and cuda.require_context(abs).__name__ == "abs"
prepare_shape_strides_dtype: cuda.prepare_shape_strides_dtype((2, 3), None, "f4", "F") == ((2, 3), (4, 8), np.dtype("f4"))
device_array: cuda.device_array((2, 3), np.int8).nbytes == 6
device_array_like: cuda.device_array_like(np.zeros((2, 3), order="F")).is_f_contiguous()
to_device: cuda.to_device([1, 2]).copy_to_host().tolist() == [1, 2]
optional: cuda.optional(cuda.int32) == types.Optional(types.int32) and cuda.optional is numba.optional is numba.types.optional
none: cuda.none is numba.none and str(cuda.none) == "none"
void: cuda.void(cuda.int32[:]).return_type == cuda.none
literal_unroll: cuda.literal_unroll((1, 2.5)) == (1, 2.5)
jit: type(cuda.jit(twice)) is cuda.dispatcher.CUDADispatcher
vectorize: cuda.vectorize(plus_one)(np.arange(2.0)).tolist() == [1, 2]
guvectorize: cuda.guvectorize(["void(f8[:], f8[:])"], "(n)->()")(summed)(np.ones((2, 3))).tolist() == [3, 3]
stream: isinstance(cuda.stream(), cuda.Stream) and bool(cuda.stream())
default_stream: int(cuda.default_stream()) == 0
legacy_default_stream: int(cuda.legacy_default_stream()) == 0
per_thread_default_stream: int(cuda.per_thread_default_stream()) == 0
event: cuda.event().query() in (True, False)
"""
TRUE_CG = """
GridGroup: type(cg.grid_group) is cg.GridGroup
GridGroupClass: cg.GridGroupClass is type(cg.grid_group)
grid_group: str(cg.grid_group) == "GridGroup"
signature: cg.signature(types.int32, cg.grid_group) == Signature(types.int32, (cg.grid_group,))
"""
TRUE_RANDOM = """
HAS_NUMBA: random.HAS_NUMBA is True
TWO_PI_FLOAT32: random.TWO_PI_FLOAT32 == np.float32(2 * np.pi) and random.TWO_PI_FLOAT32.dtype == np.float32
TWO_PI_FLOAT64: random.TWO_PI_FLOAT64 == 2 * np.pi
float32: random.float32 is cuda.float32
float64: random.float64 is cuda.float64
int64: random.int64 is cuda.int64
uint32: random.uint32 is cuda.uint32
uint64: random.uint64 is cuda.uint64
from_dtype: random.from_dtype(np.float32) == types.float32
jit: callable(random.jit(twice))
rotl: random.rotl(np.uint64(1), np.uint64(3)) == 8
uint64_to_unit_float32: random.uint64_to_unit_float32(2**63) == 0.5
uint64_to_unit_float64: random.uint64_to_unit_float64(2**63) == 0.5
xoroshiro128p_type: random.xoroshiro128p_type.dtype == random.xoroshiro128p_dtype
xoroshiro128p_dtype: random.xoroshiro128p_dtype.names == ("s0", "s1") and random.xoroshiro128p_dtype.itemsize == 16
"""


def twice(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def summed(x, out):
    out[0] = 0
    for v in x:
        out[0] += v


def product(x, y):
    return x * y


def larger(x, y):
    return max(x, y)


def plus_one(x):
    return x + 1


def lines(text):
    return [line.split(": ", 1) for line in text.strip().splitlines()]


TABLES = {"numba.cuda": TRUE, "numba.cuda.cg": TRUE_CG, "numba.cuda.random": TRUE_RANDOM}


@pytest.mark.parametrize("module, name, expression", [(m, *row) for m, t in TABLES.items() for row in lines(t)])
def test_what_it_does(module, name, expression, device, capsys):
    assert re.search(rf"\b{name}\b", expression)
    assert eval(expression, globals())


@pytest.mark.parametrize("dtype", TYPES)
def test_types(dtype):
    for name in TYPES[dtype].split():
        for where in (cuda, cuda.types, numba, numba.types):
            type_ = getattr(where, name)
            assert type_.dtype == np.dtype(dtype)
            assert type_(1) == np.dtype(dtype).type(1)
            assert type_[:, ::1].ndim == 2
            assert type_[:, ::1].layout == "C"
            assert type_(type_).return_type == type_


def test_vector_types():
    for name, of in types.VECTOR_ALIASES.items():
        vector = getattr(cuda, name)
        assert vector is getattr(cuda, of)
        assert vector.axes == "xyzw"[: int(name[-1])]
        assert str(vector.base) == of[:-2]


def test_every_name_that_is_listed_is_there():
    for module in (cuda, numba, cuda.types, errors, cg, random, cudadrv.driver, cudadrv.devicearray, cudadrv.devices, cudadrv.error):
        assert [name for name in getattr(module, "__all__", ()) if getattr(module, name, None) is None] == []


# ---- what is refused


def test_memory_managers_and_ipc_are_refused():
    with pytest.raises(NotImplementedError, match="memory-manager plug-ins are not supported"):
        cuda.set_memory_manager(object)
    for name in ("BaseCUDAMemoryManager", "HostOnlyCUDAMemoryManager", "GetIpcHandleMixin", "IpcHandle"):
        refused = getattr(cuda, name)
        with pytest.raises(NotImplementedError, match="not supported"):
            refused(1)
        with pytest.raises(NotImplementedError, match="not supported"):
            type("Mine", (refused,), {})
    with pytest.raises(NotImplementedError, match=r"\[open_ipc_array\]"):
        cuda.open_ipc_array(b"", 1, "f4")
    with pytest.raises(NotImplementedError, match="processes"):
        cuda.device_array(1).get_ipc_handle()
    with pytest.raises(AttributeError, match="float16"):
        _ = cuda.fp8


# ---- streams and events


def test_streams(device):
    stream, other = cuda.stream(), cuda.stream()
    assert stream == stream
    assert stream != other
    assert int(stream) == (stream.handle or 0)
    x = cuda.to_device(np.ones(4))
    seen = []
    with stream.auto_synchronize() as same:
        assert same is stream
        cuda.jit(twice)[1, 32, stream](x)
        stream.add_callback(lambda s, status, arg: seen.append((s is stream, status, arg)), "arg")
    stream.synchronize()
    for _ in range(1000):
        if seen:
            break
        cuda.synchronize()
    assert seen == [(True, 0, "arg")]
    assert x.copy_to_host().tolist() == [2, 2, 2, 2]


def test_waiting_for_a_stream_in_asyncio(device):
    x = cuda.to_device(np.ones(4))

    async def work():
        streams = [cuda.stream() for _ in range(3)]
        for stream in streams:
            cuda.jit(twice)[1, 32, stream](x)
        done = await asyncio.gather(*(s.async_done() for s in streams))
        assert done == streams
        return x.copy_to_host()

    assert asyncio.run(work()).tolist() == [8, 8, 8, 8]
    with pytest.raises(RuntimeError):
        cuda.stream().async_done()


def test_events(device):
    stream, first, second = cuda.stream(), cuda.event(), cuda.event(timing=True)
    first.record(stream)
    cuda.jit(twice)[1, 32, stream](cuda.to_device(np.ones(4)))
    second.record(stream)
    second.wait(cuda.default_stream())
    second.synchronize()
    assert first.query()
    assert second.query()
    assert first.elapsed_time(second) >= 0
    assert cuda.event_elapsed_time(first, second) == first.elapsed_time(second)
    assert first == first
    assert first != second


def test_external_stream(device):
    if device.kind == "cpu":
        with pytest.raises(ValueError):
            cuda.external_stream(1)
    else:
        stream = cuda.stream()
        assert cuda.external_stream(int(stream)).handle == stream.handle


def test_profiling_and_cleanup_are_context_managers(device):
    with cuda.profiling(), cuda.defer_cleanup():
        cuda.device_array(3)
    assert cuda.profile_start() is None
    assert cuda.profile_stop() is None


# ---- compile


def kernel_of_ints(x):
    x[0] = 1


COMPILES = ["compile", "compile_for_current_device", "compile_ptx", "compile_ptx_for_current_device", "compile_all"]


@pytest.mark.parametrize("name", COMPILES)
def test_compile(name, device):
    compile_ = getattr(cuda, name)
    options = {"output": "ptx"} if name == "compile_all" else {}
    try:
        code, returned = compile_(product, "float32(float32, float32)", device=True, abi="c", **options)
    except RuntimeError as e:  # where there is no NVRTC
        assert "NVRTC" in str(e) or 'pip install "quern[cuda]"' in str(e)
    else:
        code = code[0] if name == "compile_all" else code
        assert ".func" in code
        assert "product" in code
        assert returned == types.float32
    for bad, kind in (
        ({"abi": "rust"}, NotImplementedError),
        ({"device": False, "abi": "c"}, NotImplementedError),
        ({"device": False, "abi": "numba"}, TypeError),
    ):
        with pytest.raises(kind):
            compile_(product, "float32(float32, float32)", **{**options, **bad})
    with pytest.raises(errors.TypingError):
        compile_(product, "float32(complex64, float32)", device=True, **options)
    with pytest.raises(errors.TypingError):
        compile_(product, (types.float32, types.float32[:]), device=True, **options)
    if "ptx" not in name:
        with pytest.raises(NotImplementedError, match="LTO-IR"):
            compile_(product, "float32(float32, float32)", output="ltoir")


def test_what_the_engine_is_asked_for(device, monkeypatch):
    asked = []
    monkeypatch.setattr(_engine, "ptx", lambda *args: asked.append(args) or "PTX")
    assert cuda.compile(product, "float32(float32, float32)", cc=(9, 0), fastmath=True) == ("PTX", types.float32)
    text, name, flags, target, relocatable = asked[-1]
    assert relocatable is True  # others link it
    assert "__attribute__((used)) float product(" in text
    assert (name, flags, target) == ("product.cu", ["--use_fast_math"], "compute_90")
    assert cuda.compile_ptx(kernel_of_ints, "(int64[:],)", lineinfo=True) == ("PTX", types.none)
    assert asked[-1][2] == ["-lineinfo"]
    assert cuda.compile_all(product, "int32(int32, int32)", output="ptx", abi="numba") == (["PTX"], types.int32)
    major, minor = config.capability() if device.kind == "cpu" else device.info()["compute_capability"]
    assert asked[-1][3] == f"compute_{major}{minor}"


def test_the_text_that_is_compiled(device):
    """Both compilers take it: the function stands in it under its own name."""
    for abi, head in (("c", "float product(float a0, int a1)"), ("numba", "int product(float* result, float a0, int a1)")):
        text, returned = _text(product, "float32(float32, int32)", False, True, abi, {}, None)
        assert f"{head} {{" in text
        assert returned == types.float32
        call = "*out = product(3.f, 2);" if abi == "c" else "product(out, 3.f, 2);"
        text += f'extern "C" __global__ void probe(float* out) {{ {call} }}\n'
        made = cuda.to_device(np.zeros(1, np.float32))
        qn.RawKernel(text, "probe")((1,), (1,), (made,))
        assert made.copy_to_host()[0] == 6
    text, returned = _text(kernel_of_ints, "void(int64[:])", False, False, "numba", {"abi_name": "other"}, (64, 2))
    assert "__launch_bounds__(64, 2) void other(" in text
    assert returned == types.none
    assert _engine.compile_code(device, text, "kernel.cu", [], [])


# ---- errors, warnings, configuration


def test_errors_are_those_of_kernels(device):
    @cuda.jit
    def wrong(x):
        x[0] = x.nothing

    for kind in (errors.TypingError, numba.TypingError, errors.NumbaError, numba.core.errors.NumbaError, TypeError):
        with pytest.raises(kind):
            wrong[1, 1](np.zeros(1))
    assert issubclass(errors.NumbaTypeError, errors.TypingError)
    assert issubclass(errors.UnsupportedBytecodeError, errors.UnsupportedError)
    assert issubclass(errors.NumbaPerformanceWarning, errors.NumbaWarning)
    assert issubclass(errors.NumbaWarning, Warning)
    assert str(errors.LoweringError("text")) == "text"
    with pytest.raises(cudadrv.driver.CudaAPIError):
        cuda.jit(twice)[1, 100000](np.zeros(1))


RUN = """
import importlib
import numba
from numba import config, cuda
from numba.core import types, config as core_config
from numba.core.errors import TypingError, NumbaPerformanceWarning
from numba.errors import TypingError as same
from numba.np.numpy_support import from_dtype, as_dtype
from numba.cuda.cudadrv.driver import Stream, Event, driver, CudaAPIError
from numba.cuda.cudadrv.devicearray import DeviceNDArray, is_cuda_ndarray
from numba.cuda.cudadrv import devices, nvvm, error
from numba.cuda.dispatcher import CUDADispatcher
from numba.cuda.types import int32
from numba.cuda.core.errors import NumbaError
import numba.cuda.cudadrv.runtime
import numba.core.config
import numpy as np

assert numba.core.config is config is core_config is numba.config
assert TypingError is same and issubclass(TypingError, NumbaError)
assert types.int32 is int32 is numba.int32 and types is numba.types
assert from_dtype(np.float32) == types.float32 and as_dtype(types.int16) == np.int16
if importlib.util.find_spec("numba").origin is None:  # else importlib gives the installed one
    assert importlib.import_module("numba.cuda.cudadrv.driver").Stream is Stream
assert isinstance(cuda.stream(), Stream) and is_cuda_ndarray(cuda.device_array(2))
assert driver.get_device_count() == len(cuda.gpus) == len(devices.gpus)
try:
    import numba.nothing
except ModuleNotFoundError as e:
    assert "quern does not support this module of numba" in str(e)
print(cuda.get_current_device().name.decode(), config.ENABLE_CUDASIM, cuda.is_available())
"""


@pytest.mark.parametrize("variables", [{}, {"NUMBA_ENABLE_CUDASIM": "1"}, {"NUMBA_DISABLE_CUDA": "1"}])
def test_paths_and_switches(tmp_path, variables):
    path = tmp_path / "program.py"
    path.write_text(RUN)
    done = quern("run", path, QUERN_DEVICE=None, **variables)
    assert done.returncode == 0, done.stderr
    name, simulated, available = done.stdout.rsplit(maxsplit=2)
    assert simulated == variables.get("NUMBA_ENABLE_CUDASIM", "0")
    assert available == str("NUMBA_DISABLE_CUDA" not in variables)
    if variables:
        assert name == qn.device("cpu").info()["name"]


def test_the_environment():
    text = "from quern.cuda import config as c; print(c.capability(), c.FORCE_CUDA_CC, c.include_folders(), c.CUDA_LOG_SIZE)"
    done = code(text, NUMBA_FORCE_CUDA_CC="9.0", NUMBA_CUDA_INCLUDE_PATH="/usr", NUMBA_CUDA_LOG_SIZE=7)
    assert done.stdout.strip() == "(9, 0) (9, 0) ('/usr',) 7"
    text = "import quern; from quern import cuda; quern.RawKernel('extern \"C\" __global__ void f() {}', 'f')((1,), (1,), ())"
    for level, told in (("DEBUG", True), ("ERROR", False), ("", False)):
        done = code(text, NUMBA_CUDA_LOG_LEVEL=level, QUERN_DEBUG=None)
        assert done.returncode == 0, done.stderr
        assert ("[quern]" in done.stderr) == told
    assert config.CUDA_WARN_ON_IMPLICIT_COPY in (0, 1)
    assert config.CUDA_LOW_OCCUPANCY_WARNINGS in (0, 1)


def test_dtypes():
    support = cuda.numpy_support
    for name in TYPES:
        assert support.as_dtype(support.from_dtype(name)) == np.dtype(name)
    assert support.as_dtype(types.float32[:, :]) == np.float32
    assert support.is_array(np.zeros(1))
    with pytest.raises(errors.NumbaNotImplementedError):
        support.from_dtype("O")
    with pytest.raises(errors.NumbaNotImplementedError):
        support.as_dtype(types.none)


# ---- the count


def covered():
    """Names that tests say something about, by module."""
    texts = "".join(p.read_text() for p in [*TESTS.glob("kernel/test_kernel_*.py"), *TESTS.glob("numba/test_numba*.py")])
    out = {module: {name for name, _ in lines(t)} for module, t in TABLES.items()}
    out["numba.cuda"] |= {n for names in TYPES.values() for n in names.split()} | set(types.VECTORS) | set(types.VECTOR_ALIASES)
    out["numba.cuda"] |= {"compile_all", *COMPILES} | set(re.findall(r"cuda\.(\w+)\b", texts))
    out["numba.cuda.cg"] |= set(re.findall(r"cg\.(\w+)\(", texts))
    out["numba.cuda.random"] |= set(re.findall(r"(\w*xoroshiro\w+|rotl)\(", texts))
    out["numba.cuda.libdevice"] = set(cuda.libdevice.__all__)
    methods = set(re.findall(r"\.(\w+)\b", texts)) | {
        f"__{n}__" for n in "eq ne lt le gt ge format len getitem setitem reduce array int call".split()
    }
    for module in COUNTED[4:]:
        out[module] = methods
    return out


@pytest.mark.skipif(not API_NAMES, reason="QUERN_API_NAMES is not set")
def test_most_names_are_there_and_tested():
    owners = {
        "numba.cuda": cuda,
        "numba.cuda.cg": cg,
        "numba.cuda.random": random,
        "numba.cuda.libdevice": cuda.libdevice,
        "numba.cuda.cudadrv.driver.Stream": cudadrv.driver.Stream,
        "numba.cuda.cudadrv.driver.Event": cudadrv.driver.Event,
        "numba.cuda.cudadrv.devicearray.DeviceNDArray": cudadrv.devicearray.DeviceNDArray,
        "numba.cuda.dispatcher.CUDADispatcher": cuda.dispatcher.CUDADispatcher,
    }
    tested, wanted, missing = covered(), 0, []
    with open(os.path.join(API_NAMES, "numba.tsv")) as file:
        for line in file:
            module, name, kind = line.rstrip("\n").split("\t")[:3]
            if module not in owners or kind == "module" or name in REFUSED.get(module, "").split():
                continue
            wanted += 1
            if name not in tested[module] or not hasattr(owners[module], name):
                missing.append(f"{module}.{name}")
    assert len(missing) <= 0.1 * wanted, missing


def test_a_star_import_hides_nothing():
    names = {"np": np, "types": "mine", "cuda": "mine", "errors": "mine", "config": "mine"}
    exec("from quern.numba import *\nmade = [jit, njit, float32, int64, void, boolean, vectorize, prange, NumbaError]", names)
    assert names["np"] is np and [names[n] for n in ("types", "cuda", "errors", "config")] == ["mine"] * 4
    assert not {"core", "version_info", "float16"} & set(names)


def test_the_configuration_is_read_and_set():
    for name in "CUDA_ENABLE_NRT DISABLE_PERFORMANCE_WARNINGS CUDA_DEBUGINFO_DEFAULT ALWAYS_WARN_UNINIT_VAR".split():
        before = getattr(numba.config, name)
        setattr(numba.config, name, 1)
        assert getattr(config, name) == 1
        setattr(numba.config, name, before)
    assert isinstance(config.CUDA_MEMORY_MANAGER, str)


def test_devices_are_counted(capsys):
    assert cuda.detect()
    assert f"Found {len(cuda.gpus)} CUDA devices" in capsys.readouterr().out
