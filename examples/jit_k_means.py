"""Clusters by k-means: nearest centres, sums by atomics, new centres; no value is read until the end.

quern run examples/jit_k_means.py [POINTS]
"""

import sys

import numpy as np
from numba import cuda

K, ROUNDS = 5, 15


@cuda.jit
def nearest(points, centres, labels, sums, counts):
    i = cuda.grid(1)
    if i < points.shape[0]:
        best, least = 0, 1e300
        for k in range(centres.shape[0]):
            distance = 0.0
            for d in range(points.shape[1]):
                difference = points[i, d] - centres[k, d]
                distance += difference * difference
            if distance < least:
                best, least = k, distance
        labels[i] = best
        cuda.atomic.add(counts, best, 1)
        for d in range(points.shape[1]):
            cuda.atomic.add(sums, (best, d), points[i, d])


@cuda.jit
def move(centres, sums, counts):
    k, d = cuda.grid(2)
    if k < centres.shape[0] and d < centres.shape[1]:
        if counts[k] > 0:
            centres[k, d] = sums[k, d] / counts[k]
        sums[k, d] = 0


@cuda.jit
def clear(counts):
    counts[cuda.grid(1)] = 0


def with_numpy(points, centres):
    for _ in range(ROUNDS):
        labels = ((points[:, None, :] - centres) ** 2).sum(-1).argmin(-1)
        centres = np.array([points[labels == k].mean(0) if (labels == k).any() else centres[k] for k in range(K)])
    return centres, labels


count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
rng = np.random.default_rng(13)
points = np.concatenate([rng.normal(c, 0.6, (count // K, 2)) for c in rng.uniform(-8, 8, (K, 2))])
start = points[rng.choice(len(points), K, replace=False)]

on_device, centres = cuda.to_device(points), cuda.to_device(start)
labels, sums, counts = cuda.device_array(len(points), np.int32), cuda.to_device(np.zeros((K, 2))), cuda.to_device(np.zeros(K, np.int32))
for _ in range(ROUNDS):
    nearest.forall(len(points))(on_device, centres, labels, sums, counts)
    move[1, (K, 2)](centres, sums, counts)
    clear[1, K](counts)
expected, expected_labels = with_numpy(points, start)
result = centres.copy_to_host()
for k in range(K):
    print(f"cluster {k} at ({result[k, 0]:6.2f}, {result[k, 1]:6.2f}) with {np.count_nonzero(labels.copy_to_host() == k)} points")
assert np.allclose(result, expected) and np.array_equal(labels.copy_to_host(), expected_labels)
