"""A program over two GPUs, of which the first is current: what test_array_two_gpus.py runs in a process of its own. It prints what went
wrong in each case, by its name; "" where nothing did."""

import json
import os
import sys
import traceback

import numpy as np
import quern as qn
from arrays import cases, evaluate, same
from quern.device import set_current_device
from quern.lib import _engine

FIRST, SECOND = "cuda:0", "cuda:1"

ELSEWHERE = cases("""
a + 1 | g * 2 - w | m.sin(g) | m.where(g > 0, g, -g) | a // 3 | a % 5 | g ** 2 | m.exp(c) | m.hypot(w, 2) | a > 2 | m.clip(g, -1, 1)
m.maximum(a, t.T) | (g + w) * (g - w) / 3 | g.astype(np.float32) | a.astype(np.complex64) | m.conj(c).real | f4 * 2 + 1 | u + i8[:1] | t + 1
m.isnan(f) | m.signbit(f) | m.logical_and(a > 0, g > 0) | m.rint(g) | m.arctan2(g, w) | r * 2 | q + 1 | one * w
g.sum() | g.sum(axis=0) | t.sum(axis=1) | a.mean(axis=1) | g.var() | g.std(axis=0) | g.max() | a.min(axis=1) | m.argmax(a, axis=1) | a.any()
m.all(a > -9) | m.prod(w) | m.count_nonzero(a) | m.nansum(f) | m.average(g, axis=0) | m.ptp(a)
m.cumsum(a, axis=1) | m.cumprod(w) | m.diff(v) | m.trapezoid(w) | q.sum(axis=(0, 2)) | m.sum(c) | a.sum(axis=1, keepdims=True) - a
a[1] | a[:, ::2] | a[[0, 2]] | m.take(a, [1, 0], axis=1) | v[[3, 3, 0]] | a[1, 2] | a[..., None]
a[m.asarray(np.array([2, 0]))] | m.diagonal(a) | m.tril(a) | m.take_along_axis(a, m.asarray(np.array([[1], [0], [3]])), 1)
m.searchsorted(w[:1], v) | m.digitize(v, w[:1])
m.concatenate([a, a]) | m.stack([w, w]) | m.pad(a, 1) | m.roll(a, 1) | m.flip(a) | m.tile(v, 2) | m.repeat(v, 2) | t.copy() | m.split(v, 2)
m.histogram(v, 3) | m.bincount(m.abs(v)) | m.vander(w) | m.outer(w, w) | m.kron(v, v) | m.meshgrid(v, w)
a += 1; a | a[0] = 5; a | a[a > 2] = 0; a | a[[0, 2]] = 7; a | m.add.at(v, [0, 0, 1], 1); v | b = a[:, 1]; b *= 2; a
m.put(v, [0, 2], 9); v | m.copyto(a, 3); a | a[:, 0] = a[:, 1]; a | w[1:] += w[:-1]; w | m.multiply(g, 2, out=g); g | m.fill_diagonal(a, 0); a
""")
# These need what NVIDIA brings: libraries, and headers that NVRTC alone compiles.
LIBRARIES = cases("""
m.sort(v) | m.argsort(v) | m.sort(a, axis=0) | m.unique(a) | m.searchsorted(m.sort(v), v) | m.partition(v, 2)[2] | m.lexsort((v, v))
a[a > 1] | m.nonzero(a) | m.argwhere(a > 2) | m.compress([True, False, True], a, axis=0) | m.take_along_axis(a, m.argsort(a), -1)
a.sort(axis=1); a | m.median(v) | m.quantile(w, 0.25)
m.dot(a, t) | g @ g.T | m.matmul(t, a) | m.einsum("ij,kj->ik", g, g) | m.tensordot(a, t, 1) | m.inner(w, w) | m.vdot(w, w)
m.linalg.solve(g[:, :3], w[:3]) | m.linalg.inv(g[:, 1:]) | m.linalg.det(g[:, 1:]) | m.linalg.norm(g) | m.linalg.svd(g)[1]
m.linalg.eigvalsh(g[:, 1:] @ g[:, 1:].T) | m.linalg.qr(g)[1].shape | m.fft.fft(w) | m.fft.ifft(c[0, :2]) | m.fft.rfft(w) | m.fft.fft2(g)
""")


class Elsewhere:
    """quern, whose new arrays lie on the second GPU."""

    def __getattr__(self, name):
        return getattr(qn, name)

    @staticmethod
    def asarray(x):
        return qn.asarray(qn.asarray(x), device=SECOND)

    @staticmethod
    def zeros(shape, dtype=float):
        return qn.zeros(shape, dtype, device=SECOND)


