#!/usr/bin/env python3
"""The speed of arrays, compared with NumPy, numexpr, Numba, JAX and torch on the CPU, and CuPy, torch, torch.compile and JAX on a GPU.

    python bench/arrays.py [--device cpu|cuda] [--only TEXT] [--out FILE.json]

Every figure is the median of whole rounds: recorded or called, submitted and waited for. All peers that are installed are measured in the
same run, after their results were compared with quern's; one that differs fails the run, at its end.
`--only` runs the cases whose name contains the text.
"""

import argparse
import contextlib
import gc
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from measure import ROOT, call_ns, keep, report_beside  # isort: skip, finds quern
import numpy as np  # isort: skip
import peers  # isort: skip
import quern as qn  # isort: skip
from quern.device import set_current_device  # isort: skip

sys.path.insert(0, os.path.join(ROOT, "examples"))
import rk4  # isort: skip

DT = 0.01
MOST_COMPARED = 2_000_000  # elements of a result, evenly chosen


class Disagreement(AssertionError):
    pass


disagreements = []  # the run goes on, and fails at its end


def as_is(f):
    """Not to be compiled as a whole."""
    f.as_is = True
    return f


@dataclass
class Case:
    name: str
    inputs: Callable  # rng -> host arrays
    run: Callable  # (module, *arrays) -> what is waited for
    own: dict = field(default_factory=dict)  # how a peer writes it, by the peer's name; None: it cannot
    digits: float = 0  # how far results may differ, relatively; 0: by the type's rounding
    digits_of: dict = field(default_factory=dict)  # a peer's own rounding, where it is worse
    per: int = 1  # the figure is for one of so many
    target: str = ""
    compare: Callable = None  # instead of element by element

    def of(self, peer):
        """This case as the peer runs it, or None."""
        general = self.run if peer.is_general else None
        f = self.own.get(peer.name, self.own.get(peer.family, general))
        if f is None:
            return None
        m = peer.xp

        def call(*arrays):
            return f(m, *arrays)

        return call if hasattr(f, "as_is") else peer.prepared(call)


