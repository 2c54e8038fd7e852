"""Structured types in kernels: arrays of NumPy's records, their fields, records by themselves. NumPy is the oracle."""

import pickle

import numpy as np
import pytest
import quern as qn
from kernels import module_of
from quern import cuda, cupy
from quern.cuda.cudadrv import devicearray
from quern.kernel import errors, types
from quern.numba import float32, int32

FIELDS = [("x", np.float32), ("pos", np.float32, (3,)), ("id", np.int32), ("big", np.float64), ("ok", np.bool_)]
INNER = [("tag", np.uint8), ("w", np.float64), ("grid", np.int16, (2, 2))]
NESTED = [("n", np.int8), ("inner", INNER), ("z", np.complex64), ("pair", INNER, (2,))]
# Fields that overlap, gaps, another order than that of the bytes.
ODD = {"names": ["b", "a", "whole"], "formats": [np.int16, np.uint8, np.uint32], "offsets": [6, 1, 4], "itemsize": 13}


def particle(align):
    return np.dtype(FIELDS, align=align)


def filled(dtype, n, seed=0):
    """Small values in every field."""
    out = np.zeros(n, dtype)
    rng = np.random.default_rng(seed)

    def fill(array):
        for name in array.dtype.names:
            part = array[name]
            if part.dtype.names:
                fill(part)
            else:
                part[...] = rng.integers(0, 2 if part.dtype.kind == "b" else 50, part.shape)

    fill(out)
    return out


@cuda.jit
def by_attribute(a, out):
    i = cuda.grid(1)
    if i < a.size:
        a[i].x = a[i].x * 2 + a[i].id
        a[i].id += 1
        a[i].pos[1] = a[i].pos[0] + a[i].pos[2]
        a[i].ok = not a[i].ok
        r = a[i]  # the array's memory
        r.big = r.x + r.pos[1]
        r.pos[-1] -= 1
        out[i] = a[i].big


@cuda.jit
def by_name(a, out):
    i = cuda.grid(1)
    if i < a.size:
        a[i]["x"] = a["x"][i] * 2 + a[i]["id"]
        a["id"][i] += 1
        a[i]["pos"][1] = a["pos"][i, 0] + a["pos"][i][2]
        a["ok"][i] = not a.ok[i]
        r = a[i]
        r["big"] = r["x"] + r["pos"][1]
        a.pos[i, 2] -= 1
        out[i] = a["big"][i]


def expected(a):
    a = a.copy()
    a["x"] = a["x"] * 2 + a["id"]
    a["id"] += 1
    a["pos"][:, 1] = a["pos"][:, 0] + a["pos"][:, 2]
    a["ok"] = ~a["ok"]
    a["big"] = a["x"] + a["pos"][:, 1]
    a["pos"][:, 2] -= 1
    return a


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("kernel", [by_attribute, by_name])
def test_fields(device, align, kernel):
    a, out = filled(particle(align), 20), np.zeros(20)
    wanted = expected(a)
    kernel[1, 32](a, out)
    np.testing.assert_array_equal(a, wanted)
    np.testing.assert_array_equal(out, wanted["big"])


@pytest.mark.parametrize("align", [False, True])
def test_parts_of_arrays(device, align):
    whole = filled(particle(align), 20)
    for view in (whole[::2], whole[::-1], whole.reshape(4, 5)[1], whole.reshape(4, 5).T[2]):
        untouched = whole.copy()
        wanted = expected(view)
        by_attribute[1, 32](view, np.zeros(len(view)))
        np.testing.assert_array_equal(view, wanted)
        view[...] = 0
        view[...] = wanted
        whole[...] = untouched


@cuda.jit
def nested(a):
    i = cuda.grid(1)
    if i < a.shape[0]:
        a[i].inner.w += a[i].n
        a[i].inner.grid[1, 0] = a[i]["inner"]["tag"]
        inner = a[i].inner
        inner.grid[0, 1] += 1
        a[i].pair[1].w = a["inner"]["w"][i]
        a[i].pair[0] = a[i].inner
        a[i].z = a[i].z * 1j + a["pair"][i, 1].tag
        a["pair"]["tag"][i, 1] = 7


