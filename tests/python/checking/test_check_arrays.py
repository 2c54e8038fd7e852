"""Array programs under `quern check`: late errors at their own lines, numbers that become NaN, fused groups computed once more."""

import os

import numpy as np
import pytest
import quern as qn
from checked import kinds
from programs import code

MANY = 20_000


pytestmark = pytest.mark.usefixtures("on_the_cpu")


def line_of(error):
    import traceback

    return traceback.extract_tb(error.__traceback__)[-1].line


def test_late_errors_are_raised_at_their_own_lines():
    x, places = qn.arange(MANY, dtype="float32"), qn.array(np.full(MANY, MANY + 5))
    y = x[places]  # nobody knows yet
    with pytest.raises(IndexError):
        y.get()
    with qn.check() as report:
        with pytest.raises(IndexError) as raised:
            y = x[places]
        assert "test_check_arrays.py" in str(raised.traceback[0].path)
        with pytest.raises(IndexError):
            x[places] = 3
        with pytest.raises(np.linalg.LinAlgError):
            qn.linalg.inv(qn.zeros((40, 40)))
        z = x[places % MANY]
    assert not len(report) and (z.get() == 5).all()
    y = x[places]  # late again
    with pytest.raises(IndexError):
        y.get()


@pytest.mark.parametrize("size", [4, MANY])
def test_numbers_that_become_nan_or_infinite(size):
    x = qn.arange(size, dtype="float32")
    with qn.check() as report:
        (qn.log(x - 2) + 1).get()
    assert not len(report)
    with qn.check(nan=True) as report:
        y = qn.log(x - 2)
        z = y * 2 + x
        z.get()
    assert kinds(report) == {"not_finite"} and len(report) == 1, f"{report}"
    assert report[0].work == "log" and "log of the finite value -2 gives NaN at element 0" in str(report)
    assert os.path.basename(report[0].launched).startswith("test_check_arrays.py:")


def test_equal_findings_are_counted():
    x = qn.zeros(5)
    with qn.check(nan=True) as report:
        (qn.log(x) - qn.log(x)).get()
    assert len(report) == 1 and report[0].count == 2 and "(found 2 times)" in str(report), f"{report}"


def test_a_quotient_and_a_sum():
    x = qn.arange(MANY, dtype="float64")
    with qn.check(nan=True) as report:
        ((x + 1) / (x - 7)).sum().get()
        (x * 1e300 * 1e300).get()
        (x / 1).get()
    assert [one.work for one in report] == ["true_divide", "multiply"], f"{report}"


def test_fused_groups_are_the_same_one_by_one():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(100, 300)).astype(np.float32), rng.normal(size=(100, 300)).astype(np.float32)
    with qn.check() as report:
        x, y = qn.array(a), qn.array(b)
        z = qn.exp(-x * x) * qn.sin(y) + qn.where(x > y, x, y).sum(axis=1, keepdims=True)
        m = qn.floor(z * 10).astype("int32") + (x > 0)
        x[::2, 1:] += y[::2, 1:] * 3
        mean, spread = z.mean(axis=0), z.std(axis=0)
        results = [value.get() for value in (z, m, x, mean, spread)]
    assert not len(report), f"{report}"
    expected = np.exp(-a * a) * np.sin(b) + np.maximum(a, b).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(results[0], expected, rtol=1e-3, atol=1e-3)


