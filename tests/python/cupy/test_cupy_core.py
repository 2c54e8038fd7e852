"""cupy._core, and the names of it and of cupy.util that older programs use."""

import collections
import importlib
import warnings

import numpy as np
import pytest
from quern import cupy as cp
from quern.errors import CompileError
from quern.tools.imports import module_for


@pytest.mark.filterwarnings("ignore::numpy.exceptions.VisibleDeprecationWarning")
def test_the_arrays_type_is_found_where_programs_look(device):
    x = cp.arange(3)
    assert cp._core.core.ndarray is cp.core.core.ndarray is cp.core.ndarray is cp.ndarray
    assert isinstance(x, cp._core.core.ndarray) and not isinstance(np.arange(3), cp.core.core.ndarray)
    made = cp._core.array([[1, 2], [3, 4]], dtype=np.float32)
    assert type(cp._core.core.ascontiguousarray(made.T)) is cp.ndarray and made.dtype == np.float32
    assert cp.core.dlpack.fromDlpack(cp.core.dlpack.toDlpack(x)).tolist() == [0, 1, 2]
    assert cp.util.memoize is cp.memoize and issubclass(cp._util.PerformanceWarning, Warning)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=cp.util.PerformanceWarning)


@pytest.mark.parametrize("dtype", "?bBhHiIlLqQefdFD")
def test_a_ufunc_computes_the_first_row_that_fits(dtype, device):
    rows = ("?->i", "b->h", "B->H", "q->q", "Q->d", "e->e", "f->f", "d->d", "F->F", "D->D")
    twice = cp._core.create_ufunc("twice", rows, "out0 = in0 + in0", doc="Twice as much.")
    host = np.arange(3).astype(dtype)
    result = twice(cp.asarray(host))
    ins, outs = next(row.split("->") for row in rows if np.can_cast(host.dtype, row[0]))
    assert result.dtype == np.dtype(outs) and type(result) is cp.ndarray
    np.testing.assert_array_equal(result.get(), host.astype(outs) + host.astype(outs))
    assert twice.nin == twice.nout == 1 and twice.__doc__ == "Twice as much." and twice.types[0] == "?->i"


