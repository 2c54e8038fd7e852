"""Fourier transforms: NumPy is the oracle; nothing here runs through the fallback."""

import numpy as np
import pytest
import quern as qn
import quern.cupy as cp
from arrays import cases, check

pytestmark = pytest.mark.usefixtures("no_fallback")


def close(got, want):
    got = qn.asnumpy(got)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    eps = np.finfo(want.dtype).eps
    np.testing.assert_allclose(got, want, rtol=0, atol=20 * eps * max(np.abs(want).max(initial=0), eps))


LENGTHS = [*range(1, 33), 37, 41, 49, 60, 64, 77, 96, 97, 100, 121, 128, 143, 210, 243, 256, 289, 509, 625, 961, 1000, 1024, 1369, 2310]
LENGTHS += [4093, 4096, 6561, 10007, 16384, 74 * 53]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("n", LENGTHS)
def test_lengths(device, n, dtype):
    """Every path: each factor, Bluestein's, even and odd lengths of real transforms."""
    rng = np.random.default_rng(n)
    x = rng.standard_normal((2, n)) + (1j * rng.standard_normal((2, n)) if dtype.startswith("c") else 0)
    x = x.astype(dtype)
    a = qn.asarray(x)
    close(qn.fft.fft(a), np.fft.fft(x))
    close(qn.fft.ifft(a), np.fft.ifft(x))
    if x.dtype.kind == "f":
        close(qn.fft.rfft(a), np.fft.rfft(x))
        close(qn.fft.ihfft(a), np.fft.ihfft(x))
        half = np.fft.rfft(x)
        close(qn.fft.irfft(qn.fft.rfft(a), n), np.fft.irfft(half, n))
        np.testing.assert_allclose(qn.fft.irfft(qn.fft.rfft(a), n).get(), x, atol=100 * np.finfo(dtype).eps)
    close(qn.fft.irfft(a, n), np.fft.irfft(x, n))
    close(qn.fft.hfft(a, n), np.fft.hfft(x, n))


def test_many_rows_on_many_threads(device):
    x = np.random.default_rng(1).standard_normal((3000, 90))
    close(qn.fft.rfft(qn.asarray(x)), np.fft.rfft(x))
    close(qn.fft.fft(qn.asarray(x), axis=0), np.fft.fft(x, axis=0))


@pytest.mark.parametrize(
    "case",
    cases("""
m.fft.fft(w) | m.fft.fft(v) | m.fft.fft(c8) | m.fft.fft(f2[:2]) | m.fft.fft(b) | m.fft.fft(g, 3) | m.fft.fft(g, 7) | m.fft.fft(g, axis=0) | m.fft.fft(g, 5, 0)
m.fft.fft(g, norm='ortho') | m.fft.fft(g, norm='forward') | m.fft.fft(g, norm='backward') | m.fft.ifft(g, norm='ortho') | m.fft.ifft(g, norm='forward')
m.fft.ifft(c8, 5) | m.fft.rfft(g) | m.fft.rfft(g, 7) | m.fft.rfft(g, 3, 0, 'ortho') | m.fft.rfft(a) | m.fft.rfft(f4) | m.fft.irfft(g) | m.fft.irfft(c8)
m.fft.irfft(f2[:2]) | m.fft.hfft(f2[:2]) | m.fft.irfftn(f2[:2]) | m.fft.irfft2(f2[:2].reshape(1, 2)) | m.fft.hfft(b) | m.fft.irfft(b)
m.fft.irfft(g, 5) | m.fft.irfft(g, 9, norm='forward') | m.fft.irfft(c8, 4, norm='ortho') | m.fft.irfft(g, axis=0) | m.fft.hfft(c8) | m.fft.hfft(g, 7)
m.fft.hfft(g, axis=0, norm='ortho') | m.fft.hfft(g, norm='forward') | m.fft.ihfft(g) | m.fft.ihfft(g, 3, 0, 'ortho') | m.fft.ihfft(w, norm='forward')
m.fft.fft2(g) | m.fft.fft2(q) | m.fft.fft2(q, (4, 5)) | m.fft.fft2(q, axes=(0, 1)) | m.fft.ifft2(g, norm='ortho') | m.fft.rfft2(g) | m.fft.rfft2(q, (3, 4))
m.fft.irfft2(g) | m.fft.irfft2(q, (3, 5)) | m.fft.fftn(q) | m.fft.fftn(q, axes=(0, 2)) | m.fft.fftn(q, (2, 2), axes=(0, 1)) | m.fft.ifftn(q)
m.fft.ifftn(q, axes=(1,)) | m.fft.rfftn(q) | m.fft.rfftn(q, (3, 3), (0, 2)) | m.fft.irfftn(q) | m.fft.irfftn(q, (3, 4, 5)) | m.fft.irfftn(q, axes=(1, 0))
m.fft.fftn(q, (-1, 5), axes=(0, 1)) | m.fft.fft(t) | m.fft.fft(r) | m.fft.rfft(g[::-1, ::2]) | m.fft.fft(m.zeros((0, 4))) | m.fft.rfft(m.zeros((3, 0, 2)))
m.fft.fftfreq(8) | m.fft.fftfreq(9, 0.1) | m.fft.fftfreq(1) | m.fft.rfftfreq(8) | m.fft.rfftfreq(7, 2.0) | m.fft.fftshift(v) | m.fft.fftshift(a) | m.fft.fftshift(a, 0)
m.fft.fftshift(q, (0, 2)) | m.fft.ifftshift(v) | m.fft.ifftshift(a) | m.fft.ifftshift(q[:, :2], axes=(1,)) | m.fft.ifftshift(m.fft.fftshift(w[:3]))
x = m.zeros(4, 'complex128'); m.fft.fft(w, out=x); x | x = m.zeros((3, 3), 'complex128'); m.fft.rfft(g, out=x); x
"""),
)
def test_values(case, device):
    check(case, exact=False)


@pytest.mark.parametrize(
    "case",
    cases("""
m.fft.fft(w, 0) | m.fft.fft(w, -3) | m.fft.fft(w, norm='x') | m.fft.fft(w, axis=1) | m.fft.fft(empty[:, :0]) | m.fft.rfft(c8) | m.fft.irfft(w[:1])
m.fft.fftn(g, (2, 2), axes=(0,)) | m.fft.fft(zero) | m.fft.fftfreq(2.5) | m.fft.rfftfreq('x') | m.fft.hfft(w, norm='x') | m.fft.fft(w, 2.5)
m.fft.fft(w, out=m.zeros(3, complex))
"""),
)
def test_errors(case):
    check(case)


def test_the_results_of_front_ends():
    x = cp.asarray([1.0, 2.0, 3.0])
    for value in (cp.fft.fft(x), cp.fft.rfftn(x), cp.fft.fftfreq(3), cp.fft.fftshift(x)):
        assert type(value) is cp.ndarray
