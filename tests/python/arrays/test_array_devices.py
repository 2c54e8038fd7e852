"""Arrays of one device while another is the current one: everything goes where the arrays are."""

import numpy as np
import pytest
import quern as qn
from quern.device import set_current_device
from quern.lib import _engine

CALLS = """a + h | h - a | a[[0, 2]] | a[np.array([0, 2])] | a[h > 1] | m.concatenate([a, a]) | m.stack([a, b]) | m.pad(a, 2) | m.insert(a, 1, 5.0)
m.append(a, 7.0) | m.delete(a, 1) | m.where(h > 1, a, b) | m.where(a > 1, h, 0.0) | m.diag(a) | m.tril(a[:, None] * b) | m.roll(a, 1) | m.tile(a, 3)
m.repeat(a, 2) | m.kron(a, b) | m.outer(a, b) | m.cross(a[:3], b[:3]) | m.searchsorted(b, a) | m.digitize(a, b)
m.histogram(a, 4)[0] | m.bincount(m.asarray(a, dtype=int)) | m.unique(a) | m.isin(a, b) | m.sort(a) | m.argsort(a) | m.median(a) | m.quantile(a, 0.3)
m.cumsum(a) | m.diff(a, prepend=0.0) | m.gradient(a) | m.trapezoid(a, b) | m.cov(a, b) | m.average(a, weights=h) | m.ptp(a) | m.std(a) | m.einsum('i,i', a, b)
m.linalg.solve(m.diag(a + 1), b) | m.linalg.inv(m.diag(a + 1)) | m.linalg.det(m.diag(a + 1)) | m.fft.fft(a) | m.fft.irfft(m.fft.rfft(a)) | m.polyval(a, 2.0)
m.take(a, [0, 1]) | m.take_along_axis(a, m.argsort(a), 0) | m.select([a > 1], [b], 0.0) | m.choose(m.asarray(a > 1, dtype=int), [a, b]) | m.flip(a)
m.broadcast_to(a, (2, 5)) | m.meshgrid(a, b)[1] | m.vander(a, 3) | m.nan_to_num(a) | m.round(a * 1.234, 1) | m.clip(a, 1, h) | m.zeros_like(a) | m.full_like(a, 3)
m.array_equal(a, b) | m.allclose(a, h) | m.dot(a, b) | m.matmul(a, b) | m.tensordot(a, b, 1) | a @ b | a ** 2 | m.nonzero(a)[0] | m.argwhere(a)"""


@pytest.mark.parametrize("call", [c.strip() for line in CALLS.split("\n") for c in line.split("|")])
def test_functions_of_arrays_on_another_device(call):
    if _engine.cuda_count() == 0:
        pytest.skip("there is one device")
    places = [qn.device("cpu"), qn.device("cuda:0")]
    h = np.asarray([0.5, 3, 1, 2.5, 1])
    want = eval(call, {"m": np, "np": np, "h": h, "a": h.copy(), "b": np.sort(h) + 1})
    for here, there in (places, places[::-1]):
        set_current_device(here)
        try:
            a, b = (qn.asarray(x, device=there) for x in (h, np.sort(h) + 1))
            got = eval(call, {"m": qn, "np": np, "h": h, "a": a, "b": b})
            if isinstance(got, qn.Array):
                assert got._device_number == a._device_number
            np.testing.assert_allclose(qn.asnumpy(got) if isinstance(got, qn.Array) else got, want, rtol=1e-12, atol=1e-12)
            assert _engine.current_device() == here
        finally:
            set_current_device(None)


def test_what_is_on_two_devices_is_refused():
    if _engine.cuda_count() == 0:
        pytest.skip("there is one device")
    a, b = qn.asarray(np.arange(5.0), device=qn.device("cpu")), qn.asarray(np.arange(5.0), device=qn.device("cuda:0"))
    for mix in (
        lambda: a + b,
        lambda: qn.matmul(a, b),
        lambda: a[b.astype(int)],
        lambda: qn.linalg.solve(qn.diag(a + 1), b),
        lambda: qn.concatenate([a, b]),
        lambda: qn.searchsorted(a, b),
    ):
        with pytest.raises(ValueError, match="device"):
            mix()
