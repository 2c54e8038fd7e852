"""Texture and surface objects against the formulas of the CUDA programming guide.

A GPU's weights have 8 bits behind the point and so have the CPU's, where the tolerance is that of float32 sums. A GPU may round a
coordinate the other way: it is given one step of each weight, of what the texels span.
"""

import itertools

import numpy as np
import pytest
import quern
from quern.lib import _engine
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule

WRAP, CLAMP, MIRROR, BORDER = range(4)
FORMATS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32"]

SAMPLES = """
#define SAMPLE(T)                                                                                                          \\
  extern "C" __global__ void at1_##T(T* out, cudaTextureObject_t t, const float* x, const float*, const float*, int n) {   \\
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                         \\
    if (i < n) out[i] = tex1D<T>(t, x[i]);                                                                                 \\
  }                                                                                                                        \\
  extern "C" __global__ void at2_##T(T* out, cudaTextureObject_t t, const float* x, const float* y, const float*, int n) { \\
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                         \\
    if (i < n) out[i] = tex2D<T>(t, x[i], y[i]);                                                                           \\
  }                                                                                                                        \\
  extern "C" __global__ void at3_##T(T* out, cudaTextureObject_t t, const float* x, const float* y, const float* z, int n) { \\
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                         \\
    if (i < n) tex3D(out + i, t, x[i], y[i], z[i]);                                                                        \\
  }                                                                                                                        \\
  extern "C" __global__ void fetch_##T(T* out, cudaTextureObject_t t, int first, int n) {                                  \\
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                         \\
    if (i < n) out[i] = tex1Dfetch<T>(t, first + i);                                                                       \\
  }
#define SAMPLES(V) SAMPLE(V##1) SAMPLE(V##2) SAMPLE(V##4)
SAMPLES(char) SAMPLES(uchar) SAMPLES(short) SAMPLES(ushort) SAMPLES(int) SAMPLES(uint) SAMPLES(float)
extern "C" __global__ void layers(float* out, cudaTextureObject_t one, cudaTextureObject_t two) {
  out[threadIdx.x] = tex1DLayered<float>(one, 1.25f, (int)threadIdx.x - 1);
  out[8 + threadIdx.x] = tex2DLayered<float>(two, 1.5f, 0.75f, (int)threadIdx.x - 1);
}
extern "C" __global__ void graded(float* out, cudaTextureObject_t one, cudaTextureObject_t two) {
  int layer = (int)threadIdx.x - 1;
  out[threadIdx.x] = tex1DLayeredGrad<float>(one, 1.25f, layer, 0.1f, 0.1f);
  tex2DLayeredGrad(out + 8 + threadIdx.x, two, 1.5f, 0.75f, layer, make_float2(0.1f, 0), make_float2(0, 0.1f));
}
"""
NAMES = {"uint8": "uchar", "int8": "char", "uint16": "ushort", "int16": "short", "uint32": "uint", "int32": "int"}


@pytest.fixture
def samples(device):
    return SourceModule(SAMPLES)


def array(values, axes, flags=0):
    """An Array of `values`, whose last axis is channels and whose other axes are z, y, x or the last ones of them."""
    what = drv.ArrayDescriptor3D()
    what.format, what.num_channels = drv.dtype_to_array_format(values.dtype), values.shape[-1]
    depth, height, what.width = (0, 0, *values.shape[:-1])[-3:]
    what.height, what.depth, what.flags = (height if axes > 1 else 0), depth, int(flags)
    if axes == 1 and flags:
        what.depth, what.height = height, 0
    made = drv.Array(what)
    copy = drv.Memcpy3D()
    copy.set_src_host(np.ascontiguousarray(values))
    copy.set_dst_array(made)
    copy.width_in_bytes = values.shape[-2] * values.dtype.itemsize * values.shape[-1]
    copy.height, copy.depth = max(1, what.height), max(1, what.depth)
    copy.src_pitch, copy.src_height = copy.width_in_bytes, copy.height
    copy()
    return made


def texture(of, address=CLAMP, linear=False, floats=False, normalized=False, border=()):
    return _engine.texture_of_array(of, [address] * 3, linear, floats, normalized, list(border))


def indexes(i, extent, mode):
    """The texels that stand for those indexes; -1: the border."""
    if mode == WRAP:
        return i % extent
    if mode == MIRROR:
        i = i % (2 * extent)
        return np.where(i < extent, i, 2 * extent - 1 - i)
    if mode == BORDER:
        return np.where((i >= 0) & (i < extent), i, -1)
    return np.clip(i, 0, extent - 1)


