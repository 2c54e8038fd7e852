"""The Mandelbrot set: one thread for each point, compared with NumPy.

quern run examples/jit_mandelbrot.py [SIDE]
"""

import sys

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def steps(c, most):
    z = 0j
    for n in range(most):
        if z.real * z.real + z.imag * z.imag >= 4:
            return n
        z = z * z + c
    return most


@cuda.jit
def mandelbrot(left, right, low, high, most, image):
    row, column = cuda.grid(2)
    if row < image.shape[0] and column < image.shape[1]:
        x = left + (right - left) * column / image.shape[1]
        y = low + (high - low) * row / image.shape[0]
        image[row, column] = steps(complex(x, y), most)


def with_numpy(left, right, low, high, most, side):
    c = (left + (right - left) * np.arange(side) / side) + 1j * (low + (high - low) * np.arange(side) / side)[:, None]
    z, n = np.zeros_like(c), np.zeros(c.shape, np.int32)
    for _ in range(most):
        inside = z.real * z.real + z.imag * z.imag < 4
        n += inside
        z = np.where(inside, z * z + c, z)
    return n


side = int(sys.argv[1]) if len(sys.argv) > 1 else 400
window = (-2.0, 1.0, -1.5, 1.5, 60)
image = np.zeros((side, side), np.int32)
mandelbrot[(side // 16 + 1, side // 16 + 1), (16, 16)](*window, image)
expected = with_numpy(*window, side)
different = np.count_nonzero(image != expected)
for line in image[:: side // 20, :: side // 60]:
    print("".join(" .:-=+*#%@"[min(9, n // 7)] for n in line))
print(f"{different} of {image.size} points differ from NumPy's by rounding")
assert different <= image.size // 1000
