"""pycuda.sparse: products of sparse matrices with vectors, and conjugate gradients."""

import numpy as np
import pytest
from quern.pycuda import driver, gpuarray
from quern.pycuda.sparse.cg import CGStateContainer, ConvergenceError, solve_pkt_with_cg
from quern.pycuda.sparse.coordinate import CoordinateSpMV
from quern.pycuda.sparse.inner import AsyncInnerProduct
from quern.pycuda.sparse.operator import DiagonalPreconditioner, IdentityOperator, OperatorBase
from quern.pycuda.sparse.packeted import PacketedSpMV

TYPES = ["float32", "float64", "complex64", "complex128"]


pytestmark = pytest.mark.usefixtures("device")


class Matrix:
    """What the products ask of SciPy's matrices, made of a dense one."""

    def __init__(self, dense):
        self.dense, self.shape = dense, dense.shape
        self.row, self.col = np.nonzero(dense)
        self.data = dense[self.row, self.col]

    def tocsr(self):
        self.indices, self.indptr = self.col.astype(np.int32), np.searchsorted(self.row, np.arange(self.shape[0] + 1))
        return self

    def tocoo(self):
        return self


def random(rng, m, n, share, dtype):
    dense = np.where(rng.random((m, n)) < share, rng.normal(size=(m, n)), 0)
    if np.dtype(dtype).kind == "c":
        dense = dense * (1 + 2j)
    return dense.astype(dtype)


def tolerance(dtype):
    return 1e-4 if np.finfo(dtype).bits == 32 else 1e-12


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n,share", [(1, 1.0), (5, 0.0), (100, 0.02), (130, 0.2), (257, 0.9)])
def test_products(dtype, n, share):
    rng = np.random.default_rng(3)
    dense = random(rng, n, n, share, dtype)
    x = random(rng, n, 1, 1.0, dtype)[:, 0]
    spmv = PacketedSpMV(Matrix(dense), False, dtype)
    assert spmv.shape == (n, n) and spmv.dtype == dtype
    got = spmv.unpermute(spmv(spmv.permute(gpuarray.to_gpu(x))))
    assert got.dtype == dtype and got.shape == (n,)
    np.testing.assert_allclose(got.get(), dense @ x, rtol=tolerance(dtype), atol=n * tolerance(dtype))
    y = gpuarray.to_gpu(x)
    assert spmv(gpuarray.to_gpu(x), y) is y
    np.testing.assert_allclose(y.get(), x + dense @ x, rtol=tolerance(dtype), atol=n * tolerance(dtype))


def test_coordinates():
    rng = np.random.default_rng(4)
    dense = random(rng, 60, 90, 0.1, "f8")
    given = Matrix(dense)
    shuffled = rng.permutation(given.row.size)
    given.row, given.col, given.data = given.row[shuffled], given.col[shuffled], given.data[shuffled]
    given.row, given.col, given.data = np.append(given.row, 3), np.append(given.col, 5), np.append(given.data, 2.0)  # twice
    dense[3, 5] += 2.0
    x, spmv = rng.random(90), CoordinateSpMV(given, "f8")
    np.testing.assert_allclose(spmv(gpuarray.to_gpu(x)).get(), dense @ x, rtol=1e-12)
    strided = gpuarray.to_gpu(np.repeat(x, 2))[::2]
    y = gpuarray.zeros(120, "f8")[::2]
    assert spmv(strided, y) is y
    np.testing.assert_allclose(y.get(), dense @ x, rtol=1e-12)


def test_what_is_refused():
    square = Matrix(np.eye(4))
    with pytest.raises(ValueError, match="square"):
        PacketedSpMV(Matrix(np.ones((3, 4))), False, "f4")
    with pytest.raises(TypeError, match=r"\[PacketedSpMV\] the dtype must be float32"):
        PacketedSpMV(square, True, "i4")
    spmv = PacketedSpMV(square, True, "f4")
    with pytest.raises(ValueError, match=r"must have shape \(4,\) and type float32, not \(3,\)"):
        spmv(gpuarray.zeros(3, "f4"))
    with pytest.raises(ValueError, match="float64"):
        spmv(gpuarray.zeros(4, "f8"))
    with pytest.raises(ValueError, match="the result must have shape"):
        spmv(gpuarray.zeros(4, "f4"), gpuarray.zeros(5, "f4"))
    with pytest.raises(NotImplementedError, match="OperatorBase defines no dtype"):
        _ = OperatorBase().dtype


def poisson(n, dtype="f8"):
    """The second differences of a grid of n x n points."""
    line = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    return (np.kron(line, np.eye(n)) + np.kron(np.eye(n), line)).astype(dtype)


@pytest.mark.parametrize("dtype,tol", [("f4", 1e-5), ("f8", 1e-10)])
@pytest.mark.parametrize("precon", [None, "diagonal"])
def test_conjugate_gradients(dtype, tol, precon, capsys):
    dense = poisson(15, dtype)
    want = np.random.default_rng(5).random(225).astype(dtype)
    spmv = PacketedSpMV(Matrix(dense), True, dtype)
    if precon:
        precon = DiagonalPreconditioner(spmv.permute(gpuarray.to_gpu((1 / dense.diagonal()).astype(dtype))))
        assert precon.shape == (225, 225) and precon.dtype == dtype
    got, steps, looks = solve_pkt_with_cg(spmv, gpuarray.to_gpu(dense @ want), precon, tol=tol, debug=True)
    np.testing.assert_allclose(got.get(), want, atol=1e3 * tol)
    assert 1 <= looks <= steps < 120 and capsys.readouterr().out.startswith("it 8: ")
    near = gpuarray.to_gpu(want)
    assert solve_pkt_with_cg(spmv, gpuarray.to_gpu(dense @ want), x=near, tol=0.5)[1] < steps


def test_the_end_of_conjugate_gradients():
    eye = PacketedSpMV(Matrix(np.eye(7)), True, "f8")
    b = gpuarray.to_gpu(np.arange(7.0))
    np.testing.assert_array_equal(solve_pkt_with_cg(eye, b)[0].get(), np.arange(7.0))  # exact after one step
    np.testing.assert_array_equal(solve_pkt_with_cg(eye, b * 0)[0].get(), np.zeros(7))
    hard = PacketedSpMV(Matrix(poisson(15)), True, "f8")
    with pytest.raises(ConvergenceError, match="no convergence after 3 steps"):
        solve_pkt_with_cg(hard, gpuarray.to_gpu(np.random.default_rng(0).random(225)), max_iterations=3)
    state = CGStateContainer(hard, IdentityOperator("f8", 225))
    state.reset(gpuarray.zeros(225, "f8") + 1)
    first = state.one_iteration().get()
    assert state.one_iteration(compute_real_residual=True).get() != first


def test_inner_products_on_their_way():
    a = gpuarray.arange(1000, dtype="f8")
    product = AsyncInnerProduct(a, a, driver.pagelocked_empty)
    driver.Context.synchronize()
    assert product.get_host_result() == product.gpu_result.get() == 332833500.0
