"""A flush of several groups that nobody has kernels for: they are compiled side by side, while the first ones run."""

import json

import pytest
from programs import code, has_nvrtc

FLUSH = """
import json, os, signal, threading, time
import numpy as np
import quern as qn
from quern.lib import _engine

qn.set_tiered(False)
rows = [np.linspace(0.1, 1, 40000 + 16 * k) for k in range(6)]


def flush(module, xs):
    parts = [
        module.sum(module.sin(xs[0]) * 2),
        module.max(module.cos(xs[1]) - xs[1]),
        module.sum(module.exp(xs[2]) + 1),
        module.min(module.log(xs[3]) * xs[3]),
        module.sum(module.sqrt(xs[4]) / (xs[4] + 2)),
        module.max(module.tanh(xs[5]) + xs[5] * xs[5]),
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


xs = [qn.asarray(x) for x in rows]
wanted = float(flush(np, rows))
"""
TRACED = """
with qn.trace() as events:
    got = float(flush(qn, xs))  # this line
assert abs(got - wanted) < 1e-9 * abs(wanted)
compiles = [e for e in events if e.kind == "compile"]
launched = {(e.key, e.site.rpartition(":")[2]) for e in events if e.kind == "launch"}
print(json.dumps({
    "compiles": [[e.detail, e.start_ns, e.host_ns, e.key, e.site.rpartition(":")[2]] for e in compiles],
    "launched": sorted(launched),
    "order": [e.kind for e in events if e.kind in ("compile", "load", "launch")],
    "kept": len(os.listdir(os.environ["QUERN_KEEP_TEXTS"])),
}))
"""


def ran(text, device, folder, **changes):
    kept = folder / "kept"
    kept.mkdir(exist_ok=True)
    done = code(FLUSH + text, QUERN_DEVICE=device.name, QUERN_CACHE_DIR=folder / "cache", QUERN_KEEP_TEXTS=kept, **changes)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def needs_a_compiler(device):
    if device.kind != "cpu" and not has_nvrtc():
        pytest.skip("there is no NVRTC")


@pytest.mark.alone
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_kernel_is_compiled_once_and_traced(device, tmp_path, threads):
    needs_a_compiler(device)
    told = json.loads(ran(TRACED, device, tmp_path, QUERN_NUM_THREADS=threads))
    built = {key for detail, *_, key, _ in told["compiles"] if detail == "precompiled"}  # with quern
    compiles = [one for one in told["compiles"] if one[0] != "precompiled"]
    assert {detail for detail, *_ in compiles} == {"compiled"}
    keys = [key for *_, key, _ in compiles]
    assert len(set(keys)) == len(keys) == told["kept"] - len(built) >= 6
    assert {*keys, *built} == {key for key, _ in told["launched"]}
    assert {(key, line) for *_, key, line in compiles} <= {(key, line) for key, line in told["launched"]}  # whose work it is
    assert len({line for *_, line in compiles}) >= 7
    spans = sorted((start, start + took) for _, start, took, *_ in compiles)
    assert all(end > start for start, end in spans)
    overlap = any(one[1] > other[0] for one, other in zip(spans, spans[1:], strict=False))
    assert overlap == (threads > 1)
    assert told["order"][:3] == ["compile", "load", "launch"]
    # Another process finds them all on the disk.
    warm = json.loads(ran(TRACED, device, tmp_path, QUERN_NUM_THREADS=threads))
    assert {detail for detail, *_ in warm["compiles"]} <= {"disk", "precompiled"}
    assert [key for detail, *_, key, _ in warm["compiles"] if detail == "disk"] == keys


@pytest.mark.alone
def test_a_flush_is_interrupted_while_it_compiles(device, tmp_path):
    needs_a_compiler(device)
    text = """
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    flush_value = float(flush(qn, xs))
    time.sleep(5)
except KeyboardInterrupt:
    assert time.monotonic() - start < 5  # not the compilers' own time; machines may be busy
else:
    raise AssertionError("it was not interrupted")
assert abs(float(flush(qn, xs)) - wanted) < 1e-9 * abs(wanted)
"""
    ran(text, device, tmp_path, QUERN_NUM_THREADS=2)


def test_a_handler_uses_arrays_while_kernels_are_compiled(device, tmp_path):
    needs_a_compiler(device)
    text = """
calls = []


def handler(*_):
    n = len(calls)
    y = xs[n % 6] * 3 + n
    calls.append((float(y[0]), rows[n % 6][0] * 3 + n))


signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.03, 0.03)
got = float(flush(qn, xs))
signal.setitimer(signal.ITIMER_REAL, 0)
assert calls and all(one == other for one, other in calls)
assert abs(got - wanted) < 1e-9 * abs(wanted)
"""
    ran(text, device, tmp_path, QUERN_NUM_THREADS=3)


def test_threads_that_flush_at_once(device, tmp_path):
    needs_a_compiler(device)
    text = """
results = []
threads = [threading.Thread(target=lambda: results.append(float(flush(qn, xs)))) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(results) == 4 and all(abs(r - wanted) < 1e-9 * abs(wanted) for r in results)
print(len(os.listdir(os.environ["QUERN_KEEP_TEXTS"])))
"""
    ran(text, device, tmp_path, QUERN_NUM_THREADS=3)
