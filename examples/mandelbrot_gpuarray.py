"""The Mandelbrot set with GPUArrays: first as array work, then as one ElementwiseKernel; both count the same rounds."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel

width, height, rounds = 360, 240, 60
real = np.linspace(-2.2, 0.8, width)
imag = np.linspace(-1.0, 1.0, height)
plane = (real[None, :] + 1j * imag[:, None]).astype(np.complex128)
c = gpuarray.to_gpu(plane)

# Array work: a point that has left stays at the value 2, so that nothing overflows.
z = gpuarray.zeros_like(c)
counts = gpuarray.zeros(c.shape, np.float64)
for _ in range(rounds):
    inside = abs(z) <= 2.0
    counts += inside
    z = gpuarray.if_positive(inside, z * z + c, gpuarray.zeros_like(c) + 3.0)

# One kernel.
escape = ElementwiseKernel(
    "pycuda::complex<double> *c, double *counts, int rounds",
    """
    pycuda::complex<double> z(0, 0);
    int k = 0;
    while (k < rounds && abs(z) <= 2.0) {
        z = z * z + c[i];
        ++k;
    }
    counts[i] = k;
    """,
    "escape",
    preamble="#include <pycuda-complex.hpp>",
)
at_once = gpuarray.empty(c.shape, np.float64)
escape(c, at_once, rounds)

# NumPy, for comparison.
wanted, point = np.zeros(plane.shape), np.zeros_like(plane)
for _ in range(rounds):
    inside = abs(point) <= 2.0
    wanted += inside
    point = np.where(inside, point * point + plane, 3.0)

for name, got in (("array work", counts.get()), ("one kernel", at_once.get())):
    different = np.count_nonzero(got != wanted)
    assert different <= wanted.size // 1000, (name, different)
    print(f"{name}: {different} of {wanted.size} points differ from NumPy's")
print(f"{np.count_nonzero(wanted == rounds)} points stay within {rounds} rounds")
