#!/usr/bin/env python3
"""Array operations of PyCUDA programs, at 10**3, 10**6 and 10**8 elements (10**7 on the CPU), next to CuPy on a GPU and NumPy on the CPU.

    python bench/pycuda.py [--device cpu|cuda] [--out FILE.json] [--only TEXT]

Each figure is the median of whole rounds: one call, then a synchronise (NumPy: when the call returns). Results are compared first; the
peers' random numbers are others than quern's. Start at CASES.
"""

import argparse

from measure import keep, median_ms, report_beside  # isort: skip, finds quern
import numpy as np  # isort: skip

import quern as qn
from quern.device import set_current_device
from quern.pycuda import cumath, curandom, driver, gpuarray
from quern.pycuda.elementwise import ElementwiseKernel
from quern.pycuda.reduction import ReductionKernel
from quern.pycuda.scan import InclusiveScanKernel


class Ours:
    """quern, as PyCUDA's users write it."""

    array = staticmethod(gpuarray.to_gpu)
    wait = staticmethod(driver.Context.synchronize)
    exp = staticmethod(cumath.exp)
    total = staticmethod(gpuarray.sum)

    def __init__(self):
        self.axpby = ElementwiseKernel("float a, float *x, float b, float *y, float *z", "z[i] = a * x[i] + b * y[i]", "axpby")
        self.dot = ReductionKernel(np.float32, "0", "a+b", "x[i]*y[i]", "const float *x, const float *y")
        self.scan = InclusiveScanKernel(np.float32, "a+b")
        self.generator = curandom.XORWOWRandomNumberGenerator()

    def linear(self, x, y, z):
        self.axpby(2.0, x, 3.0, y, z)
        return z

    def running(self, x, z):
        z[:] = x
        return self.scan(z)

    def uniform(self, n):
        return self.generator.gen_uniform(n, np.float32)

    def normal(self, n):
        return self.generator.gen_normal(n, np.float32)


class CuPys:
    """The same with CuPy."""

    def __init__(self, cupy):
        self.array, self.exp, self.total = cupy.asarray, cupy.exp, cupy.sum
        self.wait = lambda: cupy.cuda.Device().synchronize()
        self.axpby = cupy.ElementwiseKernel("float32 a, float32 x, float32 b, float32 y", "float32 z", "z = a * x + b * y", "axpby")
        self.dot = cupy.ReductionKernel("float32 x, float32 y", "float32 z", "x * y", "a + b", "z = a", "0", "dot")
        self.cupy = cupy

    def linear(self, x, y, z):
        return self.axpby(2.0, x, 3.0, y, z)

    def running(self, x, z):
        return self.cupy.cumsum(x, out=z)

    def uniform(self, n):
        return self.cupy.random.random(n, dtype=np.float32)

    def normal(self, n):
        return self.cupy.random.standard_normal(n, dtype=np.float32)


class NumPys:
    """The same with NumPy."""

    array, exp, total, dot = staticmethod(np.copy), np.exp, staticmethod(np.sum), staticmethod(np.dot)
    generator = np.random.default_rng(1)

    def wait(self):
        pass

    def linear(self, x, y, z):
        np.multiply(x, np.float32(2), out=z)
        z += np.float32(3) * y
        return z

    def running(self, x, z):
        return np.cumsum(x, out=z)

    def uniform(self, n):
        return self.generator.random(n, dtype=np.float32)

    def normal(self, n):
        return self.generator.standard_normal(n, dtype=np.float32)


# name: (what is called, with a library and three arrays; how far the peer's result may be off, as a part of its largest number. A
# running sum in float32 loses four digits where it is added up one by one.)
CASES = {
    "x * 2 + y": (lambda m, x, y, z: x * 2 + y, 1e-5),
    "(x * y + z) / (x + 1)": (lambda m, x, y, z: (x * y + z) / (x + 1), 1e-5),
    "exp(x)": (lambda m, x, y, z: m.exp(x), 1e-5),
    "ElementwiseKernel a*x + b*y": (lambda m, x, y, z: m.linear(x, y, z), 1e-5),
    "ReductionKernel x*y": (lambda m, x, y, z: m.dot(x, y), 1e-5),
    "sum": (lambda m, x, y, z: m.total(x), 1e-5),
    "inclusive scan": (lambda m, x, y, z: m.running(x, z), 1e-3),
    "uniform numbers": (lambda m, x, y, z: m.uniform(x.size), None),
    "normal numbers": (lambda m, x, y, z: m.normal(x.size), None),
}


def on_host(value):
    return np.asarray(value.get() if hasattr(value, "get") else value)


def check(name, mine, theirs, tolerance):
    mine, theirs = on_host(mine).astype("f8"), on_host(theirs).astype("f8")
    scale = np.abs(theirs).max() or 1
    if mine.shape != theirs.shape or not np.abs(mine - theirs).max() <= tolerance * scale:
        raise SystemExit(f"{name}: the results differ")


def median_us(run, library, arrays):
    """Of one call; its result is held until it is there, else nobody would need it."""
    held = [None]

    def call():
        held[0] = run(library, *arrays)

    return 1e3 * median_ms(call, library.wait)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--only", default="")
    parser.add_argument("--out")
    args = parser.parse_args()
    device = qn.device(args.device)
    set_current_device(device)
    if args.device == "cuda":
        import cupy

        peer, peer_name, version = CuPys(cupy), "CuPy", cupy.__version__
    else:
        peer, peer_name, version = NumPys(), "NumPy", np.__version__
    ours = Ours()
    for n in (10**3, 10**6, 10**8 if args.device == "cuda" else 10**7):
        host = [np.random.default_rng(k).random(n, dtype=np.float32) for k in range(3)]
        mine, theirs = [ours.array(h) for h in host], [peer.array(h) for h in host]
        for name, (run, tolerance) in CASES.items():
            title = f"{name}, {n:.0e} float32".replace("e+0", "e")
            if args.only not in title:
                continue
            if tolerance is not None:
                check(title, run(ours, *mine), run(peer, *theirs), tolerance)
            figures = [median_us(run, m, arrays) for m, arrays in ((ours, mine), (peer, theirs))]
            report_beside(title, figures[0], "us", {peer_name: figures[1]})
    keep(args.out, "bench/pycuda.py", device, {peer_name: version})


if __name__ == "__main__":
    main()