def compare(name, ours, theirs, digits=0.0):
    """Raises Disagreement when the peer's result is another than quern's by more than rounding."""
    if isinstance(ours, list):
        for mine, other in zip(ours, theirs, strict=True):
            compare(name, mine, other, digits)
        return
    if ours.shape != theirs.shape:
        raise Disagreement(f"{name}: shape {theirs.shape}, not {ours.shape}")
    step = max(1, ours.size // MOST_COMPARED) | 1
    a, b = ours.reshape(-1)[::step], theirs.reshape(-1)[::step]
    double = ours.dtype.char in "dD"
    digits = digits or (1e-12 if double else 1e-5)
    scale = np.abs(a[np.isfinite(a)]).max(initial=0)
    near = np.isclose(b, a, rtol=digits, atol=digits * scale * 1e-2, equal_nan=True)
    if not near.all():
        k = int(np.argmin(near))
        raise Disagreement(f"{name}: {b[k]} where quern has {a[k]}; {np.count_nonzero(~near)} of {near.size} differ")


def compare_normal(name, ours, theirs, digits=0.0):
    """Different generators: the same distribution."""
    for values in (ours, theirs):
        sample = values[::97].astype(np.float64)
        moments = sample.mean(), sample.var(), (sample**3).mean()
        if not np.allclose(moments, (0, 1, 0), atol=0.02):
            raise Disagreement(f"{name}: moments {moments}")


def measured(case, us, others):
    """Times the case, quern first, and reports it. Every peer lets go of what it made before the next one starts."""
    host = case.inputs(np.random.default_rng(1))
    expected = None

    def once(peer):
        nonlocal expected
        f = case.of(peer)
        if f is None:
            return None
        arrays = [peer.array(h) for h in host]
        result = peer.value(f(*arrays))
        if peer is us:
            expected = result
        else:
            (case.compare or compare)(f"{case.name}, {peer.name}", expected, result, case.digits_of.get(peer.name, case.digits))
        return peer.time(lambda: f(*arrays)) / case.per

    report_beside(case.name, once(us), "ms", figures(others, once), case.target)


def figures(others, once):
    """{peer: figure} of the peers that have one. Who fails or disagrees is left out with a line."""
    found = {}
    for peer in others:
        try:
            figure = once(peer)
            if figure is not None:
                found[peer.name] = figure
        except Exception as e:
            if isinstance(e, Disagreement):
                disagreements.append(str(e))
            print(f"{peer.name} is left out of the next: {peers.reason(e)}")
        gc.collect()
    return found


# ---- what is measured


def floats(*shape, count=1, dtype=np.float32):
    return lambda rng: [rng.random(shape, dtype) for _ in range(count)]


def norms(m, x):
    return m.sqrt((x**2).sum(-1))


def fields(rng):
    return [np.asarray(part) for part in rk4.start(np, 512)[:2]]


def rk4_case(name, steps, loops, **options):
    """Some steps of examples/rk4.py: the fields and the mean of F after them."""

    def run(m, F, G, step=rk4.step):
        state = F, G, F.sum() / F.size
        for _ in range(steps):
            state = step(*state, DT)
        return state

    def torch_step(F, G, delta, dt):
        return rk4.step(F, G, delta, dt, mean=lambda F: F.mean())

    def torch_run(m, F, G, step=torch_step):
        state = F, G, F.mean()
        for _ in range(steps):
            state = step(*state, DT)
        return state

    compiled = []

    @as_is
    def torch_compiled(m, F, G):
        if not compiled:
            m._dynamo.reset()
            compiled.append(m.compile(torch_step))
        return torch_run(m, F, G, compiled[0])

    def scan(m, F, G):
        import jax

        return jax.lax.scan(lambda s, _: (rk4.step(*s, DT), None), (F, G, F.sum() / F.size), None, length=steps)[0]

    own = {"torch": torch_run, "torch.compile": torch_compiled, "JAX": scan, **loops}
    return Case(name, fields, run, own, digits=1e-4, **options), run


def cases_of_both(loops):
    unary = {
        f"{name}, 20 M {np.dtype(dtype)}": Case(
            f"{name}, 20 M {np.dtype(dtype)}",
            floats(20_000_000, dtype=dtype),
            lambda m, a, name=name: getattr(m, name)(a),
            {"numexpr": lambda m, a, name=name: m.evaluate(f"{name}(a)"), "Numba": loops.get(name)},
        )
        for dtype in (np.float32, np.float64)
        for name in ("exp", "log", "sin", "cos", "tanh")
    }
    return [
        Case(
            "(a*b+c)/sqrt(a+1), 20 M float32",
            floats(20_000_000, count=3),
            lambda m, a, b, c: (a * b + c) / m.sqrt(a + 1),
            {"numexpr": lambda m, a, b, c: m.evaluate("(a*b+c)/sqrt(a+1)"), "Numba": loops.get("fused")},
            target="<= 1.1 of Numba",
        ),
        *unary.values(),
        Case(
            "sum, 20 M float32",
            floats(20_000_000),
            lambda m, a: a.sum(),
            {"numexpr": lambda m, a: m.evaluate("sum(a)"), "Numba": loops.get("sum")},
            digits_of={"numexpr": 1e-3},  # which adds one after the other in single precision
        ),
        Case("sqrt(sum(x**2, -1)), 1000x100x100 float64", floats(1000, 100, 100, dtype=np.float64), norms, norms_own(loops)),
        Case("sqrt(sum(x**2, -1)), 1000x100x1000 float64", floats(1000, 100, 1000, dtype=np.float64), norms, norms_own(loops)),
        Case("sum over axis 0, 1000x100x100 float64", floats(1000, 100, 100, dtype=np.float64), lambda m, x: x.sum(0)),
        Case("x[::2, 1:] + 1, 1000x100x100 float64", floats(1000, 100, 100, dtype=np.float64), lambda m, x: x[::2, 1:] + 1),
        Case("a[1:] - a[:-1], 20 M float32", floats(20_000_000), lambda m, a: a[1:] - a[:-1]),
    ]


def norms_own(loops):
    return {"numexpr": lambda m, x: np.sqrt(m.evaluate("sum(x**2, axis=2)")), "Numba": loops.get("norms")}


def product(size):
    return Case(f"matmul {size} float32", floats(size, size, count=2), lambda m, a, b: a @ b, digits=1e-4)


def product_of_halves(size):
    """Of float16, whose sums are in float32; NumPy's own loop is left out where it takes seconds."""
    halves = lambda rng: [(rng.random((size, size), np.float32) / size).astype(np.float16) for _ in range(2)]  # noqa: E731
    return Case(f"matmul {size} float16", halves, lambda m, a, b: a @ b, {"NumPy": None} if size > 256 else {}, digits=1e-2)


def cases_of_cpu(loops):
    own = {"Numba": peers.numba_rk4(20, DT)} if loops else {}
    halves = [product_of_halves(size) for size in (64, 256, 1024)]
    exact = rk4_case("rk4 step, 512x512 complex64", 20, own, per=20)[0]
    return [product(1024), *halves, exact, with_fastmath(exact, {name: own.get(name) for name in ("NumPy", "JAX", "torch", "Numba")})]


def with_fastmath(case, own):
    """The same in fastmath(), compared with Numba's loop, which has ``fastmath=True``."""

    def run(m, *operands):
        with getattr(m, "fastmath", contextlib.nullcontext)():
            return case.run(m, *operands)

    return replace(case, name=case.name + ", fastmath", run=run, own=own)


def cases_of_gpu(n=100_000_000):
    one = floats(n)
    generators = {}

    def normal(m):
        if m not in generators:
            generators[m] = m.random.default_rng(0)
        return generators[m].standard_normal(n, dtype=np.float32)

    @as_is
    def jax_normal(m):
        import jax

        if m not in generators:
            generators[m] = jax.random.key(0), jax.jit(lambda key: jax.random.normal(key, (n,), m.float32))
        key, draw = generators[m]
        return draw(key)

    @as_is
    def masked(m, x):
        return x[x > 0.5]

    return [
        Case("(x*y+x)/sqrt(x+1), 100 M float32", floats(n, count=2), lambda m, x, y: (x * y + x) / m.sqrt(x + 1)),
        Case("sum, 100 M float32", one, lambda m, x: x.sum()),
        Case("cumsum, 100 M float32", one, lambda m, x: m.cumsum(x, 0), digits=1e-4),
        Case("sort, 100 M float32", one, lambda m, x: m.sort(x), {"torch": lambda m, x: m.sort(x).values}),
        Case("x[x > 0.5], 100 M float32", one, masked, {"torch.compile": None}),
        Case(
            "standard normal, 100 M float32",
            lambda rng: [],
            normal,
            {"torch": lambda m: m.randn(n, device="cuda"), "JAX": jax_normal},
            compare=compare_normal,
        ),
        product(4096),
    ]


# ---- time of the device, and of the Python thread


def rk4_on_gpu(us, others, wanted):
    """A hundred steps: plain arrays with their time on the device, and the step as one fused function."""
    name = "rk4, 100 steps, 512x512 complex64"
    case, run = rk4_case(name, 100, {})
    if wanted(name):
        measured(case, us, others)
        arrays = [us.array(h) for h in fields(None)]
        times = []
        for _ in range(5):
            with qn.trace() as events:
                us.wait(run(qn, *arrays))
            times.append(sum(e["device_ms"] or 0 for e in events if e["kind"] == "launch"))
        report_beside(name + ": on the device", sorted(times)[2], "ms", {})
    name = "rk4, 100 steps, each a fuse function"
    if wanted(name):
        from quern import cupy as door

        fused = {}

        def run_fused(m, F, G):
            if m not in fused:
                fused[m] = (door if m is qn else m).fuse(kernel_name="rk4_step")(lambda F, G, delta: rk4.step(F, G, delta, DT))
            return run(m, F, G, lambda F, G, delta, dt: fused[m](F, G, delta))

        measured(Case(name, fields, run_fused, digits=1e-4), us, [p for p in others if p.name == "CuPy"])


def ten_elements(peer):
    """a + b and its evaluation; nanoseconds. No call more than a user makes: it would count."""
    a, b, look = peer.array(np.arange(10.0)), peer.array(np.ones(10)), peer.look
    if peer.name == "numexpr":
        evaluate = peer.xp.evaluate
        call = f = lambda a=a, b=b: evaluate("a + b")  # noqa: E731
    elif peer.name == "Numba" or peer.prepare:
        f = peers.numba_sum() if peer.name == "Numba" else peer.prepare(lambda a, b: a + b)
        call = (lambda: look(f(a, b))) if look else (lambda: f(a, b))
    else:
        call = (lambda: look(a + b)) if look else (lambda: a + b)
        f = lambda a, b: a + b  # noqa: E731
    compare("a + b, " + peer.name, np.arange(10.0) + 1, peer.value(f(a, b)))
    return call_ns(call)


def recording(peer):
    """Without waiting: what the Python thread pays. A peer that has computed when it returns has none of it."""
    if peer.name in ("NumPy", "numexpr", "Numba") or (peer.name != "quern" and qn.current_device().kind == "cpu"):
        return None
    a = peer.array(np.ones(5000))
    if peer.prepare:
        f = peer.prepare(lambda a: a + a)
        ns = call_ns(lambda: f(a))
    else:
        ns = call_ns(lambda: a + a)
    peer.wait(a + a)
    return ns


def updates(peer, rounds=100_000):
    """x += 2*y so many times, then evaluation."""

    def plain(x, y):
        for _ in range(rounds):
            x += 2 * y
        return x

    def written(step):
        def loop(x, y):
            for _ in range(rounds):
                x = step(x, y)
            return x

        return loop

    if peer.name == "numexpr":
        loop = written(lambda x, y: peer.xp.evaluate("x + 2*y", out=x))
    elif peer.name == "Numba":
        update = peers.numba_update()
        loop = written(lambda x, y: update(x, y) or x)
    elif peer.name in ("JAX", "torch.compile"):
        loop = written(peer.prepare(lambda x, y: x + 2 * y))
    else:
        loop = plain
    y = peer.array(np.ones(1024))
    times = []
    for _ in range(4):
        x = peer.array(np.zeros(1024))
        peer.wait(x)
        start = time.perf_counter()
        x = loop(x, y)
        peer.wait(x)
        times.append(1e9 * (time.perf_counter() - start) / rounds)
        compare("x += 2*y, " + peer.name, np.full(1024, 2.0 * rounds), peer.value(x))
    return sorted(times[1:])[1]  # the first warmed up


def first_look(peer):
    """A three-op expression never seen before, to its result; milliseconds."""

    def expression(function):
        return lambda x: function(x) * 2 - x

    host = np.linspace(0, 1, 100_000)
    x = peer.array(host)
    peer.wait(x)
    times = []
    for name in ("sin", "cos", "tan", "arctan", "sinh", "cosh", "tanh", "log1p", "expm1"):
        start = time.perf_counter()
        if peer.name == "numexpr":
            result = peer.xp.evaluate(f"{name}(x) * 2 - x")
        elif peer.name == "Numba":
            result = peers.numba_new(name)(x)
        else:
            result = peer.prepared(expression(getattr(peer.xp, name)))(x)
        peer.wait(result)
        times.append(1e3 * (time.perf_counter() - start))
        compare(f"{name}, {peer.name}", getattr(np, name)(host) * 2 - host, peer.value(result))
    return sorted(times)[len(times) // 2]


def products(us, others, wanted):
    """Products of square matrices on a GPU, one with a synchronize after it, and many before one. The libraries take turns, in an
    order that changes from round to round; all compute float32 in float32.
    """
    wait = {"quern": lambda made: qn.synchronize(), "CuPy": lambda made: peer_of["CuPy"].xp.cuda.Device().synchronize()}
    peer_of = {peer.name: peer for peer in (us, *others) if peer.name != "torch.compile"}
    rng = np.random.default_rng(1)
    for dtype in ("float16", "float32", "float64", "complex64"):
        for n in (128, 512, 1024, 2048, 4096, 8192):
            host = [rng.random((n, n), np.float32).astype(dtype) for _ in range(2)]
            operands = {name: [peer.array(h) for h in host] for name, peer in peer_of.items()}
            for many in (1, 2 if n > 4096 else 10):
                name = f"{many} x {n} x {n} {dtype} @, synchronize"
                if wanted(name):
                    taken = in_turns(peer_of, operands, wait, many, rng)
                    mine = taken.pop("quern")
                    report_beside(name, mine, "us", taken)
            del operands
            gc.collect()


def in_turns(peer_of, operands, wait, many, rng):
    """Microseconds of a product, by library: the medians of rounds in which each has its turn."""
    times = {name: [] for name in peer_of}
    for round in range(4 + (15 if operands["quern"][0].shape[0] > 4096 else 60)):
        for name in rng.permutation(list(peer_of)):
            (a, b), peer = operands[name], peer_of[name]
            start = time.perf_counter()
            made = [a @ b for _ in range(many)]  # all are kept: what nobody needs quern does not compute
            wait.get(name, peer.wait)(made)
            if round >= 4:
                times[name].append(1e6 * (time.perf_counter() - start) / many)
            del made
    return {name: float(np.median(taken)) for name, taken in times.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default=None)
    parser.add_argument("--only", default="")
    parser.add_argument("--out", default=None)
    options = parser.parse_args()
    device = qn.device(options.device)
    set_current_device(device)
    print(f"{device.info()['name']}, Python {platform.python_version()}, NumPy {np.__version__}")
    us, others = peers.ours(qn), peers.installed(device)
    versions = {peer.name: peer.version for peer in others}
    print("beside " + ", ".join(f"{name} {version}" for name, version in versions.items()) + "\n")

    def wanted(name):
        return options.only in name

    loops = peers.numba_loops() if "Numba" in versions else {}
    for case in cases_of_both(loops) + (cases_of_cpu(loops) if device.kind == "cpu" else cases_of_gpu()):
        if wanted(case.name):
            measured(case, us, others)
    if device.kind != "cpu":
        rk4_on_gpu(us, others, wanted)
        products(us, others, wanted)
    for name, unit, timed, target in (
        ("a + b, 10 elements, read", "ns", ten_elements, ""),
        ("recording a + b", "ns", recording, "<= 120"),
        ("x += 2*y, 1,024 float64", "ns", updates, "<= 400"),
        ("a new three-op expression", "ms", first_look, "<= 60"),
    ):
        if wanted(name):
            report_beside(name, timed(us), unit, figures(others, timed), target)
    keep(options.out, "bench/arrays.py", device, versions)
    assert not disagreements, "\n".join(disagreements)


if __name__ == "__main__":
    main()
