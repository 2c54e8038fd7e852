"""Groups whose kernels are not compiled yet run operation by operation, with the same bits; their own kernels take over."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import quern as qn
from quern.lib import _engine

pytestmark = pytest.mark.skipif(_engine.tier0_level() == "baseline", reason="there are no precompiled kernels for this processor")

N = 5000  # above what is computed at once
REALS = ("float64", "float32")
OTHERS = ("int64", "int32", "uint8", "bool", "complex128", "complex64")


@pytest.fixture
def tiered():
    """The switch, put back at the end."""
    before = _engine.is_tiered()
    yield _engine.set_tiered
    _engine.set_tiered(before)


def test_the_build_has_kernels_for_this_processor():
    assert _engine.tier_counts()["precompiled"] > 1000


def on_the_cpu(*arrays):
    return [qn.asarray(a, device=qn.device("cpu")) for a in arrays]


def numbers(dtype, seed):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(N) < 0.5
    if dtype.startswith(("int", "uint")):
        return rng.integers(1, 7, N).astype(dtype)
    x = rng.normal(size=N)
    if dtype.startswith("complex"):
        return (x + 1j * rng.normal(size=N)).astype(dtype)
    x[:8] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-310, -1e300, 1.0]
    with np.errstate(over="ignore"):
        return x.astype(dtype)


def in_both_tiers(tiered, compute):
    """What `compute()` gives operation by operation and compiled, and whether the first did run so."""
    tiered(True)
    before = _engine.tier_counts()["groups"]
    singly = [np.asarray(a) for a in compute()]
    ran = _engine.tier_counts()["groups"] > before
    tiered(False)
    compiled = [np.asarray(a) for a in compute()]
    return singly, compiled, ran


def assert_same_bits(singly, compiled, what):
    for a, b in zip(singly, compiled, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape and a.strides == b.strides, what
        assert a.tobytes() == b.tobytes(), what


def ufuncs():
    for name in dir(np):
        own = getattr(qn, name, None)
        products = getattr(getattr(np, name), "signature", None)
        if isinstance(getattr(np, name), np.ufunc) and own is not None and products is None:
            yield name, own, getattr(np, name).nin


@pytest.mark.parametrize("dtype", (*REALS, *OTHERS))
def test_each_row_has_the_same_bits_in_both_tiers(tiered, dtype):
    """Flat, strided and repeated operands, and numbers beside arrays: two results of one group."""
    ran = 0
    for number, (name, f, operands) in enumerate(ufuncs()):
        data = on_the_cpu(*(numbers(dtype, 100 * number + i) for i in range(operands)))

        def compute(f=f, data=data, operands=operands):
            backwards = [x[::-1] for x in data]
            if operands == 1:
                results = f(data[0]), f(backwards[0])
            else:
                results = f(data[0], backwards[1]), f(data[0], data[1][:1]), f(data[0], data[0])
            return [part for r in results for part in (r if isinstance(r, tuple) else (r,))]

        try:
            compute()[0].dtype  # noqa: B018
        except (TypeError, ValueError):
            continue  # no loop for this dtype; negative powers
        singly, compiled, one = in_both_tiers(tiered, compute)
        ran += one
        assert_same_bits(singly, compiled, (name, dtype))
    assert ran >= (40 if dtype in REALS else 10)


@pytest.mark.parametrize("dtype", (*REALS, "int64", "complex128"))
@pytest.mark.parametrize("shapes, axis", [([(N,), (300_000,)], 0), ([(300, 20)], 1), ([(20, 300)], 0), ([(70, 90)], 1), ([(90, 70)], 0), ([(7, 60, 50)], 1)])
def test_reductions_over_computed_values(tiered, dtype, shapes, axis):
    ran = False
    for shape in shapes:  # those of one dimension have one kernel: once it is compiled, it is used
        x, y = on_the_cpu(*(np.resize(numbers("int32", i), shape).astype(dtype) for i in (1, 2)))

        def compute(x=x, y=y):
            z = x * y - x
            return z, z.sum(axis), (z + 1).sum(axis), (z - 2).sum(axis) if dtype == "complex128" else (abs(z) * 2).max(axis)

        singly, compiled, one = in_both_tiers(tiered, compute)
        ran |= bool(one)
        assert_same_bits(singly, compiled, (dtype, shape, axis))
    assert ran


def test_operands_of_other_dtypes_positions_numbers_and_writes(tiered):
    x, i, b = on_the_cpu(numbers("float64", 1).reshape(50, 100), numbers("int32", 2).reshape(50, 100), numbers("bool", 3).reshape(50, 100))

    cpu = qn.device("cpu")

    def compute():
        y = x * i + b * x - qn.arange(100, device=cpu) * i[:, :1]
        z = qn.where(b, y, i) / x[:1] + x.sum()
        z[1:-1, ::2] = y[2:, 1::2]
        z[:, 0] = 3
        z[5] += i[5]
        return y, z, z.astype("float32") + qn.linspace(0, 1, 100, device=cpu), (x.T + i.T[::-1]).sum(0)

    singly, compiled, ran = in_both_tiers(tiered, compute)
    assert ran
    assert_same_bits(singly, compiled, "mixed")


def test_random_numbers_are_those_of_the_compiled_tier(tiered):
    def compute():
        rng = qn.random.default_rng(7)
        return rng.normal(size=N) * 2 + 1, rng.random(N) - rng.integers(0, 9, N), rng.normal(size=N).astype("float32") + 1

    singly, compiled, _ = in_both_tiers(tiered, compute)
    assert_same_bits(singly, compiled, "random")


def run_child(text, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(text)],
        env={**os.environ, "QUERN_DEVICE": "cpu", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


LOOP = """
    import numpy as np, quern as qn
    from quern.lib import _engine
    x = qn.asarray(np.linspace(0, 1, 40_000)); y = x
    def step(y, i):
        return y * 0.5 + x - 0.25 * y * y + np.float64(i)
