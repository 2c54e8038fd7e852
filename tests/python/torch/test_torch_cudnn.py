"""torch.backends.cudnn: its settings, and that convolutions on a GPU have the same values with and without cuDNN."""

import pytest
from devices import DEVICES
from quern import torch

cudnn = torch.backends.cudnn
F = torch.nn.functional


@pytest.fixture(autouse=True)
def restored():
    """The settings of before, afterwards."""
    with cudnn.flags(enabled=True, allow_tf32=False):
        yield


@pytest.mark.parametrize("name", ["enabled", "benchmark", "deterministic", "allow_tf32"])
def test_settings_are_kept(name):
    for value in (False, True):
        setattr(cudnn, name, value)
        assert getattr(cudnn, name) is value
    with pytest.raises(TypeError, match=f"set_{name}_cudnn expects a bool, but got int"):
        setattr(cudnn, name, 1)


def test_flags_hold_for_a_block():
    cudnn.benchmark = True
    with cudnn.flags(enabled=False, deterministic=True):
        assert (cudnn.enabled, cudnn.benchmark, cudnn.deterministic) == (False, False, True)
    assert (cudnn.enabled, cudnn.benchmark, cudnn.deterministic) == (True, True, False)


def test_other_settings_do_not_exist():
    with pytest.raises(AttributeError, match=r"module 'torch\.backends\.cudnn' has no attribute 'nothing'"):
        cudnn.nothing  # noqa: B018
    assert (cudnn.version() is None) == (not cudnn.is_available())


FORMS = [
    ((2, 8, 12, 9), (16, 8, 3, 3), {"padding": 1}),
    ((2, 8, 12, 9), (16, 8, 3, 3), {"stride": 2}),
    ((2, 8, 12, 9), (16, 4, 3, 2), {"groups": 2, "padding": (2, 0)}),
    ((2, 8, 12, 9), (8, 1, 3, 3), {"groups": 8, "padding": 1}),
    ((1, 3, 30, 30), (5, 3, 7, 7), {"stride": 2, "padding": 3}),
    ((2, 6, 20), (4, 6, 5), {"dilation": 2, "padding": "same"}),
    ((2, 6, 21), (4, 6, 4), {"padding": "same"}),
    ((2, 3, 6, 7, 8), (4, 3, 2, 3, 2), {"stride": (1, 2, 3), "padding": (1, 0, 1)}),
    ((3, 16, 1, 1), (8, 16, 1, 1), {}),
    ((1, 1, 5, 5), (1, 1, 5, 5), {}),
]


def gradients(x, w, options, device):
    """A convolution and both of its gradients."""
    x, w = x.detach().to(device).requires_grad_(), w.detach().to(device).requires_grad_()
    y = (F.conv1d, F.conv2d, F.conv3d)[x.dim() - 3](x, w, **options)
    y.backward(torch.cos(y.detach()))
    return y.detach().cpu(), x.grad.cpu(), w.grad.cpu()


@pytest.mark.skipif(len(DEVICES) == 1, reason="needs a GPU")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("shape, weight, options", FORMS, ids=str)
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("settings", [{}, {"benchmark": True}, {"deterministic": True}], ids=str)
def test_values_do_not_depend_on_cudnn(shape, weight, options, dtype, last, settings):
    x, w = torch.randn(shape).to(dtype), torch.randn(weight).to(dtype) / 4
    if last and len(shape) > 3:
        x = x.contiguous(memory_format=torch.channels_last if len(shape) == 4 else torch.channels_last_3d)
    want = gradients(x.double(), w.double(), options, "cpu")
    bound = {torch.float64: 1e-10, torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1}[dtype]
    for enabled in (True, False):
        with cudnn.flags(enabled=enabled, allow_tf32=False, **settings):
            for _ in range(3):  # measured, run by the library, run without it
                found = gradients(x, w, options, "cuda")
        for mine, exact in zip(found, want, strict=True):
            assert mine.dtype == dtype
            assert float((mine.double() - exact).abs().max()) <= bound * float(exact.abs().max())


def test_deterministic_algorithms():
    try:
        for mode, number in (("default", 0), ("warn", 1), ("error", 2)):
            torch.set_deterministic_debug_mode(mode)
            assert torch.get_deterministic_debug_mode() == number
            assert torch.are_deterministic_algorithms_enabled() is (number > 0)
            assert torch.is_deterministic_algorithms_warn_only_enabled() is (number == 1)
            assert cudnn.deterministic is False
        with pytest.raises(RuntimeError, match="expected one of `default`, `warn`, `error`, but got often"):
            torch.set_deterministic_debug_mode("often")
        with pytest.raises(TypeError, match="debug_mode must be str or int, but got <class 'NoneType'>"):
            torch.set_deterministic_debug_mode(None)
        with pytest.raises(RuntimeError, match="expected 0, 1, or 2, but got 3"):
            torch.set_deterministic_debug_mode(3)
        torch.use_deterministic_algorithms(True, warn_only=True)
        assert torch.get_deterministic_debug_mode() == 1
    finally:
        torch.use_deterministic_algorithms(False)
    assert torch.get_deterministic_debug_mode() == 0
