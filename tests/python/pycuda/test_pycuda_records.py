"""GPUArrays of structures, and kernels of the PyCUDA and CuPy front ends that take structures by pointer and by value."""

import numpy as np
import pytest
from quern import cupy
from quern.pycuda import driver, gpuarray, tools
from quern.pycuda.compiler import SourceModule
from quern.pycuda.elementwise import ElementwiseKernel
from quern.pycuda.reduction import ReductionKernel
from quern.pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

PARTICLE = np.dtype([("pos", np.float32, (3,)), ("charge", np.int16), ("mass", np.float64)], align=True)
PARTICLE_TEXT = "struct Particle { float pos[3]; short charge; double mass; };\n"
PACKED = np.dtype([("tag", "u1"), ("value", "f4")])


def particles(n):
    host = np.zeros(n, PARTICLE)
    host["pos"] = np.arange(3 * n).reshape(n, 3)
    host["charge"] = np.arange(n) % 5 - 2
    host["mass"] = np.linspace(1, 2, n)
    return host


def test_gpuarray_of_structures(device):
    host = particles(10)
    a = gpuarray.to_gpu(host)
    assert isinstance(a, gpuarray.GPUArray) and a.dtype == PARTICLE and a.nbytes == host.nbytes and a.itemsize == PARTICLE.itemsize
    np.testing.assert_array_equal(a.get(), host)
    np.testing.assert_array_equal(a[2:7:2].get(), host[2:7:2])
    np.testing.assert_array_equal(a.reshape(2, 5).T.get(), host.reshape(2, 5).T)
    np.testing.assert_array_equal(a["mass"].get(), host["mass"])
    assert isinstance(a["mass"], gpuarray.GPUArray)
    a["charge"][...] = 4
    b = a.copy()
    b.set(host[::-1].copy())
    host["charge"] = 4
    np.testing.assert_array_equal(a.get(), host)
    np.testing.assert_array_equal(b.get()["pos"], host["pos"][::-1])
    empty = gpuarray.empty((3, 2), PARTICLE, order="F")
    assert empty.flags.f_contiguous and empty.strides == np.empty((3, 2), PARTICLE, order="F").strides
    assert not gpuarray.zeros(4, PARTICLE).get()["mass"].any() and gpuarray.empty_like(a).dtype == PARTICLE
    with pytest.raises(TypeError, match="not defined for elements of type"):
        a + a
    with pytest.raises(TypeError, match="Python objects"):
        gpuarray.to_gpu(np.zeros(3, [("o", object)]))


def test_memory_of_others(device):
    host = particles(6)
    memory = driver.to_device(host)
    a = gpuarray.GPUArray(6, PARTICLE, gpudata=memory)
    np.testing.assert_array_equal(a.get(), host)
    pool = tools.DeviceMemoryPool()
    b = gpuarray.to_gpu(host, allocator=pool.allocate)
    np.testing.assert_array_equal(b.get(), host)
    tail = gpuarray.GPUArray(4, PARTICLE, gpudata=int(a.gpudata) + 2 * PARTICLE.itemsize, base=a)
    np.testing.assert_array_equal(tail.get(), host[2:])


KERNELS = (
    PARTICLE_TEXT
    + """
__global__ void push(Particle* all, int n, Particle by)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 3; ++k) all[i].pos[k] += by.pos[k];
  all[i].charge += by.charge;
  all[i].mass *= by.mass;
}
"""
)


def pushed(host, by):
    want = host.copy()
    want["pos"] += by["pos"]
    want["charge"] += by["charge"]
    want["mass"] *= by["mass"]
    return want


