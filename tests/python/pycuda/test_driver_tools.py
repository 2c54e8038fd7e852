"""PyCUDA's tools and characterize."""

import io

import numpy as np
import pytest
from programs import quern
from quern.pycuda import characterize, tools
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule
from quern.pycuda.tools import ScalarArg, VectorArg


@pytest.fixture
def context(device):
    made = drv.Device(device.index if device.kind == "cuda" and drv.Device.count() > device.index else 0).make_context()
    yield made
    made.pop()


def test_default_devices(context, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CUDA_DEVICE", raising=False)
    assert tools.get_default_device() == drv.Device(0)
    (tmp_path / ".cuda_device").write_text("0\n")
    assert tools.get_default_device(7) == drv.Device(0)
    monkeypatch.setenv("CUDA_DEVICE", "77")
    with pytest.raises(drv.LogicError, match="no device 77"):
        tools.make_default_context()
    monkeypatch.setenv("CUDA_DEVICE", "0")
    made = tools.make_default_context()
    assert drv.Context.get_current() is made
    made.pop()
    assert tools.make_default_context(lambda device: ("made", device))[0] == "made"


def test_what_is_remembered_for_a_context(context):
    calls = []

    @tools.context_dependent_memoize
    def computed(a, b=2):
        """Its documentation."""
        calls.append((a, b))
        return a + b

    assert [computed(1), computed(1), computed(1, 2), computed(1, b=2), computed(2)] == [3, 3, 3, 3, 4]
    assert calls == [(1, 2), (1, 2), (1, 2), (2, 2)]  # (1), (1, 2) and b=2 are different arguments
    assert computed.__doc__ == "Its documentation." and computed in tools.context_dependent_memoized_functions
    tools.clear_context_caches()
    computed(1)
    assert len(calls) == 5
    tools.context_dependent_memoized_functions.remove(computed)


def test_tests_with_contexts(device):
    before = drv.Context.get_current()
    seen = []

    @tools.mark_cuda_test
    def test(value):
        seen.append((value, drv.Context.get_current() is not None))
        if value == 2:
            raise KeyError

    test(1)
    with pytest.raises(KeyError):
        test(2)
    assert seen == [(1, True), (2, True)] and drv.Context.get_current() is before
    assert [m.name for m in test.pytestmark] == ["cuda"] and test.__name__ == "test"
    for _ in tools.init_cuda_context_fixture():
        assert drv.Context.get_current() is not None
    assert drv.Context.get_current() is before


class Hopper:
    """An H100's numbers, as its driver gives them."""

    numbers = {1: 1024, 8: 49152, 10: 32, 12: 65536, 39: 2048, 81: 233472, 82: 65536, 106: 32, 111: 1024}

    def get_attribute(self, attribute):
        return self.numbers.get(int(attribute), 0)

    def compute_capability(self):
        return (9, 0)


@pytest.mark.parametrize(
    "threads, shared, registers, expected",
    [  # blocks, limit, occupancy: of NVIDIA's occupancy calculator for 9.0
        (256, 0, 32, (8, "warps", 1.0)),
        (1024, 0, 0, (2, "warps", 1.0)),
        (32, 0, 0, (32, "device", 0.5)),
        (256, 0, 64, (4, "regs", 0.5)),
        (256, 0, 255, (1, "regs", 0.125)),
        (128, 48 * 1024, 32, (4, "smem", 0.25)),
        (100, 0, 40, (12, "regs", 0.75)),
        (1024, 227 * 1024, 32, (1, "smem", 0.5)),
    ],
)
def test_occupancy(threads, shared, registers, expected):
    record = tools.OccupancyRecord(tools.DeviceData(Hopper()), threads, shared, registers)
    assert (record.tb_per_mp, record.limited_by, record.occupancy) == expected
    assert record.warps_per_mp == record.tb_per_mp * -(-threads // 32)


def test_occupancy_of_the_device(context):
    data = tools.DeviceData()
    assert data.max_threads == 1024 and data.warp_size == 32 and data.warps_per_mp >= 32 and data.registers >= 32768
    record = tools.OccupancyRecord(data, 256)
    assert record.tb_per_mp >= 1 and 0 < record.occupancy <= 1 and record.limited_by in ("warps", "device", "regs", "smem")
    assert tools.OccupancyRecord(data, 64, shared_mem=data.shared_memory // 2 - 2048).limited_by == "smem"
    assert min(record.tb_per_mp_limits)[0] == record.tb_per_mp
    for wrong in ({"registers": 2 * data.registers // 1024}, {"shared_mem": 2 * data.shared_memory}):
        with pytest.raises(ValueError, match="not one block of 1024 threads"):
            tools.OccupancyRecord(data, 1024, **wrong)
    for threads in (0, 2000):
        with pytest.raises(ValueError, match="1 to 1024"):
            tools.OccupancyRecord(data, threads)


def test_what_is_aligned(context):
    data = tools.DeviceData(drv.Context.get_device())
    assert [data.align_bytes(n) for n in (4, 8, 16)] == [64, 128, 128]
    assert (data.align(65), data.align(1, 8), data.align_dtype(17, 4), data.align_words(4), data.coalesce(17)) == (128, 128, 32, 16, 32)
    assert [data.make_valid_tex_channel_count(n) for n in (1, 2, 3, 4)] == [1, 2, 4, 4]
    with pytest.raises(ValueError, match="words of 3 bytes"):
        data.align_bytes(3)
    with pytest.raises(ValueError, match="channels"):
        data.make_valid_tex_channel_count(5)


def test_a_pool_that_prints(device):
    log = io.StringIO()
    pool = tools.DebugMemoryPool(interactive=False, logfile=log)
    kept = pool.allocate(1000)
    assert "1000 bytes" in log.getvalue() and "test_driver_tools.py" in log.getvalue() and "1 blocks" in log.getvalue()
    with pytest.raises(drv.MemoryError):
        pool.allocate(1 << 60)
    assert "no room" in log.getvalue() and kept.alive


# ---- names and arguments


def test_the_c_names_of_types(device):
    values = np.array([0, 1, 100], np.uint8)
    for code in "?bhilqBHILQfdFD":
        name = tools.dtype_to_ctype(np.dtype(code))
        if code in "FD":
            assert name == f"pycuda::complex<{'float' if code == 'F' else 'double'}>"
            continue
        f = SourceModule(f"__global__ void f({name}* o, unsigned char* v) {{ o[threadIdx.x] = ({name})v[threadIdx.x]; }}").get_function("f")
        out = np.zeros(3, code)
        f(drv.Out(out), drv.In(values), block=(3, 1, 1))
        assert np.array_equal(out, values.astype(code)), code
        assert tools.get_or_register_dtype(name) == np.dtype(code) and tools.base_dtype_to_ctype(code) == name
    assert tools.dtype_to_ctype(np.float32, with_fp_tex_hack=True) == "fp_tex_float"
    assert tools.dtype_to_ctype(np.int32, with_fp_tex_hack=True) == "int"
    with pytest.raises(ValueError, match="may not be None"):
        tools.dtype_to_ctype(None)
    with pytest.raises(ValueError, match="unable to map"):
        tools.dtype_to_ctype("M8[s]")


def test_names_of_the_programs_own():
    kind = np.dtype([("name_of_own", "f4"), ("n", "i4")])
    assert tools.get_or_register_dtype(["own_pair", "struct own_pair_s"], kind) == kind
    assert tools.get_or_register_dtype("own_pair", kind) == kind  # once more
    assert tools.dtype_to_ctype(kind) == "own_pair" and tools.get_or_register_dtype("own_pair") == kind
    assert tools.parse_c_arg("own_pair *p") == VectorArg(kind, "p")
    with pytest.raises(RuntimeError, match="is the name of"):
        tools.get_or_register_dtype("own_pair", np.dtype("f4"))
    with pytest.raises(RuntimeError, match="has the name"):
        tools.register_dtype(kind, "another_pair")
    tools.register_dtype(kind, ["another_pair"], alias_ok=True)
    assert tools.get_or_register_dtype("another_pair") == kind and tools.dtype_to_ctype(kind) == "own_pair"
    with pytest.raises(ValueError, match="no_such_type"):
        tools.get_or_register_dtype("no_such_type")


@pytest.mark.parametrize(
    "text, expected",
    [
        ("float *x", VectorArg("f4", "x")),
        ("const float* __restrict__ x", VectorArg("f4", "x")),
        ("float*x", VectorArg("f4", "x")),
        ("double x[]", VectorArg("f8", "x")),
        ("double x[16]", VectorArg("f8", "x")),
        ("int n", ScalarArg("i4", "n")),
        ("  const  unsigned   int  n_1 ", ScalarArg("u4", "n_1")),
        ("unsigned n", ScalarArg("u4", "n")),
        ("long long x", ScalarArg("i8", "x")),
        ("unsigned long long *x", VectorArg("u8", "x")),
        ("signed char c", ScalarArg("i1", "c")),
        ("char *c", VectorArg("i1", "c")),
        ("bool b", ScalarArg("?", "b")),
        ("size_t n", ScalarArg("u8", "n")),
        ("pycuda::complex<float> *z", VectorArg("c8", "z")),
        ("pycuda::complex< double > z", ScalarArg("c16", "z")),
        ("volatile short *s", VectorArg("i2", "s")),
    ],
)
def test_parameters_as_c_declares_them(text, expected):
    found = tools.parse_c_arg(text)
    assert found == expected and repr(found) == repr(expected) and isinstance(found, tools.Argument)
    assert tools.parse_c_arg(found.declarator()) == found
    assert tools.get_arg_type(text) == ("P" if isinstance(expected, VectorArg) else expected.dtype.char)


@pytest.mark.parametrize(
    "text", ["", "x", "float", "float **x", "float *x[3]", "wrong_type x", "float &x", "float x y", "int n, int m", "3"]
)
def test_what_is_no_parameter(text):
    with pytest.raises(ValueError):
        tools.parse_c_arg(text)


def test_how_arguments_are_packed():
    assert ScalarArg(np.dtype("V12"), "v").struct_char == "12s" and ScalarArg("f4", "x").struct_char == "f"


def test_structures_of_records(device):
    inner, _ = tools.match_dtype_to_c_struct(drv.Device(0), "matched_inner", np.dtype([("c", "u1"), ("x", "f8")]))
    assert inner.itemsize == 16
    inner_text = tools.match_dtype_to_c_struct(drv.Device(0), "matched_inner", inner)[1]
    tools.get_or_register_dtype("matched_inner", inner)
    loose = np.dtype([("flag", "i1"), ("n", "i4", 3), ("in", inner), ("z", "c8"), ("m", "f4", (2, 2)), ("w", "c16"), ("last", "i2")])
    kind, text = tools.match_dtype_to_c_struct(drv.Device(0), "matched", loose)
    assert kind.names == loose.names and kind.isalignedstruct is False and text.startswith("typedef struct {")
    offsets = ", ".join(f"(int)((char*)&p->{name} - (char*)p)" for name in kind.names)
    source = (
        f"#include <pycuda-complex.hpp>\n{inner_text}{text}"
        f"__global__ void f(matched* p, int* where) {{ int o[] = {{{offsets}, (int)sizeof(matched)}}; for (int i = 0; i < 8; ++i) where[i] = o[i];"
        " p->n[2] = 5; p->in.x = 2.5; p->m[1][0] = 3; p->w = p->z + 1.0f; p->last = -1; }"
    )
    f = SourceModule(source).get_function("f")
    record, where = np.zeros(1, kind), np.zeros(8, np.int32)
    f(drv.InOut(record), drv.Out(where), block=(1, 1, 1))
    assert where.tolist() == [kind.fields[name][1] for name in kind.names] + [kind.itemsize]
    assert record["n"][0].tolist() == [0, 0, 5] and record["in"]["x"] == 2.5 and record["m"][0, 1, 0] == 3 and record["last"] == -1
    assert record["w"] == 1
    with pytest.raises(ValueError, match="no fields"):
        tools.match_dtype_to_c_struct(drv.Device(0), "wrong", np.dtype("f4"))
    with pytest.raises(ValueError, match="unable to map"):
        tools.match_dtype_to_c_struct(drv.Device(0), "wrong", np.dtype([("a", [("b", "f4")])]))


STRUCT = """#include <pycuda-complex.hpp>
struct wave { float rate; pycuda::complex<float> z; int n; pycuda::complex<double> w[2]; char last; };
__device__ void turn(wave& it, int i) {
  pycuda::complex<float> turned(0, 1);
  it.z *= turned;
  it.w[1] = it.w[0] * it.w[1] + pycuda::complex<double>(it.z) / 2;
  it.n += i;
}
__global__ void behind(wave* all, int n) {
  int i = threadIdx.x;
  if (i < n) turn(all[i], i);
}
__global__ void by_value(wave it, int first, pycuda::complex<double> more, char kind, pycuda::complex<float> less, wave* out, int* size) {
  turn(it, first);
  it.w[0] += more + pycuda::complex<double>(less) * (kind == 'k' ? 1 : 2);
  *out = it;
  *size = sizeof(wave);
}
"""


def test_complex_numbers_in_structures_lie_as_numpy_aligns_them(device):
    """A structure's dtype written by hand, behind a pointer and by value."""
    kind = np.dtype([("rate", "f4"), ("z", "c8"), ("n", "i4"), ("w", "c16", 2), ("last", "i1")], align=True)
    rng = np.random.default_rng(3)
    given = np.zeros(5, kind)
    for name in ("rate", "n", "last"):
        given[name] = rng.integers(-9, 9, 5)
    given["z"] = rng.normal(size=5) + 1j * rng.normal(size=5)
    given["w"] = rng.normal(size=(5, 2)) + 1j * rng.normal(size=(5, 2))

    def turned(records, first=0):
        made = records.copy()
        made["z"] = made["z"] * np.complex64(1j)
        made["w"][..., 1] = made["w"][..., 0] * made["w"][..., 1] + made["z"].astype(complex) / 2
        made["n"] += first + np.arange(made["n"].size).reshape(made["n"].shape)
        return made

    def compare(got, wanted):
        for name in kind.names:
            np.testing.assert_allclose(got[name], wanted[name], rtol=1e-6 if name == "z" else 1e-12)

    module = SourceModule(STRUCT)
    got = given.copy()
    module.get_function("behind")(drv.InOut(got), np.int32(5), block=(8, 1, 1))
    compare(got, turned(given))
    out, size = np.zeros(1, kind), np.zeros(1, np.int32)
    args = (given[2], np.int32(4), np.complex128(1 - 2j), np.int8(ord("k")), np.complex64(3j), drv.Out(out), drv.Out(size))
    module.get_function("by_value")(*args, block=(1, 1, 1))
    wanted = turned(given[2:3], 4)
    wanted["w"][:, 0] += 1 + 1j
    compare(out, wanted)
    assert size[0] == kind.itemsize
    assert tools.match_dtype_to_c_struct(drv.Device(0), "wave_of_numpy", kind)[0] == kind


def test_what_code_is_like(context):
    assert characterize.platform_bits() == 64 and characterize.has_stack() and characterize.has_double_support()
    assert characterize.sizeof("int") == 4 and characterize.sizeof("size_t") == 8
    assert characterize.sizeof("own", "struct own { char c; double d; };") == 16
    with pytest.raises(drv.CompileError):
        characterize.sizeof("no_such_type")


def test_names_that_other_modules_share():
    for name in ("DeviceMemoryPool", "PageLockedMemoryPool", "PageLockedAllocator", "bitlog2"):
        assert getattr(tools, name) is getattr(drv, name)
    assert tools.cuda is drv


def test_a_program_of_the_tools(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        "import pycuda.autoinit\nimport pycuda.tools\nfrom pycuda.compyte.dtypes import dtype_to_ctype\nfrom pycuda.tools import DeviceData, OccupancyRecord, context_dependent_memoize\n"
        "print(OccupancyRecord(DeviceData(), 128).tb_per_mp > 0, pycuda.tools.DeviceMemoryPool().held_blocks)\n"
    )
    done = quern("run", path)
    assert done.stdout == "True 0\n", done.stderr


def test_names_of_compyte(context):
    from quern.pycuda.compyte import array, dtypes

    assert dtypes.dtype_to_ctype(np.uint8) == "unsigned char" and dtypes.TYPE_REGISTRY.dtype_to_ctype(np.float64) == "double"
    assert dtypes.get_or_register_dtype("long unsigned int") == np.uint64 and dtypes.NAME_TO_DTYPE["float"] == np.float32
    pair = dtypes.parse_c_arg_backend("const short signed int *x", lambda *a: ("value", *a), lambda *a: ("pointer", *a))
    assert pair == ("pointer", np.int16, "x")
    assert dtypes.parse_c_arg_backend("thing t", lambda *a: a, None, {"thing": np.dtype("f8")}.__getitem__) == (np.float64, "t")
    with pytest.raises(dtypes.TypeNameNotKnown):
        dtypes.parse_c_arg_backend("no_such_thing t", None, None)
    for shape in ((), (3,), (2, 3, 4), (2, 0, 4)):
        assert array.c_contiguous_strides(8, shape) == np.lib.stride_tricks.as_strided(np.zeros(1), shape, array.c_contiguous_strides(8, shape)).strides
        if 0 not in shape:
            assert array.c_contiguous_strides(8, shape) == np.zeros(shape).strides
            assert array.f_contiguous_strides(8, shape) == np.zeros(shape, order="F").strides
    for x in (np.zeros((3, 4)), np.zeros((3, 4)).T, np.zeros((3, 4))[:, ::2], np.zeros((1, 4)).T):
        flags = array.ArrayFlags(x)
        assert (flags.c_contiguous, flags.f_contiguous, flags.forc) == (x.flags.c_contiguous, x.flags.f_contiguous, x.flags.forc)
    assert array.get_common_dtype(np.zeros(1, np.float32), np.float64(1)) == np.float64
    assert array.get_common_dtype(np.zeros(1, np.float32), np.float64(1), False) == np.float32
    assert array.get_common_dtype(np.zeros(1, np.int32), 1.5, False) == np.float32