@pytest.mark.parametrize("align", [False, True])
def test_records_in_records(device, align):
    fields = [(name, np.dtype(of, align=align), *shape) for name, of, *shape in NESTED]
    a = filled(np.dtype(fields, align=align), 9)
    wanted = a.copy()
    wanted["inner"]["w"] += wanted["n"]
    wanted["inner"]["grid"][:, 1, 0] = wanted["inner"]["tag"]
    wanted["inner"]["grid"][:, 0, 1] += 1
    wanted["pair"]["w"][:, 1] = wanted["inner"]["w"]
    wanted["pair"][:, 0] = wanted["inner"]
    wanted["z"] = wanted["z"] * np.complex64(1j) + wanted["pair"]["tag"][:, 1]
    wanted["pair"]["tag"][:, 1] = 7
    nested[1, 16](a)
    np.testing.assert_array_equal(a, wanted)


def test_odd_layouts(device, tmp_path):
    text = """
@cuda.jit
def kernel(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i].whole = 0x01020304 + i
        a[i].a = a[i].b
        a[i].b -= 1
"""
    a = filled(np.dtype(ODD), 11)
    wanted = a.copy()
    wanted["whole"] = 0x01020304 + np.arange(11)
    wanted["a"] = wanted["b"]
    wanted["b"] -= 1
    module_of(tmp_path, text).kernel[1, 32](a)
    for name in ODD["names"]:
        np.testing.assert_array_equal(a[name], wanted[name])


@cuda.jit(device=True)
def length2(r):
    return r.pos[0] ** 2 + r.pos[1] ** 2 + r.pos[2] ** 2


@cuda.jit(device=True)
def moved(r, by):
    for k in range(3):
        r.pos[k] += by
    return r


@cuda.jit
def with_functions(a, out):
    i = cuda.grid(1)
    if i < a.size:
        r = moved(a[i], 0.5)
        out[i] = length2(r)
        r.id = -1


@pytest.mark.parametrize("align", [False, True])
def test_functions_take_and_return_records(device, align):
    a, out = filled(particle(align), 20), np.zeros(20)
    wanted = a.copy()
    wanted["pos"] += 0.5
    wanted["id"] = -1
    with_functions[1, 32](a, out)
    np.testing.assert_array_equal(a, wanted)
    np.testing.assert_array_equal(out, (wanted["pos"].astype(float) ** 2).sum(1))


@cuda.jit
def reversed_in_blocks(a, out):
    own = cuda.shared.array(8, KIND)
    mine = cuda.local.array(2, KIND)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    own[t] = a[i]
    mine[0] = a[i]
    mine[1].x = 5
    cuda.syncthreads()
    out[i] = own[7 - t]
    out[i].id = mine[0].id
    out[i].x += mine[1].x


@pytest.mark.parametrize("align", [False, True])
def test_shared_and_local_arrays_of_records(device, align):
    global KIND
    for kind in (particle(align), types.Record(particle(align))):
        KIND = kind
        a = filled(particle(align), 16)
        out = np.zeros_like(a)
        cuda.jit(reversed_in_blocks.py_func)[2, 8](a, out)
        wanted = a.reshape(2, 8)[:, ::-1].ravel().copy()
        wanted["id"] = a["id"]
        wanted["x"] += 5
        np.testing.assert_array_equal(out, wanted)


