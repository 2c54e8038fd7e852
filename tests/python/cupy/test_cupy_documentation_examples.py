"""What CuPy's reference, its docstrings and its folder of examples show, as programs of our own: each checks its answer."""

import json
import pickle
import unittest
import warnings

import numpy as np
import pytest
from quern import cupy as cp
from quern import cupyx
from test_cupy_documentation import close

# ---- docstrings of functions: one call, or a few, compared with NumPy's; what is printed is NumPy's, too


def put(xp, name, array, *args, **kwargs):
    """The array, after a function has written into it."""
    getattr(xp, name)(array, *args, **kwargs)
    return array


def framed(vector, width, axis, given):
    value = given.get("frame", -5)
    vector[: width[0]] = value
    vector[len(vector) - width[1] :] = value * 2


def on_diagonals(xp):
    flat, solid = xp.arange(25).reshape(5, 5), xp.zeros((3, 3, 3), dtype=int)
    places, more = xp.diag_indices(5), xp.diag_indices(3, 3)
    flat[places] = -1
    solid[more] = 7
    return (*places, *more, flat, solid)


def in_orders(xp):
    x = xp.ones((2, 4))
    return x, xp.array([[1, 2], [3, 4]], order="F"), x.T, xp.array([5, 6], order="F")


CALLS = {
    "indices": lambda xp: (xp.indices((3, 2)).shape, xp.indices((3, 2))[0], xp.indices((3, 2))[1]),
    "ix_": lambda xp: (*xp.ix_([0, 2], [1, 3]), xp.arange(12).reshape(3, 4)[xp.ix_([0, 2], [1, 3])]),
    "ravel_multi_index": lambda xp: xp.ravel_multi_index(xp.asarray([[2, 0, 4], [1, 3, 2]]), (5, 4)),
    "ravel_multi_index in columns": lambda xp: xp.ravel_multi_index(xp.asarray([[2, 0, 4], [1, 3, 2]]), (5, 4), order="F"),
    "ravel_multi_index clip": lambda xp: xp.ravel_multi_index(xp.asarray([[2, 0, 4], [1, 3, 2]]), (3, 4), mode="clip"),
    "ravel_multi_index modes": lambda xp: xp.ravel_multi_index(xp.asarray([[2, 0, 4], [1, 3, 2]]), (3, 2), mode=("clip", "wrap")),
    "ravel_multi_index of one": lambda xp: xp.ravel_multi_index(xp.asarray((1, 2, 0)), (3, 4, 5)),
    "unravel_index": lambda xp: xp.unravel_index(xp.array([7, 3, 19]), (5, 4)),
    "unravel_index in columns": lambda xp: xp.unravel_index(xp.array([7, 3, 19]), (5, 4), order="F"),
    "mask_indices": lambda xp: (*xp.mask_indices(4, xp.tril), *xp.mask_indices(4, xp.triu, 2)),
    "place": lambda xp: put(xp, "place", a := xp.arange(8).reshape(2, 4), a % 3 == 1, [70, 80]),
    "putmask": lambda xp: put(xp, "putmask", a := xp.arange(8).reshape(2, 4), a < 5, a * -2),
    "putmask repeated": lambda xp: put(xp, "putmask", a := xp.arange(7), a > 1, xp.array([-1, -2, -3])),
    "fill_diagonal": lambda xp: put(xp, "fill_diagonal", xp.ones((4, 4), int), 9),
    "diag_indices": on_diagonals,
    "isneginf": lambda xp: (xp.isneginf(2), xp.isneginf(-xp.inf), xp.isneginf(xp.array([xp.nan, -xp.inf, 3, xp.inf]))),
    "isposinf": lambda xp: (xp.isposinf(2), xp.isposinf(xp.inf), xp.isposinf(xp.array([xp.nan, -xp.inf, 3, xp.inf]))),
    "iscomplex": lambda xp: xp.iscomplex(xp.array([2j, 5 + 0j, 1.5, 1 - 1j])),
    "isreal": lambda xp: xp.isreal(xp.array([2j, 5 + 0j, 1.5, 1 - 1j])),
    "iscomplexobj": lambda xp: (xp.iscomplexobj(xp.array([2, 0j, False])), xp.iscomplexobj(xp.array([2, 4.5]))),
    "isrealobj": lambda xp: (xp.isrealobj(xp.array([2, 0j, False])), xp.isrealobj(xp.array([2, 4.5]))),
    "isfortran": lambda xp: [xp.isfortran(a) for a in in_orders(xp)],
    "unique": lambda xp: np.unique(xp.array([3, 1, 3, 2]), return_index=True, return_inverse=True, return_counts=True, equal_nan=False),
    "unique with counts": lambda xp: xp.unique(xp.array([3, 1, 3, 2]), return_counts=True, equal_nan=False),
    "unique with places": lambda xp: xp.unique(xp.array([3, 1, 3, 2]), return_inverse=True, equal_nan=False),
    "unique alone": lambda xp: xp.unique(xp.array([3, 1, 3, 2]), equal_nan=False),
    "unique_all": lambda xp: xp.unique_all(xp.array([5, 5, -1])),
    "unique_counts": lambda xp: xp.unique_counts(xp.array([5, 5, -1])),
    "unique_inverse": lambda xp: xp.unique_inverse(xp.array([5, 5, -1])),
    "unique_values": lambda xp: xp.unique_values(xp.array([5, 5, -1])),
    "pad constant": lambda xp: xp.pad(xp.array([7, 1, 4, 2]), (1, 3), "constant", constant_values=(9, -9)),
    "pad edge": lambda xp: xp.pad(xp.array([7, 1, 4, 2]), (1, 3), "edge"),
    "pad linear_ramp": lambda xp: xp.pad(xp.array([7, 1, 4, 2]), (3, 2), "linear_ramp", end_values=(1, -2)),
    "pad maximum": lambda xp: xp.pad(xp.array([7, 1, 4, 2]), (2,), "maximum"),
    "pad mean": lambda xp: xp.pad(xp.array([7, 1, 4, 2]), (2,), "mean"),
    "pad minimum": lambda xp: xp.pad(xp.array([[6, 2], [3, 8]]), ((1, 2), (3, 1)), "minimum"),
    "pad reflect": lambda xp: xp.pad(xp.array([7, 1, 4, 2]), (3, 2), "reflect"),
    "pad reflect odd": lambda xp: xp.pad(xp.array([7, 1, 4, 2]), (3, 2), "reflect", reflect_type="odd"),
    "pad symmetric": lambda xp: xp.pad(xp.array([7, 1, 4, 2]), (3, 2), "symmetric"),
    "pad symmetric odd": lambda xp: xp.pad(xp.array([7, 1, 4, 2]), (3, 2), "symmetric", reflect_type="odd"),
    "pad wrap": lambda xp: xp.pad(xp.array([7, 1, 4, 2]), (3, 2), "wrap"),
    "pad by a function": lambda xp: xp.pad(xp.arange(4).reshape(2, 2), 1, framed),
    "pad by a function with an option": lambda xp: xp.pad(xp.arange(4).reshape(2, 2), 2, framed, frame=30),
    "apply_over_axes": lambda xp: xp.apply_over_axes(xp.max, xp.arange(30).reshape(5, 3, 2), [0, 2]),
    "axes of a sum": lambda xp: xp.sum(xp.arange(30).reshape(5, 3, 2), axis=(0, 2), keepdims=True),
    "sliding_window_view": lambda xp: xp.lib.stride_tricks.sliding_window_view(xp.arange(7) * 2, 4),
    "sliding_window_view of two axes": lambda xp: xp.lib.stride_tricks.sliding_window_view(xp.arange(12).reshape(3, 4), (2, 3)),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions(device, quiet, name):
    ours, theirs = CALLS[name](cp), CALLS[name](np)
    is_many = isinstance(theirs, (tuple, list))
    if is_many:
        assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True) if is_many else [(ours, theirs)]:
        if isinstance(other, np.ndarray):
            assert type(one) is cp.ndarray and one.dtype == other.dtype and one.shape == other.shape
            assert repr(one) == repr(other) and str(one) == str(other)
        np.testing.assert_array_equal(cp.asnumpy(one), other)


