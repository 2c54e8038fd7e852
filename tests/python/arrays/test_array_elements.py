"""Single elements: values of their own, which later writes do not change, and NumPy's rules for places."""

import numpy as np
import pytest
import quern as qn

PLACES = """item() item(0) item(-1) item(5) item(6) item((1, 2)) item(1, 2) item(1) item(True) item(None) item(1.0) item('a') item([0])
item(slice(0,1)) item(1,2,3) item(()) item(np.int64(2)) item((1,)) item(0,1.0) item(True,False) item(-7) item(2**70) item(-2**70,0)""".replace(", ", ",").split()


@pytest.mark.parametrize("shape", [(), (1,), (6,), (2, 3), (1, 1, 1)])
@pytest.mark.parametrize("call", PLACES)
def test_item(device, shape, call):
    a = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    try:
        wanted = eval(f"a.{call}")  # noqa: S307
    except Exception as error:
        with pytest.raises(type(error)):
            eval(f"x.{call}", {"x": qn.asarray(a, device=device), "np": np})  # noqa: S307
    else:
        made = eval(f"x.{call}", {"x": qn.asarray(a, device=device), "np": np})  # noqa: S307
        assert type(made) is type(wanted) and made == wanted


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128"])
def test_what_is_read_does_not_change(device, dtype):
    a = np.array([[1, 0], [3, 4]], dtype=dtype)
    x, single = qn.asarray(a, device=device), qn.asarray(a[1, 0], device=device)
    read = [x[1, 0], x[-1][0], x[1][0], x[np.int64(1), 0], single[()]]
    x[:] = 0
    single[...] = 0
    for one in read:
        assert one.dtype == a.dtype and one.shape == () and one == a[1, 0]
    assert qn.asnumpy(x).tolist() == np.zeros((2, 2), dtype).tolist()


def test_reads_see_what_was_written_before(device):
    x = qn.zeros(5000, device=device)
    for i in range(5):
        x += i
        x[i] = 10 * i
        assert float(x[i]) == 10 * i and float(x[-1]) == sum(range(i + 1))
        x[3:7] = x[4:8] + 1
        assert x[3].item() == float(qn.asnumpy(x)[3])


@pytest.mark.parametrize("place", [5, -6, 2**70, -(2**70)])
def test_places_outside(device, place):
    x = qn.zeros((5, 2), device=device)
    with pytest.raises(IndexError):
        x[place]
    assert x[4].shape == (2,) and x[-5].shape == (2,)


def test_of_numba(device):
    from quern import cuda

    assert cuda.to_device(np.arange(5.0))[3].item() == 3 and qn.asarray(cuda.to_device(np.arange(5.0))).item(3) == 3
