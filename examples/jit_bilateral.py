"""A bilateral filter on a photograph: near pixels of like brightness are averaged, so noise goes and edges stay.

    quern run examples/jit_bilateral.py

Writes bilateral.png.
"""

import math

import matplotlib.cbook
import matplotlib.image
import numpy as np
from numba import cuda

RADIUS, NEAR, LIKE = 3, 2.0, 0.1


@cuda.jit
def bilateral(image, out):
    i, j = cuda.grid(2)
    rows, columns = image.shape
    if i < rows and j < columns:
        total = 0.0
        weights = 0.0
        for di in range(-RADIUS, RADIUS + 1):
            for dj in range(-RADIUS, RADIUS + 1):
                y = min(max(i + di, 0), rows - 1)
                x = min(max(j + dj, 0), columns - 1)
                difference = image[y, x] - image[i, j]
                weight = math.exp(-(di * di + dj * dj) / (2 * NEAR * NEAR) - difference * difference / (2 * LIKE * LIKE))
                total += weight * image[y, x]
                weights += weight
        out[i, j] = total / weights


def with_numpy(image):
    total, weights = np.zeros_like(image), np.zeros_like(image)
    padded = np.pad(image, RADIUS, mode="edge")
    for di in range(-RADIUS, RADIUS + 1):
        for dj in range(-RADIUS, RADIUS + 1):
            other = padded[RADIUS + di : RADIUS + di + image.shape[0], RADIUS + dj : RADIUS + dj + image.shape[1]]
            weight = np.exp(-(di * di + dj * dj) / (2 * NEAR * NEAR) - (other - image) ** 2 / (2 * LIKE * LIKE))
            total += weight * other
            weights += weight
    return total / weights


with matplotlib.cbook.get_sample_data("grace_hopper.jpg") as file:
    grey = matplotlib.image.imread(file, format="jpg")[..., :3].astype(np.float64).mean(-1) / 255
noisy = np.clip(grey + np.random.default_rng(17).normal(0, 0.05, grey.shape), 0, 1)
out = np.zeros_like(noisy)
bilateral[(grey.shape[0] // 16 + 1, grey.shape[1] // 16 + 1), (16, 16)](noisy, out)
matplotlib.image.imsave("bilateral.png", out, cmap="gray")
before, after = np.abs(noisy - grey).mean(), np.abs(out - grey).mean()
print(f"{grey.shape[0]} x {grey.shape[1]} pixels; the mean error of the noisy picture is {before:.4f}, of the filtered one {after:.4f}")
assert np.allclose(out, with_numpy(noisy)) and after < before
