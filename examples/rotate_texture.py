"""Turns a picture about its middle, with a texture: the hardware (or quern) takes the mean of the four nearest texels.

The picture is a pattern that is computed; outside it the texture is black. The result is compared with NumPy's.

    quern run examples/rotate_texture.py [--size 512] [--degrees 30]
"""

import argparse
import time

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
texture<float, 2, cudaReadModeElementType> picture;

__global__ void rotate(float* out, int size, float cosine, float sine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    float middle = 0.5f * size;
    float across = x + 0.5f - middle, down = y + 0.5f - middle;
    out[y * size + x] = tex2D(picture, middle + cosine * across + sine * down, middle - sine * across + cosine * down);
}
"""


def pattern(size):
    """Rings and bars between 0 and 1."""
    across, down = np.meshgrid(np.linspace(-1, 1, size), np.linspace(-1, 1, size))
    return (0.5 + 0.3 * np.cos(20 * np.hypot(across, down)) + 0.2 * np.sign(np.sin(9 * across))).astype(np.float32)


def rotated(picture, cosine, sine):
    """The same with NumPy, in double precision."""
    size = len(picture)
    padded = np.zeros((size + 3, size + 3))  # texel i stands at i + 1
    padded[1 : size + 1, 1 : size + 1] = picture
    down, across = np.mgrid[:size, :size] + 0.5 - size / 2
    place = (size / 2 - sine * across + cosine * down, size / 2 + cosine * across + sine * down)
    place = [np.clip(p + 0.5, 0, size + 1) for p in place]
    low = [np.floor(p).astype(int) for p in place]
    y, x = (p - whole for p, whole in zip(place, low, strict=True))
    top = (1 - x) * padded[low[0], low[1]] + x * padded[low[0], low[1] + 1]
    bottom = (1 - x) * padded[low[0] + 1, low[1]] + x * padded[low[0] + 1, low[1] + 1]
    return (1 - y) * top + y * bottom


def main():
    parser = argparse.ArgumentParser(description="turn a picture with a texture")
    parser.add_argument("--size", type=int, default=512, help="rows and columns of the picture")
    parser.add_argument("--degrees", type=float, default=30.0, help="how far it is turned")
    options = parser.parse_args()
    size, angle = options.size, np.deg2rad(options.degrees)
    picture = pattern(size)

    module = SourceModule(SOURCE)
    rotate, texture = module.get_function("rotate"), module.get_texref("picture")
    texture.set_array(cuda.matrix_to_array(picture, "C"))
    texture.set_filter_mode(cuda.filter_mode.LINEAR)
    for axis in (0, 1):
        texture.set_address_mode(axis, cuda.address_mode.BORDER)

    out = np.empty_like(picture)
    grid = ((size + 15) // 16, (size + 15) // 16)
    numbers = np.int32(size), np.float32(np.cos(angle)), np.float32(np.sin(angle))
    rotate(cuda.Out(out), *numbers, block=(16, 16, 1), grid=grid, texrefs=[texture])
    begin = time.perf_counter()
    rotate(cuda.Out(out), *numbers, block=(16, 16, 1), grid=grid, texrefs=[texture])
    took = time.perf_counter() - begin
    begin = time.perf_counter()
    expected = rotated(picture, np.cos(angle), np.sin(angle))
    took_numpy = time.perf_counter() - begin
    error = float(np.abs(out - expected).max())
    assert error < 0.02, error  # a texture's weights have 8 bits
    print(f"{size} x {size} turned by {options.degrees} degrees: {1e3 * took:.2f} ms, NumPy {1e3 * took_numpy:.2f} ms")
    print(f"largest difference from NumPy's: {error:.4f}")


if __name__ == "__main__":
    main()
