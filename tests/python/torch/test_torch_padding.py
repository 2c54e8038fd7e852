"""quern.torch: padding with a tensor's own elements, and running sums in the type that is asked for. NumPy is the oracle."""

import numpy as np
import pytest
import quern.torch as torch
import quern.torch.nn.functional as F
from torch_oracle import _device_name


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