@pytest.mark.parametrize("given", ["array", "in-out", "allocation", "slice"])
def test_pycuda_kernels(device, given):
    host = particles(40)
    by = np.array(((1, 2, 3), 7, 2.5), PARTICLE)
    push = SourceModule(KERNELS).get_function("push")
    for value in (by, by[()], by.reshape(1)[0]):
        if given == "in-out":
            got = host.copy()
            push(driver.InOut(got), np.int32(40), value, block=(64, 1, 1), grid=(1, 1))
        elif given == "allocation":
            memory = driver.to_device(host)
            push(memory, np.int32(40), value, block=(64, 1, 1), grid=(1, 1))
            got = driver.from_device_like(memory, host)
        else:
            a = gpuarray.to_gpu(host)
            push(a[10:] if given == "slice" else a, np.int32(30 if given == "slice" else 40), value, block=(64, 1, 1), grid=(1, 1))
            got = a.get()
        want = pushed(host, by)
        if given == "slice":
            want[:10] = host[:10]
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("module", [True, False])
def test_cupy_kernels(device, module):
    host = particles(40)
    by = np.array(((1, 2, 3), 7, 2.5), PARTICLE)
    text = 'extern "C" ' + KERNELS[len(PARTICLE_TEXT) :].lstrip()
    text = PARTICLE_TEXT + text
    push = cupy.RawModule(code=text).get_function("push") if module else cupy.RawKernel(text, "push")
    for value in (by, by[()], np.void(by[()])):
        a = cupy.asarray(host)
        push((1,), (64,), (a, 40, value))
        np.testing.assert_array_equal(a.get(), pushed(host, by))
        push((1,), (64,), args=(a[::1], np.int32(40), value))
        np.testing.assert_array_equal(a.get(), pushed(pushed(host, by), by))


def test_extremes_of_a_structure(device):
    """A user's structure as what is combined: the smallest and the largest number at once."""
    extremes = np.dtype([("lowest", np.int32), ("highest", np.int32)])
    extremes, text = tools.match_dtype_to_c_struct(device, "extremes_of_numbers", extremes)
    extremes = tools.get_or_register_dtype("extremes_of_numbers", extremes)
    preamble = text + """
    __device__ extremes_of_numbers nothing() { extremes_of_numbers r; r.lowest = 2147483647; r.highest = -2147483647; return r; }
    __device__ extremes_of_numbers of_one(int x) { extremes_of_numbers r; r.lowest = x; r.highest = x; return r; }
    __device__ extremes_of_numbers both(extremes_of_numbers a, extremes_of_numbers b)
    {
      a.lowest = a.lowest < b.lowest ? a.lowest : b.lowest;
      a.highest = a.highest > b.highest ? a.highest : b.highest;
      return a;
    }
    """
    kernel = ReductionKernel(
        extremes, neutral="nothing()", reduce_expr="both(a, b)", map_expr="of_one(x[i])", arguments="int *x", preamble=preamble
    )
    for n in (0, 1, 7, 256, 1000, 300_000):
        host = np.random.default_rng(n).integers(-(10**6), 10**6, n, dtype=np.int32)
        got = kernel(gpuarray.to_gpu(host)).get()
        assert got.dtype == extremes and got.shape == ()
        want = (host.min(), host.max()) if n else (2147483647, -2147483647)
        assert (got["lowest"], got["highest"]) == want
    got = kernel(gpuarray.to_gpu(host), slice=slice(5, 200_000, 3)).get()
    assert (got["lowest"], got["highest"]) == (host[5:200_000:3].min(), host[5:200_000:3].max())
    out = gpuarray.empty((), extremes)
    assert kernel(gpuarray.to_gpu(host), out=out) is out and out.get()["highest"] == host.max()
    # Structures go in, too.
    pairs = kernel_pairs = np.zeros(5000, extremes)
    pairs["lowest"], pairs["highest"] = np.arange(5000), np.arange(5000) * 2
    heights = ReductionKernel(np.int64, "0", "a + b", "x[i].highest - x[i].lowest", [tools.VectorArg(extremes, "x")], preamble=text)
    assert heights(gpuarray.to_gpu(pairs)).get() == (kernel_pairs["highest"] - kernel_pairs["lowest"]).sum()


