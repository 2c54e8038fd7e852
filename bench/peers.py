"""The libraries that array work is compared with, each used as its users use it: how it takes an array, compiles a function and waits.

Start at `installed()`. A peer that is not there is left out, and said so; one that fails in a case is left out of that case. `Peer.time`
is the one way in which everything is timed, quern too.
"""

import math
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from measure import fresh_folder


@dataclass
class Peer:
    name: str
    version: str
    xp: Any  # the module that a case's function is given
    array: Callable = np.asarray  # from NumPy's
    look: Callable | None = None  # waits until an array's value is there; None: it is when a call returns
    prepare: Callable | None = None  # compiles a function, if that is how it is used
    host: Callable = np.asarray  # to NumPy's
    is_general: bool = True  # runs the case's own function; others only what is written for them
    family: str = ""  # whose spelling it takes

    def prepared(self, f):
        return self.prepare(f) if self.prepare else f

    def wait(self, result):
        """For all that a function returned."""
        if self.look:
            for r in result if isinstance(result, (tuple, list)) else [result]:
                self.look(r)

    def value(self, result):
        """The result on the host: one array, or a list of several."""
        if isinstance(result, (tuple, list)):
            return [self.value(r) for r in result]
        return np.asarray(self.host(result))

    def time(self, call):
        """Milliseconds of whole rounds, submitted and waited for: the median. Long ones have fewer rounds."""
        for _ in range(3):
            start = time.perf_counter()
            self.wait(call())
            once = time.perf_counter() - start
        times = []
        for _ in range(15 if once < 0.1 else 5 if once < 2 else 3):
            start = time.perf_counter()
            self.wait(call())
            times.append(1e3 * (time.perf_counter() - start))
        return statistics.median(times)


def ours(quern):
    from quern.lib import _engine

    return Peer("quern", "", quern, quern.asarray, _engine.array_wait, host=quern.asnumpy)


def numpy_peer(device):
    return Peer("NumPy", np.__version__, np)


def numexpr_peer(device):
    os.environ.setdefault("NUMEXPR_MAX_THREADS", str(os.cpu_count()))
    import numexpr

    numexpr.set_num_threads(os.cpu_count())
    return Peer("numexpr", numexpr.__version__, numexpr, is_general=False)


def numba_peer(device):
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # Numba's older versions look for it
    import numba

    return Peer("Numba", numba.__version__, numba, is_general=False)


def jax_peer(device):
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # others need the memory too
    if device.kind == "cpu":
        os.environ["JAX_PLATFORMS"] = "cpu"
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")  # float32, as everybody else
    if device.kind != jax.devices()[0].platform.replace("gpu", "cuda"):
        raise ImportError(f"it computes on {jax.devices()[0].platform}")
    return Peer("JAX", jax.__version__, jax.numpy, jax.numpy.asarray, lambda result: result.block_until_ready(), jax.jit)


def torch_peer(device):
    import torch

    if device.kind == "cpu":
        torch.set_num_threads(os.cpu_count())
        return Peer("torch", torch.__version__, torch, torch.from_numpy)
    if not torch.cuda.is_available():
        raise ImportError("it sees no GPU")

    def array(host):
        return torch.from_numpy(host).cuda()

    def look(result):
        torch.cuda.synchronize()

    return Peer("torch", torch.__version__, torch, array, look, host=lambda t: t.resolve_conj().cpu())


def torch_compile_peer(device):
    for name in ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"):
        os.environ[name] = fresh_folder()
    peer = torch_peer(device)

    def prepare(f):
        peer.xp._dynamo.reset()  # else what is one line of code is compiled for a few cases only
        return peer.xp.compile(f)

    return Peer("torch.compile", peer.version, peer.xp, peer.array, peer.look, prepare, peer.host, family="torch")


def cupy_peer(device):
    os.environ["CUPY_CACHE_DIR"] = fresh_folder()
    import cupy

    return Peer("CuPy", cupy.__version__, cupy, cupy.asarray, lambda result: cupy.cuda.Stream.null.synchronize(), host=cupy.asnumpy)


ON_CPU = {"NumPy": numpy_peer, "numexpr": numexpr_peer, "Numba": numba_peer, "JAX": jax_peer, "torch": torch_peer}
ON_GPU = {"CuPy": cupy_peer, "torch": torch_peer, "torch.compile": torch_compile_peer, "JAX": jax_peer}


def reason(error):
    text = str(error).strip()
    return f"{type(error).__name__}: {text.splitlines()[0][:150] if text else ''}"