def oracle(values, at, mode, linear, border):
    """`values` (z, y, x, channels) as they are read, at coordinates in texels, x first."""
    extents = values.shape[-2::-1]
    places, weights = [], []
    for x, extent in zip(at, extents, strict=False):
        x = x.astype(np.float64) - (0.5 if linear else 0)
        low = np.floor(x).astype(int)
        weight = np.rint((x - low) * 256) / 256
        places.append((indexes(low, extent, mode), indexes(low + 1, extent, mode)))
        weights.append((1 - weight, weight))
    result = 0
    for corner in itertools.product((0, 1) if linear else (0,), repeat=len(at)):
        place = [places[axis][side] for axis, side in enumerate(corner)]
        texels = values[tuple(reversed(place))].astype(np.float64)
        texels[np.any([p < 0 for p in place], axis=0)] = border
        weight = np.prod([weights[axis][side] for axis, side in enumerate(corner)], axis=0)[:, None] if linear else 1
        result = result + texels * weight
    return result


def as_read(values, floats):
    if not floats:
        return values
    return np.maximum(values.astype(np.float64) / np.iinfo(values.dtype).max, -1)


def random_values(rng, dtype, shape):
    if np.dtype(dtype).kind == "f":
        return rng.uniform(-3, 3, shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def launch(samples, name, out, *args):
    samples.get_function(name)(drv.Out(out), *args, np.int32(len(out)), block=(64, 1, 1), grid=((len(out) + 63) // 64, 1))
    return out


def fractions(rng, count):
    """Away from where one texel or one weight becomes the next."""
    return (rng.integers(25, 230, count) + rng.uniform(-0.3, 0.3, count)) / 256


def check_samples(samples, device, rng, dtype, channels, shape):
    axes = len(shape)
    values = random_values(rng, dtype, (*shape, channels))
    made = array(values, axes)
    count = 150
    for mode, linear, floats, normalized in itertools.product(range(4), (False, True), (False, True), (False, True)):
        is_integer = np.dtype(dtype).kind != "f"
        if (floats and (not is_integer or values.dtype.itemsize == 4)) or (linear and is_integer and not floats):
            continue
        at = [
            (rng.integers(-2 * n, 3 * n, count) + (0.5 if linear else 0) + fractions(rng, count)).astype(np.float32)
            for n in reversed(shape)
        ]
        given = [(x / np.float32(n)).astype(np.float32) if normalized else x for x, n in zip(at, reversed(shape), strict=True)]
        border = (0.25, 0.5, 0.75, 1.0) if floats or not is_integer else (0, 0, 0, 0)
        has = texture(made, mode, linear, floats, normalized, border)
        is_float = floats or not is_integer
        vector = ("float" if is_float else NAMES[dtype]) + str(channels)
        out = np.empty((count, channels), np.float32 if is_float else dtype)
        coordinates = [drv.In(x) for x in given] + [np.intp(0)] * (3 - axes)
        launch(samples, f"at{axes}_{vector}", out, np.uint64(has.handle), *coordinates)
        meant = [x * np.float32(n) for x, n in zip(given, reversed(shape), strict=True)] if normalized else at
        repeats = mode if normalized or mode == BORDER else CLAMP
        read = as_read(values, floats)
        if floats:  # the border's colour is one that a texel can have
            most = np.iinfo(dtype).max
            border = tuple(np.ceil(b * most - 0.5) / most for b in border)
        expected = oracle(read, meant, repeats, linear, border[:channels])
        if not linear:
            tolerance = 1e-6 if floats else 0
        else:
            span = float(read.max()) - min(float(read.min()), 0)
            tolerance = span * (axes / 256 if device.kind == "cuda" else 1e-5)
        error = np.abs(out.astype(np.float64) - expected).max()
        assert error <= tolerance, (dtype, channels, mode, linear, floats, normalized, error)


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("shape", [(9,), (5, 7), (3, 4, 5)])
def test_samples(samples, device, dtype, shape):
    for channels in (1, 2, 4):
        check_samples(samples, device, np.random.default_rng(channels), dtype, channels, shape)


def test_components_that_are_not_there_are_cut_off(samples):
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    has = texture(array(values, 1))
    out = launch(samples, "at1_float2", np.empty((3, 2), np.float32), np.uint64(has.handle), drv.In(np.arange(3, dtype=np.float32)), *[np.intp(0)] * 2)
    assert np.array_equal(out, values[:, :2])


def test_layers(samples):
    rng = np.random.default_rng(1)
    one, two = rng.uniform(size=(3, 5, 1)).astype(np.float32), rng.uniform(size=(3, 4, 5, 1)).astype(np.float32)
    handles = [texture(array(v, axes, drv.array3d_flags.LAYERED), linear=True) for axes, v in ((1, one), (2, two))]
    layer = [2, 0, 1, 2, 2]  # the last one stands for those that are not there, negative ones too
    across = two[layer, :, 1, 0]
    for name in ("layers", "graded"):
        out = np.zeros(16, np.float32)
        samples.get_function(name)(drv.Out(out), *(np.uint64(t.handle) for t in handles), block=(5, 1, 1))
        assert np.allclose(out[:5], 0.25 * one[layer, 0, 0] + 0.75 * one[layer, 1, 0], atol=4e-3)
        assert np.allclose(out[8:13], 0.75 * across[:, 0] + 0.25 * across[:, 1], atol=4e-3)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "float32"])
def test_memory_without_rows(samples, device, dtype):
    values = random_values(np.random.default_rng(2), dtype, (50, 2))
    memory = drv.to_device(values)
    format = int(drv.dtype_to_array_format(dtype))
    has = _engine.texture_of_memory(device, memory, (values.nbytes, 0, 0, 0), format, 2, [CLAMP] * 3, False, False, False)
    out = launch(samples, f"fetch_{NAMES.get(dtype, 'float')}2", np.ones((70, 2), dtype), np.uint64(has.handle), np.int32(-10))
    assert np.array_equal(out[10:60], values) and not out[:10].any() and not out[60:].any()


def test_rows_in_memory(samples, device):
    values = np.random.default_rng(3).uniform(size=(6, 10)).astype(np.float32)
    memory, pitch = drv.mem_alloc_pitch(40, 6, 4)
    copy = drv.Memcpy2D()
    copy.set_src_host(values)
    copy.set_dst_device(memory)
    copy.width_in_bytes, copy.height, copy.src_pitch, copy.dst_pitch = 40, 6, 40, pitch
    copy(aligned=True)
    has = _engine.texture_of_memory(device, memory, (0, 10, 6, pitch), 0x20, 1, [CLAMP] * 3, True, False, False)
    at = [np.array(x, np.float32) for x in ([2.0, 3.25, 9.9, -4], [1.0, 4.5, 5.75, 2.5])]
    out = launch(samples, "at2_float1", np.empty((4, 1), np.float32), np.uint64(has.handle), *map(drv.In, at), np.intp(0))
    assert np.allclose(out, oracle(values[..., None], at, CLAMP, True, 0), atol=1e-2 if device.kind == "cuda" else 1e-6)


def test_coordinates_that_are_no_numbers_stay_inside(samples):
    values = np.arange(1, 6, dtype=np.float32)[:, None]
    x = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 3e9], np.float32)
    for linear, mode in itertools.product((False, True), range(4)):
        has = texture(array(values, 1), mode, linear, normalized=True)
        out = launch(samples, "at1_float1", np.empty((6, 1), np.float32), np.uint64(has.handle), drv.In(x), *[np.intp(0)] * 2)
        assert ((out >= 0) & (out <= 5)).all()


