"""What this machine's CPU can do, measured once by quern's own kernels and kept beside the cache of kernels: the measure that a profile
holds its work against.
"""

from __future__ import annotations

import dataclasses
import json
import os
from time import perf_counter

from quern.arrays import add, empty, ones
from quern.device import current_device, device, set_current_device, synchronize
from quern.lib import _engine
from quern.raw import RawKernel

FORMAT = 1
ELEMENTS = 1 << 24  # of each array that the bandwidth is measured with: 64 MiB, more than caches hold
ROUNDS = 5

# Straight through some independent chains of multiplications and additions: the threads of a block go in vectors.
_CHAINS = """
extern "C" __global__ void chains_{type}({type}* x) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  {type} m = ({type})0.999, s = ({type})1e-3;
  {type} {declared};
  {steps}
  x[i] = {sum};
}}
"""
_COUNT, _STEPS = 4, 48  # chains, and how long they are
_BLOCK = 256
_BLOCKS = 1 << 12


@dataclasses.dataclass(frozen=True)
class Machine:
    """A CPU: its name, the threads that quern uses, bytes a second of memory, operations a second of either type."""

    name: str
    threads: int
    bandwidth: float
    float32: float
    float64: float


_known: dict = {}


def machine() -> Machine:
    """This one. The first time on a machine it takes some tenths of a second."""
    info = _engine.cpu().info()
    key = f"{FORMAT}: {info['name']}, {info['multiprocessors']} threads"
    if key not in _known:
        kept = _read()
        if key not in kept:
            kept[key] = dataclasses.asdict(_measured(info))
            _write(kept)
        _known[key] = Machine(**kept[key])
    return _known[key]


def _path():
    cache = _engine.cache_info()
    return os.path.join(cache["directory"], "machine.json") if cache["directory"] and not cache["problem"] else None


def _read():
    path = _path()
    try:
        with open(path, encoding="utf-8") as f:
            found = json.load(f)
        return {key: value for key, value in found.items() if set(value) == {field.name for field in dataclasses.fields(Machine)}}
    except (OSError, TypeError, ValueError, AttributeError):
        return {}


def _write(kept):
    path = _path()
    if path is None or not os.path.isdir(os.path.dirname(path)):
        return
    part = f"{path}.{os.getpid()}"
    try:
        with open(part, "w", encoding="utf-8") as f:
            json.dump(kept, f, indent=1)
        os.replace(part, path)
    except OSError:
        pass  # it is measured again the next time


def _measured(info):
    before, cpu = current_device(), device("cpu")
    limit = cpu.pool_info()["limit"]  # the program's, which may leave no room for the arrays here
    set_current_device(cpu)
    cpu.set_pool_limit(0)
    try:
        return Machine(info["name"], info["multiprocessors"], _bandwidth(), _operations("float"), _operations("double"))
    finally:
        cpu.set_pool_limit(limit)
        set_current_device(before)


def _fastest(run):
    times = []
    for _ in range(ROUNDS + 1):  # the first one compiles
        synchronize()
        start = perf_counter()
        run()
        synchronize()
        times.append(perf_counter() - start)
    return min(times[1:])


def _bandwidth():
    x, y = (ones(ELEMENTS, dtype="float32") for _ in range(2))
    out = empty(ELEMENTS, dtype="float32")
    return 3 * out.nbytes / _fastest(lambda: add(x, y, out=out))


def _operations(kind):
    chains = [f"a{i}" for i in range(_COUNT)]
    text = _CHAINS.format(
        type=kind,
        declared=", ".join(f"{name} = x[i] + {i}" for i, name in enumerate(chains)),
        steps=" ".join(f"{name} = {name} * m + s;" for _ in range(_STEPS) for name in chains),
        sum=" + ".join(chains),
    )
    kernel = RawKernel(text, f"chains_{kind}")
    x = ones(_BLOCKS * _BLOCK, dtype="float32" if kind == "float" else "float64")
    return 2 * _COUNT * _STEPS * x.size / _fastest(lambda: kernel((_BLOCKS,), (_BLOCK,), (x,)))
