"""The rules of `quern profile`'s advice: each fires where it should, and does not where it should not. The
programs run, their events have times that are given (profiles.py)."""

import numpy as np
import pytest
from profiles import figures, rules, steady
from quern.tools.profile import Profile
from quern.tools.profile.advice import RULES
from quern.tools.profile.advice import _all_at_once as all_at_once
from quern.tools.profile.call_sites import Place, Places
from quern.tools.profile.collect import KINDS, ROW, Recording
from quern.tools.profile.lines import Line

LOOKS = """\
import quern as qn
x = qn.ones(400_000)
for i in range(50):
    x = x * 1.01
    {}
print(float(x.sum()))
"""


@pytest.mark.parametrize("look, fires", [("float(x.sum())", True), ("pass", False)])
def test_advice_on_reads_in_loops(program, look, fires):
    assert rules(program(LOOKS.format(look))) == ({("looks_in_loops", 5)} if fires else set())


OPTIMIZER = """\
import quern.torch as torch
p = torch.nn.Parameter(torch.ones(3))
optimizer = torch.optim.{}([p])
for i in range(50):
    p.grad = p.detach() * 2
    optimizer.step()
print(optimizer.state[p]["step"].item())
"""


@pytest.mark.parametrize("name", ["Adam", "RMSprop", "NAdam", "ASGD"])
def test_counted_steps_of_optimizers_are_not_reads(program, name):
    assert figures(program(OPTIMIZER.format(name)))["total"]["copies"]["device_to_host"] == 1


HOST_ARRAYS = """import numpy as np
import quern as qn
h = np.ones(100_000)
x = qn.array(h)
for i in range(40):
    y = qn.array({}) + 1
qn.synchronize()
"""


@pytest.mark.parametrize("given, fires", [("h", True), ("x", False)])
def test_advice_on_host_arrays_again(program, given, fires):
    assert rules(program(HOST_ARRAYS.format(given))) == ({("host_arrays_again", 6)} if fires else set())


COMPILES = """import quern.pycuda.autoinit
from quern.pycuda.compiler import SourceModule
for i in range(6):
    SourceModule("__global__ void f(float* x) {{ x[0] = %d; }} // {}" % {})
"""


@pytest.mark.parametrize("number, fires", [("i", True), ("1", False)])
def test_advice_on_compiles(program, tmp_path, number, fires):
    found = rules(program(COMPILES.format(tmp_path, number)), compile=-1)  # the folder's name makes the texts new
    assert found == ({("compiles_again", 4)} if fires else set())


LAUNCHES = """import quern as qn
f = qn.RawKernel('extern "C" __global__ void f(float* x) {{ x[threadIdx.x] += 1; }}', 'f')
x = qn.zeros(64, dtype='float32')
for i in range({}):
    f((1,), (32,), (x,))
qn.synchronize()
"""


@pytest.mark.parametrize("count, ns, fires", [(3000, 2_000, True), (3000, 200_000, False), (5, 2_000, False)])
def test_advice_on_tiny_launches(program, count, ns, fires):
    path = program(LAUNCHES.format(count))
    assert rules(path, launch=ns) == ({("tiny_launches", 5)} if fires else set())


ROWS = """import numpy as np
import quern as qn
x = qn.ones((300, 16))
t = 0
for i in range({}):
    t += {}
print(float(t))
"""


@pytest.mark.parametrize(
    "count, row, call",
    [
        (300, "np.mean(x[i])", "compute all rows at once, before the loop: `np.mean(x, axis=1)`"),
        (300, "x[i].max()", "compute all rows at once, before the loop: `x.max(axis=1)`"),
        (16 * 7, "qn.sum(x[:, i % 16])", "join them to one array, and work on that"),
        (8, "qn.sum(x[i])", None),
    ],
)
def test_advice_on_small_arrays(program, count, row, call):
    profile = steady(program(ROWS.format(count, row)))
    texts = [one.text for one in profile.advice if (one.rule, one.line) == ("small_arrays", 6)]
    assert [text.partition("; ")[2] for text in texts] == ([call] if call else [])


@pytest.mark.parametrize(
    "loop, line, call",
    [
        ("for j in range(9):", "y[j] = cp.std(x[:, j])", "compute all columns at once, before the loop: `cp.std(x, axis=0)`"),
        ("for j, name in enumerate(names):", "y.append(float(x[j].sum()))", "compute all rows at once, before the loop: `x.sum(axis=1)`"),
        ("", "y = [qn.max(x[j]) for j in range(9)]", "compute all rows at once, before the loop: `qn.max(x, axis=1)`"),
        ("for j in range(9):", "y[j] = cp.mean(x[mask])", ""),
        ("for j in masks:", "y[j] = cp.mean(x[j])", ""),
        ("for j in range(9):", "y[j] = cp.mean(x[j], keepdims=True)", ""),
    ],
)
def test_reductions_of_rows_are_recognized(tmp_path, loop, line, call):
    path = tmp_path / "rows.py"
    path.write_text(f"{loop}\n    {line}\n")
    assert all_at_once(Line(file=str(path), line=2)) == call


def test_the_command_prints_advice(program):
    """Of a rule that no time takes part in."""
    found = figures(program(HOST_ARRAYS.format("h")))
    assert ("host_arrays_again", 6) in {(one["rule"], one["line"]) for one in found["advice"]}


LAYOUTS = """\
import quern as qn
a, b = qn.ones((2500, 2000), dtype="float32"), qn.ones((2000, 2500), dtype="float32")
for i in range(8):
    c = {}
    qn.synchronize()
print(float(c[0, 0]))
"""


