"""Programs as people write them for PyCUDA: each runs unmodified and checks its answer itself."""

import pytest
from devices import DEVICES
from programs import quern

SAXPY = """
import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.curandom import rand as curand

x, y = curand((50,)), curand((50,))
lin_comb = ElementwiseKernel(
    "float a, float *x, float b, float *y, float *z",
    "z[i] = my_f(a*x[i], b*y[i])",
    "linear_combination",
    preamble='''
    __device__ float my_f(float x, float y)
    {
        return sin(x*y);
    }
    ''')
z = gpuarray.empty_like(x)
lin_comb(5, x, 6, y, z)
import numpy.linalg as la
assert la.norm(z.get() - np.sin((5*x.get()) * (6*y.get()))) < 1e-4
"""

DOT = """
import numpy
import pycuda.autoinit
from pycuda import gpuarray, cumath
from pycuda.reduction import ReductionKernel

a = gpuarray.arange(400, dtype=numpy.float32)
b = gpuarray.arange(400, dtype=numpy.float32)
krnl = ReductionKernel(numpy.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]", arguments="float *x, float *y")
my_dot_prod = krnl(a, b).get()
assert abs(my_dot_prod - numpy.dot(a.get(), b.get())) / my_dot_prod < 1e-6
assert abs(gpuarray.dot(a, b).get() - my_dot_prod) / my_dot_prod < 1e-6
norm = cumath.sqrt(gpuarray.sum(a ** 2)).get()
assert abs(norm - numpy.linalg.norm(a.get())) < 1e-2
"""

PI = """
import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from pycuda.curandom import XORWOWRandomNumberGenerator, seed_getter_unique

n = 2_000_000
rng = XORWOWRandomNumberGenerator(seed_getter_unique)
x, y = rng.gen_uniform(n, np.float32), rng.gen_uniform(n, np.float32)
inside = x * x + y * y <= 1
pi = 4.0 * gpuarray.sum(inside).get() / n
print("pi is about", pi)
assert abs(pi - np.pi) < 0.01
"""

MANDELBROT = """
import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from pycuda.elementwise import ElementwiseKernel

def on_host(q, maxiter):
    z, out = np.zeros_like(q), np.full(q.shape, maxiter, np.int32)
    for n in range(maxiter):
        z = z * z + q
        with np.errstate(all="ignore"):
            done = (np.abs(z) > 2.0) & (out == maxiter)
        out[done] = n
        z[done] = 0
        q = np.where(done, 0, q)
    return out

def with_arrays(q, maxiter):
    q_gpu = gpuarray.to_gpu(q.astype(np.complex64))
    z_gpu = gpuarray.zeros_like(q_gpu)
    out = gpuarray.zeros(q.shape, np.int32) + maxiter
    zero = gpuarray.zeros_like(z_gpu)
    for n in range(maxiter):
        z_gpu = z_gpu * z_gpu + q_gpu
        done = abs(z_gpu) > 2
        first = gpuarray.logical_and(done, out == maxiter)
        out = gpuarray.if_positive(first, zero.real.astype(np.int32) + n, out)
        z_gpu = gpuarray.if_positive(done, zero, z_gpu)
        q_gpu = gpuarray.if_positive(done, zero, q_gpu)
    return out.get()

def with_kernel(q, maxiter):
    q_gpu = gpuarray.to_gpu(q.astype(np.complex64))
    out = gpuarray.to_gpu(np.empty(q.shape, np.int32))
    kernel = ElementwiseKernel("pycuda::complex<float> *q, int *out, int maxiter", '''
        pycuda::complex<float> z(0, 0);
        out[i] = maxiter;
        for (int k = 0; k < maxiter; ++k) {
            z = z*z + q[i];
            if (abs(z) > 2.0f) { out[i] = k; break; }
        }''', "mandelbrot")
    kernel(q_gpu, out, maxiter)
    return out.get()

x, y = np.linspace(-2, 0.5, 80), np.linspace(-1.2, 1.2, 60) * 1j
q = np.ravel(x + y[:, np.newaxis])
wanted = on_host(q.astype(np.complex64), 30)
for made in (with_arrays, with_kernel):
    assert (made(q, 30) == wanted).mean() > 0.99, made
"""

NBODY = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

