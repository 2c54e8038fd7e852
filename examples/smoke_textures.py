"""Smoke in a whirling flow: each step looks back along the flow and reads the smoke there through a linear texture, then it spreads.

The grid closes on itself: the texture wraps. Velocities lie in one texture of two channels, smoke in another, which a surface writes. The
smoke that is there stays the same, and a coarse run is compared with NumPy's.

    quern run examples/smoke_textures.py [--size 256] [--steps 100]
"""

import argparse
import time

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
texture<float2, 2, cudaReadModeElementType> flow(1, cudaFilterModeLinear, cudaAddressModeWrap);
texture<float, 2, cudaReadModeElementType> smoke(1, cudaFilterModeLinear, cudaAddressModeWrap);
surface<void, 2> next;

__global__ void advect(int size, float step)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    float u = (x + 0.5f) / size, v = (y + 0.5f) / size;
    float2 here = tex2D(flow, u, v);
    float2 half_way = tex2D(flow, u - 0.5f * step * here.x, v - 0.5f * step * here.y);
    surf2Dwrite(tex2D(smoke, u - step * half_way.x, v - step * half_way.y), next, x * (int)sizeof(float), y);
}
"""


def whirls(size):
    """A flow without sources, in grids a unit of time: (rows, columns, 2)."""
    y, x = (np.mgrid[:size, :size] + 0.5) / size * 2 * np.pi
    across = np.cos(y) * np.sin(x) + 0.5 * np.cos(2 * y)
    down = -np.sin(y) * np.cos(x) + 0.5 * np.sin(x)
    return np.stack([across, down], axis=-1).astype(np.float32)


def puff(size):
    y, x = (np.mgrid[:size, :size] + 0.5) / size
    return np.exp(-40 * ((x - 0.4) ** 2 + (y - 0.5) ** 2)).astype(np.float32)


def sampled(values, u, v):
    """What a linear, wrapping texture gives at places from 0 to 1."""
    size = len(values)
    x, y = u * size - 0.5, v * size - 0.5
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    a, b = x - i, y - j
    if values.ndim == 3:
        a, b = a[..., None], b[..., None]
    i, j, right, below = i % size, j % size, (i + 1) % size, (j + 1) % size
    return (1 - b) * ((1 - a) * values[j, i] + a * values[j, right]) + b * ((1 - a) * values[below, i] + a * values[below, right])


def with_numpy(flow, smoke, step, steps):
    size = len(smoke)
    v, u = (np.mgrid[:size, :size] + 0.5) / size
    half_way = sampled(flow, u - 0.5 * step * flow[..., 0], v - 0.5 * step * flow[..., 1])
    for _ in range(steps):
        smoke = sampled(smoke, u - step * half_way[..., 0], v - step * half_way[..., 1])
    return smoke


def with_textures(flow, smoke, step, steps):
    """The smoke after so many steps, and the seconds that they took."""
    module = SourceModule(SOURCE)
    advect, texture, surface = module.get_function("advect"), module.get_texref("smoke"), module.get_surfref("next")
    module.get_texref("flow").set_array(cuda.make_multichannel_2d_array(flow, "C"))
    now, later = (cuda.np_to_array(smoke, "C", allowSurfaceBind=True) for _ in range(2))
    size = len(smoke)
    grid = ((size + 15) // 16, (size + 15) // 16)
    cuda.Context.synchronize()
    begin = time.perf_counter()
    for _ in range(steps):
        texture.set_array(now)
        surface.set_array(later)
        advect(np.int32(size), np.float32(step), block=(16, 16, 1), grid=grid, texrefs=[texture])
        now, later = later, now
    cuda.Context.synchronize()
    took = time.perf_counter() - begin
    out = np.empty_like(smoke)
    cuda.memcpy_atoh(out, now, 0)
    return out, took


def main():
    parser = argparse.ArgumentParser(description="smoke in a whirling flow")
    parser.add_argument("--size", type=int, default=256, help="rows and columns of the grid")
    parser.add_argument("--steps", type=int, default=100)
    options = parser.parse_args()

    flow, smoke = whirls(64), puff(64)
    out, _ = with_textures(flow, smoke, 0.01, 20)
    error = float(np.abs(out - with_numpy(flow, smoke, 0.01, 20)).max())
    assert error < 0.02, error  # a texture's weights have 8 bits

    flow, smoke = whirls(options.size), puff(options.size)
    out, took = with_textures(flow, smoke, 0.5 / options.size, options.steps)
    change = abs(out.sum() / smoke.sum() - 1)
    assert 0 <= out.min() and out.max() <= smoke.max() * 1.0001 and change < 0.02, (out.min(), out.max(), change)
    print(f"{options.steps} steps on {options.size} x {options.size}: {1e3 * took / max(1, options.steps):.2f} ms each")
    print(f"the smoke changed by {100 * change:.3f} %; a small grid differs from NumPy's by {error:.4f} at most")


if __name__ == "__main__":
    main()
