"""Numbers and records that do not lie at multiples of their size: fields of packed records, views of bytes."""

import numpy as np
import pytest
from kernels import module_of
from quern import cuda, numba
from quern.kernel import types

NUMBERS = ["i1", "i2", "i4", "i8", "u2", "u8", "f2", "f4", "f8", "c8", "c16", "M8[s]", "m8[D]", "?"]
INNER = np.dtype([("x", "f8"), ("z", "c16")], align=True)


def packed_of(kind):
    return np.dtype([("odd", "i1"), ("x", kind), ("v", kind, (3,)), ("inner", [("y", kind), ("n", "u1")])])


def values(dtype, n=5):
    rng = np.random.default_rng(0)
    out = np.zeros(n, dtype)
    out.view("u1")[:] = rng.integers(0, 2, out.nbytes)
    return out


@cuda.jit
def through_records(r, x, v, y):
    i = cuda.grid(1)
    if i < r.size:
        x[i], r[i].x = r[i].x, x[i]
        v[i] = r[i]["v"][1]
        r[i].v[2] = r[i].v[0]
        y[i], r.inner.y[i] = r[i].inner.y, x[i]


@cuda.jit
def through_fields(x, v, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = x[i]
        out[1, i] = v[i, 1]
        v[i, 2] = v[i, 0]
        out[2, i] = y[i]
        y[i] = x[i]


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("on_device", [False, True])
def test_fields_of_every_type(device, kind, on_device):
    given = values(packed_of(kind))
    new = np.array([0, 1, 0, 1, 1]).astype(kind)
    want = given.copy()
    want["x"] = new
    want["v"][:, 2] = given["v"][:, 0]
    want["inner"]["y"] = given["x"]
    r, x, v, y = (cuda.to_device(a) if on_device else a for a in (given.copy(), new.copy(), new.copy(), new.copy()))
    through_records[1, 32](r, x, v, y)
    r, x, v, y = (a.copy_to_host() if on_device else a for a in (r, x, v, y))
    assert [a.tobytes() for a in (r, x, v, y)] == [
        a.tobytes() for a in (want, given["x"], np.ascontiguousarray(given["v"][:, 1]), np.ascontiguousarray(given["inner"]["y"]))
    ]

    want = given.copy()
    want["v"][:, 2] = given["v"][:, 0]
    want["inner"]["y"] = given["x"]
    r, out = (cuda.to_device(a) if on_device else a for a in (given.copy(), np.zeros((3, 5), kind)))
    through_fields[1, 32](r["x"], r["v"], r["inner"]["y"], out)
    r, out = (a.copy_to_host() if on_device else a for a in (r, out))
    assert r.tobytes() == want.tobytes()
    assert out.tobytes() == np.stack([given["x"], given["v"][:, 1], given["inner"]["y"]]).tobytes()


@pytest.mark.parametrize("offset", range(0, 24, 4))
@pytest.mark.parametrize("on_device", [False, True])
def test_records_inside_of_records(device, offset, on_device):
    """Complex numbers are aligned as pairs in a kernel, which NumPy's aligned records do not do."""
    outer = np.dtype({"names": ["inner"], "formats": [INNER], "offsets": [offset], "itemsize": offset + 28})

    @cuda.jit
    def kernel(a, out):
        i = cuda.grid(1)
        if i < a.size:
            a[i].z *= 2
            a[i]["x"] += i
            out[i] = a[i].z + a[i].x

    @cuda.jit
    def of_one(a, out):
        a.z *= 2
        out[0] = a.z + a.x

    given = np.zeros(5, outer)
    given["inner"]["x"], given["inner"]["z"] = np.arange(5), 1j + np.arange(5)
    want = given.copy()
    want["inner"]["z"] *= 2
    want["inner"]["x"] += np.arange(5)
    r, out = (cuda.to_device(a) if on_device else a for a in (given.copy(), np.zeros(5, complex)))
    kernel[1, 32](r["inner"], out)
    assert np.array_equal(r.copy_to_host() if on_device else r, want)
    assert np.array_equal(out.copy_to_host() if on_device else out, want["inner"]["z"] + want["inner"]["x"])
    if not on_device:
        of_one[1, 1](r["inner"][3], out)
        assert r["inner"]["z"][3] == 2 * want["inner"]["z"][3] and out[0] == r["inner"]["z"][3] + r["inner"]["x"][3]


def test_aligned_records_with_complex_numbers(device):
    dtype = np.dtype([("a", "f8"), ("c", "c16"), ("d", "c8")], align=True)

    @cuda.jit
    def kernel(r, out):
        i = cuda.grid(1)
        if i < r.size:
            r[i].c = r[i].c * 2 + r[i].a
            out[i] = r.c[i] + r[i].d

    r, out = np.zeros(5, dtype), np.zeros(5, complex)
    r["a"], r["c"], r["d"] = np.arange(5), 1j, 3
    kernel[1, 32](r, out)
    assert np.array_equal(r["c"], 2j + np.arange(5)) and np.array_equal(out, r["c"] + 3)
    assert "place<packed<complex<double>>, 8>" in "".join(kernel.inspect_cuda().values())


def test_their_types(device):
    r = cuda.to_device(np.zeros(4, packed_of("f8")))
    assert numba.typeof(r["x"]) == types.Array(types.float64, 1, "A", packed=True)
    assert numba.typeof(cuda.to_device(np.zeros(4, [("x", "f8"), ("y", "f8")]))["y"]) == types.Array(types.float64, 1, "A")
    assert numba.typeof(cuda.to_device(np.zeros((4, 4)))[1:, ::2]) == types.Array(types.float64, 2, "A")


def test_mapped_memory(device):
    m = cuda.mapped_array(5, packed_of("c16"))
    m[:] = values(m.dtype)
    want, out = m["x"].copy(), np.zeros((3, 5), complex)
    through_fields[1, 32](m["x"], m["v"], m["inner"]["y"], out)
    cuda.synchronize()
    assert np.array_equal(out[0], want, equal_nan=True) and np.array_equal(m["inner"]["y"], want, equal_nan=True)


def test_functions_of_arrays_take_them(device):
    @numba.vectorize(target="cuda")
    def twice(x):
        return x * 2

    @numba.guvectorize(["void(complex128[:], complex128[:])"], "(n)->(n)", target="cuda")
    def thrice(x, out):
        for i in range(x.shape[0]):
            out[i] = x[i] * 3

    host = np.zeros(5, packed_of("c16"))
    host["x"] = np.arange(5) + 2j
    r = cuda.to_device(host)
    for _ in range(2):
        assert np.array_equal(twice(r["x"]).copy_to_host(), 2 * host["x"]) and np.array_equal(twice(host["x"]), 2 * host["x"])
        assert np.array_equal(thrice(r["x"]).copy_to_host(), 3 * host["x"]) and np.array_equal(thrice(host["x"]), 3 * host["x"])


def test_views_of_bytes_that_lie_elsewhere(device, tmp_path):
    """On a GPU such a view has no elements, and the thread ends."""
    kernel = module_of(tmp_path, "@cuda.jit\ndef kernel(b, out):\n    out[0] = b[8:24].view(np.float64)[1]\n"
                       "    out[1] = b[1:9].view(np.float64)[0]\n    out[2] = 3\n").kernel  # fmt: skip
    b, out = np.arange(32, dtype=np.uint8), np.zeros(3)
    kernel[1, 1](b, out)
    assert out[0] == b[16:24].view(float)[0]
    assert out[1:].tolist() in ([b[1:9].view(float)[0], 3], [0, 0][: 2 * (device.kind != "cpu")])