@pytest.mark.parametrize("expression, fires", [("a.T * 2 + b", True), ("qn.sqrt(a[:, ::8]) + 1", True), ("a * 2 + b.reshape(2500, 2000)", False),
                                               ("a + 1", False), ("a * a[:1]", False)])  # fmt: skip
def test_advice_on_uncoalesced_kernels(program, expression, fires):
    assert rules(program(LAYOUTS.format(expression))) == ({("uncoalesced", 4)} if fires else set())


KERNEL = """\
import numpy as np
from quern import cuda
@cuda.jit
def add(x, y):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        y[i, j] += x[i, j]
x, y = cuda.to_device(np.ones((2000, 8000), np.float32)), cuda.to_device(np.ones((2000, 1000), np.float32))
for i in range(8):
    add[(125, 63), (16, 16)](x[:, {}], y)
cuda.synchronize()
"""


@pytest.mark.parametrize("part, fires", [("::8", True), (":1000", False)])
def test_advice_on_strided_operands_of_kernels_in_python(program, part, fires):
    assert (("uncoalesced", 10) in rules(program(KERNEL.format(part)))) == fires


TYPES = """\
import numpy as np
import quern as qn
x = qn.ones(2_000_000, dtype="float32")
w = qn.asarray(np.linspace(0, 1, 2_000_000))
h = qn.ones(2_000_000, dtype="float16")
for i in range(8):
    y = {}
    qn.synchronize()
print(float(y[0]))
"""


@pytest.mark.parametrize(
    "expression, fires",
    [("qn.sin(x * w)", True), ("qn.sqrt(x) * np.float64(1.5)", True), ("h + w", True), ("qn.sin(x * 1.5)", False), ("x * np.float32(1.5)", False),
     ("w * 1.5", False), ("x.astype(np.float64) * w", False), ("qn.sin(x) + (w > 0.5)", False), ("x + h", False)],
)  # fmt: skip
def test_advice_on_float64_by_accident(program, expression, fires):
    found = steady(program(TYPES.format(expression))).advice
    told = [one.text for one in found if one.rule == "float64_by_accident" and one.line == 7]
    assert bool(told) == fires, found
    assert not told or "of float64 work: it joins float32 data with a float64 array or a NumPy float64 number" in told[0]


FALLBACK = """\
import warnings
import numpy as np
import quern as qn
x = qn.asarray(np.random.rand(400_000))
for i in range(8):
    y = {}
print(y.size)
"""


@pytest.mark.parametrize("expression, fires", [("qn.unwrap(x)", True), ("qn.flip(x)", False)])
def test_advice_on_work_on_the_fallback(program, quiet, expression, fires):
    found = steady(program(FALLBACK.format(expression))).figures()
    told = [one["text"] for one in found["advice"] if one["rule"] == "work_on_the_fallback"]
    assert bool(told) == fires, found["advice"]
    if fires:
        assert told[0].startswith("8 calls of unwrap computed by NumPy on the host, ")
        assert any("8 calls of unwrap, which NumPy computes on the host" in why for line in found["lines"] for why in line["why"])


# ---- of a GPU that is not there: its records are made up


def recorded(*launches, seconds=0.1):
    """A profile of launches of line 12: (ns, grid, block)."""
    rows = np.zeros(len(launches), ROW)
    for row, (ns, grid, block) in zip(rows, launches, strict=True):
        row["kind"], row["device_ns"], row["site"] = KINDS.index("launch"), ns, 1
        row["grid"], row["block"], row["kernel"] = (grid, 1, 1), (block, 1, 1), 1
    places = Places()
    places._known[1] = Place("/home/me/heat.py", 12, "step", "step[1, 32](x)", "call")
    kernels, devices = [(0, [], "", [], ""), (5, ["step"], "", [], "")], {"cuda:0": {"name": "a GPU", "multiprocessors": 100}}
    return Profile(Recording(rows, [""], kernels, [[]], {}, places, 0, int(seconds * 1e9), devices), "heat.py")


@pytest.mark.parametrize("launch, fires", [((50_000_000, 8, 128), True), ((50_000_000, 800, 256), False), ((15_000, 8, 128), False),
                                           ((1_000_000, 8, 128), False)])  # fmt: skip
def test_advice_on_low_occupancy(launch, fires):
    found = recorded(launch).advice
    assert [one.rule for one in found] == (["low_occupancy"] if fires else [])
    if fires:
        assert found[0].where == "heat.py:12" and "a kernel of 50 ms has 1,024 threads, the device room for 204,800" in found[0].text


def test_the_longest_of_many_launches_counts():
    found = recorded((30_000, 8, 32), (60_000_000, 16, 32), (40_000, 8, 32)).advice
    assert len(found) == 1 and "a kernel of 60 ms has 512 threads" in found[0].text


def test_tiny_launches_of_a_made_up_device():
    p = recorded(*[(2_000, 8, 32)] * 500, seconds=0.01)
    p.lines[0].host = 5_000_000
    assert [one.rule for one in p.advice] == ["tiny_launches"]
    p = recorded(*[(2_000_000, 800, 256)] * 500, seconds=1.0)
    p.lines[0].host = 500_000_000
    assert p.advice == []


def test_every_rule_has_a_name_and_words():
    assert len({rule.__name__ for rule in RULES}) == len(RULES) == 9
    assert all(rule.__doc__ for rule in RULES)
