"""Memory shared with others: a test for each pair of who writes and who reads, on each device; DLPack, the CUDA array interface, the
buffer protocol. torch and CuPy take part where they are installed."""

import gc
import importlib
import importlib.util
import itertools
import pickle
import threading

import numpy as np
import pytest
import quern as qn
from devices import DEVICES
from quern.device import set_current_device
from quern.lib import _engine

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
DTYPES += ["complex64", "complex128"]


def peers_on(device):
    """torch and CuPy have a current device of their own, which they want to be that of the arrays."""
    if device.kind != "cuda":
        return
    for name in ("torch", "cupy"):
        if importlib.util.find_spec(name) is not None:
            peer = importlib.import_module(name).cuda
            peer.set_device(device.index) if name == "torch" else peer.Device(device.index).use()


@pytest.fixture
def on():
    """Makes a device by its name the current one of the test."""

    def choose(name):
        chosen = qn.device(name)
        set_current_device(chosen)
        peers_on(chosen)
        return chosen

    yield choose
    set_current_device(None)


@pytest.fixture
def cpu(on):
    return on("cpu")


def values(dtype, shape=(3, 4)):
    return (np.arange(np.prod(shape, dtype=int)) % 7).reshape(shape).astype(dtype)


# ---- who writes and who reads


class Ours:
    def __init__(self, x):
        self.x = x if isinstance(x, qn.Array) else qn.from_dlpack(x)

    def write(self, value):
        self.x[2:5] = value

    def update(self, value):
        self.x += value

    def read(self):
        return qn.asnumpy(self.x)


class OursLazily(Ours):
    """Recorded work over the memory, evaluated later: it must have read what was there when it was recorded."""

    def write(self, value):
        view = self.x[::-1]
        view[-5:-2] = qn.asarray(value) + 0

    def update(self, value):
        out = self.x[...]
        qn.add(self.x, value, out=out)

    def read(self):
        doubled = self.x * 2
        self.after = doubled
        return doubled / 2


class Kernel(Ours):
    """A launch with the array as its argument."""

    code = """extern "C" __global__ void set(double* a, double v) { a[2 + threadIdx.x] = v; }
    extern "C" __global__ void add(double* a, double v) { a[threadIdx.x] += v; }
    extern "C" __global__ void get(const double* a, double* b) { b[threadIdx.x] = a[threadIdx.x]; }"""
    module = qn.RawModule(code=code)

    def write(self, value):
        self.module.get_function("set")((1,), (3,), (self.x, float(value)))

    def update(self, value):
        self.module.get_function("add")((1,), (self.x.size,), (self.x, float(value)))

    def read(self):
        out = qn.zeros(self.x.shape)
        self.module.get_function("get")((1,), (self.x.size,), (self.x, out))
        return qn.asnumpy(out)


class Buffer(Ours):
    """NumPy, by the buffer protocol."""

    def __init__(self, x):
        self.x = np.asarray(memoryview(qn.from_dlpack(x) if hasattr(x, "untyped_storage") else x))  # torch has no buffers

    def read(self):
        return self.x.copy()


class Numpy(Buffer):
    def __init__(self, x):
        self.x = np.from_dlpack(x)


class Torch(Ours):
    def __init__(self, x):
        self.x = pytest.importorskip("torch").from_dlpack(x)

    def read(self):
        return self.x.cpu().numpy().copy()


class Cupy(Ours):
    def __init__(self, x):
        self.x = pytest.importorskip("cupy").asarray(x)  # by the CUDA array interface

    def read(self):
        return self.x.get()


class CupyByDlpack(Cupy):
    def __init__(self, x):
        self.x = pytest.importorskip("cupy").from_dlpack(x)


PARTIES = {
    "cpu": [Ours, OursLazily, Kernel, Buffer, Numpy, Torch],
    "cuda": [Ours, OursLazily, Kernel, Torch, Cupy, CupyByDlpack],
}


OWNERS = {"cpu": ["ours", "numpy", "torch"], "cuda": ["ours", "torch", "cupy"]}