def test_who(device, capsys):
    def written(*rows):
        lines = [f"{name:<16}{shape:<17}{size:<17}{kind}" for name, shape, size, kind in [("Name", "Shape", "Bytes", "Type"), *rows]]
        return [line.split() for line in lines]

    names = {"a": cp.arange(6).reshape(2, 3), "text": "none", "b": cp.ones(5, "f4"), "number": 5}
    cp.who(names)
    told = [line.split() for line in capsys.readouterr().out.splitlines() if line.strip() and "===" not in line]
    assert told == [*written(("a", "2 x 3", "48", "int64"), ("b", "5", "20", "float32")), "Upper bound on total bytes = 68".split()]
    exec("first = cp.zeros(4); cp.who()", {"cp": cp})
    assert "first" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["add", "max", "min"])
def test_scatter(device, name):
    ours, host = cp.full((5,), 1.5, dtype=cp.float32), np.full((5,), 1.5, dtype=np.float32)
    places, values = np.array([3, 0, 3, -1]), np.array([2.0, -1, 4, 0.5])
    getattr(cupyx, f"scatter_{name}")(ours, cp.asarray(places), cp.asarray(values))
    {"add": np.add, "max": np.maximum, "min": np.minimum}[name].at(host, places, values)
    assert repr(ours) == repr(host)


