"""Texture and surface references in programs as people write them for PyCUDA: each runs unmodified and checks its answer itself."""

import numpy as np
import pytest
from devices import DEVICES
from programs import quern
from quern.pycuda import driver as drv
from quern.pycuda import gpuarray
from quern.pycuda.compiler import SourceModule
from quern.pycuda.tools import dtype_to_ctype

ROTATION = """
import math
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

mod = SourceModule('''
texture<float, 2, cudaReadModeElementType> tex;

__global__ void rotate(float *out, int width, int height, float theta)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = x / (float) width - 0.5f, v = y / (float) height - 0.5f;
    float tu = u * cosf(theta) - v * sinf(theta) + 0.5f;
    float tv = v * cosf(theta) + u * sinf(theta) + 0.5f;
    out[y * width + x] = tex2D(tex, tu, tv);
}
''')
rotate, tex = mod.get_function("rotate"), mod.get_texref("tex")
image = np.random.RandomState(0).rand(64, 64).astype(np.float32)
drv.matrix_to_texref(image, tex, order="C")
tex.set_filter_mode(drv.filter_mode.LINEAR)
tex.set_flags(drv.TRSF_NORMALIZED_COORDINATES)
tex.set_address_mode(0, drv.address_mode.WRAP)
tex.set_address_mode(1, drv.address_mode.WRAP)
out = np.zeros_like(image)
rotate(drv.Out(out), np.int32(64), np.int32(64), np.float32(math.pi / 2), block=(16, 16, 1), grid=(4, 4), texrefs=[tex])
# a quarter turn; sampled half a texel off in each direction, which is the mean of four
padded = np.pad(image, ((1, 0), (1, 0)), mode="wrap")
means = (padded[1:, 1:] + padded[:-1, 1:] + padded[1:, :-1] + padded[:-1, :-1]) / 4
expected = np.empty_like(image)
for y in range(64):
    for x in range(64):
        expected[y, x] = means[x, (64 - y) % 64]
assert np.abs(out - expected).max() < 0.02, np.abs(out - expected).max()
"""

FETCH = """
import numpy
import pycuda.autoinit
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

mod = SourceModule('''
#include <pycuda-helpers.hpp>

texture<fp_tex_double, 1, cudaReadModeElementType> doubles;
texture<fp_tex_cfloat, 1, cudaReadModeElementType> complexes;
texture<float, 1, cudaReadModeElementType> floats;

extern "C" __global__ void gather(double *d, pycuda::complex<float> *c, float *f, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    d[i] = 2 * fp_tex1Dfetch(doubles, index[i]);
    c[i] = fp_tex1Dfetch(complexes, index[i]);
    f[i] = tex1Dfetch(floats, index[i]);
}
''', no_extern_c=True)
n = 1000
rng = numpy.random.RandomState(1)
d = gpuarray.to_gpu(rng.rand(n))
c = gpuarray.to_gpu((rng.rand(n) + 1j * rng.rand(n)).astype(numpy.complex64))
f = gpuarray.to_gpu(rng.rand(n).astype(numpy.float32))
refs = [mod.get_texref(name) for name in ("doubles", "complexes", "floats")]
d.bind_to_texref_ext(refs[0], allow_double_hack=True)
c.bind_to_texref_ext(refs[1], allow_complex_hack=True)
f.bind_to_texref(refs[2])
index = gpuarray.to_gpu(rng.permutation(n).astype(numpy.int32))
outs = [gpuarray.empty_like(a) for a in (d, c, f)]
gather = mod.get_function("gather")
gather.prepare("PPPPi", texrefs=refs)
gather.prepared_call((4, 1), (256, 1, 1), *[o.gpudata for o in outs], index.gpudata, n)
for factor, before, after in zip((2, 1, 1), (d, c, f), outs):
    assert (after.get() == factor * before.get()[index.get()]).all()
"""

VOLUME = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