def made_by(owner, device):
    """Eight numbers in memory of `owner`."""
    if owner == "ours":
        return qn.arange(8.0) * 1
    if owner == "numpy":
        return np.arange(8.0)
    if owner == "torch":
        torch = pytest.importorskip("torch")
        return torch.arange(8, dtype=torch.float64, device=device.name)
    cupy = pytest.importorskip("cupy")
    with cupy.cuda.Device(device.index):
        return cupy.arange(8.0)


CASES = [
    (device, owner, writer, reader)
    for device in DEVICES
    for kind in [device.partition(":")[0]]
    for owner, writer, reader in itertools.product(OWNERS[kind], PARTIES[kind], PARTIES[kind])
]


@pytest.mark.parametrize(("where", "owner", "writer", "reader"), CASES)
def test_each_reads_what_each_writes(on, tier, where, owner, writer, reader):
    device = on(where)
    base = made_by(owner, device)
    w, r = writer(base), reader(base)
    want = np.arange(8.0)
    lazily = []
    for round in range(4):
        before = want.copy()
        got = r.read()
        lazily.append((got, before))
        w.write(10 + round)
        want[2:5] = 10 + round
        lazily.append((r.read(), want.copy()))
        w.update(round)
        want += round
        lazily.append((r.read(), want.copy()))
    for got, expected in lazily:
        np.testing.assert_array_equal(qn.asnumpy(got), expected)
    np.testing.assert_array_equal(w.read() if writer is not OursLazily else qn.asnumpy(w.read()), want)


# ---- pinning


def numpy_view(x):
    return np.asarray(memoryview(x))


def test_address_stays(cpu, tier):
    x = qn.arange(10.0) + 1
    address = x._address()
    for step in (
        lambda: x.__iadd__(1),
        lambda: x.__setitem__(slice(2, 5), 7),
        lambda: x.__setitem__(..., 3),
        lambda: qn.multiply(x, 2, out=x),
        lambda: x[::-1].__setitem__(slice(None), x),
        lambda: qn.sum(x.reshape(2, 5), axis=0, out=x[:5]),
    ):
        step()
        assert x._address() == address
        assert x[:]._address() == address


@pytest.mark.parametrize("kept", ["later", "cell"])
def test_pin_of_a_value_that_is_held(cpu, tier, kept):
    x = qn.arange(6.0) + 1
    y = x * 2 if kept == "later" else x[3]
    z = x.reshape(2, 3).sum(axis=0)
    n = numpy_view(x)
    n[...] = 100
    np.testing.assert_array_equal(qn.asnumpy(y), np.arange(2.0, 14, 2) if kept == "later" else 4.0)
    np.testing.assert_array_equal(qn.asnumpy(z), [5, 7, 9])
    np.testing.assert_array_equal(qn.asnumpy(x), n)


def test_a_pin_ends_with_its_view(cpu):
    x = qn.arange(6.0) + 1
    view = memoryview(x)
    assert x._pinned
    view.release()
    assert not x._pinned
    n = np.from_dlpack(x)
    assert x._pinned
    x += 1
    assert n[0] == 2
    del n
    assert not x._pinned
    x.ctypes.data  # noqa: B018
    x._address()
    assert x._pinned


def test_reads_are_done_when_recorded(cpu, tier):
    x = qn.arange(6.0) + 1
    n = numpy_view(x)
    y, z, s = x + 1, x[::2].copy(), x.sum()
    w = qn.zeros(6)
    w[1:] = x[1:]
    v = qn.zeros(6)
    v += x
    m = qn.where(x > 3, x, -x)
    p = x.reshape(2, 3) @ x.reshape(3, 2)
    r = x.reshape(2, 3).T.reshape(-1)
    before = n.copy()
    n[...] = -1
    np.testing.assert_array_equal(qn.asnumpy(y), before + 1)
    np.testing.assert_array_equal(qn.asnumpy(z), before[::2])
    assert float(s) == before.sum()
    np.testing.assert_array_equal(qn.asnumpy(w)[1:], before[1:])
    np.testing.assert_array_equal(qn.asnumpy(v), before)
    np.testing.assert_array_equal(qn.asnumpy(m), np.where(before > 3, before, -before))
    np.testing.assert_allclose(qn.asnumpy(p), before.reshape(2, 3) @ before.reshape(3, 2))
    np.testing.assert_array_equal(qn.asnumpy(r), before.reshape(2, 3).T.reshape(-1))