def devices(result):
    if isinstance(result, (list, tuple)):
        return set().union(*map(devices, result))
    return {result.device.name} if isinstance(result, qn.Array) else set()


def elsewhere(case):
    got, want = evaluate(case, Elsewhere()), evaluate(case, np)
    assert devices(got) <= {SECOND}, devices(got)
    same(got, want, exact=False)


# ---- copies between the two


def made(shape=(300, 200), dtype=np.float64, device=FIRST):
    host = (np.arange(np.prod(shape)) * 0.5 % 97).reshape(shape).astype(dtype)
    return host, qn.asarray(host, device=device)


def equal(array, host, device=SECOND):
    assert array.device.name == device
    np.testing.assert_array_equal(qn.asnumpy(array), host)
    assert array.dtype == host.dtype


def there_and_back():
    for dtype in (np.float64, np.float32, np.int8, np.bool_, np.complex128, np.float16, np.uint64):
        host, a = made(dtype=dtype)
        b = a.to_device(SECOND)
        equal(b, host)
        equal((b + b).to_device(FIRST), host + host, FIRST)


def of_views():
    host, a = made()
    for view in (np.s_[10:20], np.s_[:, 3], np.s_[::-2, ::3], np.s_[5], np.s_[..., None], np.s_[7:7], np.s_[3, 4]):
        equal(a[view].to_device(SECOND), host[view])
    equal(a.T.to_device(SECOND), host.T)
    equal(a.reshape(200, 300).to_device(SECOND), host.reshape(200, 300))
    equal(qn.broadcast_to(a[0], (4, 200)).to_device(SECOND), np.broadcast_to(host[0], (4, 200)))
    equal(qn.asarray(np.float64(3)).to_device(SECOND), np.float64(3))


def of_views_take_only_their_bytes():
    host, a = made((1000, 1000))
    qn.asnumpy(a[0])
    with qn.trace() as events:
        b = a[100:110].to_device(SECOND)
        c = a[:, 7].to_device(SECOND)
        equal(b, host[100:110])
        equal(c, host[:, 7])
    copies = [e for e in events if e["kind"] == "device_to_device"]
    assert sorted(e["bytes"] for e in copies) == [8000, 80000], copies


def are_one_copy_that_nobody_waits_for():
    host, a = made()
    qn.synchronize()
    with qn.trace() as events:
        b = a.to_device(SECOND)
        c = b * 2
        _engine.count_driver_calls(True)
        _engine.array_evaluate(c)
        calls = _engine.driver_calls()
    assert not [e for e in events if e["kind"] in ("wait", "device_to_host", "host_to_device")]
    copies = [e for e in events if e["kind"] == "device_to_device"]
    assert [(e["device"], e["source"], e["bytes"]) for e in copies] == [(SECOND, FIRST, host.nbytes)]
    assert "two_gpus.py" in copies[0]["site"], copies[0]
    assert calls["cuMemcpyAsync"] == 1, calls
    assert not [name for name in calls if "Synchronize" in name], calls
    equal(c, host * 2)


def peers_are_asked_once():
    _, a = made()
    qn.asnumpy(a.to_device(SECOND))
    _engine.count_driver_calls(True)
    for _ in range(5):
        qn.asnumpy((a + 1).to_device(SECOND))
    calls = _engine.driver_calls()
    assert not [name for name in calls if "Peer" in name], calls


def keep_the_value_of_their_time():
    host, a = made()
    b = a.to_device(SECOND)
    a += 1
    c = a.to_device(SECOND)
    a[...] = 0
    d = a.to_device(SECOND)
    b *= 3
    equal(d, host * 0)
    equal(c, host + 1)
    equal(b, host * 3)
    equal(a, host * 0, FIRST)


def keep_the_value_of_their_time_when_submitted_first():
    host, a = made()
    b = a.to_device(SECOND)
    total = (b * 1).sum()
    qn.synchronize()  # submits; the copy has not run yet
    a += 1
    a[3] = 7
    qn.synchronize()
    equal(b, host)
    assert float(total) == host.sum()


def of_memory_that_goes_at_once():
    want, total = 0.0, None
    for n in range(60):
        host = np.full(5000, float(n))
        b = (qn.asarray(host, device=FIRST) + 1).to_device(SECOND)
        total = b.sum() if total is None else total + b.sum()
        want += (host + 1).sum()
        del b
        junk = qn.asarray(np.full(5000, -1.0), device=FIRST) * 2  # into memory that came back
        if n % 7 == 0:
            qn.asnumpy(junk[:1])
    assert float(total) == want


def to_and_fro():
    host, a = made((5000,))
    for n in range(40):
        a = (a + n).to_device(SECOND if n % 2 == 0 else FIRST)
        host = host + n
    equal(a, host, FIRST)


