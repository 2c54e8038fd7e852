"""Heat in a plate: all steps of time in one kernel, whose blocks wait for each other after each.

quern run examples/jit_heat_grid_sync.py [SIZE [STEPS]]
"""

import sys

import numpy as np
from numba import cuda

SPEED = np.float32(0.2)


@cuda.jit
def conduct(heat, other, steps):
    """After an even number of steps the result is in `heat`. Each thread has several cells, so that any grid does."""
    grid = cuda.cg.this_grid()
    rows, columns = heat.shape
    for step in range(steps):
        source, target = (heat, other) if step % 2 == 0 else (other, heat)
        for k in range(cuda.grid(1), rows * columns, cuda.gridsize(1)):
            i, j = k // columns, k % columns
            here = source[i, j]
            if 0 < i < rows - 1 and 0 < j < columns - 1:  # the rim keeps its heat
                around = source[i - 1, j] + source[i + 1, j] + source[i, j - 1] + source[i, j + 1]
                here += SPEED * (around - np.float32(4) * here)
            target[i, j] = here
        grid.sync()


def with_numpy(heat, steps):
    heat = heat.copy()
    for _ in range(steps):
        inner = heat[1:-1, 1:-1]
        around = heat[:-2, 1:-1] + heat[2:, 1:-1] + heat[1:-1, :-2] + heat[1:-1, 2:]
        heat[1:-1, 1:-1] = inner + SPEED * (around - np.float32(4) * inner)
    return heat


size = int(sys.argv[1]) if len(sys.argv) > 1 else 128
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 200
steps += steps % 2
plate = np.zeros((size, size), np.float32)
plate[0] = 100
plate[size // 3 : size // 2, size // 3 : size // 2] = 60

heat, other = cuda.to_device(plate), cuda.device_array_like(plate)
conduct[32, 128](heat, other, steps)
result = heat.copy_to_host()
expected = with_numpy(plate, steps)
print(f"after {steps} steps the middle has {result[size // 2, size // 2]:.3f} degrees, the mean is {result.mean():.3f}")
assert np.allclose(result, expected, rtol=1e-4, atol=1e-3)
