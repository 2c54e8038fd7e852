"""What the CuPy front end exchanges with others and its messages: DLPack, pinned memory, warnings, the settings of FFTs, who()."""

import warnings

import numpy as np
import pytest
from quern import cupy as cp


def caught(work):
    """The result, and the kinds of warnings."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = work()
    return result, [w.category for w in found]


@pytest.mark.filterwarnings("ignore::numpy.exceptions.VisibleDeprecationWarning")
def test_dlpack_takes_cupys_devices_and_streams(device):
    a = cp.arange(3.0)
    here = cp.cuda.Device(max(a._device_number, 0))
    for copy in (None, False):
        shared = cp.from_dlpack(a, device=here, copy=copy)
        shared[0] = 7
        assert type(shared) is cp.ndarray and float(a[0]) == 7
        a[0] = 0
    assert float(cp.from_dlpack(a, device=here, copy=True)[0]) == 0
    for stream in (None, 1, 2, -1):
        for version in (None, (1, 0)):
            capsule, told = caught(lambda: a.__dlpack__(stream=stream, max_version=version))  # noqa: B023
            assert not told
            assert cp.fromDlpack(capsule).tolist() == [0, 1, 2]
    capsule, told = caught(lambda: a.__dlpack__(stream=0))
    assert told == [UserWarning]
    assert cp.fromDlpack(capsule).tolist() == [0, 1, 2]


def test_dlpack_copies_to_the_host_when_asked(device):
    a = cp.arange(3.0)
    for copy in (None, True):
        host = np.from_dlpack(a, device="cpu", copy=copy)
        assert host.tolist() == [0, 1, 2]
    if a._device_number >= 0:
        with pytest.raises(BufferError):
            a.__dlpack__(dl_device=(1, 0), copy=False)
    else:
        assert a.__dlpack__(dl_device=(1, 0), copy=False) is not None


@pytest.mark.filterwarnings("ignore::numpy.exceptions.VisibleDeprecationWarning")
def test_a_capsule_is_consumed_once(device):
    capsule = cp.arange(3).toDlpack()
    cp.fromDlpack(capsule)
    with pytest.raises(ValueError, match="consumed multiple times"):
        cp.fromDlpack(capsule)


def test_pinned_arrays_have_their_memory_as_base(device):
    import quern.cupyx as cupyx

    a = cp.arange(6.0).reshape(2, 3)
    for pinned in (cupyx.empty_like_pinned(np.zeros((2, 3))), cupyx.zeros_pinned((2, 3)), cupyx.empty_pinned((2, 3), order="F")):
        assert isinstance(pinned.base, cp.cuda.PinnedMemoryPointer)
        assert cp.asnumpy(a, out=pinned) is pinned
        np.testing.assert_array_equal(pinned, a.get())
    assert cupyx.empty_pinned((0, 3)).shape == (0, 3)
    assert cp.array([1, 2], blocking=True).tolist() == cp.asanyarray([1, 2], blocking=True).tolist() == [1, 2]


def test_an_array_for_the_values_lies_without_gaps(device):
    a = cp.arange(6).reshape(2, 3)
    for order in ("C", "F", "A"):
        with pytest.raises(RuntimeError, match="non-contiguous"):
            a.get(out=np.zeros((2, 6), int)[:, ::2], order=order)
        for of, lies in ((a, "C"), (a, "F"), (a.T, "C"), (a.T, "F"), (a[:, ::2], "F")):
            out = np.zeros(of.shape, int, order=lies)
            assert of.get(order=order, out=out) is out
            np.testing.assert_array_equal(out, of.get())
    for out, kind in ((5, TypeError), (np.zeros((2, 3)), TypeError), (np.zeros((3, 2), int), ValueError), (np.zeros(3, int), ValueError)):
        with pytest.raises(kind):
            a.get(out=out)


@pytest.mark.parametrize("shape, key", [((0, 4), (slice(None), slice(None, None, 2))), ((4, 0), slice(None, None, 2)), ((0, 4), slice(None))])
def test_views_of_larger_types_without_elements(device, shape, key):
    assert cp.zeros(shape, "f4")[key].view("f8").shape == np.zeros(shape, "f4")[key].view("f8").shape


def test_grids_between_arrays(device):
    for xp in (np, cp):
        grid = xp.mgrid[xp.array(0) : xp.array(4.0) : 3j]
        assert grid.tolist() == [0, 2, 4] and type(grid) is xp.ndarray
        assert xp.mgrid[xp.array(0) : xp.array(4)].tolist() == [0, 1, 2, 3]


Z = np.array([1 + 2j, 3j])


@pytest.mark.parametrize(
    "work",
    [
        lambda: cp.array(Z).astype(float),
        lambda: cp.array(Z).astype("i4", copy=False),
        lambda: cp.array(cp.array(Z), "f4"),
        lambda: cp.asarray(cp.array(Z), dtype="i4"),
        lambda: cp.asanyarray(cp.array(Z), float),
        lambda: cp.array(Z, dtype="f4"),
        lambda: cp.concatenate([cp.array(Z), cp.ones(2)], dtype="f8", casting="unsafe"),
        lambda: cp.hstack([cp.array(Z)] * 2, dtype="f4", casting="unsafe"),
        lambda: cp.stack([cp.array(Z)] * 2, dtype="f4", casting="unsafe"),
        lambda: cp.add(cp.array(Z), 1, out=cp.zeros(2), casting="unsafe"),
        lambda: cp.add(cp.array(Z), 1, cp.zeros(2), casting="unsafe"),
    ],
)
def test_complex_numbers_made_real_warn(device, work):
    result, told = caught(work)
    assert told == [np.exceptions.ComplexWarning]
    assert result.dtype.kind in "fi"


def test_what_stays_complex_or_was_real_does_not_warn(device):
    z = cp.array(Z)
    for work in (
        lambda: z.astype("c8"),
        lambda: z.astype(bool),
        lambda: cp.ones(2).astype("f4"),
        lambda: cp.abs(z),
        lambda: cp.absolute(z, out=cp.zeros(2), casting="unsafe"),
        lambda: cp.add(cp.ones(2), 1, out=cp.zeros(2, "i4"), casting="unsafe"),
        lambda: cp.hstack([z, z], dtype="c8", casting="unsafe"),
        lambda: cp.hstack([cp.ones(2)] * 2, dtype="i4", casting="unsafe"),
    ):
        assert caught(work)[1] == []


def test_slices_of_nothing_but_nan_warn_once(device):
    a = cp.array([[np.nan, np.nan], [1, np.nan]])
    for function in (cp.nanmax, cp.nanmin):
        result, told = caught(lambda: function(a, axis=1))  # noqa: B023
        assert told == [RuntimeWarning]
        np.testing.assert_array_equal(result.get(), [np.nan, 1])
        assert caught(lambda: function(a)) == (1, [])  # noqa: B023
        assert caught(lambda: function(cp.arange(3)))[1] == []  # noqa: B023


def test_row_stack_is_an_old_name(device):
    result, told = caught(lambda: cp.row_stack([cp.ones(2), cp.zeros(2)]))
    assert told == [DeprecationWarning]
    assert result.tolist() == [[1, 1], [0, 0]]


def test_settings_of_transforms(device, capsys):
    config = cp.fft.config
    _, told = caught(lambda: config.enable_nd_planning)
    assert told == [DeprecationWarning]
    with pytest.warns(DeprecationWarning, match="enable_nd_planning"):
        config.enable_nd_planning = False
    with pytest.warns(DeprecationWarning, match="enable_nd_planning"):
        assert config.enable_nd_planning is False
    with pytest.warns(DeprecationWarning):
        config.enable_nd_planning = True
    assert config.use_multi_gpus is False
    cache = config.get_plan_cache()
    cache.set_size(3)
    cache.set_memsize(1 << 20)
    assert (cache.get_size(), cache.get_memsize(), cache.get_curr_size(), cache.get_curr_memsize()) == (3, 1 << 20, 0, 0)
    cache.set_size(16)
    cache.set_memsize(-1)
    config.show_plan_cache_info()
    assert "0 of 16" in capsys.readouterr().out
    config.clear_plan_cache()
    with pytest.warns(FutureWarning, match="experimental"):
        config.set_cufft_gpus([0, 1])
    assert config.devices is None
    for wrong in (0, 1, [0], "two"):
        with pytest.warns(FutureWarning), pytest.raises(ValueError):
            config.set_cufft_gpus(wrong)
    config.set_plan_cache_size(3)
    config.set_plan_cache_max_memsize(1 << 20)
    assert (config.get_plan_cache_size(), config.get_plan_cache_max_memsize()) == (3, 1 << 20)
    config.set_plan_cache_size(16)
    config.set_plan_cache_max_memsize(-1)
    with pytest.raises(ValueError, match="cb_load"), config.set_cufft_callbacks("", ""):
        pass



def test_who_lists_arrays_as_numpy_did(device, capsys):
    cp.who({})
    assert capsys.readouterr().out == "\nUpper bound on total bytes  =       0\n"
    a = cp.arange(10)
    cp.who({"a": a, "b": cp.zeros((2, 3), "f4"), "again": a, "n": 5})
    lines = capsys.readouterr().out.split("\n")
    assert lines[0].split() == ["Name", "Shape", "Bytes", "Type"]
    assert set(lines[1]) == {"="} and len(lines[1]) == len(lines[0]) + 5
    assert lines[3] == "a               10               80               int64"
    assert lines[4].split() == ["b", "2", "x", "3", "24", "float32"]
    assert lines[5].split()[:2] == ["again", "(a)"]
    assert lines[7].split() == ["Upper", "bound", "on", "total", "bytes", "=", "104"]
    scope = {"cp": cp, "x": cp.ones(2)}
    exec("cp.who()", scope)
    assert "x               2 " in capsys.readouterr().out