def test_a_launch_does_not_pin(device):
    x = qn.zeros(8)
    Kernel.module.get_function("set")((1,), (3,), (x, 4.0))
    assert not x._pinned
    np.testing.assert_array_equal(qn.asnumpy(x), [0, 0, 4, 4, 4, 0, 0, 0])


def test_indexing_of_shared_memory(cpu, tier):
    host = np.arange(10.0)
    want = host.copy()
    a, b = qn.from_dlpack(host), qn.from_dlpack(host[::-1])
    picked, masked = a[[1, 3, 5]], a[a > 6]
    a[[0, 2]] = 20
    want[[0, 2]] = 20
    np.testing.assert_array_equal(host, want)
    a[a == 20] = 30
    want[want == 20] = 30
    np.testing.assert_array_equal(host, want)
    a[[1, 2, 3]] = b[:3]
    want[[1, 2, 3]] = want[::-1][:3].copy()
    np.testing.assert_array_equal(host, want)
    a[[9, 8, 7, 6]] = b[2:6]
    want[[9, 8, 7, 6]] = want[::-1][2:6].copy()
    np.testing.assert_array_equal(host, want)
    host[...] = -1
    np.testing.assert_array_equal(qn.asnumpy(picked), [1, 3, 5])
    np.testing.assert_array_equal(qn.asnumpy(masked), [7, 8, 9])
    a.flags.writeable = False
    for key in ([0, 1], a < 0, (slice(2, 3),)):
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            a[key] = 1


def test_work_over_unshared_memory_stays_pending(cpu):
    _engine.set_tier0_limit(0)
    try:
        x, y = qn.arange(6.0) + 1, qn.arange(6.0) + 2
        n = numpy_view(x)
        n[0] = 5
        before = _engine.array_pending()
        z = y * 3
        assert _engine.array_pending() > before
        assert float(z[0]) == 6
    finally:
        _engine.set_tier0_limit(_engine.tier0_limit)


def test_two_arrays_over_the_same_memory(cpu, tier):
    host = np.arange(10.0)
    want = host.copy()
    a, b = qn.from_dlpack(host), qn.from_dlpack(host[::-1])
    a[...] = b
    want[...] = want[::-1].copy()
    np.testing.assert_array_equal(host, want)
    a[1:] += b[:-1]
    want[1:] += want[::-1][:-1].copy()
    np.testing.assert_array_equal(host, want)
    qn.add(a[:-1], b[1:], out=b[1:])
    want[::-1][1:] = want[:-1] + want[::-1][1:].copy()
    np.testing.assert_array_equal(host, want)


# ---- DLPack


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (5,), (3, 4), (0, 3), (2, 3, 4)])
def test_dlpack_both_ways(cpu, dtype, shape):
    host = values(dtype, shape)
    x = qn.asarray(host)
    n = np.from_dlpack(x)
    assert n.dtype == host.dtype
    assert n.shape == host.shape
    np.testing.assert_array_equal(n, host)
    back = qn.from_dlpack(host)
    assert back.dtype == host.dtype
    assert back.shape == host.shape
    np.testing.assert_array_equal(qn.asnumpy(back), host)


@pytest.mark.parametrize("key", [np.s_[::-1], np.s_[:, ::2], np.s_[::-2, 1:], np.s_[1], np.s_[None, :, ::-1], np.s_[2:2], np.s_[:, 3]])
def test_strides_of_views(cpu, key):
    host = np.arange(12.0).reshape(3, 4)
    x = qn.asarray(host.copy())
    for n in (np.from_dlpack(x[key]), numpy_view(x[key])):
        np.testing.assert_array_equal(n, host[key])
    y = qn.from_dlpack(host[key])
    np.testing.assert_array_equal(qn.asnumpy(y), host[key])
    y[...] = 7
    n[...] = 7
    np.testing.assert_array_equal(qn.asnumpy(x), host)


