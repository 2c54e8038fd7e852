"""Random programs that mix what GPUArrays record, kernels of every kind, copies, views and streams: NumPy does the same.

QUERN_PYCUDA_PROGRAMS says how many run on each device.
"""

import operator

import numpy as np
import pytest
from features import Features
from long_runs import programs, seeds
from quern.pycuda import driver as drv
from quern.pycuda import gpuarray
from quern.pycuda.compiler import SourceModule
from quern.pycuda.elementwise import ElementwiseKernel
from quern.pycuda.reduction import ReductionKernel

N = 24
KEYS = [slice(None), slice(3, 17), slice(None, None, -1), slice(1, 20, 3), slice(20, 2, -4)]


@pytest.fixture
def kernels(device):
    raw = SourceModule("__global__ void f(double *y, const double *x, double k) { y[threadIdx.x] += x[threadIdx.x] * k; }")
    return {
        "raw": raw.get_function("f"),
        "row": ElementwiseKernel("double k, double *x, double *y", "y[i] = k - y[i] + x[i]"),
        "own": ElementwiseKernel("double k, double *x, double *y", "y[i] = y[i] + x[n - 1 - i] * k"),
        "sum": ReductionKernel(np.float64, "0", "a+b", "x[i] * (i + 1)", "double *x"),
    }


class Program:
    def __init__(self, seed, kernels):
        self.random = np.random.default_rng(seed)
        self.kernels = kernels
        self.host = [self.random.integers(-9, 10, N).astype(float) for _ in range(4)]
        self.arrays = [gpuarray.to_gpu(x) for x in self.host]
        self.streams = [None, None, drv.Stream()]  # two would race with each other
        self.steps = []

    def pick(self, things):
        return things[self.random.integers(len(things))]

    def two(self):
        return self.random.integers(4), self.random.integers(4)

    def number(self):
        return float(self.random.integers(-2, 3))

    def operate(self):
        (m, n), op, k = self.two(), self.pick([operator.add, operator.sub]), self.number()
        self.arrays[m], self.host[m] = op(self.arrays[m], k * self.arrays[n]), op(self.host[m], k * self.host[n])

    def in_place(self):
        (m, n), k = self.two(), self.number()
        self.arrays[m] += self.arrays[n]
        self.host[m] += self.host[n]
        self.arrays[m] -= k
        self.host[m] -= k

    def assign(self):
        (m, n), key, k = self.two(), self.pick(KEYS), self.number()
        if self.random.integers(2):
            self.arrays[m][key] = self.arrays[n][key].copy() + k
            self.host[m][key] = self.host[n][key] + k
        else:
            self.arrays[m][key] = k
            self.host[m][key] = k

    def through_a_view(self):
        (m, n), key, k = self.two(), self.pick(KEYS), self.number()
        view = self.pick([lambda a: a, lambda a: a.reshape(4, 6).T.T.reshape(N), lambda a: a.view(np.float64)])(self.arrays[m])[key]
        view += k
        view *= self.arrays[n][key] * 0 + 1
        self.host[m][key] += k

    def launch(self):
        (m, n), k, stream = self.two(), self.number(), self.pick(self.streams)
        forms = [lambda a: a, lambda a: a.gpudata, lambda a: int(a.gpudata), lambda a: a.ptr, lambda a: a[:].gpudata]
        y, x = self.pick(forms)(self.arrays[m]), self.pick(forms)(self.arrays[n])
        self.kernels["raw"](y, x, np.float64(k), block=(N, 1, 1), stream=stream)
        self.host[m] += self.host[n] * k

    def elementwise(self):
        (m, n), k, stream = self.two(), self.number(), self.pick(self.streams)
        self.kernels["row"](k, self.arrays[n], self.arrays[m], stream=stream)
        self.host[m][:] = k - self.host[m] + self.host[n]
        if m != n:
            self.kernels["own"](k, self.arrays[n], self.arrays[m], stream=stream)
            self.host[m] += self.host[n][::-1] * k

    def copy_memory(self):
        m, n = self.two()
        what = self.random.integers(4)
        if what == 0 and m != n:
            drv.memcpy_dtod(self.arrays[m].gpudata, self.arrays[n].gpudata, 8 * N)
            self.host[m][:] = self.host[n]
        elif what == 1:
            drv.memcpy_htod(self.arrays[m].gpudata, self.host[n].copy())
            self.host[m][:] = self.host[n]
        elif what == 2:
            self.arrays[m].set_async(self.host[n].copy(), self.pick(self.streams))
            self.host[m][:] = self.host[n]
        else:
            drv.memset_d32(self.arrays[m].gpudata, 0, N)
            self.host[m][: N // 2] = 0

    def look(self):
        m = self.random.integers(4)
        what = self.random.integers(4)
        if what == 0:
            assert np.array_equal(self.arrays[m].get(), self.host[m])
        elif what == 1:
            got = np.empty(N)
            drv.memcpy_dtoh(got, self.arrays[m].gpudata)
            assert np.array_equal(got, self.host[m])
        elif what == 2:
            stream = self.pick(self.streams[2:])
            got = self.arrays[m].get_async(stream)
            stream.synchronize()
            assert np.array_equal(got, self.host[m])
        else:
            assert self.kernels["sum"](self.arrays[m]).get() == (self.host[m] * np.arange(1, N + 1)).sum()

    def shrink(self):  # so that numbers stay whole and small
        m = self.random.integers(4)
        self.arrays[m] = self.arrays[m] % 10
        self.host[m] = self.host[m] % 10

    def run(self):
        steps = [self.operate, self.in_place, self.assign, self.through_a_view, self.launch, self.launch, self.elementwise]
        steps += [self.copy_memory, self.look, self.shrink, self.shrink]
        for _ in range(40):
            step = self.pick(steps)
            self.steps.append(step.__name__)
            step()
        for array, wanted in zip(self.arrays, self.host, strict=True):
            assert np.array_equal(array.get(), wanted)


STEPS = "operate in_place assign through_a_view launch elementwise copy_memory look shrink"


def test_programs(kernels, capsys):
    features = Features("programs of PyCUDA", {step: rf"\b{step}\b" for step in STEPS.split()})
    for seed in seeds(programs("QUERN_PYCUDA_PROGRAMS", 20)):
        program = Program(seed, kernels)
        try:
            program.run()
        except Exception as error:
            raise AssertionError(f"seed {seed}, after {program.steps}") from error
        features.add(" ".join(program.steps))
    features.check(capsys)
