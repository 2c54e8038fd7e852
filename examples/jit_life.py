"""Conway's game of life on a torus: a glider and a random corner, two arrays that change places.

quern run examples/jit_life.py [GENERATIONS]
"""

import sys

import numpy as np
from numba import cuda


@cuda.jit
def generation(now, then):
    i, j = cuda.grid(2)
    rows, columns = now.shape
    if i < rows and j < columns:
        neighbours = 0
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                if di != 0 or dj != 0:
                    neighbours += now[(i + di) % rows, (j + dj) % columns]
        then[i, j] = neighbours == 3 or (neighbours == 2 and now[i, j] == 1)


def with_numpy(now):
    neighbours = sum(np.roll(now, (di, dj), (0, 1)) for di in (-1, 0, 1) for dj in (-1, 0, 1) if di or dj)
    return ((neighbours == 3) | ((neighbours == 2) & (now == 1))).astype(np.uint8)


generations = int(sys.argv[1]) if len(sys.argv) > 1 else 100
world = np.zeros((48, 64), np.uint8)
world[1:4, 1:4] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
world[20:40, 30:60] = np.random.default_rng(3).integers(0, 2, (20, 30))

expected = world
now, then = cuda.to_device(world), cuda.device_array_like(world)
for _ in range(generations):
    generation[(6, 8), (8, 8)](now, then)
    now, then = then, now
    expected = with_numpy(expected)
result = now.copy_to_host()
for line in result[::2]:
    print("".join(" #"[cell] for cell in line))
print(f"{result.sum()} cells live after {generations} generations")
assert np.array_equal(result, expected)