def of_known_addresses():
    host, _ = made((4000,))
    from quern.pycuda import driver

    x, y = _engine.Allocation(qn.device(FIRST), host.nbytes), _engine.Allocation(qn.device(SECOND), host.nbytes)
    driver.memcpy_htod(x, host)
    driver.memcpy_dtod(y, x, host.nbytes)  # the first is current
    driver.memcpy_htod(x, host * 0)
    out = np.empty_like(host)
    _engine.dtoh(qn.device(SECOND), out, y)
    np.testing.assert_array_equal(out, host)
    _engine.dtod(qn.device(SECOND), int(x), int(y), host.nbytes)  # by addresses
    _engine.dtoh(qn.device(FIRST), out, x)
    np.testing.assert_array_equal(out, host)


def of_pinned_arrays():
    host, a = made((4000,))
    address = a.__cuda_array_interface__["data"][0]
    b = a.to_device(SECOND)
    _engine.fill(qn.device(FIRST), address, 0, 0, 4, 2000)  # whoever knows the address writes there next
    equal(b, host)
    c = qn.asarray(host, device=SECOND)
    assert c.__cuda_array_interface__["data"][0]
    c[...] = a.to_device(SECOND)
    equal(c, np.concatenate([np.zeros(1000), host[1000:]]))


def of_wrong_values():
    _, a = made((50,))
    index = qn.asarray(np.array([3, 99]), device=FIRST)
    b = (a[index].to_device(SECOND) + 1) * 2
    try:
        qn.asnumpy(b)
    except IndexError as error:
        assert "99" in str(error)
    else:
        raise AssertionError("no IndexError")
    good = (a[qn.asarray(np.array([3, 9]), device=FIRST)].to_device(SECOND) + 1) * 2
    assert qn.asnumpy(good).shape == (2,)


def with_streams():
    from quern.cupy.cuda import Device, Stream

    host, a = made((5000,))
    with Device(0):
        one = Stream(non_blocking=True)
        with one:
            b = a * 2
    with Device(1):
        other = Stream(non_blocking=True)
        with other:
            c = b.to_device(SECOND) + 1
            with Device(0):
                b += 5
        d = c * 2
    equal(d, (host * 2 + 1) * 2)
    equal(b, host * 2 + 5, FIRST)


def through_the_doors():
    from quern import cuda, cupy

    host, a = made((40, 50))
    with cupy.cuda.Device(1):
        x = cupy.asarray(host)
        assert x.device.id == 1
        moved = cupy.asarray(cupy.array(x))
    with cupy.cuda.Device(0):
        pass
    np.testing.assert_array_equal(cupy.asnumpy(moved), host)
    with cuda.gpus[1]:
        d = cuda.device_array_like(host)
    with cuda.gpus[0]:
        e = cuda.to_device(host + 1)
    d.copy_to_device(e)
    np.testing.assert_array_equal(d.copy_to_host(), host + 1)


class Foreign:
    """Memory of another library: what it is in, its interface does not say."""

    def __init__(self, array):
        self.owner, self.__cuda_array_interface__ = array, array.__cuda_array_interface__


def memory_of_others():
    from quern import cuda, cupy

    host, a = made((40, 50), device=SECOND)
    for shared in (qn.asarray(Foreign(a), copy=False), cuda.as_cuda_array(Foreign(a))):
        assert (shared.device.name if isinstance(shared, qn.Array) else SECOND) == SECOND
        np.testing.assert_array_equal(qn.asnumpy(qn.asarray(shared)), host)
    shared = qn.asarray(Foreign(a), copy=False)
    shared *= shared
    equal(a, host * host)
    address = Foreign(a).__cuda_array_interface__["data"][0]
    assert cupy.cuda.UnownedMemory(address, 8, a).device_id == 1 == cupy.cuda.runtime.pointerGetAttributes(address).device
    with cupy.cuda.Device(1):
        assert cupy.asarray(Foreign(a)).data.ptr == address


def follow_the_current_device():
    from quern import cupy, torch

    host, a = made((40, 50))
    x = cupy.asarray(a)
    assert cupy.asarray(x) is x and cupy.array(x, copy=False) is x
    with cupy.cuda.Device(1):
        for y in (cupy.asarray(x), cupy.array(x), cupy.asanyarray(x), x.copy(), cupy.copy(x), x.T.copy("F").T, cupy.asarray(Foreign(a))):
            assert type(y) is cupy.ndarray and y.device.id == 1 and (y + 1).device.id == 1
            np.testing.assert_array_equal(y.get(), host)
        assert torch.cuda.current_device() == 1 and torch.ones(3, device="cuda").device.index == 1
        with torch.cuda.device(0):
            assert cupy.zeros(3).device.id == 0 == torch.zeros(3, device="cuda").get_device()
        assert cupy.cuda.Device().id == 1
    assert torch.cuda.current_device() == 0 == cupy.cuda.Device().id


