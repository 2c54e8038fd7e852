"""Ranges and slices in kernels: what their ends are, and the names that loops count in."""

import math

import numpy as np
from quern.numba import cuda, uint32


def test_ranges_and_slices_take_the_whole_part_of_reals(device):
    @cuda.jit
    def kernel(a, tile, out):
        i = cuda.grid(1)
        if i < out.shape[0]:
            for k in range(math.ceil(a.size / tile)):
                out[i, 0] += k + 1
            for k in range(np.float32(4.9), 0.5, -1.5):
                out[i, 1] = out[i, 1] * 10 + k
            for k in range(-tile / 2, tile):
                out[i, 2] += k
            out[i, 3] = a[tile / 4 : np.float32(6.9)].sum()
            out[i, 4] = a[1.5:][0] + a[:-2.5:2.9].size + len(range(tile / 2))
            a[math.floor(tile / 2.0) :] = tile

    a, out = np.arange(9.0), np.zeros((1, 5))
    kernel[1, 2](a, 7.0, out)
    expected = [sum(range(1, 3)), 4321, sum(range(-3, 7)), np.arange(1, 6).sum(), 1 + len(range(0, 7, 2)) + 3]
    assert out.tolist() == [expected]
    assert a.tolist() == [0, 1, 2, 7, 7, 7, 7, 7, 7]


def test_what_a_loop_counts_is_a_name_of_its_own(device):
    @cuda.jit
    def kernel(a, n, out):
        for k in range(n):
            out[0] += a[k]
        i = uint32(0)
        while i < uint32(n) * uint32(2):
            k = i // uint32(2)  # an unsigned number, which reaches no loop over k
            out[1] += a[k]
            i += uint32(1)
        for k in range(n):
            out[2] += a[k] * k
        k = 0.5
        out[3] += k
        for _ in range(2):
            for k in range(n):
                out[3] += a[k]

    a, out = np.arange(1.0, 5.0), np.zeros(4)
    kernel[1, 1](a, 3, out)
    assert out.tolist() == [6, 12, 8, 12.5]