mod = SourceModule('''
__global__ void forces(const float3 *pos, const float *mass, float *acc, int n)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float3 p = i < n ? pos[i] : make_float3(0, 0, 0), a = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += blockDim.x) {
        int j = first + threadIdx.x;
        if (j < n) tile[threadIdx.x] = make_float4(pos[j].x, pos[j].y, pos[j].z, mass[j]);
        __syncthreads();
        for (int k = 0; k < blockDim.x && first + k < n; ++k) {
            float3 d = make_float3(tile[k].x - p.x, tile[k].y - p.y, tile[k].z - p.z);
            float r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;
            float s = tile[k].w / (r2 * sqrtf(r2));
            a.x += d.x * s; a.y += d.y * s; a.z += d.z * s;
        }
        __syncthreads();
    }
    if (i < n) { acc[3 * i] = a.x; acc[3 * i + 1] = a.y; acc[3 * i + 2] = a.z; }
}
''')
forces = mod.get_function("forces")
n, dt = 300, np.float32(0.01)
rng = np.random.RandomState(0)
pos, vel, mass = rng.randn(n, 3).astype(np.float32), np.zeros((n, 3), np.float32), rng.rand(n).astype(np.float32)
pos_gpu, vel_gpu, mass_gpu = map(gpuarray.to_gpu, (pos, vel, mass))
acc_gpu = gpuarray.empty_like(pos_gpu)

def on_host(pos):
    d = pos[None, :, :] - pos[:, None, :]
    r2 = (d ** 2).sum(-1) + np.float32(0.01)
    return (d * (mass[None, :] / r2 ** np.float32(1.5))[..., None]).sum(1)

start, end = cuda.Event(), cuda.Event()
start.record()
for step in range(10):
    forces(pos_gpu, mass_gpu.gpudata, acc_gpu.gpudata, np.int32(n), block=(64, 1, 1), grid=((n + 63) // 64, 1), shared=64 * 16)
    vel_gpu += acc_gpu * dt
    pos_gpu += vel_gpu * dt
    vel += on_host(pos) * dt
    pos += vel * dt
end.record()
end.synchronize()
assert start.time_till(end) >= 0
assert np.allclose(pos_gpu.get(), pos, atol=1e-4) and np.allclose(vel_gpu.get(), vel, atol=1e-3)
momentum = gpuarray.sum(vel_gpu.T[0] * mass_gpu).get()
assert abs(momentum) < 1e-2
"""

MIXED = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.scan import InclusiveScanKernel
import pycuda.cumath as cumath
import pycuda.elementwise, pycuda.reduction, pycuda.curandom

double_it = SourceModule("__global__ void f(float *a) { a[threadIdx.x + threadIdx.y * 4] *= 2; }").get_function("f")
a = np.random.randn(4, 4).astype(np.float32)
a_gpu = gpuarray.to_gpu(a)
a_doubled = (2 * a_gpu).get()
assert (a_doubled == 2 * a).all()
b_gpu = a_gpu + 1
double_it(b_gpu, block=(4, 4, 1))
c_gpu = b_gpu - 2
double_it(c_gpu.gpudata, block=(4, 4, 1))
result = np.empty_like(a)
drv.memcpy_dtoh(result, c_gpu.gpudata)
assert np.allclose(result, 4 * a, atol=1e-6)
assert np.allclose(cumath.exp(c_gpu).get(), np.exp(4 * a), rtol=1e-4)
x = gpuarray.to_gpu(np.arange(1, 11, dtype=np.int32))
InclusiveScanKernel(np.int32, "a+b")(x)
assert x.get().tolist() == np.cumsum(np.arange(1, 11)).tolist()
view = x[2:8:2]
view[:] = 0
assert x.get().tolist() == [1, 3, 0, 10, 0, 21, 0, 36, 45, 55]
try:
    x + x[:3]
except NotImplementedError:
    pass
else:
    assert False
print(a_gpu)
"""


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["SAXPY", "DOT", "PI", "MANDELBROT", "NBODY", "MIXED"])
def test_program(name, device, tmp_path):
    path = tmp_path / f"{name.lower()}.py"
    path.write_text(globals()[name])
    done = quern("run", path, QUERN_DEVICE=device)
    assert done.returncode == 0, done.stderr


def test_a_part_that_is_not_there(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import pycuda.nothing.more\n")
    assert "ModuleNotFoundError: No module named 'pycuda.nothing.more': quern does not support this module of pycuda" in quern("run", program).stderr
