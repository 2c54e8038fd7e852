"""Bodies that attract each other, all pairs, in PyCUDA's way: float4 structures, and tiles of bodies in shared memory."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
#define BLOCK 128
#define SOFTENING 0.01f

// The acceleration of a body at `at` by one of mass w.
__device__ float3 pulled(float3 sum, float4 at, float4 other)
{
    float3 r = make_float3(other.x - at.x, other.y - at.y, other.z - at.z);
    float near = rsqrtf(r.x * r.x + r.y * r.y + r.z * r.z + SOFTENING);
    float pull = other.w * near * near * near;
    return make_float3(sum.x + r.x * pull, sum.y + r.y * pull, sum.z + r.z * pull);
}

__global__ void step(const float4* at, float4* next, float4* speed, int n, float dt)
{
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 me = i < n ? at[i] : make_float4(0, 0, 0, 0);
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += BLOCK) {
        int j = first + threadIdx.x;
        tile[threadIdx.x] = j < n ? at[j] : make_float4(0, 0, 0, 0);  // without mass
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < BLOCK; ++k)
            sum = pulled(sum, me, tile[k]);
        __syncthreads();
    }
    if (i >= n)
        return;
    float4 v = speed[i];
    v.x += dt * sum.x;
    v.y += dt * sum.y;
    v.z += dt * sum.z;
    speed[i] = v;
    next[i] = make_float4(me.x + dt * v.x, me.y + dt * v.y, me.z + dt * v.z, me.w);
}
"""

SOFTENING, dt, steps, n = 0.01, 0.005, 20, 1000
random = np.random.default_rng(3)
at = np.empty(n, gpuarray.vec.float4)
speed = np.zeros(n, gpuarray.vec.float4)
for axis in "xyz":
    at[axis] = random.uniform(-1, 1, n)
    speed[axis] = random.normal(0, 0.1, n)
at["w"] = random.uniform(0.5, 1.5, n) / n

now, v = gpuarray.to_gpu(at), gpuarray.to_gpu(speed)
then = gpuarray.empty_like(now)
kernel = SourceModule(SOURCE).get_function("step")
kernel.prepare("PPPif")
for _ in range(steps):
    kernel.prepared_call((-(-n // 128), 1), (128, 1, 1), now.gpudata, then.gpudata, v.gpudata, n, dt)
    now, then = then, now

# The same by NumPy, in double precision.
places = np.stack([at[axis] for axis in "xyz"], axis=1).astype(np.float64)
speeds = np.stack([speed[axis] for axis in "xyz"], axis=1).astype(np.float64)
mass = at["w"].astype(np.float64)
for _ in range(steps):
    apart = places[None] - places[:, None]
    near = 1 / np.sqrt((apart**2).sum(axis=2) + SOFTENING)
    speeds += dt * np.einsum("ijk,ij->ik", apart, mass * near**3)
    places += dt * speeds

error = max(np.abs(now.get()[axis] - places[:, k]).max() for k, axis in enumerate("xyz"))
assert error < 1e-4, error
print(f"{n} bodies, {steps} steps: largest difference from NumPy {error:.1e}")