"""


def test_a_loop_is_taken_over_by_its_compiled_kernel(tmp_path):
    child = run_child(
        LOOP
        + """
    import time
    values = []
    for i in range(20_000):
        y = step(y, i % 3); qn.synchronize()
        if i in (0, 1, 2, 3, 50, 51): values.append(float(y.sum()))
        if i > 60 and _engine.tier_counts()["behind"] and not _engine.tier_counts()["open"]: break
        time.sleep(0.001)
    counts = _engine.tier_counts()
    for k in range(5): y = step(y, k % 3); qn.synchronize()
    print(counts["behind"] > 0, _engine.tier_counts()["groups"] == counts["groups"])
    u = np.linspace(0, 1, 40_000); v = u
    expected = []
    for i in range(52):
        v = v * 0.5 + u - 0.25 * v * v + np.float64(i % 3)
        if i in (0, 1, 2, 3, 50, 51): expected.append(v.sum())
    print(np.allclose(values, expected, rtol=1e-13))
    """,
        QUERN_CACHE_DIR=str(tmp_path),
    )
    out, err = child.communicate(timeout=300)
    assert out.split() == ["True", "True", "True"], err
    assert any(files for _, _, files in os.walk(tmp_path)), "the next process must find the kernel on the disk"


@pytest.mark.parametrize("end", ["pass", "import os; os._exit(0)", "import sys; sys.exit(3)", "raise SystemExit(0)"])
def test_a_program_may_end_while_a_kernel_is_compiled(tmp_path, end):
    child = run_child(
        LOOP
        + f"""
    for i in range(40): y = step(y, i % 3); qn.synchronize()
    print(_engine.tier_counts()["open"] > 0)
    {end}
    """,
        QUERN_CACHE_DIR=str(tmp_path),
    )
    _, err = child.communicate(timeout=120)
    assert child.returncode == (3 if "3" in end else 0), err
    assert not err
    if "os._exit" not in end:
        assert any(files for _, _, files in os.walk(tmp_path)), "the end waits for the kernel that is being compiled"


def test_a_fork_while_a_kernel_is_compiled(tmp_path):
    child = run_child(
        LOOP
        + """
    import os
    for i in range(40): y = step(y, i % 3); qn.synchronize()
    before = float(y.sum())
    pid = os.fork()
    if pid == 0:
        ok = float(y.sum()) == before
        for i in range(40): y = step(y, i % 3); qn.synchronize()
        os._exit(0 if ok and np.isfinite(float(y.sum())) else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    for i in range(40): y = step(y, i % 3); qn.synchronize()
    print(np.isfinite(float(y.sum())))
    """,
        QUERN_CACHE_DIR=str(tmp_path),
    )
    out, err = child.communicate(timeout=120)
    assert out.split() == ["0", "True"], err


def test_an_interrupt_while_a_kernel_is_compiled(tmp_path):
    child = run_child(
        LOOP
        + """
    try:
        print("started", flush=True)
        for i in range(10**9): y = step(y, i % 3); qn.synchronize()
    except KeyboardInterrupt:
        print(np.isfinite(float((x * 2).sum())))
    """,
        QUERN_CACHE_DIR=str(tmp_path),
    )
    assert child.stdout.readline() == "started\n"
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    assert out.split() == ["True"], err


def test_it_can_be_turned_off(tmp_path):
    child = run_child(
        LOOP + """    y = step(y, 1); qn.synchronize(); print(_engine.is_tiered(), _engine.tier_counts()["groups"])\n""",
        QUERN_CACHE_DIR=str(tmp_path),
        QUERN_TIERED="0",
    )
    assert child.communicate(timeout=120)[0].split() == ["False", "0"]


def test_the_python_switch():
    before = qn.set_tiered(False)
    try:
        assert qn.set_tiered(True) is False
        assert qn.set_tiered(True) is True
    finally:
        qn.set_tiered(before)


def test_the_trace_says_what_ran_operation_by_operation(tmp_path):
    child = run_child(
        LOOP
        + """
    with qn.trace() as events:
        y = step(y, 1); qn.synchronize()
    singles = [e for e in events if e["kind"] == "launch" and e["detail"].endswith("; operation by operation")]
    print(len(singles) >= 5, all(len(e["kernel"]["ops"] if isinstance(e.get("kernel"), dict) else [1]) == 1 for e in singles))
    """,
        QUERN_CACHE_DIR=str(tmp_path),
    )
    out, err = child.communicate(timeout=120)
    assert out.split() == ["True", "True"], err


def test_a_budget_of_compiles_does_not_depend_on_time(tmp_path):
    program = tmp_path / "loop.py"
    program.write_text(textwrap.dedent(LOOP) + "for i in range(5):\n    y = step(y, i % 3)\n    qn.synchronize()\n")
    child = subprocess.run(
        [sys.executable, "-m", "quern", "profile", "--max-compiles", "0", str(program)],
        env={**os.environ, "QUERN_DEVICE": "cpu", "QUERN_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert child.returncode == 3, child.stderr


def test_a_fork_asks_for_a_kernel_that_was_being_compiled(tmp_path):
    child = run_child(
        LOOP
        + """
    import os
    for i in range(400):
        y = step(y, i % 3); qn.synchronize()
        if _engine.tier_counts()["open"]: break
    pid = os.fork()
    if pid == 0:
        qn.set_tiered(False)
        z = step(y, 1)
        os._exit(0 if np.isfinite(float(z.sum())) else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """,
        QUERN_CACHE_DIR=str(tmp_path),
    )
    out, err = child.communicate(timeout=120)
    assert out.split() == ["0"], err


def test_large_results_in_between_are_not_stored(tmp_path):
    """One by one, the differences would take 800 MB."""
    child = run_child(
        """
    import numpy as np, quern as qn, resource
    n = 10_000
    x, y = qn.asarray(np.linspace(0, 1, n)), qn.asarray(np.linspace(0, 2, n))
    float((x * 2).sum())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sums = abs(x[:, None] - y[None, :]).sum(1)
    print(float(sums[0]) > 0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000)
    """,
        QUERN_CACHE_DIR=str(tmp_path),
    )
    out, err = child.communicate(timeout=120)
    assert out.split() == ["True", "True"], err


def test_launches_of_conversions_have_a_source_line(tmp_path):
    child = run_child(
        """
    import quern as qn
    with qn.trace() as events:
        qn.linspace(0, 3, 40_017).get()
    launches = [event for event in events if event.kind == "launch"]
    print(["cast"] in [event.ops for event in launches], all("<string>" in event.site for event in launches))
    """,
        QUERN_CACHE_DIR=str(tmp_path),
    )
    out, err = child.communicate(timeout=120)
    assert out.split() == ["True", "True"], err


def test_an_array_can_be_read_after_there_was_no_room_for_a_converted_operand(tmp_path):
    child = run_child(
        """
    import resource, numpy as np, quern as qn
    n = 200_000
    x, i = qn.asarray(np.arange(n) / 7), qn.asarray((np.arange(n) % 9).astype("int8"))
    np.asarray(x * i + 1)  # the kernels are loaded
    keep = [qn.array(x) + k for k in range(6)]
    qn.synchronize()  # what the pool has kept is used
    y = x * i + 1
    size = int(next(line for line in open("/proc/self/status") if line.startswith("VmSize")).split()[1]) << 10
    resource.setrlimit(resource.RLIMIT_AS, (size + 800_000, -1))
    try: float(y[5]); print("room")
    except MemoryError: print("no room")
    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    print(np.array_equal(np.asarray(y), np.arange(n) / 7 * (np.arange(n) % 9) + 1))
    """,
        QUERN_CACHE_DIR=str(tmp_path),
    )
    out, err = child.communicate(timeout=120)
    assert out.splitlines()[1:] == ["True"], out + err