def test_transposed_views(cpu):
    x = qn.asarray(np.arange(24).reshape(2, 3, 4))
    n = np.from_dlpack(x.transpose(2, 0, 1))
    assert n.strides == np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1).strides
    y = qn.from_dlpack(np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1))
    np.testing.assert_array_equal(qn.asnumpy(y), n)


def test_capsules(device):
    x = qn.arange(4.0) + 1
    old, new = x.__dlpack__(), x.__dlpack__(max_version=(1, 0))
    assert '"dltensor"' in repr(old)
    assert '"dltensor_versioned"' in repr(new)
    y, z = qn.from_dlpack(old), qn.from_dlpack(new)
    y[0], z[1] = 10, 20
    np.testing.assert_array_equal(qn.asnumpy(x), [10, 20, 3, 4])
    for capsule in (old, new):
        with pytest.raises(ValueError, match="consumed"):
            qn.from_dlpack(capsule)
    assert x.__dlpack_device__() == ((1, 0) if device.kind == "cpu" else (2, device.index))


def test_lifetimes(cpu):
    gc.collect()
    used = cpu.pool_info()["used"]
    x = qn.arange(100_000.0) + 1
    assert float(x[0]) == 1
    bytes = cpu.pool_info()["used"] - used
    n = np.from_dlpack(x)
    del x
    assert cpu.pool_info()["used"] - used >= 800_000
    assert n[-1] == 100_000
    del n
    gc.collect()
    assert cpu.pool_info()["used"] - used < bytes
    y = qn.arange(100_000.0) + 1
    y.__dlpack__()  # a capsule that nobody consumes
    y.__dlpack__(max_version=(1, 0))
    view = memoryview(y)
    del y, view
    gc.collect()
    assert cpu.pool_info()["used"] - used < bytes


def test_owners_are_notified(cpu):
    import weakref

    for make in (qn.from_dlpack, lambda o: qn.asarray(o, copy=False)):
        owner = np.arange(5.0)
        told = weakref.ref(owner)
        x = make(owner)
        view = x[1:]
        del owner, x
        gc.collect()
        assert isinstance(told(), np.ndarray)
        assert float(view.sum()) == 10
        del view
        qn.synchronize()
        gc.collect()
        assert told() is None


def test_let_go_on_another_thread(cpu):
    host = np.arange(5.0)
    held = [qn.from_dlpack(host), np.from_dlpack(qn.arange(5.0) + 1)]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    qn.synchronize()
    host.resize(7, refcheck=True)


def test_read_only_memory(cpu):
    host = np.arange(4.0)
    host.flags.writeable = False
    x = qn.from_dlpack(host)
    assert not x.flags.writeable
    for write in (lambda: x.__setitem__(0, 1), lambda: x[1:].__setitem__(..., 2), lambda: x.__setitem__(..., x)):
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            write()
    with pytest.raises(ValueError, match="output array is read-only"):
        x += 1
    with pytest.raises(ValueError, match="cannot set WRITEABLE"):
        x.flags.writeable = True
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__()
    assert not np.from_dlpack(x).flags.writeable
    assert memoryview(x).readonly
    np.testing.assert_array_equal(qn.asnumpy(x + 1), host + 1)


def test_dlpack_errors(device):
    x = qn.arange(4.0)
    with pytest.raises(AttributeError):
        qn.from_dlpack([1, 2])
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(4, 0))
    if device.kind == "cpu":
        with pytest.raises(ValueError, match="stream"):
            x.__dlpack__(stream=1)
    else:
        with pytest.raises(ValueError, match="ambiguous"):
            x.__dlpack__(stream=0)
        with pytest.raises(ValueError, match="is not a stream"):
            x.__dlpack__(stream=-2)
        with pytest.raises(TypeError):
            x.__dlpack__(stream="x")
        with pytest.raises(BufferError):
            x.__dlpack__(dl_device=(1, 0), copy=False)
        with pytest.raises(ValueError, match="copy"):
            qn.from_dlpack(x, device="cpu", copy=False)

    class Strange:
        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **kwargs):
            return 5

    with pytest.raises(TypeError, match="capsule"):
        qn.from_dlpack(Strange())