def test_integers_and_complex_numbers():
    with qn.check() as report:
        i = qn.arange(MANY) % 1000
        j = (i * i + 3 ^ i) // 7
        c = qn.array(np.exp(1j * np.arange(MANY)))
        values = [(j.sum()).get(), (c * qn.conj(c)).real.get(), qn.abs(c * 2).get()]
    assert not len(report), f"{report}"
    n = np.arange(MANY) % 1000
    assert values[0] == ((n * n + 3 ^ n) // 7).sum() and np.allclose(values[1], 1) and np.allclose(values[2], 2)


def test_arrays_over_memory_of_the_programs_own():
    """What array work writes there is written, and a kernel behind pending array work has its line."""
    from quern.pycuda import driver as drv
    from quern.pycuda import gpuarray
    from quern.pycuda.compiler import SourceModule

    text = "__global__ void f(float* x) { x[threadIdx.x] += threadIdx.x; }"
    for size in (10, MANY):
        for threads, expected in ((10, set()), (11, {"out_of_bounds"} if size == 10 else set())):
            with qn.check() as report:
                f = SourceModule(text).get_function("f")
                memory = drv.mem_alloc(4 * size)
                a = gpuarray.GPUArray((size,), np.float32, gpudata=memory)
                a.fill(0)
                a += 1
                a *= 2
                f(int(memory), block=(threads, 1, 1))
                assert (a.get()[:10] == 2 + np.arange(10)).all()
            assert kinds(report) == expected, f"{report}"
            assert all(os.path.basename(one.launched).startswith("test_check_arrays.py:") for one in report)


# ---- arrays that were made without values


@pytest.fixture
def doubled():
    from quern import cupy

    return cupy.RawKernel(
        """extern "C" __global__ void doubled(const float* a, float* b, int n) { int i = threadIdx.x; if (i < n) b[i] = 2 * a[i]; }""", "doubled"
    )


def empties():
    from quern import cuda, cupy, torch
    from quern.pycuda import gpuarray

    yield cupy.empty(8, "float32")
    yield cupy.empty_like(cupy.ones(8, "float32"))
    yield cuda.device_array(8, "float32")
    yield gpuarray.empty(8, np.float32)
    yield torch.empty(8)
    yield qn.empty((2, 4), "float32")


def test_kernels_that_read_what_nobody_wrote(doubled):
    for a in empties():
        with qn.check() as report:
            b = next(empties())
            doubled((1,), (8,), (a, b, np.int32(8)))
        assert not len(report), "made before the check began"
    makers = empties()
    for _ in range(6):
        with qn.check() as report:
            doubled((1,), (8,), (next(makers), qn.ones(8, "float32"), np.int32(8)))
        assert kinds(report) == {"never_written"} and len(report) == 1, f"{report}"
        assert report[0].kernel == "doubled" and os.path.basename(report[0].launched).startswith("test_check_arrays.py:")


def fill(a):
    a.fill(3)


def set_parts(a):
    a[::2], a[1:3], a[3:] = 1, 2, 3


def set_places(a):
    a[qn.arange(8)] = qn.ones(8, "float32")


def add_into(a):
    qn.add(qn.ones(8, "float32"), 1, out=a)


def sum_into(a):
    qn.sum(qn.ones((3, 8), "float32"), axis=0, out=a)


def increase(a):
    a += 1


def multiply_into(a):
    qn.matmul(qn.ones((8, 3), "float32"), qn.ones(3, "float32"), out=a)


@pytest.mark.parametrize("write", [fill, set_parts, set_places, add_into, sum_into, increase, multiply_into])
def test_arrays_that_were_written_by_operations(doubled, write):
    with qn.check() as report:
        a = qn.empty(8, "float32")
        write(a)
        b = qn.empty(8, "float32")
        doubled((1,), (8,), (a, b, np.int32(8)))
        doubled((1,), (8,), (b, qn.empty_like(b), np.int32(8)))
    assert not len(report), f"{report}"


def test_a_trace_has_no_waits_of_the_check():
    """In a program with one stream: with several, each of them is waited for, and traced."""
    done = code(f"""
import quern as qn
with qn.check() as report:
    x = qn.linspace(0, 1, {MANY}, device=qn.device("cpu"))
    qn.synchronize()
    with qn.trace() as events:
        for _ in range(5):
            x = qn.sqrt(x + 1) * 2
        qn.synchronize()
assert [event["kind"] for event in events].count("wait") == 1 and not len(report), events
""", QUERN_DEVICE="cpu")
    assert done.returncode == 0, done.stderr
