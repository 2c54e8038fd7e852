"""CuPy's door: the programs that people have, the array type, kernels on arrays, and the clocks of `quern run`."""

import os

import numpy as np
import pytest
import quern as qn
from programs import quern
from quern import cupy as cp

PROGRAMS = os.environ.get("QUERN_PROGRAMS")


@pytest.mark.parametrize("name", ["cupy_add.py", "cupy_norm.py", "cupy_bench.py"])
@pytest.mark.skipif(not PROGRAMS, reason="QUERN_PROGRAMS is not set")
def test_programs_run_unmodified(name):
    done = quern("run", os.path.join(PROGRAMS, name))
    assert done.returncode == 0, done.stderr
    if name == "cupy_add.py":
        assert done.stdout == "[11 22 33 44 55]\n"
    elif name == "cupy_norm.py":
        assert done.stdout.count("7.0710678118654755") == 2
        assert "<class 'cupy.ndarray'>" in done.stdout
        assert "<class 'numpy.ndarray'>" in done.stdout
    else:
        seconds = float(done.stdout.split("CuPy: ")[1].split()[0])
        # 800 MB are written and read: no machine does that in the time that recording takes.
        assert seconds > 1e-4


def test_clocks_wait_unless_told_otherwise(tmp_path):
    file = tmp_path / "clocks.py"
    file.write_text(
        "import time, timeit, cupy as cp\n"
        "from quern.lib import _engine\n"
        "x = cp.ones((100, 1000))\n"
        "y = x + 1\n"
        "time.perf_counter()\n"
        "print(_engine.array_pending())\n"
        "timeit.timeit(lambda: x + 2, number=1)\n"
        "print(_engine.array_pending())\n"
    )
    assert quern("run", file).stdout == "0\n0\n"
    assert quern("run", "--raw-clock", file).stdout == "2\n2\n"


def test_results_have_the_type_of_their_first_operand():
    x = cp.asarray([1.0, 2.0])
    for value in (
        x,
        x + 1,
        1 + x,
        x[1:],
        x.sum(),
        cp.sqrt(x),
        x.T,
        x.astype(int),
        -x,
        x.reshape(2, 1),
        cp.zeros(3),
        cp.concatenate([x, x]),
    ):
        assert type(value) is cp.ndarray
    assert type(qn.asarray([1.0]) + x[:1]) is qn.Array
    assert qn.asnumpy(x).tolist() == [1.0, 2.0]


def test_get_and_set():
    x = cp.zeros((2, 2))
    x.set(np.eye(2))
    np.testing.assert_array_equal(x.get(), np.eye(2))
    out = np.empty((2, 2))
    assert x.get(out=out) is out
    with pytest.raises(ValueError, match="Shape mismatch"):
        x.set(np.eye(3))
    with pytest.raises(TypeError, match="cannot be set"):
        x.set(np.eye(2, dtype=np.float32))


def test_kernels_on_arrays():
    add = cp.RawKernel('extern "C" __global__ void add(float* a, int n) { int i = threadIdx.x; if (i < n) a[i] += 1; }', "add")
    x = cp.asarray(np.arange(8, dtype=np.float32))
    before = x * 10
    view = x[2:]
    add((1,), (32,), (view, 3))
    after = x * 10
    np.testing.assert_array_equal(before.get(), np.arange(8) * 10)
    np.testing.assert_array_equal(after.get(), np.array([0, 1, 3, 4, 5, 5, 6, 7]) * 10)


def test_missing_names_say_so():
    with pytest.raises(AttributeError, match="quern does not serve"):
        cp.busday_count  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        cp.nothing  # noqa: B018
    with pytest.raises(NotImplementedError, match=r"Stream\.null"):
        cp.cuda.Stream()


def test_devices():
    assert cp.cuda.runtime.getDeviceCount() >= 1
    with cp.cuda.Device(0) as device:
        assert int(device) == 0
        device.synchronize()
    with pytest.raises(ValueError, match="there is no device"):
        cp.cuda.Device(99)
    cp.cuda.Stream.null.synchronize()


@pytest.mark.parametrize("ord", [None, 1, 2, 3, 0, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
def test_vector_norms(ord, dtype):
    x = (np.arange(12) - 4).reshape(3, 4).astype(dtype)
    got = qn.linalg.norm(qn.asarray(x), ord, axis=1)
    want = np.linalg.norm(x, ord, axis=1)
    np.testing.assert_allclose(qn.asnumpy(got), want, rtol=1e-5)
    assert got.dtype == want.dtype


@pytest.mark.parametrize("ord", [None, "fro", 1, -1, np.inf, -np.inf])
def test_matrix_norms(ord):
    x = (np.arange(12.0) - 4).reshape(3, 4)
    np.testing.assert_allclose(qn.asnumpy(qn.linalg.norm(qn.asarray(x), ord)), np.linalg.norm(x, ord))
    np.testing.assert_allclose(
        qn.asnumpy(qn.linalg.norm(qn.asarray(x), ord, (0, 1), keepdims=True)), np.linalg.norm(x, ord, (0, 1), keepdims=True)
    )