def test_an_exporter_from_before_version_1(cpu):
    class Old:
        def __init__(self, x):
            self.x = x

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

        def __dlpack__(self, *, stream=None):
            return self.x.__dlpack__(stream=stream)

    host = np.arange(3.0)
    y = qn.from_dlpack(Old(host))
    y[0] = 9
    assert host[0] == 9


def test_copies(device):
    x = qn.arange(4.0) + 1
    y, z = qn.from_dlpack(x, copy=True), qn.from_dlpack(x)
    z[0] = 9
    assert float(y[0]) == 1
    assert float(x[0]) == 9
    apart = qn.from_dlpack(x.__dlpack__(copy=True, max_version=(1, 0)))
    x[0] = 5
    assert float(apart[0]) == 9
    host = np.from_dlpack(x, device="cpu")
    np.testing.assert_array_equal(host, [5, 2, 3, 4])
    there = x.to_device(device)
    assert there.device == x.device
    np.testing.assert_array_equal(qn.asnumpy(there), [5, 2, 3, 4])
    assert x.to_device("cpu")._device_number == -1
    np.testing.assert_array_equal(qn.asnumpy(x.to_device("cpu")), [5, 2, 3, 4])


@pytest.mark.parametrize("dtype", ["bool", "bfloat16", "float16", "float32", "int64", "uint8", "complex64", "complex128"])
def test_torch(device, dtype):
    torch = pytest.importorskip("torch")
    peers_on(device)
    t = (torch.arange(12, device=device.name) % 5).to(getattr(torch, dtype)).reshape(3, 4)
    x = qn.from_dlpack(t)
    assert x._dtype_name == dtype
    back = torch.from_dlpack(x.T)
    assert back.dtype == t.dtype
    assert back.data_ptr() == t.data_ptr()
    assert torch.equal(back, t.T)
    x[0, 1] = 0
    assert t[0, 1] == 0
    t[2] = 1
    np.testing.assert_array_equal(qn.asnumpy(x.astype("complex128")), t.to(torch.complex128).cpu().numpy())


def test_streams_of_torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available() or _engine.cuda_count() == 0:
        pytest.skip("no GPU")
    with torch.cuda.stream(torch.cuda.Stream()):
        t = torch.zeros(1 << 24, device="cuda")
        for _ in range(20):
            t += 1
        x = qn.from_dlpack(t) * 2
        y = torch.from_dlpack(x) + 1
        assert y.min() == y.max() == 41


def test_streams_of_cupy():
    cupy = pytest.importorskip("cupy")
    if _engine.cuda_count() == 0:
        pytest.skip("no GPU")
    with cupy.cuda.Stream(non_blocking=True):
        c = cupy.zeros(1 << 24)
        for _ in range(20):
            c += 1
        for x in (qn.asarray(c, copy=False) * 2, qn.from_dlpack(c) * 2):
            y = cupy.asarray(x) + 1
            assert y.min() == y.max() == 41


# ---- the CUDA array interface


def test_cuda_array_interface(device):
    x = (qn.arange(12.0) + 1).reshape(3, 4)
    if device.kind == "cpu":
        # A library that finds it would take host memory for a GPU's.
        assert not hasattr(x, "__cuda_array_interface__")
        return
    interface = x.__cuda_array_interface__
    assert interface["shape"] == (3, 4)
    assert interface["typestr"] == "<f8"
    assert interface["strides"] is None
    assert interface["version"] == 3
    assert interface["stream"] == 1
    assert x.T.__cuda_array_interface__["strides"] == (8, 32)
    assert x[1:].__cuda_array_interface__["data"][0] == interface["data"][0] + 32
    assert qn.zeros((0,)).__cuda_array_interface__["data"][0] == 0

    class Foreign:
        def __init__(self, **changes):
            self.__cuda_array_interface__ = {**x.__cuda_array_interface__, **changes}

    seen = qn.asarray(Foreign(), copy=False)
    seen[0] = 5
    assert float(x[0, 1]) == 5
    apart = qn.asarray(Foreign())
    apart[0] = 6
    assert float(x[0, 1]) == 5
    assert not qn.asarray(Foreign(data=(interface["data"][0], True)), copy=False).flags.writeable
    with pytest.raises(ValueError, match="mask"):
        qn.asarray(Foreign(mask=x))
    with pytest.raises(ValueError, match="stream"):
        qn.asarray(Foreign(stream=0))


