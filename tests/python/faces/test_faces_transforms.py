"""Fourier transforms that are faces of the engine's table: how each front end calls them, what it refuses, and what runs in a call."""

import functools

import numpy as np
import pytest
import quern as qn
import quern.cupy as cp
import quern.torch as torch
from arrays import equal
from test_faces import events_of, outcome

close = functools.partial(equal, rtol=1e-12, atol=1e-12)
HOST = np.arange(24.0).reshape(2, 3, 4) ** 1.5
KINDS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")


def test_calls_run_no_python(no_allocator):
    x, t = qn.asarray(HOST), torch.tensor(HOST)
    for call in (
        lambda: qn.fft.fft(x, 8, axis=1, norm="ortho"),
        lambda: qn.fft.irfftn(x, s=(3, 5)),
        lambda: qn.fft.fftshift(x, (0, 1)),
        lambda: torch.fft.hfft2(t, norm="forward"),
        lambda: torch.fft.ifftshift(t, 1),
    ):
        assert events_of(call) == []


@pytest.mark.parametrize("name", KINDS)
def test_front_ends_spell_the_axis_as_their_peers(name):
    want = getattr(np.fft, name)(HOST, 5, 1, "ortho")
    close(getattr(qn.fft, name)(qn.asarray(HOST), n=5, axis=1, norm="ortho"), want)
    close(getattr(cp.fft, name)(cp.asarray(HOST), 5, 1, "ortho").get(), want)
    t = torch.tensor(HOST)
    for named in ({"dim": 1}, {"dim": -2}, {"axis": 1}):
        close(getattr(torch.fft, name)(t, 5, norm="ortho", **named).resolve_conj().numpy(), want)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_several_axes(name):
    for args in ((), ((4, 5),), ((4, -1, 5),), (None, (0, 2)), ((3, 5), (2, 0)), ((-1, -1), (1, 2))):
        want = getattr(np.fft, name)(HOST, *args) if len(args) != 1 else getattr(np.fft, name)(HOST, args[0], range(-len(args[0]), 0))
        close(getattr(qn.fft, name)(qn.asarray(HOST), *args), want)
        close(getattr(cp.fft, name)(cp.asarray(HOST), *args).get(), want)
    want = getattr(np.fft, name[:-1] + "2")(HOST, norm="forward")
    for one in (getattr(qn.fft, name[:-1] + "2")(HOST, norm="forward"), getattr(torch.fft, name[:-1] + "2")(torch.tensor(HOST), norm="forward")):
        close(one.numpy() if isinstance(one, torch.Tensor) else one, want)


def test_hermitian_transforms_along_several_dimensions():
    t = torch.tensor(HOST)
    along_all = np.fft.hfft(np.fft.fftn(HOST, axes=(0, 1)), 6, 2)
    close(torch.fft.hfftn(t).numpy(), along_all)
    close(torch.fft.hfft2(t, (-1, 7), dim=(1, 2)).numpy(), np.fft.hfft(np.fft.fft(HOST, axis=1), 7, 2))
    close(torch.fft.ihfftn(t, dim=[2, 0]).numpy(), np.fft.ifft(np.fft.ihfft(HOST, axis=0), axis=2))
    a = torch.tensor(HOST, requires_grad=True)
    torch.fft.hfftn(a).sum().backward()
    assert a.grad.shape == a.shape and bool(torch.isfinite(a.grad).all())


@pytest.mark.parametrize(
    "call",
    [
        "fft(x, 0)", "fft(x, norm='unitary')", "irfft(x, norm=3)", "fft(x, axis=3)", "hfft(x, 2.5)", "fftn(x, (2, 3), axes=(0,))",
        "fftn(x, (2, 0), (0, 1))", "ifft2(x, axes=(0, 7))", "rfftn(x, axes=())", "irfftn(x, axes=())", "fftfreq(2.0)", "rfftfreq('8')",
        "fftfreq(0)", "rfftfreq(4, 0.0)", "fftshift(x, 3)", "ifftshift(x, (0, -4))", "fftn(x, axes=2)", "fft()", "fft(x, m=3)",
    ],
)  # fmt: skip
def test_refusals_have_types_of_numpy(call):
    def error_of(module, x):
        with pytest.raises(Exception) as raised:
            eval(f"m.{call}", {"m": module, "x": x})
        return raised.type

    theirs = error_of(np.fft, HOST)
    for module, make in ((qn.fft, qn.asarray), (cp.fft, cp.asarray)):
        ours = error_of(module, make(HOST))
        assert issubclass(ours, theirs) or issubclass(theirs, ours), (call, ours, theirs)