mod = SourceModule('''
texture<float, 3, cudaReadModeElementType> volume;
surface<void, 3> result;

__global__ void half_way(int w, int h, int d)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    if (x >= w || y >= h || z >= d) return;
    float v = tex3D(volume, x + 1.0f, y + 0.5f, z + 0.5f);
    surf3Dwrite(v, result, x * sizeof(float), y, z);
}
''')
values = np.random.RandomState(2).rand(4, 5, 6).astype(np.float32)
volume, result = drv.np_to_array(values, "C"), drv.gpuarray_to_array(gpuarray.zeros((4, 5, 6), np.float32), "C", allowSurfaceBind=True)
tex, surf = mod.get_texref("volume"), mod.get_surfref("result")
tex.set_array(volume)
tex.set_filter_mode(drv.filter_mode.LINEAR)
surf.set_array(result)
mod.get_function("half_way")(np.int32(6), np.int32(5), np.int32(4), block=(6, 5, 4), grid=(1, 1), texrefs=[tex])
out = np.zeros_like(values)
copy = drv.Memcpy3D()
copy.set_src_array(result)
copy.set_dst_host(out)
copy.width_in_bytes = copy.dst_pitch = 24
copy.dst_height = copy.height = 5
copy.depth = 4
copy()
padded = np.pad(values, ((0, 0), (0, 0), (0, 1)), mode="edge")
assert np.allclose(out, (padded[..., 1:] + padded[..., :-1]) / 2, atol=2e-3)
"""

PICTURE = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

mod = SourceModule('''
texture<uchar4, 2, cudaReadModeNormalizedFloat> photo;
texture<unsigned char, 2, cudaReadModeElementType> mask;

__global__ void grey(float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float4 c = tex2D(photo, x, y);
    out[y * w + x] = tex2D(mask, x, y) > 100 ? 0.299f * c.x + 0.587f * c.y + 0.114f * c.z : c.w;
}
''')
rng = np.random.RandomState(3)
photo, mask = rng.randint(0, 256, (48, 32, 4)).astype(np.uint8), rng.randint(0, 256, (48, 32)).astype(np.uint8)
photo_ref, mask_ref = mod.get_texref("photo"), mod.get_texref("mask")
cuda.bind_array_to_texref(cuda.make_multichannel_2d_array(photo, order="C"), photo_ref)
cuda.matrix_to_texref(mask, mask_ref, order="C")
out = np.zeros((48, 32), np.float32)
grey = mod.get_function("grey")
grey(cuda.Out(out), np.int32(32), np.int32(48), block=(16, 16, 1), grid=(2, 3), texrefs=[photo_ref, mask_ref])
c = photo / 255.0
assert np.allclose(out, np.where(mask > 100, c[..., :3] @ [0.299, 0.587, 0.114], c[..., 3]), atol=1e-5)
"""


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["ROTATION", "FETCH", "VOLUME", "PICTURE"])
def test_program(name, device, tmp_path):
    path = tmp_path / f"{name.lower()}.py"
    path.write_text(globals()[name])
    done = quern("run", path, QUERN_DEVICE=device)
    assert done.returncode == 0, done.stderr


SOURCE = """
texture<float, 1, cudaReadModeElementType> line(1, cudaFilterModeLinear, cudaAddressModeMirror);
static texture<int, 2> grid;
extern "C" {
texture<short2, 1, cudaReadModeNormalizedFloat> inside;
surface<void, 2> paper;
__device__ int counter_of_the_devices;
}
__global__ void read(float* out) {
  int i = threadIdx.x;
  out[i] = tex1D(line, (i + 0.5f) / 4) + counter_of_the_devices;
  out[4 + i] = tex2D(grid, i, 0);
  out[8 + i] = tex1Dfetch(inside, i).y;
}
__global__ void write(float v) { surf2Dwrite<float>(v, paper, threadIdx.x * 4, threadIdx.y); }
"""


@pytest.fixture
def module(device):
    return SourceModule(SOURCE)


def test_what_the_declaration_says(module):
    line, grid, inside = (module.get_texref(name) for name in ("line", "grid", "inside"))
    assert line.get_flags() == drv.TRSF_NORMALIZED_COORDINATES | drv.TRSF_READ_AS_INTEGER and inside.get_flags() == 0
    assert line.get_filter_mode() == drv.filter_mode.LINEAR and grid.get_filter_mode() == drv.filter_mode.POINT
    assert line.get_address_mode(0) == drv.address_mode.MIRROR and grid.get_address_mode(1) == drv.address_mode.CLAMP
    assert inside.get_format() == (drv.array_format.SIGNED_INT16, 2) and grid.get_format() == (drv.array_format.SIGNED_INT32, 1)
    assert module.get_texref("line") is line


