#!/usr/bin/env python3
"""A training step of a small network, as programs write it, compared with PyTorch and JAX.

    python bench/training.py [--device cpu|cuda] [--out FILE.json] [--peers torch,torch compile,jax]

The network is Linear(32, 64), ReLU, Linear(64, 10) with cross entropy and Adam, float32. A figure is the median over rounds of many steps,
waited for at a round's end, divided by the steps. Each library trains the same data from the same weights, and its loss after 50 steps is
compared. Beside them: what the step costs the device in launches, compiles, copies and waits, from quern's trace, and the time of the first
step. Start at main().
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

from measure import keep, report, report_beside  # isort: skip, finds quern
import numpy as np  # isort: skip

import quern as qn
from spine import driver_enqueue

CASES = ("batch 1000", "batch 1000, loss read", "batch 32", "batch 32, loss read", "31 batches of 32 by slicing")


def numbers(batch):
    """Weights and data that all libraries start from."""
    draw = np.random.default_rng(1)
    weights = [draw.normal(0, 0.1, shape).astype("f4") for shape in ((64, 32), (64,), (10, 64), (10,))]
    x = draw.normal(size=(batch, 32)).astype("f4")
    return weights, x, draw.integers(0, 10, batch)


def torch_steps(torch, device, batch, looks=False, sliced=False, graph=False, compiled=False):
    """(one round of work, what waits, the loss) with PyTorch or what has its names."""
    nn = torch.nn
    weights, x, y = numbers(992 if sliced else batch)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10)).to(device)
    with torch.no_grad():
        for parameter, value in zip(model.parameters(), weights, strict=True):
            parameter.copy_(torch.tensor(value))
    x, y = torch.tensor(x).to(device), torch.tensor(y).to(device)
    cross_entropy = nn.CrossEntropyLoss()

    def loss_of(a, b):
        return cross_entropy(model(a), b)

    if compiled:
        loss_of = torch.compile(loss_of)
    optimizer = torch.optim.Adam(model.parameters(), **({"capturable": True} if graph else {}))
    held = [None]

    def step(a=x, b=y):
        optimizer.zero_grad()
        loss = loss_of(a, b)
        loss.backward()
        optimizer.step()
        held[0] = loss
        if looks:
            loss.item()

    def epoch():
        for start in range(0, 992, 32):
            step(x[start : start + 32], y[start : start + 32])

    def wait():
        return held[0].item()

    if not graph:
        return (epoch if sliced else step), wait
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.synchronize()
    recorded = torch.cuda.CUDAGraph()
    with torch.cuda.graph(recorded):
        step()
    return recorded.replay, wait


def jax_steps(jax, device, batch, looks=False, sliced=False):
    """The same with JAX: a jitted function, and a scan over the batches."""
    import jax.numpy as jnp

    weights, x, y = numbers(992 if sliced else batch)
    place = jax.devices("gpu" if device == "cuda" else "cpu")[0]
    state = [[jax.device_put(w, place) for w in weights], None, None, jnp.float32(0)]
    state[1] = [jnp.zeros_like(w) for w in state[0]]
    state[2] = [jnp.zeros_like(w) for w in state[0]]
    x, y = jax.device_put(x, place), jax.device_put(y, place)

    def loss_of(w, a, b):
        h = jnp.maximum(a @ w[0].T + w[1], 0) @ w[2].T + w[3]
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(h), b[:, None], 1))

    def one(w, m, v, t, a, b):
        loss, g = jax.value_and_grad(loss_of)(w, a, b)
        t = t + 1
        m = [0.9 * p + 0.1 * q for p, q in zip(m, g, strict=True)]
        v = [0.999 * p + 0.001 * q * q for p, q in zip(v, g, strict=True)]
        w = [
            p - 1e-3 / (1 - 0.9**t) * q / (jnp.sqrt(r) / jnp.sqrt(1 - 0.999**t) + 1e-8)
            for p, q, r in zip(w, m, v, strict=True)
        ]
        return w, m, v, t, loss

    def many(w, m, v, t, a, b):
        def body(carry, batch):
            *carry, loss = one(*carry, *batch)
            return tuple(carry), loss

        carry, losses = jax.lax.scan(body, (w, m, v, t), (a.reshape(31, 32, 32), b.reshape(31, 32)))
        return *carry, losses[-1]

    jitted = jax.jit(many if sliced else one)
    held = [None]

    def step():
        *state[:], held[0] = jitted(*state, x, y)
        if looks:
            float(held[0])

    def wait():
        return float(held[0])

    return step, wait


def measured(make):
    """Microseconds of a round of work, the median; and the loss after 50 rounds."""
    step, wait = make()
    for _ in range(50):
        step()
    loss = wait()
    start = time.perf_counter()
    for _ in range(20):
        step()
    wait()
    rounds = max(20, min(2000, int(0.2 / ((time.perf_counter() - start) / 20))))
    times = []
    for _ in range(9):
        start = time.perf_counter()
        for _ in range(rounds):
            step()
        wait()
        times.append((time.perf_counter() - start) / rounds)
    return statistics.median(times) * 1e6, loss


def options_of(case):
    batch = 1000 if "1000" in case else 32
    return {"batch": batch, "looks": "looked" in case, "sliced": "slicing" in case}


def ours(device):
    import quern.torch as torch

    return lambda **options: torch_steps(torch, device, **options)


def of_torch(device):
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    return lambda **options: torch_steps(torch, device, **options)


def of_torch_graph(device):
    import torch

    if device != "cuda":
        raise ValueError("graphs of launches are a GPU's")
    torch.backends.cuda.matmul.allow_tf32 = False
    return lambda **options: torch_steps(torch, device, graph=True, **options)


def of_torch_compiled(device):
    steps = of_torch(device)
    return lambda **options: steps(compiled=True, **options)


def of_jax(device):
    import jax

    jax.config.update("jax_default_matmul_precision", "highest")
    return lambda **options: jax_steps(jax, device, **options)


LIBRARIES = {"quern": ours, "torch": of_torch, "torch compile": of_torch_compiled, "torch graph": of_torch_graph, "jax": of_jax}


def alone(name, device):
    """All cases of one library, in this process: what --library does."""
    out = {}
    start = time.perf_counter()
    steps = LIBRARIES[name](device)
    for case in CASES:
        options = options_of(case)
        if name == "torch graph" and (options["looks"] or options["sliced"]):
            continue
        out[case], out[case + ", loss after 50"] = measured(lambda options=options: steps(**options))
    if name == "quern":
        import quern.torch as torch

        out["first step"] = first_step(torch, device)
        out["of a step"] = counted(torch, device)
    out["seconds"] = time.perf_counter() - start
    print("RESULT" + json.dumps(out))


def first_step(torch, device):
    """Milliseconds of the first step of a network of other sizes than before, compiled kernels not at hand and at hand."""
    step, wait = torch_steps(torch, device, 777)
    start = time.perf_counter()
    step()
    wait()
    return 1e3 * (time.perf_counter() - start)


def counted(torch, device):
    """Launches, compiles, copies and waits of a step, once all is known."""
    step, wait = torch_steps(torch, device, 1000)
    for _ in range(60):
        step()
    wait()
    with qn.trace() as events:
        for _ in range(60):
            step()
        wait()
    kinds = {}
    for event in events:
        kinds[event["kind"]] = kinds.get(event["kind"], 0) + 1 / 60
    return {kind: round(count, 2) for kind, count in kinds.items()}


def enqueue():
    """Microseconds of the host for a launch of a kernel."""
    f = qn.RawKernel('extern "C" __global__ void f(float* a, float* b, float* c, int n) { if (threadIdx.x == 9999) a[0] = n; }', "f")
    x, n = qn.zeros(16, "f4"), np.int32(5)
    times = []
    for _ in range(6):
        start = time.perf_counter()
        for _ in range(5000):
            f((1,), (32,), (x, x, x, n))
        times.append((time.perf_counter() - start) / 5000 * 1e6)
        qn.synchronize()
    return statistics.median(times[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--peers", default="torch,torch compile,torch graph,jax")
    parser.add_argument("--python", default=sys.executable, help="the Python that has the peers")
    parser.add_argument("--library", help=argparse.SUPPRESS)
    parser.add_argument("--out")
    args = parser.parse_args()
    if args.library:
        alone(args.library, args.device)
        return
    results = {}
    for name in ["quern", *args.peers.split(",")]:
        python = sys.executable if name == "quern" else args.python
        run = subprocess.run([python, __file__, "--library", name, "--device", args.device], capture_output=True, text=True)
        found = [line for line in run.stdout.splitlines() if line.startswith("RESULT")]
        if not found and name == "quern":
            raise SystemExit(run.stderr)
        if not found:
            print(f"{name}: left out ({(run.stderr.strip() or 'no result').splitlines()[-1]})")
            continue
        results[name] = json.loads(found[0][len("RESULT") :])
    for case in CASES:
        times = {name: result[case] for name, result in results.items() if case in result}
        losses = {name: result[case + ", loss after 50"] for name, result in results.items() if case in result}
        losses.pop("torch graph", None)  # it has made some steps before
        if max(losses.values()) - min(losses.values()) > 2e-3:
            raise SystemExit(f"{case}: the losses differ: {losses}")
        report_beside(case, times.pop("quern"), "us", times)
    if args.device == "cuda":
        if (driver := driver_enqueue()) is not None:
            report("a launch, the driver's own call in C", driver, "us")
        report("a launch, a kernel of four arguments", enqueue(), "us")
    report("first step of a network of new sizes", results["quern"]["first step"], "ms")
    for kind, count in results["quern"]["of a step"].items():
        report(f"of a step: {kind}", count, "")
    keep(args.out, "bench/training.py", qn.device(args.device), [name for name in results if name != "quern"])


if __name__ == "__main__":
    main()
