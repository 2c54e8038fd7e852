"""Edges of a photograph with a CUDA C++ kernel: Sobel's operator on the picture that matplotlib brings along.

Writes sobel.png into the current folder, compares the result with NumPy, and says what each step cost.
"""

import time

import matplotlib.cbook
import matplotlib.image
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void sobel(const unsigned char* image, unsigned char* edges, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    // Outside the picture lies its border again.
    int left = max(x - 1, 0), right = min(x + 1, width - 1);
    int up = max(y - 1, 0) * width, here = y * width, down = min(y + 1, height - 1) * width;
    int gx = image[up + right] + 2 * image[here + right] + image[down + right]
           - image[up + left] - 2 * image[here + left] - image[down + left];
    int gy = image[down + left] + 2 * image[down + x] + image[down + right]
           - image[up + left] - 2 * image[up + x] - image[up + right];
    float strength = sqrtf((float)(gx * gx + gy * gy));
    edges[here + x] = (unsigned char)min((int)strength, 255);
}
"""


def sobel_numpy(image):
    """The same on the host."""
    p = np.pad(image.astype(np.int32), 1, mode="edge")
    gx = p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:] - p[:-2, :-2] - 2 * p[1:-1, :-2] - p[2:, :-2]
    gy = p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:] - p[:-2, :-2] - 2 * p[:-2, 1:-1] - p[:-2, 2:]
    return np.minimum(np.sqrt((gx * gx + gy * gy).astype(np.float32)).astype(np.int32), 255).astype(np.uint8)


with matplotlib.cbook.get_sample_data("grace_hopper.jpg") as file:
    photo = matplotlib.image.imread(file, format="jpg")
image = np.ascontiguousarray((photo[..., :3] @ np.array([0.299, 0.587, 0.114])).astype(np.uint8))
height, width = image.shape

start = time.perf_counter()
sobel = SourceModule(SOURCE).get_function("sobel")
compile_ms = 1e3 * (time.perf_counter() - start)

events = [cuda.Event() for _ in range(4)]
edges = np.empty_like(image)
events[0].record()
device_image = cuda.to_device(image)
device_edges = cuda.mem_alloc(edges.nbytes)
events[1].record()
sobel(device_image, device_edges, np.int32(width), np.int32(height), block=(32, 8, 1), grid=((width + 31) // 32, (height + 7) // 8))
events[2].record()
cuda.memcpy_dtoh(edges, device_edges)
events[3].record()
events[3].synchronize()
copy_ms = events[0].time_till(events[1]) + events[2].time_till(events[3])
kernel_ms = events[1].time_till(events[2])

difference = np.abs(edges.astype(int) - sobel_numpy(image).astype(int)).max()
assert difference <= 1, f"the edges differ from NumPy's by up to {difference}"
matplotlib.image.imsave("sobel.png", edges, cmap="gray", vmin=0, vmax=255)
print(f"wrote sobel.png, {width} x {height}, equal to NumPy's")
print(f"device: {pycuda.autoinit.device.name()}; compile {compile_ms:.1f} ms, copies {copy_ms:.3f} ms, kernel {kernel_ms:.3f} ms")