# ---- copies


def test_copies_between_arrays_and_memory(device):
    values = np.arange(60, dtype=np.int16).reshape(3, 4, 5, 1)
    made = array(values, 3)
    back = np.zeros((2, 2, 3), np.int16)
    copy = drv.Memcpy3D()
    copy.set_src_array(made)
    copy.set_dst_host(back)
    copy.src_x_in_bytes, copy.src_y, copy.src_z = 2, 2, 1
    copy.width_in_bytes, copy.height, copy.depth = 6, 2, 2
    copy.dst_pitch, copy.dst_height = 6, 2
    copy()
    assert np.array_equal(back, values[1:, 2:, 1:4, 0])
    there = drv.mem_alloc(60 * 2)
    copy = drv.Memcpy3D()
    copy.set_src_array(made)
    copy.set_dst_device(there)
    copy.width_in_bytes, copy.height, copy.depth, copy.dst_pitch, copy.dst_height = 10, 4, 3, 10, 4
    copy(stream=drv.Stream())
    drv.Context.synchronize()
    assert np.array_equal(drv.from_device(there, 60, np.int16), values.reshape(-1))
    copy.src_x_in_bytes = 2
    with pytest.raises(drv.LogicError, match="not inside the source array"):
        copy()
    copy.src_x_in_bytes, copy.width_in_bytes = 0, 3
    with pytest.raises(drv.LogicError, match="not whole texels of 2 bytes"):
        copy()


