"""quern.torch: padding with a tensor's own elements, and running sums in the type that is asked for. NumPy is the oracle."""

import numpy as np
import pytest
import quern.torch as torch
import quern.torch.nn.functional as F
from arrays import cases
from torch_oracle import _device_name, compare_all


@pytest.mark.parametrize("mode, theirs", [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")])
@pytest.mark.parametrize(
    "shape, padding",
    [
        ((3, 5), (2, 1)),
        ((2, 3, 5), (4, 0)),
        ((2, 3, 4, 5), (1, 2, 3, 0)),
        ((3, 4, 5), (0, 3, 2, 2)),
        ((2, 1, 4, 3, 5), (1, 1, 2, 0, 3, 1)),
        ((2, 3, 6), (-1, 2)),
    ],
)
def test_padding_with_its_own_elements(device, mode, theirs, shape, padding):
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    x = torch.tensor(values, device=_device_name(device), requires_grad=True)
    y = F.pad(x, padding, mode=mode)
    pairs = [padding[i : i + 2] for i in range(0, len(padding), 2)][::-1]
    pairs = [(0, 0)] * (len(shape) - len(pairs)) + [tuple(p) for p in pairs]
    cut = values[tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(shape, pairs, strict=True))]
    if min(padding) >= 0:
        np.testing.assert_array_equal(y.detach().cpu().numpy(), np.pad(values, pairs, mode=theirs))
    else:
        assert y.shape == tuple(n + a + b for n, (a, b) in zip(shape, pairs, strict=True))
        np.testing.assert_array_equal(y.detach().cpu().numpy()[..., : cut.shape[-1]], cut)
    y.sum().backward()
    assert float(x.grad.sum()) == y.numel()


PADDED = """F.pad(x, (2, -1), mode="reflect") | F.pad(x, (2, -1), mode="replicate") | F.pad(x, (-1, 2), mode="circular") | F.pad(x, (1, 1)) | F.pad(turned, (1, 1))
F.pad(turned, (1, -1), mode="reflect") | F.pad(turned, (1, -1), mode="circular") | F.pad(images, (1, 1)) | F.pad(images, (1, 1, 1, 1), mode="reflect") | F.pad(images, (1, 0, 1, 0), mode="circular")
F.pad(x, (-3, -3), mode="circular") | F.pad(x[0], (-6, 0), mode="circular")"""


def test_layouts_of_what_is_padded(device):
    """They have no gaps: `view` works on them."""
    head = """
F = torch.nn.functional
x = torch.arange(36.0, device=device).reshape(2, 3, 6).requires_grad_()
turned = torch.arange(36.0, device=device).reshape(6, 3, 2).permute(2, 1, 0).requires_grad_()
images = torch.arange(48.0, device=device).reshape(1, 3, 4, 4).to(memory_format=torch.channels_last).requires_grad_()
def laid(y):
    made = torch.autograd.grad((y * y).sum(), [x, turned, images], allow_unused=True)
    return y.stride() if y.numel() else y.shape, y.detach(), [g is None for g in made]
"""
    compare_all([f"{head}laid({text})" for text in cases(PADDED)], device)


def test_padding_with_numbers_that_the_type_has_not(device):
    compare_all([f"x = torch.arange(3, device=device).to(torch.uint8)\nF = torch.nn.functional\n{one}" for one in cases(
        "raises(lambda: F.pad(x, (1, 1), value=-1)) | raises(lambda: F.pad(x, (1, 1), value=256))[0] | F.pad(x, (1, 1), value=1.5)")], device)


def test_padding_that_does_not_fit(device):
    x = torch.ones(2, 3, 4, device=_device_name(device))
    with pytest.raises(RuntimeError, match="Padding size should be less than the corresponding input dimension"):
        F.pad(x, (4, 0), mode="reflect")
    with pytest.raises(RuntimeError, match="wrapping around more than once"):
        F.pad(x, (5, 0), mode="circular")
    with pytest.raises(NotImplementedError, match="Padding size 2 is not supported for 1D input"):
        F.pad(torch.ones(3, device=_device_name(device)), (1, 1), mode="reflect")


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "float16", "float64"])
def test_running_sums_have_the_type_that_is_asked_for(device, dtype):
    x = torch.tensor([[1, 100], [200, 3]], device=_device_name(device))
    kind = getattr(torch, dtype)
    assert torch.cumsum(x, 0, dtype=kind).dtype == torch.cumprod(x, 1, dtype=kind).dtype == kind
    got, want = torch.cumsum(x, 0, dtype=kind).cpu().numpy(), np.cumsum(x.cpu().numpy().astype(dtype), 0, dtype=dtype)
    np.testing.assert_array_equal(got, want)
    with pytest.raises(NotImplementedError, match="cumsum_out_cpu"):
        torch.cumsum(x, 0, dtype=torch.bool)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize(
    "name, mode", [("ReflectionPad", "reflect"), ("ReplicationPad", "edge"), ("CircularPad", "wrap"), ("ZeroPad", "constant")]
)
def test_padding_layers(device, n, name, mode):
    layer = getattr(torch.nn, f"{name}{n}d")(1)
    assert repr(layer) == f"{name}{n}d({(1,) * (2 * n)})" and layer.padding == (1,) * (2 * n)
    values = np.arange(2 * 3 * 4**n, dtype=np.float32).reshape(2, 3, *(4,) * n)
    got = layer(torch.tensor(values, device=_device_name(device)))
    np.testing.assert_array_equal(got.cpu().numpy(), np.pad(values, [(0, 0), (0, 0)] + [(1, 1)] * n, mode=mode))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_constant_padding_layers(device, n):
    layer = getattr(torch.nn, f"ConstantPad{n}d")((1, 2) * n, 3.5)
    assert repr(layer) == f"ConstantPad{n}d(padding={(1, 2) * n}, value=3.5)"
    assert isinstance(getattr(torch.nn, f"ZeroPad{n}d")(2), type(layer)) and getattr(torch.nn, f"ZeroPad{n}d")(2).value == 0
    values = np.ones((3,) * (n + 1), np.float32)
    got = layer(torch.tensor(values, device=_device_name(device)))
    np.testing.assert_array_equal(got.cpu().numpy(), np.pad(values, [(0, 0)] + [(1, 2)] * n, constant_values=3.5))