def test_cho_solve(device):
    from quern.cupy.linalg import cholesky
    from quern.cupyx.linalg import cho_solve

    rng = np.random.default_rng(5)
    for shape, right, is_complex in (((4, 4), (4,), 0), ((4, 4), (4, 3), 1), ((2, 3, 3), (2, 3), 0), ((2, 3, 3), (2, 3, 2), 1)):
        root = rng.random(shape) + 1j * is_complex * rng.random(shape)
        matrix = root @ root.conj().swapaxes(-1, -2) + np.eye(shape[-1])
        b = cp.asarray(rng.random(right))
        factor = cholesky(cp.asarray(matrix))
        is_stack_of_vectors = len(right) == len(shape) - 1
        wanted = np.linalg.solve(matrix, b.get()[..., None])[..., 0] if is_stack_of_vectors else np.linalg.solve(matrix, b.get())
        close(cho_solve((factor, True), b), wanted)
        close(cp.linalg.cho_solve((factor.conj().swapaxes(-1, -2), False), b, overwrite_b=True), wanted)
    with pytest.raises(ValueError, match="infs or NaNs"):
        cho_solve((factor, True), cp.full((2, 3), cp.nan))
    assert cp.isnan(cho_solve((factor, True), cp.full((2, 3), cp.nan), check_finite=False)).all()
    for wrong in ((cp.ones((2, 3)), cp.ones(2)), (cp.eye(3), cp.ones(4))):
        with pytest.raises(np.linalg.LinAlgError):
            cho_solve((wrong[0], True), wrong[1])


def test_versions(device, capsys):
    assert [int(part) for part in cp.__version__.split(".")] >= [13, 0, 0]
    cp.show_config()
    assert np.__version__ in capsys.readouterr().out


def test_an_array_of_the_host_is_assigned(device):
    x = cp.zeros((2, 3))
    x[:] = np.arange(6.0).reshape(2, 3)
    x[1, :2] = np.array([7, 8])
    assert x.tolist() == [[0, 1, 2], [7, 8, 5]]


def test_random_numbers(device):
    for function in (cp.random.rand, cp.random.randn):
        x, y = function(3, 2), function(3, 2, dtype=cp.float32)
        assert x.shape == y.shape == (3, 2) and x.dtype == np.float64 and y.dtype == np.float32
        assert len(np.unique(x.get())) == 6
    chosen = cp.random.choice(cp.array([2, 5, 9]), 50)
    assert set(chosen.tolist()) == {2, 5, 9}
    curand = cp.cuda.curand
    for kind in "DEFAULT XORWOW MRG32K3A MTGP32 MT19937 PHILOX4_32_10".split():
        method = getattr(curand, f"CURAND_RNG_PSEUDO_{kind}")
        first, again = (cp.random.RandomState(seed=8, method=method).rand(3) for _ in range(2))
        assert (first == again).all()
    with pytest.raises(NotImplementedError, match="cupy.random draws"):
        curand.createGenerator(curand.CURAND_RNG_PSEUDO_DEFAULT)


# ---- docstrings of classes: memory, kernels, streams


def test_hooks_of_memory(device, capsys):
    from quern.cupy.cuda import memory_hooks

    cp.cuda.set_allocator(cp.cuda.MemoryPool().malloc)
    try:
        with memory_hooks.DebugPrintHook():
            x = cp.array([1, 2, 3, 4])
            del x
        told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert "malloc" in (kinds := [line["hook"] for line in told]) and set(kinds) <= {"alloc", "malloc", "free"}
        taken = next(line for line in told if line["hook"] == "malloc")
        assert taken["size"] == 32 <= taken["mem_size"] and {"device_id", "mem_ptr", "pmem_id"} <= taken.keys()

        hook = memory_hooks.LineProfileHook()
        with hook:
            y = cp.zeros(1000) + cp.arange(1000)
            y.data.ptr  # noqa: B018
        hook.print_report()
        root, line, *_ = capsys.readouterr().out.splitlines()
        assert root.startswith("_root (") and "test_cupy_documentation_examples.py" in line
    finally:
        cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)