def by_dlpack():
    host, a = made((40, 50))
    capsule = a[:, ::2].__dlpack__(max_version=(1, 0), dl_device=(2, 1))
    equal(qn.from_dlpack(Capsule(capsule)), host[:, ::2])
    try:
        a.__dlpack__(max_version=(1, 0), dl_device=(2, 1), copy=False)
    except BufferError as error:
        assert "copy" in str(error)
    else:
        raise AssertionError("no BufferError")


class Capsule:
    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return (2, 1)


def pass_gradients_back():
    host, x = made((30, 20))
    _engine.want_gradient(x, True)
    there = (x * 2).T[1:].to_device(SECOND)
    back = (there * there).to_device(FIRST)
    _engine.backward([(back + x[:, :19].T).sum()], [None], [], False, False)
    want = np.ones((30, 20))
    want[:, 19] = 0
    want[:, 1:] += 8 * host[:, 1:]
    equal(_engine.gradient(x), want, FIRST)


def are_refused_where_operands_are_mixed():
    _, a = made()
    _, b = made(device=SECOND)
    try:
        a + b
    except ValueError as error:
        assert "to_device" in str(error)
    else:
        raise AssertionError("no ValueError")


# ---- kernels and random numbers on the second


def kernels_of_cuda_text():
    from quern import cupy

    source = 'extern "C" __global__ void twice(double* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }'
    kernel = cupy.RawKernel(source, "twice")
    host, a = made((1000,))
    with cupy.cuda.Device(1):
        x = cupy.asarray(host)
        kernel((8,), (128,), (x, np.int32(1000)))
        y = x + 1
    np.testing.assert_array_equal(cupy.asnumpy(y), host * 2 + 1)
    scaled = cupy.ElementwiseKernel("float64 x, float64 y", "float64 z", "z = x * y + 1", "scaled")
    with cupy.cuda.Device(1):
        z = scaled(x, x)
    np.testing.assert_array_equal(cupy.asnumpy(z), (host * 2) ** 2 + 1)


def kernels_in_python():
    from quern import cuda

    @cuda.jit
    def twice(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    host, _ = made((1000,))
    with cuda.gpus[1]:
        x = cuda.to_device(host)
        twice[8, 128](x)
        got = x.copy_to_host()
    np.testing.assert_array_equal(got, host * 2)


def random_numbers():
    with_second = qn.random.default_rng(5)
    set_current_device(qn.device(SECOND))
    try:
        got = with_second.normal(size=1000)
        assert got.device.name == SECOND
    finally:
        set_current_device(qn.device(FIRST))
    want = qn.random.default_rng(5).normal(size=1000)
    assert want.device.name == FIRST
    np.testing.assert_array_equal(qn.asnumpy(got), qn.asnumpy(want))
    around = qn.random.default_rng(1).normal(qn.asarray(np.zeros(10), device=SECOND), 1.0)
    assert around.device.name == SECOND


COPIES = [
    there_and_back, of_views, of_views_take_only_their_bytes, are_one_copy_that_nobody_waits_for, peers_are_asked_once,
    keep_the_value_of_their_time, keep_the_value_of_their_time_when_submitted_first, of_memory_that_goes_at_once, to_and_fro,
    of_known_addresses, of_pinned_arrays, of_wrong_values, with_streams, through_the_doors, memory_of_others,
    follow_the_current_device, by_dlpack, pass_gradients_back,
    are_refused_where_operands_are_mixed,
]  # fmt: skip
OTHERS = [kernels_of_cuda_text, kernels_in_python, random_numbers]


def names(has_libraries=True):
    return [*(f.__name__ for f in COPIES + OTHERS), *ELSEWHERE, *(LIBRARIES if has_libraries else [])]


def run(wanted):
    functions = {f.__name__: f for f in COPIES + OTHERS}
    told = {}
    for name in wanted:
        try:
            functions[name]() if name in functions else elsewhere(name)
            told[name] = ""
        except Exception:
            told[name] = traceback.format_exc()
    return told


if __name__ == "__main__":
    if "FAKE_CUDA_DEVICES" in os.environ:
        _engine.set_nvidia_search_paths([])  # the tests' own NVRTC, where CUDA_HOME says
    qn.set_fallback("error")
    set_current_device(qn.device(FIRST))
    print(json.dumps(run(json.loads(sys.argv[1]))))