def test_refusals_of_torch():
    t, c = torch.ones(2, 3), torch.ones(2, 3, dtype=torch.complex64)
    for call, error, words in (
        (lambda: torch.fft.fft([1.0]), TypeError, "argument 'input' (position 1) must be Tensor, not list"),
        (lambda: torch.fft.rfft(t, n=2.5), TypeError, "argument 'n' (position 2) must be int, not float"),
        (lambda: torch.fft.ifft(t, 0), RuntimeError, "Invalid number of data points (0) specified"),
        (lambda: torch.fft.rfft2(t, (2, 0)), RuntimeError, "Invalid number of data points (0) specified"),
        (lambda: torch.fft.fft(torch.ones(2, 0)), RuntimeError, "Invalid number of data points (0) specified"),
        (lambda: torch.fft.hfft(t, norm="x"), RuntimeError, 'Invalid normalization mode: "x"'),
        (lambda: torch.fft.fft(t, dim=2), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
        (lambda: torch.fft.ifft(torch.tensor(1.0)), IndexError, "Dimension specified as -1 but tensor has no dimensions"),
        (lambda: torch.fft.fftn(t, dim=(0, -2)), RuntimeError, "FFT dims must be unique"),
        (lambda: torch.fft.ifftn(t, s=(1, 2, 3)), RuntimeError, "Got shape with 3 values but input tensor only has 2 dimensions."),
        (lambda: torch.fft.fft2(t, (2,)), RuntimeError, "When given, dim and shape arguments must have the same length"),
        (lambda: torch.fft.irfftn(t, dim=()), RuntimeError, "irfftn must transform at least one axis"),
        (lambda: torch.fft.ihfft(c), TypeError, "ihfft expects a real input tensor, but got ComplexFloat"),
        (lambda: torch.fft.fft(t.half()), NotImplementedError, "Unsupported dtype Half"),
        (lambda: torch.fft.fftfreq(-1), RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
    ):
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value), str(raised.value)


def test_types_of_integers():
    whole = np.arange(4)
    close(qn.fft.fft(qn.asarray(whole)), np.fft.fft(whole))
    assert torch.fft.fft(torch.arange(4)).dtype == torch.complex64
    assert torch.fft.irfft(torch.arange(4)).dtype == torch.float32
    assert torch.fft.fftn(torch.arange(4), dim=()).dtype == torch.complex64
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.fft.rfft(torch.arange(4)).dtype == torch.complex128 and torch.fft.fftfreq(3).dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_frequencies():
    for n, d in ((1, 1), (7, 0.25), (8, np.float32(0.5))):
        assert outcome(lambda n=n, d=d: qn.fft.fftfreq(n, d)) == outcome(lambda n=n, d=d: np.fft.fftfreq(n, d))
        close(cp.fft.rfftfreq(n, d).get(), np.fft.rfftfreq(n, d))
    made = torch.fft.fftfreq(5, 0.1, dtype=torch.float64, device="cpu", requires_grad=True)
    assert made.requires_grad and made.is_leaf and np.array_equal(made.detach().numpy(), np.fft.fftfreq(5, 0.1))
    out = torch.empty(3)
    assert torch.fft.rfftfreq(4, out=out) is out and out.tolist() == [0.0, 0.25, 0.5] and not out.requires_grad
    assert qn.fft.fftfreq(4, device="cpu").device == qn.device("cpu")


def test_shifts_that_repeat_an_axis_and_have_none():
    for name in ("fftshift", "ifftshift"):
        for axes in (None, 0, (), (1, 1), [-1, 0]):
            assert np.array_equal(getattr(qn.fft, name)(HOST, axes), getattr(np.fft, name)(HOST, axes)), (name, axes)
        assert np.array_equal(getattr(torch.fft, name)(torch.tensor(HOST), (0, 2)).numpy(), getattr(np.fft, name)(HOST, (0, 2)))
        assert getattr(torch.fft, name)(torch.tensor(3.0), 0).item() == 3


def test_results_in_out():
    x, out = qn.asarray(HOST), qn.zeros((2, 3, 4), "complex128")
    assert qn.fft.ifft(x, out=out) is out
    close(out, np.fft.ifft(HOST))
    with pytest.raises(ValueError, match="wrong shape"):
        qn.fft.fft(x, out=qn.zeros(3, complex))
    with pytest.raises(TypeError):
        qn.fft.fft(x, out=qn.zeros((2, 3, 4)))
    t = torch.zeros(2, 3, 4, dtype=torch.complex128)
    assert torch.fft.fft(torch.tensor(HOST), out=t) is t


def test_numpys_functions_on_arrays_come_here():
    found = np.fft.fft(qn.asarray(HOST), axis=0)
    assert type(found) is qn.Array
    close(found, np.fft.fft(HOST, axis=0))


def test_callbacks_reach_functions_that_were_imported_before():
    from quern.cupy.fft import fft, fftshift

    x = cp.arange(4, dtype=cp.complex64)
    load = """__device__ cufftComplex twice(void* data, size_t at, void* info, void* shared) {
        cufftComplex x = ((cufftComplex*)data)[at];
        x.x *= 2;
        return x;
    }
    __device__ cufftCallbackLoadC d_loadCallbackPtr = twice;"""
    with cp.fft.config.set_cufft_callbacks(cb_load=load):
        inside, shifted = fft(x, norm="backward"), fftshift(x)
    np.testing.assert_allclose(inside.get(), 2 * np.fft.fft(np.arange(4)), rtol=1e-6)
    assert shifted.tolist() == [2, 3, 0, 1] and np.allclose(fft(x).get(), np.fft.fft(np.arange(4)))