def test_a_ufunc_of_several_rows_inputs_and_results(device):
    split = cp._core.create_ufunc(
        "split",
        (
            "ii->ii",
            ("ff->ff", "out0 = floor(in0 / in1); out1 = in0 - out0 * in1"),
            ("dd->dd", "out0 = floor(in0 / in1); out1 = remains(in0, in1)"),
        ),
        "out0 = in0 / in1; out1 = in0 % in1",
        preamble="template <class T> __device__ T remains(T a, T b) { return a - floor(a / b) * b; }",
    )
    a, b = np.array([[7, 8, 9]]), np.array([[2], [3]])
    for dtype in (np.int32, np.float32, np.float64, np.int16):
        whole, rest = split(cp.asarray(a.astype(dtype)), cp.asarray(b.astype(dtype)))
        assert whole.dtype == rest.dtype == (np.int32 if dtype is np.int16 else dtype)
        np.testing.assert_array_equal(whole.get(), a // b)
        np.testing.assert_array_equal(rest.get(), a % b)
    # Numbers of Python's take the arrays' type; numbers alone have their own.
    assert (
        split(cp.asarray(a.astype(np.float32)), 2.5)[0].dtype == np.float32
        and split(cp.asarray(a.astype(np.int32)), 2.5)[0].dtype == np.float64
    )
    assert [float(r) for r in split(7.5, 2)] == [3, 1.5]
    assert split(cp.asarray(a), cp.asarray(b), dtype=np.float32)[1].dtype == np.float32
    outs = cp.empty((2, 3)), cp.empty((2, 3), np.float32)
    given = split(cp.asarray(a.astype(np.float32)), cp.asarray(b.astype(np.float32)), out=outs)
    assert given[0] is outs[0] and given[1] is outs[1]
    np.testing.assert_array_equal(outs[0].get(), a // b)
    assert split(cp.asarray(a.astype(np.int32)), np.int32(2), *outs)[1] is outs[1]
    np.testing.assert_array_equal(outs[1].get()[0], [1, 0, 1])


def test_a_ufunc_says_what_is_wrong(device):
    whole = cp._core.create_ufunc("whole", ("i->i", "f->f"), "out0 = in0")
    with pytest.raises(TypeError, match=r"float64.*whole.*i->i, f->f"):
        whole(cp.arange(2.0))
    with pytest.raises(TypeError, match="dtype complex64"):
        whole(cp.arange(2), dtype=np.complex64)
    with pytest.raises(TypeError, match="could not be coerced"):
        whole(cp.zeros(2, np.float32), out=cp.zeros(2, np.int32))
    assert whole(cp.asarray([1.5], np.float32), out=cp.zeros(1, np.int32), casting="unsafe").tolist() == [1]
    with pytest.raises(TypeError, match="Wrong number of arguments"):
        whole()
    with pytest.raises(ValueError, match="both a positional and keyword"):
        whole(cp.zeros(1, np.int32), cp.zeros(1, np.int32), out=cp.zeros(1, np.int32))
    with pytest.raises(CompileError):
        cp._core.create_ufunc("wrong", ("f->f",), "out0 = nothing")(cp.zeros(1, np.float32)).get()


def test_reductions_of_rows(device):
    state = """
    template <class T> struct Largest {
      T value; int at;
      __device__ Largest() : at(-1) {}
      __device__ Largest(T v, int i) : value(v), at(i) {}
    };
    template <class T> __device__ Largest<T> larger(const Largest<T>& a, const Largest<T>& b) {
      if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
      return a.value > b.value || (a.value == b.value && a.at < b.at) ? a : b;
    }
    """
    routine = "Largest<type_in0_raw>(in0, _J)", "larger(a, b)", "out0 = a.at", "Largest<type_in0_raw>"
    place = cp._core.create_reduction_func("place", ("h->q", "i->q", "e->q", "f->q", "d->q"), routine, None, state)
    value = cp.core.create_reduction_func(
        "value",
        ("i->i", ("e->f", (None, None, "out0 = float(a.value)", None)), "d->d"),
        (*routine[:2], "out0 = a.value", routine[3]),
        None,
        state,
    )
    host = np.array([[3, 9, 1], [8, 2, 7]])
    for dtype in (np.int16, np.int32, np.float16, np.float32, np.float64):
        x = cp.asarray(host.astype(dtype))
        for axis in (0, 1, None, -1):
            result = place(x, axis=axis)
            assert result.dtype == np.int64
            np.testing.assert_array_equal(result.get(), host.argmax(axis))
            np.testing.assert_array_equal(value(x, axis, keepdims=True).get(), host.max(axis, keepdims=True))
    assert value(cp.asarray(host.astype(np.float16))).dtype == np.float32
    total = cp._core.create_reduction_func("total", ("i->q", "f->f", "d->d"), ("in0", "a + b", "out0 = a", None), 0)
    assert total(cp.asarray(host.astype(np.int32)), dtype=np.float64).dtype == np.float64
    out = cp.zeros(2)
    assert total(cp.asarray(host.astype(np.int32)), axis=1, out=out) is out and out.tolist() == [13, 17]
    assert int(total(cp.zeros(0, np.int32))) == 0
    with pytest.raises(TypeError, match="total"):
        total(cp.zeros(2, np.complex64))


def test_code_compiled_by_hand_takes_any_stream(device):
    @cp.util.memoize(for_each_device=True)
    def kernel(name, code):
        return cp.cuda.compile_with_cache(code).get_function(name)

    source = 'extern "C" __global__ void turned(const float* x, float* y, int n) { int i = threadIdx.x; if (i < n) y[n - 1 - i] = x[i]; }'
    x, y = cp.arange(5, dtype=np.float32), cp.zeros(5, np.float32)
    Stream = collections.namedtuple("Stream", ["ptr"])  # as programs wrap other libraries' streams
    own = cp.cuda.Stream()
    for stream in (None, cp.cuda.Stream.null, own, Stream(0), Stream(own.ptr), Stream(cp.cuda.get_current_stream().ptr)):
        y.fill(0)
        cp.cuda.runtime.deviceSynchronize()
        kernel("turned", source)(grid=(1, 1, 1), block=(32, 1, 1), args=[x.data.ptr, y.data.ptr, 5], stream=stream)
        cp.cuda.runtime.deviceSynchronize()
        assert y.tolist() == [4, 3, 2, 1, 0]
    raw = cp.RawKernel(source, "turned")
    raw((1,), (32,), (x, y, 3), stream=Stream(own.ptr))
    own.synchronize()
    assert y.tolist() == [2, 1, 0, 1, 0]
    with pytest.raises(TypeError, match="a Stream or None is needed"):
        raw((1,), (32,), (x, y, 3), stream=5)


def test_elementwise_texts_know_half(device):
    x = cp.asarray([0.4, 2.6], np.float32)
    rounded = cp.ElementwiseKernel("float32 x", "int8 y", "y = nearbyintf(half(x))", "rounded")
    assert rounded(x).tolist() == [0, 3]
    added = cp.ElementwiseKernel("float16 x, float16 half", "float16 y", "::half h = __hadd(x.half(), half.half()); y = h", "added")
    assert added(x.astype(np.float16), cp.asarray([1, 2], np.float16)).tolist() == [
        np.float16(0.4) + np.float16(1),
        np.float16(2.6) + np.float16(2),
    ]


def test_ranges_of_older_programs(device):
    prof = importlib.import_module(module_for("cupy.prof"))

    @prof.TimeRangeDecorator("twice", color_id=1)
    def twice(x, by=2):
        """Twice as much."""
        return x * by

    @prof.TimeRangeDecorator()
    def same(x):
        return x

    assert twice(cp.arange(3)).tolist() == [0, 2, 4] and twice(3, by=3) == 9 and same(1) == 1
    assert twice.__doc__ == "Twice as much." and twice.__name__ == "twice"
    with prof.time_range("more", sync=True):
        pass
