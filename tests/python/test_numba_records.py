"""One record of an array on the device: read and written where it lies, alone and as an argument of kernels."""

import numpy as np
import pytest
from quern import cuda
from quern.cuda.cudadrv import devicearray

PARTICLE = np.dtype([("a", "f8"), ("b", "i4"), ("n", [("x", "f4"), ("v", "i2", (3,))]), ("s", "i4", (2, 2)), ("t", "S5")], align=True)


@cuda.jit
def by_name(r, out):
    r.a += 7
    r["b"] = 3
    r.s[0, 1] = 99
    r.n.x = r.a * 2
    out[0] = r.a
    out[1] = r["n"]["x"]
    out[2] = r[0]
    out[3] = r[()].a


@cuda.jit
def copied(a, r):
    a[0] = r
    a[1] = r[()]


@pytest.mark.parametrize("shape", [(4,), (2, 3), (2, 3, 2)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_fields_are_written_on_the_device(device, shape, order):
    host = np.zeros(shape, PARTICLE, order=order)
    made = cuda.to_device(host)
    for at in [(0,) * len(shape), tuple(n - 1 for n in shape), (-1,) * len(shape), tuple(np.int32(n // 2) for n in shape)]:
        for array in (host, made):
            key = at if len(at) > 1 else at[0]
            array[key]["a"] = 0.5
            array[key]["n"]["x"] = 2
            array[key]["n"]["v"][1] = 3
            array[key]["s"][0, 1] = 7
            array[key]["s"][1] = [4, 5]
            array[key]["t"] = b"four"
        np.testing.assert_array_equal(made.copy_to_host(), host)
        assert made[key]["a"] == 0.5
        assert made[key]["n"]["x"] == 2
        assert type(made[key]) is devicearray.DeviceRecord
        assert type(made[key]["s"]) is cuda.DeviceNDArray
        np.testing.assert_array_equal(made[key].copy_to_host(), host[key])


def test_of_parts_and_in_loops(device):
    host = np.zeros(6, PARTICLE)
    made = cuda.to_device(host)
    for array in (host, made):
        array[1::2][1]["b"] = 4
        array["n"][5]["x"] = 8
        for record in array:
            record["a"] = 1
        array[0] = array[3]
        array[2] = (5, 2, (3, [4, 5, 6]), [[7, 8], [9, 10]], b"x")
        array[4] = np.array((6, 2, (3, [4, 5, 6]), [[7, 8], [9, 10]], b"y"), PARTICLE)[()]
        array[5]["n"] = (4, [1, 2, 3])
    np.testing.assert_array_equal(made.copy_to_host(), host)


@pytest.mark.parametrize("make", [lambda: np.zeros((), PARTICLE)[()], lambda: np.recarray((1,), PARTICLE)[0]])
def test_a_record_alone(device, make):
    given = make()
    given["a"], given["s"][1, 1] = 3, 4
    made = cuda.to_device(given)
    assert type(made) is devicearray.DeviceRecord
    assert made.shape == ()
    assert made.dtype == given.dtype
    assert made.copy_to_host()["a"] == 3
    back = make()
    assert made.copy_to_host(back) is back
    assert back["a"] == 3
    assert back["s"][1, 1] == 4
    given["a"] = 4
    made.copy_to_device(given)
    assert made["a"] == 4
    made["a"] = 9
    assert made.copy_to_host()["a"] == 9
    assert given["a"] == 4
    like = devicearray.from_record_like(given)
    assert (like.dtype, like.shape) == (given.dtype, ())
    made, is_new = devicearray.auto_device(given)
    assert is_new
    assert made["a"] == 4


def test_as_an_argument(device):
    host = np.zeros(3, PARTICLE)
    made = cuda.to_device(host)
    expected, out = host.copy(), np.zeros(4)
    by_name[1, 1](made[1], out)
    expected[1]["a"], expected[1]["b"], expected[1]["n"]["x"], expected[1]["s"][0, 1] = 7, 3, 14, 99
    np.testing.assert_array_equal(made.copy_to_host(), expected)
    np.testing.assert_array_equal(out, [7, 14, 7, 7])
    copied[1, 1](made, made[1])
    expected[0] = expected[1]
    np.testing.assert_array_equal(made.copy_to_host(), expected)
