"""Bools that a view made of other bytes: any byte but 0 is true, and counts as 1."""

import numpy as np
import pytest
import quern as qn
from arrays import equal

TYPES = "bool int8 uint8 int16 int32 int64 uint64 float16 float32 float64 complex64".split()
PAIRS = "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor add multiply equal not_equal less maximum minimum".split()


@pytest.fixture(params=[3, 40, 5000, 70_000])
def bools(request, device):
    """Bytes 0 to 3 as bools: on the device, and what they mean."""
    bytes_ = np.random.default_rng(request.param).integers(0, 4, request.param).astype("u1")
    return qn.array(bytes_).view(bool), bytes_ != 0


@pytest.mark.parametrize("dtype", TYPES)
def test_casts(bools, dtype):
    array, meant = bools
    equal(array.astype(dtype), meant.astype(dtype))
    equal(array[::-2].astype(dtype), meant[::-2].astype(dtype))
    result = qn.zeros(len(meant), dtype)
    result[:] = array
    equal(result, meant.astype(dtype))


@pytest.mark.parametrize("name", "sum prod any all mean max min argmax argmin cumsum".split())
def test_reductions(bools, name):
    array, meant = bools
    equal(getattr(array, name)(), getattr(meant, name)())


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(bools, name):
    array, meant = bools
    other = meant[::-1].copy()
    equal(getattr(qn, name)(array, qn.array(other)), getattr(np, name)(meant, other))
    equal(getattr(qn, name)(array, array), getattr(np, name)(meant, meant))


def test_choices(bools):
    array, meant = bools
    x = np.arange(len(meant), dtype="f4")
    on_device = qn.array(x)
    equal(qn.where(array, on_device, -on_device), np.where(meant, x, -x))
    equal(array * on_device + array, meant * x + meant)
    equal(on_device[array], x[meant])
    equal(qn.nonzero(array)[0], np.nonzero(meant)[0])
    equal(qn.count_nonzero(array), np.count_nonzero(meant))
    equal(~array, ~meant)
    equal(array @ array, meant @ meant)
    for name in ("sort", "argsort"):
        equal(getattr(qn, name)(array, kind="stable"), getattr(np, name)(meant, kind="stable"))
    on_device[array] = -1
    equal(on_device, np.where(meant, np.float32(-1), x))


def test_values_on_the_host(bools):
    array, meant = bools
    assert [int(array[i]) for i in range(3)] == meant[:3].astype(int).tolist()
    assert array.tolist() == meant.tolist()


def test_int8_as_bool(device):
    equal(qn.array([0, 1, 2], "i1").view(bool).astype("i1"), np.array([0, 1, 1], "i1"))
