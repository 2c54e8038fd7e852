"""`quern profile` on the CPU: what work moves and computes, the threads it uses, compared with the machine's limits."""

import json
import os
import re

import numpy as np
import pytest
import quern as qn
from profiles import figures
from programs import quern
from quern.device import set_current_device
from quern.tools.profile import machine

PROGRAM = """\
import numpy as np
import quern as qn
x = qn.ones(4_000_000, dtype="float32")
for i in range(60):
    y = qn.sqrt(x * 1.5 + 2)
    qn.synchronize()
print(float(y[0]))
"""


@pytest.fixture
def on_cpu():
    set_current_device(qn.device("cpu"))
    yield
    set_current_device(None)


def launches(p, op):
    rows = p.recording.of_kind("launch")
    return rows[[op in p.recording.kernels[row["kernel"]][1] for row in rows]]


def test_bytes_and_operations_of_array_work(on_cpu):
    x = qn.asarray(np.ones((300, 400), dtype="float32"))
    y = qn.asarray(np.ones((400, 300), dtype="float32"))
    with qn.profile() as p:
        a = x * 2 + 1
        qn.synchronize()
        b = qn.sqrt(y.T) + x
        qn.synchronize()
        c = (x * x).sum(axis=0)
        qn.synchronize()
    n = 300 * 400
    (plain,), (turned,), *_ = (launches(p, op) for op in ("multiply", "sqrt")) if len(launches(p, "multiply")) == 1 else (
        launches(p, "multiply")[:1], launches(p, "sqrt"))  # fmt: skip
    assert plain["bytes"] == 8 * n == plain["fetched"] and plain["operations"] == 2 * n
    assert turned["bytes"] == 12 * n and turned["operations"] == 2 * n
    assert turned["fetched"] == 8 * n + 64 * n  # of the turned one whole lines of 64 bytes
    (summed,) = launches(p, "sum")
    assert summed["bytes"] == 4 * n + 4 * 400 and summed["operations"] == 2 * n
    with qn.profile() as again:
        d = x[:, 1:-1] + x[:, :-2] - x[:, 2:]  # one array, read once
        qn.synchronize()
    assert launches(again, "subtract")[0]["bytes"] == 4 * n + 4 * 300 * 398
    assert (p.recording.of_kind("launch")["thread_ns"] > 0).all() and d is not None
    assert a is not None and b is not None and c is not None


def test_integers_are_no_operations(on_cpu):
    x = qn.arange(200_000)
    qn.synchronize()
    with qn.profile() as p:
        y = x * 3
        qn.synchronize()
    (row,) = launches(p, "multiply")
    assert row["operations"] == 0 and row["bytes"] >= 8 * 200_000 and y is not None


def test_work_that_the_caller_does_at_once_has_a_time(on_cpu):
    x = qn.asarray(np.ones((30, 30)))
    qn.synchronize()
    with qn.profile() as p:
        y = x @ x
        qn.synchronize()
    (row,) = launches(p, "matmul")
    assert row["device_ns"] > 0 and row["thread_ns"] > 0 and y is not None
    assert row["operations"] == 2 * 30**3 and row["bytes"] == 3 * 8 * 30**2


def test_the_report_has_the_rates(program, tmp_path):
    path = program(PROGRAM)
    found = figures(path)
    work = next(one for one in found["work"] if "sqrt" in one["name"])
    seconds = work["seconds"] / work["calls"]
    assert work["bytes_per_second"] == pytest.approx(32_000_000 / seconds) and work["operations_per_second"] == pytest.approx(12_000_000 / seconds)
    assert 0 < work["threads"] <= (os.cpu_count() or 1) + 0.1
    kept = found["machine"]
    assert kept["bandwidth"] > 1e8 and kept["float32"] > 1e8 and kept["float64"] > 1e8 and kept["threads"] >= 1
    done = quern("profile", path, QUERN_DEVICE="cpu")
    assert re.search(r"^Work compared with what the machine can do: [\d.e+]+ GB/s, [\d.e+]+ GFLOP/s, \d+ threads?$", done.stderr, re.M)
    assert re.search(r"^  [\d.]+ ms  multiply, add, sqrt .*: [\d.e+]+ GB/s \((\d+ %|in caches)\), [\d.]+ GFLOP/s, [\d.]+ threads$", done.stderr, re.M)


def test_the_machine_is_measured_beside_a_memory_limit(tmp_path, monkeypatch, on_cpu):
    monkeypatch.setattr(machine, "_known", {})
    monkeypatch.setattr(machine, "_path", lambda: str(tmp_path / "machine.json"))
    monkeypatch.setattr(machine, "_operations", lambda kind: 1.0)
    cpu = qn.device("cpu")
    cpu.set_pool_limit(1 << 20)
    try:
        assert machine.machine().bandwidth > 0
        assert cpu.pool_info()["limit"] == 1 << 20
    finally:
        cpu.set_pool_limit(0)


def test_the_machine_is_measured_once(tmp_path, monkeypatch, on_cpu):
    monkeypatch.setattr(machine, "_known", {})
    monkeypatch.setattr(machine, "_path", lambda: str(tmp_path / "machine.json"))
    first = machine.machine()
    kept = json.loads((tmp_path / "machine.json").read_text())
    assert list(kept.values())[0]["bandwidth"] == first.bandwidth
    monkeypatch.setattr(machine, "_known", {})
    monkeypatch.setattr(machine, "_measured", lambda info: pytest.fail("it is measured again"))
    assert machine.machine() == first


@pytest.mark.parametrize("text", ["", "[1]", '{"1: x": {"name": 1}}', "{"])
def test_a_damaged_file_is_measured_anew(tmp_path, monkeypatch, text):
    (tmp_path / "machine.json").write_text(text)
    monkeypatch.setattr(machine, "_known", {})
    monkeypatch.setattr(machine, "_path", lambda: str(tmp_path / "machine.json"))
    monkeypatch.setattr(machine, "_measured", lambda info: machine.Machine(info["name"], 1, 1.0, 2.0, 3.0))
    assert machine.machine().float64 == 3.0
    assert json.loads((tmp_path / "machine.json").read_text())


def test_a_folder_that_cannot_be_written_keeps_nothing(monkeypatch):
    monkeypatch.setattr(machine, "_known", {})
    monkeypatch.setattr(machine, "_path", lambda: "/none/at/all/machine.json")
    monkeypatch.setattr(machine, "_measured", lambda info: machine.Machine(info["name"], 1, 1.0, 2.0, 3.0))
    assert machine.machine().bandwidth == 1.0


def test_no_work_is_not_held_against_the_machine():
    with qn.profile() as p:
        pass
    assert p.machine is None