def test_views_for_kernels(device):
    code = r"""
    #include <cuda/std/mdspan>
    template <class T, class I>
    using plane = cuda::std::mdspan<T, cuda::std::extents<I, cuda::std::dynamic_extent, cuda::std::dynamic_extent>, cuda::std::layout_stride>;
    template <class T, class I>
    __global__ void spread(plane<T, I> from, plane<T, I> to) {
        I i = threadIdx.y, j = threadIdx.x;
        if (i < from.extent(0) && j < from.extent(1)) to(i, j) = from(i, j) * T(10) + T(i - j);
    }
    """
    names = {(np.float64, np.int64): "spread<double, long long>", (np.float32, np.int32): "spread<float, int>"}
    module = cp.RawModule(code=code, options=("-std=c++17",), name_expressions=list(names.values()))
    for (dtype, index), name in names.items():
        whole = cp.arange(24, dtype=dtype).reshape(4, 6)
        for x in (whole, whole.T, whole[1:, ::2], cp.asfortranarray(whole)):
            out = cp.zeros(x.shape, dtype=dtype)
            module.get_function(name)((1,), (8, 8), (x.mdspan(index_type=index), out.mdspan(index_type=index)))
            i, j = np.indices(x.shape)
            close(out, x.get() * 10 + i - j)
    for wrong in (whole[::-1], cp.broadcast_to(whole[0], (3, 6)), whole[:0]):
        with pytest.raises(ValueError, match="allow_unsafe"):
            wrong.mdspan(index_type=cp.int64)
        assert wrong.mdspan(index_type=cp.int64, allow_unsafe=True)["extents"].tolist() == list(wrong.shape)
    for index in (None, cp.int16, cp.float64):
        with pytest.raises(ValueError, match="index_type"):
            whole.mdspan(index_type=index)


def test_streams_are_not_captured(device):
    stream = cp.cuda.Stream(non_blocking=True)
    with stream, pytest.raises(NotImplementedError, match="CUDA graphs are not supported"):
        stream.begin_capture()
    assert stream.is_capturing() is False


def test_times_and_marks(device, capsys):
    from quern.cupyx import optimizing, profiler
    from quern.cupyx.time import repeat

    @profiler.time_range()
    def counted(n):
        return n + 1

    assert counted(2) == 3 and counted.__name__ == "counted"
    with profiler.time_range("a piece in green", color_id=0), profiler.time_range("and another", argb_color=0xFF00FF00, sync=True):
        x = cp.arange(20) * 3
    with profiler.profile(), cp.cuda.profile():
        assert int(x.sum()) == 570
    with optimizing.optimize():
        assert int(cp.sum(x)) == 570

    def product(a, b):
        return cp.cos(a) * b - 2

    a, b = cp.random.random((50,)), cp.random.random((50,))
    print(profiler.benchmark(product, (a, b), n_repeat=5))
    with pytest.warns(FutureWarning, match="benchmark"):
        print(repeat(product, (a, b), n_repeat=5))
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 2 and all(line.startswith("product ") and "CPU:" in line and "GPU-" in line for line in told)


def test_waits_that_are_forbidden(device):
    x = cp.arange(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with cupyx.allow_synchronize(False):
            y = x + 1
            with pytest.raises(cupyx.DeviceSynchronized):
                cp.asnumpy(y)
    assert y.tolist() == [1, 2, 3, 4]


# ---- cupy.testing


def outcome(*cases):
    """Runs classes of tests: how many ran, were skipped and failed."""
    result = unittest.TestResult()
    for case in cases:
        unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return result.testsRun, len(result.skipped), len(result.failures) + len(result.errors)


def test_tests_compared_with_numpy(device):
    from quern.cupy import testing

    class Cases(unittest.TestCase):
        @testing.with_requires("numpy>=1.18")
        def test_that_runs(self):
            assert np.lib.NumpyVersion(np.__version__) >= "1.18.0"

        @testing.with_requires("numpy>=99")
        def test_that_waits_for_a_newer_numpy(self):
            raise AssertionError

        @testing.numpy_cupy_allclose()
        def test_steps(self, xp):
            return xp.linspace(0, 2, 9) ** 3

        @testing.for_all_dtypes()
        def test_pickles(self, dtype):
            array = testing.shaped_arange((3, 2), dtype=dtype)
            testing.assert_array_equal(pickle.loads(pickle.dumps(array)), array)

        @testing.for_all_dtypes(no_bool=True)
        @testing.numpy_cupy_allclose(rtol=1e-3)
        def test_spread(self, xp, dtype):
            return testing.shaped_arange((4, 3), xp, dtype).max(axis=0)

    assert outcome(Cases) == (5, 1, 0)

    class Wrong(unittest.TestCase):
        @testing.numpy_cupy_allclose()
        def test_it(self, xp):
            return xp.zeros(3) if xp is np else xp.ones(3)

    assert outcome(Wrong) == (1, 0, 1)


def test_tests_with_parameters(device):
    from quern.cupy import testing

    seen = []

    def sees(self):
        seen.append((self.size, getattr(self, "more", None)))

    made = testing.parameterize({"size": 4}, {"size": 7, "more": "yes"})(type("Sized", (unittest.TestCase,), {"test_it": sees}))
    here = [made] if isinstance(made, type) else []
    cases = here or [value for name, value in globals().items() if name.startswith("Sized")]
    assert outcome(*cases)[1:] == (0, 0) and set(seen) == {(4, None), (7, "yes")}