# ---- the buffer protocol and NumPy


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (0, 3)])
def test_memoryview(cpu, dtype, shape):
    host = values(dtype, shape).copy()
    x = qn.asarray(host)
    ours, theirs = memoryview(x), memoryview(host)
    for name in ("format", "itemsize", "ndim", "shape", "strides", "nbytes", "readonly", "c_contiguous", "f_contiguous"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert ours.tobytes() == theirs.tobytes()
    seen = np.asarray(ours)
    assert seen.dtype == host.dtype
    np.testing.assert_array_equal(seen, host)
    assert memoryview(x.data).obj is x


def test_buffers_asked_for_in_order(cpu):
    x = qn.asarray(np.arange(12.0).reshape(3, 4))
    assert bytes(x) == np.arange(12.0).tobytes()
    assert np.frombuffer(x, count=4).tolist() == [0, 1, 2, 3]
    with pytest.raises((BufferError, ValueError)):
        np.frombuffer(x[:, ::2])
    assert bytes(memoryview(x[:, ::2])) == np.arange(12.0).reshape(3, 4)[:, ::2].tobytes()


def test_memory_of_a_gpu_is_no_buffer(device):
    if device.kind == "cpu":
        pytest.skip("memory of the CPU is a buffer")
    x = qn.arange(3.0) + 1
    with pytest.raises(BufferError, match="asnumpy"):
        memoryview(x)
    np.testing.assert_array_equal(np.asarray(x), [1, 2, 3])
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, copy=False)


def test_numpy_sees_the_memory(cpu):
    x = qn.arange(3.0) + 1
    seen, apart = np.asarray(x, copy=False), np.array(x)
    x[0] = 7
    assert seen[0] == 7
    assert apart[0] == 1
    assert x.__array__()[0] == 7
    assert not np.shares_memory(x.__array__(), seen)
    assert np.shares_memory(x.__array__(copy=False), seen)
    with pytest.raises(ValueError):
        x.__array__(np.float32, copy=False)
    np.testing.assert_array_equal(x.__array__(np.float32), np.asarray(x).astype(np.float32))


def test_bfloat16_is_no_buffer(cpu):
    x = qn.ones(3, "bfloat16")
    with pytest.raises(BufferError, match="uint16"):
        memoryview(x)
    assert memoryview(x.view("uint16")).tolist() == [0x3F80] * 3


def test_asarray_without_a_copy(cpu, tier):
    host = np.arange(12.0).reshape(3, 4)
    x = qn.asarray(host[:, ::-2], copy=False)
    x += 1
    np.testing.assert_array_equal(qn.asnumpy(x), host[:, ::-2])
    host[0] = 9
    np.testing.assert_array_equal(qn.asnumpy(x), host[:, ::-2])
    assert qn.asarray(x, copy=False) is x
    assert qn.array(host, copy=False)._pinned
    assert qn.asarray(bytearray(b"abc"), copy=False).tolist() == [97, 98, 99]
    for call in (
        lambda m: m.asarray([1, 2], copy=False),
        lambda m: m.asarray(host, dtype="float32", copy=False),
        lambda m: m.asarray(host, order="F", copy=False),
        lambda m: m.array(5, copy=False),
    ):
        for m in (np, qn):
            with pytest.raises(ValueError, match="copy"):
                call(m)
    with pytest.raises(ValueError, match="multiple"):
        qn.asarray(np.zeros(3, "f8,i2")["f0"], copy=False)
    with pytest.raises(ValueError, match="byte order"):
        qn.asarray(np.zeros(3, ">f8"), copy=False)
    with pytest.raises(ValueError, match="aligned"):
        qn.asarray(np.zeros(17, np.uint8)[1:].view("f8"), copy=False)
    np.testing.assert_array_equal(qn.asnumpy(qn.asarray(np.arange(3.0).astype(">f8"))), np.arange(3.0))


