"""The Mandelbrot set, written to mandelbrot.png; a sample of its points is checked on the host."""

import matplotlib.image
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void mandelbrot(int* steps, int width, int height, double x0, double y0, double pixel, int most)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    double cx = x0 + px * pixel, cy = y0 + py * pixel, x = 0.0, y = 0.0;
    int n = 0;
    while (n < most && x * x + y * y <= 4.0) {
        double next = x * x - y * y + cx;
        y = 2.0 * x * y + cy;
        x = next;
        ++n;
    }
    steps[py * width + px] = n;
}
"""

width, height, most = 900, 600, 200
x0, y0, pixel = -2.0, -1.0, 1.0 / 300
steps = np.empty((height, width), np.int32)
device_steps = cuda.mem_alloc(steps.nbytes)
# Without fused multiply-add the device rounds as the host does, and the counts must be equal.
mandelbrot = SourceModule(SOURCE, options=["-fmad=false"]).get_function("mandelbrot")
mandelbrot(
    device_steps,
    np.int32(width),
    np.int32(height),
    np.float64(x0),
    np.float64(y0),
    np.float64(pixel),
    np.int32(most),
    block=(32, 8, 1),
    grid=((width + 31) // 32, (height + 7) // 8),
)
cuda.memcpy_dtoh(steps, device_steps)


def count(cx, cy):
    x = y = 0.0
    for n in range(most):
        if x * x + y * y > 4.0:
            return n
        x, y = x * x - y * y + cx, 2.0 * x * y + cy
    return most


for py in range(0, height, 37):
    for px in range(0, width, 41):
        assert steps[py, px] == count(x0 + px * pixel, y0 + py * pixel), (px, py)
matplotlib.image.imsave("mandelbrot.png", np.log1p(steps), cmap="magma")
inside = np.count_nonzero(steps == most)
print(f"wrote mandelbrot.png on {pycuda.autoinit.device.name()}: {inside} of {steps.size} points do not escape in {most} steps")
