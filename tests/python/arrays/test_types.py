"""Promotion and layouts against NumPy."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from quern.lib import _engine

NAMES = [n for n in _engine.dtype_names() if n != "bfloat16"]
WEAK = {0: True, 1: 1, 2: 1.0, 3: 1j}


@pytest.mark.parametrize("a, b", list(itertools.product(NAMES, NAMES)))
def test_promotion_is_numpys(a, b):
    assert _engine.promote_types(a, b) == np.promote_types(a, b).name
    assert _engine.can_cast_safely(a, b) == np.can_cast(a, b, "safe")


@pytest.mark.parametrize("kind", list(WEAK))
@pytest.mark.parametrize("a", NAMES)
def test_python_scalars_are_weak(a, kind):
    assert _engine.promote_weak(a, kind) == np.result_type(np.zeros(2, a), WEAK[kind]).name


def test_bfloat16():
    for other, result in (
        ("bool", "bfloat16"),
        ("int8", "bfloat16"),
        ("uint8", "bfloat16"),
        ("float16", "float32"),
        ("float32", "float32"),
        ("float64", "float64"),
        ("complex64", "complex64"),
        ("bfloat16", "bfloat16"),
    ):
        assert _engine.promote_types("bfloat16", other) == _engine.promote_types(other, "bfloat16") == result
    with pytest.raises(TypeError):
        _engine.promote_types("float12", "int8")


shapes = st.lists(st.integers(0, 4), max_size=4)


def of_numpy(a, base):
    """A NumPy view as a Layout, counted in elements from the start of its base."""
    offset = (a.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // a.itemsize
    return _engine.Layout(list(a.shape), [s // a.itemsize for s in a.strides], offset)


@st.composite
def views(draw):
    """(base array, view of it)."""
    shape = draw(st.lists(st.integers(1, 4), max_size=4))
    base = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
    view = base
    for _ in range(draw(st.integers(0, 3))):
        if view.ndim and draw(st.booleans()):
            axis = draw(st.integers(0, view.ndim - 1))
            step = draw(st.sampled_from([1, 2, -1, -2]))
            view = view[(slice(None),) * axis + (slice(None, None, step),)]
        else:
            view = view.transpose(draw(st.permutations(range(view.ndim))))
    return base, view


def values(layout, base):
    """What a layout reads from the base's memory."""
    flat = base.reshape(-1)
    out = np.empty(layout.shape, base.dtype)
    for index in np.ndindex(*layout.shape):
        out[index] = flat[layout.offset + sum(i * s for i, s in zip(index, layout.strides, strict=True))]
    return out


@given(views())
def test_contiguity_and_extent(pair):
    base, view = pair
    layout = of_numpy(view, base)
    assert layout.size() == view.size
    assert layout.is_contiguous() == view.flags.c_contiguous
    assert layout.is_fortran() == view.flags.f_contiguous
    low, high = np.lib.array_utils.byte_bounds(view)
    start = base.__array_interface__["data"][0]
    assert layout.extent() == ((low - start) // 8, (high - start) // 8)


@given(views(), st.data())
def test_reshape(pair, data):
    base, view = pair
    layout = of_numpy(view, base)
    factors = data.draw(st.permutations([d for d in view.shape for d in ([2, 2] if d == 4 else [d])]))
    cuts = data.draw(st.lists(st.integers(0, len(factors)), max_size=3))
    edges = [0, *sorted(cuts), len(factors)]
    target = [int(np.prod(factors[a:b])) for a, b in zip(edges, edges[1:], strict=False)]
    result = layout.reshaped(target)
    expected = view.reshape(target)
    if result is not None:
        assert np.array_equal(values(result, base), expected)
    else:
        assert not np.shares_memory(expected, base)


def test_reshape_of_another_size():
    with pytest.raises(ValueError, match="cannot reshape array of size 6 into shape \\(4,\\)"):
        _engine.Layout.contiguous([2, 3]).reshaped([4])


@given(st.lists(shapes, min_size=1, max_size=3))
def test_broadcasting(all_shapes):
    try:
        expected = np.broadcast_shapes(*map(tuple, all_shapes))
    except ValueError:
        with pytest.raises(ValueError):
            _engine.broadcast_shapes(all_shapes)
        return
    assert tuple(_engine.broadcast_shapes(all_shapes)) == expected
    layout = _engine.Layout.contiguous(all_shapes[0]).broadcast_to(list(expected))
    like = np.broadcast_to(np.zeros(all_shapes[0]), expected)
    assert tuple(layout.shape) == like.shape
    if like.size:
        assert [s * 8 for s, d in zip(layout.strides, expected, strict=True) if d > 1] == [
            s for s, d in zip(like.strides, expected, strict=True) if d > 1
        ]


@given(views(), views())
def test_overlap(first, second):
    base = np.zeros(4**4, np.int64)  # the largest view; a start beyond the end would move it

    def place(pair):
        _, view = pair
        layout = of_numpy(view, pair[0])
        return layout, np.lib.stride_tricks.as_strided(base[layout.offset :], view.shape, view.strides) if view.size else base[:0]

    (a, va), (b, vb) = place(first), place(second)
    expected = np.shares_memory(va, vb)
    assert _engine.overlap(a, 8, b, 8) is expected
    assert _engine.overlap(a, 8, b, 8, 1) in (expected, None)


@given(*[st.lists(st.tuples(st.integers(0, 5), st.integers(-40, 40)), max_size=4)] * 2, st.integers(0, 300), *[st.integers(1, 9)] * 2)
def test_overlap_of_bytes(first, second, far, bytes_a, bytes_b):
    """Elements of different sizes, steps that are no multiples of each other: compared with NumPy's result."""
    base = np.zeros(10000, np.uint8)

    def place(axes, start, size):
        start += sum(-s * max(n - 1, 0) for n, s in axes if s < 0)
        shape, strides = [n for n, _ in axes], [s for _, s in axes]
        seen = np.ndarray(shape, f"V{size}", base.data, start * size, [s * size for s in strides]) if 0 not in shape else base[:0]
        return _engine.Layout(shape, strides, start), seen

    (a, seen_a), (b, seen_b) = place(first, 0, bytes_a), place(second, far, bytes_b)
    assert _engine.overlap(a, bytes_a, b, bytes_b) is np.shares_memory(seen_a, seen_b)


@given(views())
def test_collapse_keeps_the_order(pair):
    base, view = pair
    (layout,) = _engine.collapse([of_numpy(view, base)])
    assert np.array_equal(values(layout, base).ravel(), view.ravel())
    if view.flags.c_contiguous and view.size > 1:
        assert len(layout.shape) == 1