def bound(module, values):
    """All three references bound; what they read is held by nobody else."""
    what = drv.ArrayDescriptor()
    what.width, what.format, what.num_channels = 4, drv.array_format.FLOAT, 1
    made = drv.Array(what)
    drv.memcpy_htoa(made, 0, values)
    module.get_texref("line").set_array(made)
    memory, pitch = drv.mem_alloc_pitch(16, 1, 4)
    drv.memcpy_htod(memory, np.arange(4, dtype=np.int32))
    rows = drv.ArrayDescriptor()
    rows.width, rows.height, rows.format, rows.num_channels = 4, 1, drv.array_format.SIGNED_INT32, 1
    module.get_texref("grid").set_address_2d(memory, rows, pitch)
    pairs = gpuarray.to_gpu(np.array([0, 32767, 0, -32767, 0, 16384, 0, 0], np.int16))
    assert module.get_texref("inside").set_address(pairs.gpudata, pairs.nbytes) == 0


def test_references_keep_what_they_read(device):
    values = np.array([3, 1, 4, 1], np.float32)
    read = SourceModule(SOURCE).get_function("read")
    bound(read._module, values)
    for _ in range(3):
        out = np.zeros(12, np.float32)
        read(drv.Out(out), block=(4, 1, 1))
        assert np.allclose(out, [*values, 0, 1, 2, 3, 1, -1, 16384 / 32767, 0], atol=1e-5)


def test_references_are_bound_anew(module):
    read, line = module.get_function("read"), module.get_texref("line")
    bound(module, np.zeros(4, np.float32))
    outs = [gpuarray.zeros(12, np.float32) for _ in range(5)]
    for n, out in enumerate(outs):  # each launch sees what was bound when it was submitted
        line.set_array(drv.matrix_to_array(np.full((1, 4), n, np.float32), "C"))
        read(out, block=(4, 1, 1), texrefs=[line])
    assert [out.get()[0] for out in outs] == [0, 1, 2, 3, 4]


def test_arrays_are_read_as_they_are_at_the_launch(device):
    module = SourceModule("""
        texture<float, 1> line;
        __global__ void twice(float* out) { out[threadIdx.x] = 2 * tex1Dfetch(line, threadIdx.x); }
    """)
    twice, line = module.get_function("twice"), module.get_texref("line")
    values = gpuarray.zeros(4, np.float32)
    values += 1
    values.bind_to_texref(line)
    outs = [gpuarray.zeros(4, np.float32) for _ in range(3)]
    for out in outs:
        twice(out, block=(4, 1, 1), texrefs=[line])
        values *= 3
        values += out
    assert [out.get().tolist() for out in outs] == [[2.0] * 4, [10.0] * 4, [50.0] * 4]
    part = values[1:3]
    part.bind_to_texref(line)
    twice(outs[0], block=(4, 1, 1))
    assert outs[0].get().tolist() == [250, 250, 0, 0]  # outside there is nothing


@pytest.mark.parametrize("standard", ["c++11", "c++14", "c++20"])
def test_older_and_newer_language(device, standard):
    text = """
        #include <pycuda-helpers.hpp>
        texture<fp_tex_double, 1> d;
        texture<float4, 2> f;
        surface<void, 2> s;
        __global__ void k(double* o) { o[0] = fp_tex1Dfetch(d, 1) + tex2D(f, 1, 2).x; surf2Dwrite(1.f, s, 0, 0); }
    """
    assert SourceModule(text, options=["-std=" + standard]).get_texref("d").get_format()[1] == 2


def test_surface_references(module):
    made = drv.np_to_array(np.zeros((3, 4), np.float32), "C", allowSurfaceBind=True)
    paper = module.get_surfref("paper")
    paper.set_array(made)
    assert paper.get_array() is made
    module.get_function("write")(np.float32(2.5), block=(4, 3, 1))
    out = np.zeros((3, 4), np.float32)
    drv.memcpy_atoh(out, made, 0)
    assert (out == 2.5).all()