def test_copies_of_bytes(device):
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    a, b = drv.np_to_array(values, "C"), drv.np_to_array(np.zeros_like(values), "C")
    out = np.zeros((3, 4), np.float32)
    drv.memcpy_atoa(b, 16, a, 0, 32)
    drv.memcpy_htoa(b, 4, np.array([7.0, 8.0], np.float32))
    drv.memcpy_atoh(out, b, 0)
    assert np.array_equal(out, [[0, 7, 8, 0], *values[:2]])
    there = drv.mem_alloc(16)
    drv.memcpy_atod(there, a, 32, 16)
    drv.memcpy_dtoa(b, 0, there, 16)
    drv.memcpy_atoh(out[:1], b, 0)
    assert np.array_equal(out[0], values[2])
    with pytest.raises(drv.LogicError, match="nor whole rows"):
        drv.memcpy_atod(there, a, 8, 16)


# ---- surfaces

SURFACES = """
template <class T>
__device__ void turn(cudaSurfaceObject_t to, cudaSurfaceObject_t from, int w, int h, int d) {
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  if (x < w && y < h && z < d) {
    T value = surf3Dread<T>(from, x * (int)sizeof(T), y, z);
    surf3Dwrite(value, to, (w - 1 - x) * (int)sizeof(T), h - 1 - y, d - 1 - z);
  }
}
extern "C" __global__ void turn_uint8(cudaSurfaceObject_t to, cudaSurfaceObject_t from, int w, int h, int d) { turn<uchar1>(to, from, w, h, d); }
extern "C" __global__ void turn_int16(cudaSurfaceObject_t to, cudaSurfaceObject_t from, int w, int h, int d) { turn<short1>(to, from, w, h, d); }
extern "C" __global__ void turn_float32(cudaSurfaceObject_t to, cudaSurfaceObject_t from, int w, int h, int d) { turn<float>(to, from, w, h, d); }
extern "C" __global__ void outside(float* out, cudaSurfaceObject_t s) {
  float v;
  surf2Dread(&v, s, (int)threadIdx.x * 4 - 8, 1, cudaBoundaryModeClamp);
  out[threadIdx.x] = v;
  out[8 + threadIdx.x] = surf2Dread<float>(s, (int)threadIdx.x * 4 - 8, 1, cudaBoundaryModeZero);
  surf2Dwrite(5.0f, s, 0, -1, cudaBoundaryModeZero);
}
extern "C" __global__ void trapped(cudaSurfaceObject_t s, int x) { surf2Dwrite(1.0f, s, x, 0); }
"""


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
def test_surfaces(device, dtype):
    values = random_values(np.random.default_rng(4), dtype, (3, 4, 5, 1))
    arrays = [array(values, 3, drv.array3d_flags.SURFACE_LDST), array(np.zeros_like(values), 3, drv.array3d_flags.SURFACE_LDST)]
    from_, to = map(_engine.surface_of_array, arrays)
    turn = SourceModule(SURFACES).get_function(f"turn_{dtype}")
    turn(np.uint64(to.handle), np.uint64(from_.handle), *map(np.int32, (5, 4, 3)), block=(5, 4, 3))
    out = np.zeros_like(values)
    copy = drv.Memcpy3D()
    copy.set_src_array(arrays[1])
    copy.set_dst_host(out)
    copy.width_in_bytes = copy.dst_pitch = 5 * values.itemsize
    copy.height, copy.depth, copy.dst_height = 4, 3, 4
    copy()
    assert np.array_equal(out, values[::-1, ::-1, ::-1])


def test_surfaces_outside(device):
    values = np.arange(1, 9, dtype=np.float32).reshape(2, 4)
    made = drv.np_to_array(values, "C", allowSurfaceBind=True)
    surface = _engine.surface_of_array(made)
    out = np.ones(16, np.float32)
    module = SourceModule(SURFACES)
    module.get_function("outside")(drv.Out(out), np.uint64(surface.handle), block=(8, 1, 1))
    assert out.tolist() == [5, 5, 5, 6, 7, 8, 8, 8, 0, 0, 5, 6, 7, 8, 0, 0]
    back = np.zeros_like(values)
    drv.memcpy_atoh(back, made, 0)
    assert np.array_equal(back, values)
    if device.kind == "cuda":
        return  # what traps there ends the context
    for x, why in ((16, "outside its array"), (2, "no multiple")):
        with pytest.raises(drv.LaunchError, match=why):
            module.get_function("trapped")(np.uint64(surface.handle), np.int32(x), block=(1, 1, 1))
            drv.Context.synchronize()