def test_host_memory_is_no_array_of_a_gpu(device):
    if device.kind == "cpu":
        pytest.skip("host memory is an array of the CPU")
    with pytest.raises(ValueError, match="cuda"):
        qn.asarray(np.zeros(3), copy=False)
    x = qn.asarray(np.arange(3.0), device="cpu", copy=False)
    assert x._device_number == -1


@pytest.mark.parametrize("order", [None, "C", "F", "A", "K"])
@pytest.mark.parametrize("make", ["asarray", "array"])
def test_orders(device, order, make):
    for a in (np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3).T, np.arange(6.0)[::-2]):
        x = qn.asarray(a)
        got = getattr(qn, make)(x.T, order=order)
        np.testing.assert_array_equal(qn.asnumpy(got), a.T)
        if order in ("C", "F"):
            assert got.flags[order]
    with pytest.raises(ValueError, match="order"):
        qn.asarray([1], order="X")


def test_devices_by_name(device):
    x = qn.asarray([1, 2], device="cpu")
    assert x._device_number == -1
    assert qn.asarray([1, 2], device=device)._device_number == (-1 if device.kind == "cpu" else device.index)
    assert x.device == qn.device("cpu")
    with pytest.raises(ValueError, match="no device"):
        qn.asarray([1], device="tpu")


# ---- the CuPy front end


def test_pointers_of_cupy(device):
    import quern.cupy as cupy

    x = cupy.arange(8.0) * 1
    pointer = x.data
    assert x[2:].data.ptr == pointer.ptr + 16
    assert x[2:].data.mem.ptr == pointer.mem.ptr == pointer.ptr
    assert pointer.mem.size == 64
    assert int(pointer + 8) == pointer.ptr + 8
    assert x.device == pointer.device == cupy.cuda.Device(device.index if device.kind == "cuda" else 0)
    x += 1
    x[3:] = 5
    assert x.data.ptr == pointer.ptr
    Kernel.module.get_function("add")((1,), (8,), (pointer.ptr, 1.0))
    qn.synchronize()
    np.testing.assert_array_equal(x.get(), [2, 3, 4, 6, 6, 6, 6, 6])


def test_kernels_of_cupy_over_shared_memory(cpu):
    import quern.cupy as cupy

    host = np.arange(8.0)
    x, y = cupy.from_dlpack(host), cupy.from_dlpack(host[::-1])
    double = cupy.ElementwiseKernel("float64 a", "float64 b", "b = 2 * a", "double_it")
    raw = cupy.ElementwiseKernel("raw float64 a", "float64 b", "b = a[0] + 1", "raw_first")
    total = cupy.ReductionKernel("float64 a", "float64 b", "a", "a + b", "b = a", "0", "total")
    out, sum = double(x), total(x)
    host[...] = 5
    np.testing.assert_array_equal(out.get(), 2 * np.arange(8.0))
    assert float(sum) == 28
    double(x, y)
    np.testing.assert_array_equal(host, np.full(8, 10.0))
    raw(x, x[1:])
    np.testing.assert_array_equal(host, [10, *[11] * 7])
    host.flags.writeable = False
    for kernel in (double, raw):
        with pytest.raises(ValueError, match="read-only"):
            kernel(x, cupy.from_dlpack(host))


@pytest.mark.filterwarnings("ignore:This function is deprecated:numpy.exceptions.VisibleDeprecationWarning")
def test_cupy_shares_memory(device):
    import quern.cupy as cupy

    x = cupy.arange(4.0) * 1
    y = cupy.from_dlpack(x)
    assert isinstance(y, cupy.ndarray)
    y[0] = 9
    assert float(x[0]) == 9
    z = cupy.fromDlpack(x.toDlpack())
    z[1] = 8
    assert float(x[1]) == 8
    assert isinstance(pickle.loads(pickle.dumps(x)), cupy.ndarray)
    assert cupy.broadcast_to(x, (2, 4)).flags.c_contiguous is False
    host = np.arange(3.0)
    w = cupy.asarray(host)
    host[0] = 7
    assert float(w[0]) == 0
    if device.kind == "cuda":

        class Foreign:
            __cuda_array_interface__ = x.__cuda_array_interface__

        cupy.asarray(Foreign())[2] = 7
        assert float(x[2]) == 7