def installed(device):
    """The peers of a device that this Python has, in a fixed order; one line for each that is missing."""
    found = []
    for name, make in (ON_CPU if device.kind == "cpu" else ON_GPU).items():
        try:
            found.append(make(device))
        except Exception as e:  # what is broken here raises what it likes
            print(f"{name} is left out: {reason(e)}")
    return found


# ---- loops written by hand, for Numba


def into(loop, like=np.empty_like):
    """The function of (module, *arrays) that has a loop write into an array, which is made once, and returns that."""
    out = []

    def call(m, *arrays):
        if not out:
            out.append(like(arrays[0]))
        loop(*arrays, out[0])
        return out[0]

    return call


def numba_loops():
    """{case: function of (module, *arrays)}. Each writes into an array that is there, as a loop's author would."""
    import numba

    parallel = numba.njit(parallel=True)
    one, fast = np.float32(1), numba.njit(parallel=True, fastmath=True)  # sums may take any order

    @parallel
    def fused(a, b, c, out):
        for i in numba.prange(a.size):
            out[i] = (a[i] * b[i] + c[i]) / np.sqrt(a[i] + one)

    @fast
    def total(a):
        result = 0.0
        for i in numba.prange(a.size):
            result += a[i]
        return result

    @fast
    def norms(x, out):
        for i in numba.prange(x.shape[0]):
            for j in range(x.shape[1]):
                square = 0.0
                for k in range(x.shape[2]):
                    square += x[i, j, k] * x[i, j, k]
                out[i, j] = math.sqrt(square)

    def unary(function):
        @parallel
        def loop(a, out):
            for i in numba.prange(a.size):
                out[i] = function(a[i])

        return loop

    loops = {
        "fused": into(fused),
        "sum": lambda m, a: total(a),
        "norms": into(norms, lambda x: np.empty(x.shape[:-1], x.dtype)),
    }
    for name in ("exp", "log", "sin", "cos", "tanh"):
        loops[name] = lambda m, a, name=name: into_of(name, a.dtype)(m, a)
    made = {}

    def into_of(name, dtype):
        if (name, dtype) not in made:
            made[name, dtype] = into(unary(getattr(np, name)))
        return made[name, dtype]

    return loops


def numba_update():
    """x += 2*y as a loop; so few elements are faster in one thread."""
    import numba

    @numba.njit
    def update(x, y):
        for i in range(x.size):
            x[i] += 2 * y[i]

    return update


def numba_sum():
    import numba

    return numba.njit(lambda a, b: a + b)


def numba_new(name):
    """A new loop of that function, to be compiled."""
    import numba

    function = getattr(np, name)

    @numba.njit(parallel=True)
    def loop(x):
        out = np.empty_like(x)
        for i in numba.prange(x.size):
            out[i] = function(x[i]) * 2 - x[i]
        return out

    return loop


def numba_rk4(steps, dt):
    """The steps of examples/rk4.py: one pass over the fields for each, which sums the new F as it goes. In single precision throughout."""
    import numba

    i1, i2, two, one = np.complex64(1j), np.complex64(2j), np.float32(2), np.float32(1)
    h, half, sixth = np.float32(dt), np.float32(dt / 2), np.float32(dt / 6)

    @numba.njit(inline="always")
    def d_f(f, g, delta):
        return -i2 * f - i1 * delta * (two * g - one)

    @numba.njit(inline="always")
    def d_g(f, delta):
        return -i1 * (np.conj(delta) * f - delta * np.conj(f))

    @numba.njit(parallel=True, fastmath=True)
    def step(F, G, delta, F_new, G_new):
        re = im = 0.0
        for k in numba.prange(F.size):
            f, g = F[k], G[k]
            g1, f1 = d_g(f, delta), d_f(f, g, delta)
            g2, f2 = d_g(f + half * f1, delta), d_f(f + half * f1, g + half * g1, delta)
            g3, f3 = d_g(f + half * f2, delta), d_f(f + half * f2, g + half * g2, delta)
            g4, f4 = d_g(f + h * f3, delta), d_f(f + h * f3, g + h * g3, delta)
            f = f + sixth * (f1 + two * f2 + two * f3 + f4)
            F_new[k] = f
            G_new[k] = g + sixth * (g1 + two * g2 + two * g3 + g4)
            re += f.real
            im += f.imag
        return re, im

    def run(m, F, G):
        flat, delta = [F.ravel(), G.ravel()], F.sum() / F.size
        spare = [[np.empty_like(flat[0]), np.empty_like(flat[1])] for _ in range(2)]
        for k in range(steps):
            re, im = step(*flat, np.complex64(delta), *spare[k % 2])
            flat, delta = spare[k % 2], (re + 1j * im) / F.size
        return flat[0].reshape(F.shape), flat[1].reshape(F.shape), np.complex64(delta)

    return run