@cuda.jit
def scaled(a, options, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[i] * options.scale + options["shift"][1]
    if i == 0:
        options.count += a.size


def test_records_by_themselves(device):
    kind = np.dtype([("scale", np.float32), ("shift", np.float64, (2,)), ("count", np.int64)])
    options, out = np.zeros(3, kind), np.zeros(4)
    options[1] = (2.5, (1, -3), 10)
    scaled[1, 32](np.arange(4), options[1], out)
    np.testing.assert_array_equal(out, np.arange(4) * 2.5 - 3)
    assert list(options["count"]) == [0, 14, 0]


DEFAULTS = np.array([(1.5, (1, 2, 3), 7, 0.25, True), (2.5, (4, 5, 6), 8, 0.5, False)], particle(False))
ONE = DEFAULTS[1]


@cuda.jit
def of_globals(out):
    i = cuda.grid(1)
    if i < 2:
        out[i] = DEFAULTS[i].x + DEFAULTS["id"][i] + DEFAULTS[i].pos[2] + ONE.big + ONE["pos"][0]


def test_global_records_are_constants(device):
    out = np.zeros(2)
    of_globals[1, 32](out)
    np.testing.assert_array_equal(out, DEFAULTS["x"] + DEFAULTS["id"] + DEFAULTS["pos"][:, 2] + 0.5 + 4)


def test_loops_tuples_choices(device, tmp_path):
    text = """
@cuda.jit
def kernel(a, out):
    if cuda.grid(1) == 0:
        total = 0.0
        for r in a:
            total += r.x
        for i, r in enumerate(a):
            total += i * r["id"]
        best = a[0]
        for k in range(1, a.size):
            if a[k].x > best.x:
                best = a[k]
        best.id = 99
        first, last = a[0], a[-1]
        a[1] = (1, first.pos, 2, last.big, True)
        out[0] = total
        out[1] = len(a) + a.ndim + a[0:2].size
"""
    a, out = filled(particle(True), 6, seed=3), np.zeros(2)
    wanted = a.copy()
    total = wanted["x"].sum() + (np.arange(6) * wanted["id"]).sum()
    wanted["id"][np.argmax(wanted["x"])] = 99
    wanted[1] = (1, wanted["pos"][0], 2, wanted["big"][-1], True)
    module_of(tmp_path, text).kernel[1, 32](a, out)
    np.testing.assert_array_equal(a, wanted)
    np.testing.assert_array_equal(out, [total, 6 + 1 + 2])


def test_atomics_on_fields(device, tmp_path):
    text = """
@cuda.jit
def kernel(a):
    cuda.atomic.add(a["id"], 0, 1)
    cuda.atomic.max(a["pos"], (1, 2), cuda.grid(1))
"""
    kernel = module_of(tmp_path, text).kernel
    a = np.zeros(2, particle(True))
    kernel[4, 32](a)
    assert a["id"][0] == 128 and a["pos"][1, 2] == 127
    odd = np.zeros(2, [("c", np.int8), ("id", np.int32), ("pos", np.float32, 3)])
    with pytest.raises(errors.TypingError, match="align=True"):
        kernel[1, 1](odd)


def test_whole_fields(device, tmp_path):
    text = """
@cuda.jit
def kernel(a, out):
    x = a["x"]
    x[:] = 3
    a.big[:] = 4
    a["pos"][0, :] = out[:3]
    a["pos"][1] = a["pos"][0]
    out[3] = a["pos"].shape[1] + a["pos"].ndim + x.size
"""
    for align in (False, True):
        a, out = np.zeros(2, [("c", np.int8), *FIELDS]) if not align else np.zeros(2, particle(True)), np.arange(4.0)
        module_of(tmp_path, text).kernel[1, 1](a, out)
        assert (a["x"] == 3).all() and (a["big"] == 4).all() and (a["pos"] == [0, 1, 2]).all() and out[3] == 7


def test_signatures_and_types(device):
    kind = types.of_dtype(particle(False))
    assert isinstance(kind, types.Record) and kind == types.of_dtype(particle(False)) != types.of_dtype(particle(True))
    assert kind.typeof("x") == float32 and kind.offset("id") == 16 and kind.size == 29 and not kind.aligned
    assert types.Record.make_c_struct([("a", int32), ("b", types.float64)]).size == 16
    kernel = cuda.jit([types.none(kind[:], types.float64[:])])(by_attribute.py_func)
    a, out = filled(particle(False), 20), np.zeros(20)
    wanted = expected(a)
    kernel[1, 32](a, out)
    np.testing.assert_array_equal(a, wanted)
    with pytest.raises(TypeError, match="No matching definition"):
        kernel[1, 32](np.zeros(3, particle(True)), out)


def test_read_only(device):
    a = filled(particle(False), 3)
    a.flags.writeable = False
    with pytest.raises(errors.TypingError, match="read-only"):
        by_attribute[1, 32](a, np.zeros(3))
    with pytest.raises(errors.TypingError, match="read-only"):
        by_name[1, 32](a, np.zeros(3))


@pytest.mark.parametrize(
    "line, message",
    [
        ("a[0].nothing = 1", "no field 'nothing'; it has x, text"),
        ("a[0]['y'] = 1", "no field 'y'"),
        ("a['y'][0] = 1", "no field 'y'"),
        ("a[0].text = 1", "the field 'text': kernels do not support values of type"),
        ("a[0] = 1", "cannot be written into Record"),
        ("a[0] = (1, 2, 3)", "cannot be written into Record"),
        ("a[0].x[0] = 1", "has no elements"),
        ("b = a[0] + 1", r"unsupported operand types for \+: Record.* and int64"),
        ("a[0][a[0].x] = 1", "by its name"),
    ],
)
def test_errors_name_what_is_wrong(device, tmp_path, line, message):
    kernel = module_of(tmp_path, f"@cuda.jit\ndef kernel(a):\n    {line}\n").kernel
    a = np.zeros(2, [("x", np.float32), ("text", "S4")])
    with pytest.raises(errors.KernelError, match=message):
        kernel[1, 1](a)


# ---- records on the device


@pytest.mark.parametrize("align", [False, True])
def test_records_on_the_device(device, align):
    host = filled(particle(align), 20)
    wanted = expected(host)
    a, out = cuda.to_device(host), cuda.device_array(20, np.float64)
    assert type(a) is cuda.DeviceNDArray and cuda.to_device(a, copy=False) is a and cuda.is_cuda_array(a)
    assert (a.shape, a.size, a.dtype, a.nbytes, len(a)) == (host.shape, 20, host.dtype, host.nbytes, 20) and a.strides == host.strides
    by_attribute[1, 32](a, out)
    back = a.copy_to_host()
    np.testing.assert_array_equal(back, wanted)
    np.testing.assert_array_equal(out.copy_to_host(), wanted["big"])
    assert back.dtype == host.dtype and a[3] == wanted[3] and a[-1]["id"] == wanted["id"][-1]
    # Parts see the same memory.
    by_name[1, 32](a[5:9], out)
    wanted[5:9] = expected(wanted[5:9])
    into = np.zeros_like(host)
    assert a.copy_to_host(into) is into
    np.testing.assert_array_equal(into, wanted)
    a[2] = host[2]
    assert a[2] == host[2]
    a.copy_to_device(host[::-1])
    np.testing.assert_array_equal(a.copy_to_host(), host[::-1])
    b = cuda.device_array((4, 5), host.dtype)
    assert cuda.device_array_like(b).shape == (4, 5)
    b.copy_to_device(a.reshape(4, 5))
    np.testing.assert_array_equal(b.copy_to_host(), host[::-1].reshape(4, 5))
    with pytest.raises(TypeError, match="incompatible dtype"):
        a.copy_to_device(np.zeros(20))
    with pytest.raises(ValueError, match="incompatible shape"):
        a.copy_to_host(host[:3])
    np.testing.assert_array_equal(a[[1, 2]].copy_to_host(), a.copy_to_host()[[1, 2]])
    with pytest.raises(IndexError, match="too many"):
        a[1, 2]
    with pytest.raises(IndexError):
        a[20]


def test_records_are_arrays_of_the_device(device):
    host = filled(particle(True), 6)
    a = cuda.to_device(host)
    assert isinstance(a, cuda.DeviceNDArray) and devicearray.is_cuda_ndarray(a) and not isinstance(a, np.ndarray)
    devicearray.require_cuda_ndarray(a)
    assert cuda.as_cuda_array(a) is a and a.bind() is a and a.as_cuda_arg() is a
    assert devicearray.auto_device(a) == (a, False)
    assert a.alloc_size == a.nbytes == host.nbytes and a.is_c_contiguous() and a.is_f_contiguous() and a.flags["C_CONTIGUOUS"]
    assert a[2:].device_ctypes_pointer.value == a.device_ctypes_pointer.value + 2 * host.dtype.itemsize
    np.testing.assert_array_equal(np.asarray(a), host)
    np.testing.assert_array_equal(cupy.asnumpy(a), host)
    back = pickle.loads(pickle.dumps(a))
    assert type(back) is cuda.DeviceNDArray
    np.testing.assert_array_equal(back.copy_to_host(), host)
    assert a.getitem(2) == host[2] and [len(p) for p in a.split(4)] == [4, 2]
    a.setitem(0, host[5])
    assert a[0] == host[5]
    with pytest.raises(NotImplementedError, match="processes"):
        a.get_ipc_handle()
    if device.kind == "cuda":
        assert a.__cuda_array_interface__["strides"] is None
        described = a[::2].__cuda_array_interface__
    else:
        with pytest.raises(AttributeError):
            _ = a.__cuda_array_interface__
        described = {"shape": (3,), "strides": (80,), "typestr": host.dtype.str, "descr": host.dtype.descr}
        described["data"] = (a.device_ctypes_pointer.value, False)
    assert described["shape"] == (3,) and described["strides"] == (80,) and described["typestr"] == "|V40"
    alias = cuda.from_cuda_array_interface(described, owner=a)
    assert isinstance(alias, cuda.DeviceNDArray)
    for name in host.dtype.names:
        np.testing.assert_array_equal(alias.copy_to_host()[name], a.copy_to_host()[::2][name])
    # It is none of numbers.
    one = cuda.to_device(np.zeros(6))
    for wrong in (
        lambda: a + 1, lambda: 1 - a, lambda: one * a, lambda: a < 1, lambda: qn.add(a, 1), lambda: qn.sum(a),
        lambda: qn.where(a, 1, 2), lambda: one.copy_to_device(a), lambda: one.__setitem__(slice(None), a), lambda: np.add(a, 1),
        lambda: cuda.reduce(np.add)(a),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            wrong()


PARTS = {
    "a row": lambda a: a[1], "rows": lambda a: a[1:3], "every second": lambda a: a[::2], "in reverse": lambda a: a[::-1, 1:4],
    "a column": lambda a: a[:, 2], "the last": lambda a: a[..., -1], "none": lambda a: a[3:1], "one more": lambda a: a[None, :, 1:],
    "turned": lambda a: a.T, "part turned": lambda a: a.T[1:4:2], "shape": lambda a: a.reshape(2, 10), "unknown": lambda a: a.reshape((5, -1)),
    "Fortran's": lambda a: a.T.reshape(10, 2, order="F"), "flat": lambda a: a.ravel(), "flat of turned": lambda a: a.T.ravel("F"),
    "axes": lambda a: a.reshape(2, 2, 5).transpose((2, 0, 1)), "squeezed": lambda a: a[:1].squeeze(), "one axis": lambda a: a[:1, :1].squeeze(1),
    "a field": lambda a: a["x"], "a field's axes": lambda a: a["pos"], "a field of a part": lambda a: a[1::2, ::-1]["big"],
    "truth": lambda a: a.T["ok"], "as bytes": lambda a: a.view(np.uint8), "as others": lambda a: a.view(OTHERS), "smaller": lambda a: a.view("f8,i8"),
}  # fmt: skip
OTHERS = np.dtype({"names": ["low", "high"], "formats": [np.int64, np.int64], "offsets": [0, 24], "itemsize": 40})


@pytest.mark.parametrize("what", PARTS)
def test_parts_of_records_on_the_device(device, what):
    """The values of NumPy's part; what is written there is seen by the whole."""
    host = filled(particle(True), 20).reshape(4, 5)
    if what == "smaller":  # 40 bytes are no multiple of 16
        host = filled(np.dtype([("n", np.int64), ("x", np.float64), ("y", np.float64), ("z", np.float64)]), 20).reshape(4, 5)
    a = cuda.to_device(host)
    part, wanted = PARTS[what](a), PARTS[what](host)
    assert isinstance(part, cuda.DeviceNDArray)
    assert part.shape == wanted.shape and part.dtype == wanted.dtype and part.size == wanted.size and part.ndim == wanted.ndim
    if wanted.size:
        assert part.strides == wanted.strides
    assert part.is_c_contiguous() == wanted.flags.c_contiguous and part.is_f_contiguous() == wanted.flags.f_contiguous
    np.testing.assert_array_equal(part.copy_to_host(), wanted)
    new = np.zeros(wanted.shape, wanted.dtype)
    new[...] = wanted[::-1]
    part[...] = new
    wanted[...] = new
    np.testing.assert_array_equal(a.copy_to_host(), host)
    if what == "as others":  # which is a copy of whole records, what lies between these fields too
        return
    part.copy_to_device(np.zeros_like(new))
    wanted[...] = np.zeros_like(new)
    np.testing.assert_array_equal(a.copy_to_host(), host)


def test_writing_records_on_the_device(device):
    host = filled(particle(True), 20).reshape(4, 5)
    a, more = cuda.to_device(host), filled(particle(True), 5, seed=2)
    for array, row in ((a, cuda.to_device(more)), (host, more)):
        array[1] = row
        array[:, 1] = row[2]
        array["id"] = 7
        array["x"][::2, 3] = 5.5
        array[2, 2] = (1, (2, 3, 4), 5, 6, True)
    np.testing.assert_array_equal(a.copy_to_host(), host)
    with pytest.raises(ValueError, match="no field of name nothing"):
        a["nothing"]
    with pytest.raises(TypeError, match="differ in the number of fields"):
        a[0] = cuda.to_device(np.zeros(5, [("q", np.int8)]))
    with pytest.raises(ValueError):
        a[0] = more[:3]
    packed = filled(particle(False), 3)
    np.testing.assert_array_equal(cuda.to_device(packed)["big"].copy_to_host(), packed["big"])
    for wrong in (lambda: a.T.reshape(20), lambda: a[::2].reshape(10)):
        with pytest.raises(NotImplementedError, match="copy"):
            wrong()
    for wrong in (lambda: a.reshape(7), lambda: a.reshape(-1, 3), lambda: a.view("V9"), lambda: a[:1, :1].squeeze().view(np.uint8)):
        with pytest.raises(ValueError):
            wrong()
    numbers = cuda.to_device(np.arange(24, dtype=np.float32))
    pairs = np.dtype([("a", np.float32), ("b", np.float32)])
    pair = numbers.view(pairs)
    assert type(pair) is cuda.DeviceNDArray and pair.shape == (12,)
    pair[1] = (50, 60)
    assert numbers.copy_to_host()[:5].tolist() == [0, 1, 50, 60, 4]


@pytest.mark.parametrize("kernel", [by_attribute, by_name])
def test_kernels_take_parts_of_records(device, kernel):
    host = filled(particle(True), 20)
    a = cuda.to_device(host)
    for part in (lambda x: x[::2], lambda x: x[::-1], lambda x: x.reshape(4, 5)[1], lambda x: x.reshape(4, 5).T[2]):
        kernel[1, 32](part(a), np.zeros(20))
        part(host)[...] = expected(part(host))
        np.testing.assert_array_equal(a.copy_to_host(), host)
    made = cuda.device_array((3, 4), host.dtype, order="F")
    assert made.is_f_contiguous() and made.strides == np.empty((3, 4), host.dtype, order="F").strides
    assert cuda.device_array_like(made).is_f_contiguous()


def test_records_of_several_dimensions_on_the_device(device, tmp_path):
    text = """
@cuda.jit
def kernel(a):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        a[i, j].x = 10 * i + j
        a["id"][i, j] = a.strides[0]
"""
    a = cuda.to_device(np.zeros((2, 3), particle(False)))
    module_of(tmp_path, text).kernel[1, (4, 4)](a)
    back = a.copy_to_host()
    np.testing.assert_array_equal(back["x"], [[0, 1, 2], [10, 11, 12]])
    assert (back["id"] == 3 * 29).all()


def test_void_without_fields_is_refused(device):
    with pytest.raises(TypeError, match="argument 1"):
        by_attribute[1, 1](np.void(b"abc"), np.zeros(3))
    with pytest.raises(TypeError, match="argument 1"):
        by_attribute[1, 1](np.zeros(3, "V4"), np.zeros(3))