def test_a_matrix_for_surfaces_is_one_layer(device):
    """As PyCUDA makes it; functions without layers find the layer, too."""
    module = SourceModule("""
        texture<float, 2> flat;
        texture<float, cudaTextureType2DLayered> layered;
        surface<void, 2> page;
        surface<void, cudaSurfaceType2DLayered> leaf;
        __global__ void read(float* out) {
          int x = threadIdx.x, y = threadIdx.y, i = y * blockDim.x + x, n = blockDim.x * blockDim.y;
          out[i] = tex2D(flat, x, y);
          out[n + i] = tex2DLayered(layered, x, y, 0);
          surf2Dread(out + 2 * n + i, page, x * 4, y);
          surf2DLayeredread(out + 3 * n + i, leaf, x * 4, y, 0);
        }
        __global__ void write(int to_page) {
          int x = threadIdx.x, y = threadIdx.y;
          if (to_page) surf2Dwrite<float>(x + 10 * y, page, x * 4, y);
          else surf2DLayeredwrite<float>(x + 20 * y, leaf, x * 4, y, 0);
        }""")
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    for order, make in (("C", drv.np_to_array), ("F", drv.np_to_array), ("C", drv.gpuarray_to_array), ("F", drv.gpuarray_to_array)):
        given = np.asarray(values, order=order)
        made = make(gpuarray.to_gpu(given) if make is drv.gpuarray_to_array else given, order, allowSurfaceBind=True)
        what, rows = made.get_descriptor_3d(), values if order == "C" else values.T
        assert (
            (what.height, what.width) == rows.shape and what.depth == 1 and (what.format, what.num_channels) == (drv.array_format.FLOAT, 1)
        )
        assert what.flags == drv.array3d_flags.ARRAY3D_LAYERED | drv.array3d_flags.SURFACE_LDST == 3
        for name in ("flat", "layered"):
            module.get_texref(name).set_array(made)
        for name in ("page", "leaf"):
            module.get_surfref(name).set_array(made)
        shape = (*rows.shape[::-1], 1)
        for wanted, to_page in ((rows, None), (np.add.outer(10 * np.arange(rows.shape[0]), np.arange(rows.shape[1])), 1),
                                (np.add.outer(20 * np.arange(rows.shape[0]), np.arange(rows.shape[1])), 0)):  # fmt: skip
            if to_page is not None:
                module.get_function("write")(np.int32(to_page), block=shape)
            out = np.zeros((4, *rows.shape), np.float32)
            module.get_function("read")(drv.Out(out), block=shape)
            assert (out == wanted).all()
    volume = drv.np_to_array(values[None], "C", allowSurfaceBind=True).get_descriptor_3d()
    assert (volume.depth, volume.flags) == (1, drv.array3d_flags.SURFACE_LDST)
    plain = drv.np_to_array(values, "C").get_descriptor_3d()
    assert (plain.depth, plain.flags) == (0, 0) and getattr(drv.array3d_flags, "2DARRAY") == drv.array3d_flags.ARRAY3D_2DARRAY == 1


def test_arrays_of_matrices(device):
    rng = np.random.default_rng(0)
    for dtype in (np.float64, np.complex64, np.complex128, np.float32):
        values = rng.uniform(size=(3, 4)).astype(dtype)
        for order in "CF":
            given = np.asarray(values, order=order)
            made = drv.np_to_array(given, order)
            what = made.get_descriptor()
            assert (what.width, what.height) == ((4, 3) if order == "C" else (3, 4)) and what.num_channels * 4 == values.itemsize
            out = np.empty_like(given)
            drv.memcpy_atoh(out, made, 0)
            assert np.array_equal(out, values)
    assert drv.matrix_to_array(np.zeros((2, 2)), "C", allow_double_hack=True).get_descriptor().num_channels == 2
    with pytest.raises(TypeError, match="float64"):
        drv.matrix_to_array(np.zeros((2, 2)), "C")
    with pytest.raises(drv.LogicError, match="1, 2 or 4 channels, not 3"):
        drv.make_multichannel_2d_array(np.zeros((4, 5, 3), np.uint8), "C")
    with pytest.raises(drv.LogicError, match="order must be"):
        drv.np_to_array(np.zeros((2, 2)), "K")
    with pytest.raises(drv.LogicError, match="not contiguous"):
        drv.np_to_array(np.zeros((4, 4), np.float32)[:, ::2], "C")
    for given in (values, values.T.copy().T, np.repeat(values, 2, 1)[:, ::2]):  # matrices are laid out for their order
        for order in "CfF":
            made = drv.matrix_to_array(given, order)
            out = np.empty((3, 4), np.float32, order=order.upper())
            drv.memcpy_atoh(out, made, 0)
            assert made.get_descriptor().width == (4 if order == "C" else 3) and np.array_equal(out, values)
    with pytest.raises(drv.LogicError, match="2 or 3 axes"):
        drv.np_to_array(np.zeros(4, np.float32), "C")