def test_scan_of_a_structure(device):
    """Sums that begin anew where a flag says so."""
    segment, text = tools.match_dtype_to_c_struct(device, "segment_sum", np.dtype([("starts", np.int32), ("sum", np.int64)]))
    segment = tools.get_or_register_dtype("segment_sum", segment)
    preamble = text + """
    __device__ segment_sum joined(segment_sum a, segment_sum b)
    {
      segment_sum r;
      r.starts = a.starts || b.starts;
      r.sum = b.starts ? b.sum : a.sum + b.sum;
      return r;
    }
    __device__ segment_sum none() { segment_sum r; r.starts = 0; r.sum = 0; return r; }
    """
    host = np.zeros(5000, segment)
    host["starts"] = np.random.default_rng(1).random(5000) < 0.01
    host["sum"] = np.arange(5000) % 7
    want, total = np.zeros(5000, np.int64), 0
    for n in range(5000):
        total = int(host["sum"][n]) + (0 if host["starts"][n] else total)
        want[n] = total
    a = gpuarray.to_gpu(host)
    InclusiveScanKernel(segment, "joined(a, b)", preamble=preamble)(a)
    np.testing.assert_array_equal(a.get()["sum"], want)
    b = gpuarray.to_gpu(host)
    ExclusiveScanKernel(segment, "joined(a, b)", neutral="none()", preamble=preamble)(b)
    np.testing.assert_array_equal(b.get()["sum"][1:], want[:-1])


def test_elementwise_on_structures(device):
    particle, text = tools.match_dtype_to_c_struct(device, "moving_point", np.dtype([("x", np.float32), ("v", np.float64)]))
    particle = tools.get_or_register_dtype("moving_point", particle)
    step = ElementwiseKernel("moving_point *p, double dt, float *out", "p[i].x += dt * p[i].v; out[i] = p[i].x", "step", preamble=text)
    host = np.zeros(700, particle)
    host["x"], host["v"] = np.arange(700), 2
    p, out = gpuarray.to_gpu(host), gpuarray.empty(700, np.float32)
    step(p, 0.5, out)
    np.testing.assert_array_equal(out.get(), np.arange(700, dtype=np.float32) + 1)
    np.testing.assert_array_equal(p.get()["x"], out.get())
    np.testing.assert_array_equal((p["x"] * 2).get(), out.get() * 2)


def test_packed_structures(device):
    text = """
#pragma pack(push, 1)
struct Packed { unsigned char tag; float value; };
#pragma pack(pop)
extern "C" __global__ void twice(Packed* all, Packed by) { all[threadIdx.x].value = all[threadIdx.x].value * by.value + by.tag; }
"""
    host = np.zeros(8, PACKED)
    host["value"] = np.arange(8)
    one = np.array((3, 2.5), PACKED)
    a = cupy.asarray(host)
    cupy.RawKernel(text, "twice")((1,), (8,), (a, one))
    np.testing.assert_array_equal(a.get()["value"], np.arange(8, dtype="f4") * np.float32(2.5) + 3)
    np.testing.assert_array_equal(cupy.asnumpy(a["value"] + 1), a.get()["value"] + 1)


def test_vector_types(device):
    host = np.zeros(5, gpuarray.vec.float4)
    for n, name in enumerate("xyzw"):
        host[name] = np.arange(5) * (n + 1)
    a = gpuarray.to_gpu(host)
    text = "__global__ void total(float4* a, float4 by) { int i = threadIdx.x; a[i].x = (a[i].x + a[i].y + a[i].z + a[i].w) * by.y; }"
    SourceModule(text).get_function("total")(a, gpuarray.vec.make_float4(1, 2, 3, 4), block=(5, 1, 1))
    np.testing.assert_array_equal(a["x"].get(), np.arange(5) * 20)
    np.testing.assert_array_equal(a.get()["w"], host["w"])


def test_records_are_elements(device):
    pair = np.dtype([("a", "f4"), ("b", "i4", 2)])
    x = np.zeros((3, 4), pair)
    x["a"], x["b"][..., 1] = np.arange(12).reshape(3, 4), 7
    array = gpuarray.to_gpu(x)
    one = x[1, 2].copy()
    array[0, 1] = x[0, 1] = one
    array[2] = x[2] = one
    array[:, 3] = x[:, 3] = np.array((5, [6, 7]), pair)[()]
    assert np.array_equal(array.get(), x) and (array.fill(one).get() == one).all()
