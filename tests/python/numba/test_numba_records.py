"""One record of an array on the device: read and written where it lies, alone and as an argument of kernels."""

import collections

import numpy as np
import pytest
from quern import cuda
from quern.cuda.cudadrv import devicearray
from quern.numba import from_dtype, types

Point = collections.namedtuple("Point", "x y")

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


def test_types_that_libraries_read(device):
    for host, layout in [(np.zeros((2, 3), "f4"), "C"), (np.zeros((2, 3), "f4", order="F"), "F")]:
        assert cuda.to_device(host)._numba_type_ == types.Array(types.float32, 2, layout)
    assert cuda.to_device(np.zeros((4, 6)))[::2, 1:4]._numba_type_ == types.Array(types.float64, 2, "A")
    assert cuda.to_device(np.zeros(3, PARTICLE))._numba_type_ == types.Array(from_dtype(PARTICLE), 1, "C")


def test_an_interface_with_strides_or_a_mask(device):
    host = np.arange(12.0).reshape(3, 4)
    address = cuda.to_device(host)
    place = address.device_ctypes_pointer.value
    described = {"shape": (3, 2), "typestr": "<f8", "data": (place, False), "strides": (np.int64(32), 16), "version": 3}
    made = cuda.from_cuda_array_interface(described, owner=address)
    np.testing.assert_array_equal(made.copy_to_host(), host[:, ::2])
    with pytest.raises(NotImplementedError, match="Masked arrays are not supported"):
        cuda.from_cuda_array_interface({**described, "mask": made})


def test_names_of_types():
    assert types.complex64.underlying_float == types.float32
    assert types.complex128.underlying_float == types.float64
    assert types.int16 in types.signed_domain & types.integer_domain & types.number_domain
    assert types.uint8 in types.unsigned_domain - types.signed_domain
    assert types.real_domain == {types.float32, types.float64}
    assert types.complex_domain == {types.complex64, types.complex128}
    assert types.NamedUniTuple(types.int64, 2, Point) == types.NamedTuple([types.int64, types.int64], Point)
    assert str(types.unicode_type) == "unicode_type"
    assert types.DType(types.float32).dtype == types.float32

    class Own(types.Type):
        def __init__(self):
            super().__init__(name="Own")

    assert str(Own()) == "Own"
    assert Own() == Own()


@cuda.jit
def first_field(a, out):
    out[0] = a[0].b


def test_the_stream_that_an_array_was_made_with(device):
    stream = cuda.stream()
    assert cuda.to_device(np.zeros(3)).stream == 0
    made = cuda.to_device(np.arange(3), stream=stream)
    assert made.stream is stream
    assert cuda.device_array(3, stream=stream).stream is stream
    assert cuda.device_array_like(made, stream=stream).stream is stream
    bound = made.bind()
    assert bound.stream == 0
    bound[1] = 7
    np.testing.assert_array_equal(made.copy_to_host(), [0, 7, 2])
    assert cuda.device_array(3).bind(stream).stream is stream


def test_records_of_another_alignment_are_another_type(device):
    fields, out = [("a", "i4"), ("b", "i4")], np.zeros(1)
    for align in (False, True):  # equal to NumPy
        host = np.array([(1, 2)], np.dtype(fields, align=align))
        first_field[1, 1](host, out)
        assert out[0] == 2
    assert len({str(s) for s in first_field.overloads}) == 2