# ---- what is refused, and how long things live


def test_handles_that_are_none(samples, device):
    if device.kind == "cuda":
        pytest.skip("a GPU does not tell")
    dead = texture(array(np.ones((4, 1), np.float32), 1))
    handle = dead.handle
    surface = _engine.surface_of_array(drv.np_to_array(np.zeros((2, 2), np.float32), "C", allowSurfaceBind=True))
    del dead
    drv.Context.synchronize()
    texture(array(np.ones((4, 1), np.float32), 1))
    for number, why in ((0, "nothing is bound"), (handle, "destroyed"), (surface.handle, "none, or was destroyed"), (2**64 - 1, "none"), (12345, "none")):
        with pytest.raises(drv.LaunchError, match=why):
            launch(samples, "at1_float1", np.empty((1, 1), np.float32), np.uint64(number), drv.In(np.zeros(1, np.float32)), *[np.intp(0)] * 2)


def test_many_objects(samples):
    made = array(np.arange(4, dtype=np.float32)[:, None], 1)
    for _ in range(300):
        has = texture(made)
        out = launch(samples, "at1_float1", np.empty((4, 1), np.float32), np.uint64(has.handle), drv.In(np.arange(4, dtype=np.float32)), *[np.intp(0)] * 2)
    assert out[:, 0].tolist() == [0, 1, 2, 3]


def described(**values):
    what = drv.ArrayDescriptor3D()
    what.width, what.height, what.format, what.num_channels = 4, 4, drv.array_format.FLOAT, 1
    vars(what).update(values)
    return what


@pytest.mark.parametrize(
    "values, why",
    [
        ({"num_channels": 3}, "1, 2 or 4 channels, not 3"),
        ({"format": 77}, "not a texel format"),
        ({"width": 0}, "0 x 4 x 1 texels"),
        ({"width": 200000}, "from 1 to 131072"),
        ({"width": -1}, "width is -1"),
        ({"height": 0, "depth": 3}, "needs a height"),
        ({"flags": 1}, "number of layers"),
        ({"flags": 4, "depth": 6}, "cube maps"),
    ],
)
def test_arrays_that_cannot_be(device, values, why):
    with pytest.raises(drv.LogicError, match=why):
        drv.Array(described(**values))


def test_limits_are_reported(device):
    assert drv.Device(0).get_attribute(drv.device_attribute.MAXIMUM_TEXTURE2D_WIDTH) >= 65536
    assert device.attribute(int(drv.device_attribute.TEXTURE_PITCH_ALIGNMENT)) == 32


def test_what_textures_refuse(device):
    whole = array(np.ones((4, 1), np.int32), 1)
    with pytest.raises(drv.LogicError, match="linear filter needs floats"):
        texture(whole, linear=True)
    with pytest.raises(drv.LogicError, match="32 bits are not read as normalised"):
        texture(whole, floats=True)
    with pytest.raises(drv.LogicError, match="SURFACE_LDST"):
        _engine.surface_of_array(whole)
    with pytest.raises(TypeError, match="an Array is needed"):
        texture(np.zeros(3))
    memory = drv.mem_alloc(64)
    settings = ([CLAMP] * 3, False, False, False)
    with pytest.raises(drv.LogicError, match="exceed the device memory's 64 bytes"):
        _engine.texture_of_memory(device, memory, (128, 0, 0, 0), 0x20, 1, *settings)
    with pytest.raises(drv.LogicError, match="do not fit into a pitch"):
        _engine.texture_of_memory(device, memory, (0, 8, 2, 16), 0x20, 1, *settings)
    whole.free()
    with pytest.raises(drv.LogicError, match="freed"):
        texture(whole)
    with pytest.raises(drv.LogicError, match="freed"):
        whole.free()


def test_a_texel_is_no_double(device):
    text = "// nvrtc: skip\nextern \"C\" __global__ void k(double* o, cudaTextureObject_t t) { o[0] = tex2D<double>(t, 0, 0); }"
    with pytest.raises(quern.Error):
        SourceModule(text)