def test_what_references_refuse(module):
    grid = module.get_texref("grid")
    for refused, why in (
        (lambda: module.get_texref("missing"), "no texture reference 'missing'"),
        (lambda: module.get_texref("counter_of_the_devices"), "not a texture reference"),
        (lambda: module.get_surfref("grid"), "not a surface reference"),
        (lambda: grid.get_array(), "no Array is bound"),
        (lambda: grid.set_address_mode(3, drv.address_mode.CLAMP), "axes 0, 1 and 2"),
        (lambda: grid.set_format(drv.array_format.FLOAT, 3), "1, 2 or 4"),
        (lambda: module.get_surfref("paper").set_array(drv.np_to_array(np.zeros((2, 2), np.float32), "C")), "SURFACE_LDST"),
    ):
        with pytest.raises(drv.LogicError, match=why):
            refused()
    with pytest.raises(TypeError, match="an Array is needed"):
        grid.set_array(np.zeros((2, 2)))
    with pytest.raises(TypeError, match="get_texref"):
        module.get_function("read")(texrefs=[1], block=(1, 1, 1))
    with pytest.raises(TypeError, match="get_texref"):
        module.get_function("read").prepare("P", texrefs=["grid"])
    grid.set_array(drv.matrix_to_array(np.zeros((2, 2), np.int32), "C"))
    with pytest.raises(drv.LogicError, match="linear filter needs floats"):
        grid.set_filter_mode(drv.filter_mode.LINEAR)
    assert grid.get_filter_mode() == drv.filter_mode.POINT


def test_what_nothing_is_bound_to(module, device):
    if device.kind == "cuda":
        pytest.skip("a GPU does not tell")
    with pytest.raises(drv.LaunchError, match="nothing is bound"):
        module.get_function("read")(drv.Out(np.zeros(12, np.float32)), block=(4, 1, 1))


@pytest.mark.parametrize("dtype", [np.int16, np.uint8, np.float32, np.float64, np.complex64, np.complex128])
def test_surfaces_of_any_numbers(device, dtype):
    text = """
        // nvrtc: -DNUMBER=double
        #include <pycuda-helpers.hpp>
        surface<void, cudaSurfaceType3D> box;
        surface<void, cudaSurfaceType2D> page;
        __global__ void fill(NUMBER* x) {
          int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z;
          fp_surf3Dwrite(x[(k * 4 + j) * 5 + i], box, i, j, k, cudaBoundaryModeClamp);
          if (k == 0) fp_surf2Dwrite(x[j * 5 + i], page, i, j);
        }
        __global__ void turn(NUMBER* x, NUMBER* y) {
          int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z;
          fp_surf3Dread(&x[(i * 4 + j) * 3 + k], box, i, j, k, cudaBoundaryModeClamp);
          if (k == 0) fp_surf2Dread(&y[j * 5 + i], page, i + 1, j, cudaBoundaryModeZero);
        }"""
    random = np.random.default_rng(0)
    x = (random.uniform(0, 100, (3, 4, 5)) + (1j * random.uniform(0, 9, (3, 4, 5)) if np.dtype(dtype).kind == "c" else 0)).astype(dtype)
    module = SourceModule(text.replace("NUMBER", dtype_to_ctype(dtype)))
    module.get_surfref("box").set_array(drv.np_to_array(np.zeros_like(x), "C", allowSurfaceBind=True))
    module.get_surfref("page").set_array(drv.np_to_array(np.zeros_like(x[0]), "C", allowSurfaceBind=True))
    turned, moved = np.zeros((5, 4, 3), dtype), np.zeros((4, 5), dtype)
    module.get_function("fill")(drv.In(x), block=(5, 4, 3))
    module.get_function("turn")(drv.Out(turned), drv.Out(moved), block=(5, 4, 3))
    assert np.array_equal(turned, x.transpose(2, 1, 0)) and np.array_equal(moved, np.pad(x[0], ((0, 0), (0, 1)))[:, 1:])
