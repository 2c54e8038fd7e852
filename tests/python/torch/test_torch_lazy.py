"""Lazy layers: the first call gives parameters their shapes and the layer its class, as in PyTorch."""

import pytest
from quern import torch
from torch_oracle import compare_all

CALLS = {
    "LazyLinear(4)": "2, 3",
    "LazyLinear(4, bias=False)": "3",
    "LazyConv1d(4, 2)": "2, 3, 5",
    "LazyConv2d(4, 2, padding=1)": "2, 3, 5, 5",
    "LazyConv2d(4, (2, 3), groups=2)": "6, 5, 5",
    "LazyConv3d(2, 2, bias=False)": "1, 3, 4, 4, 4",
    "LazyConvTranspose1d(4, 2)": "2, 3, 5",
    "LazyConvTranspose2d(4, 2, stride=2)": "2, 3, 5, 5",
    "LazyConvTranspose3d(2, 2)": "1, 3, 4, 4, 4",
    "LazyBatchNorm1d()": "4, 3",
    "LazyBatchNorm2d(affine=False)": "4, 3, 2, 2",
    "LazyBatchNorm3d(momentum=None)": "4, 3, 2, 2, 2",
    "LazyInstanceNorm1d(affine=True)": "4, 3, 5",
    "LazyInstanceNorm2d(track_running_stats=True)": "4, 3, 2, 2",
    "LazyInstanceNorm3d()": "4, 3, 2, 2, 2",
}


@pytest.mark.parametrize("layer", CALLS)
def test_first_calls(layer):
    make = f"m = nn.{layer}\nx = torch.linspace(-1, 1, torch.Size(({CALLS[layer]},)).numel()).reshape({CALLS[layer]})\n"
    compare_all(
        [
            make + "[type(m).__name__, m(x).shape, type(m).__name__, repr(m), [p.shape for p in m.parameters()], sorted(m.state_dict())]",
            make + "m(x)\nm(x).sum().backward()\n[p.grad.shape for p in m.parameters()]",
            make + "m(x)\nfor p in m.parameters():\n    p.data = torch.linspace(-1, 1, p.numel()).reshape(p.shape)\nm(x)",
            make + "m.eval()(x).shape",
        ]
    )


def test_parameters_before_the_first_call():
    compare_all(
        [
            "m = nn.LazyLinear(3)\n[repr(m), m.has_uninitialized_params(), type(m.weight).__name__, repr(m.weight)]",
            "m = nn.LazyLinear(3)\nraises(lambda: m.weight.shape)",
            "m = nn.LazyLinear(3)\nm.load_state_dict({'weight': torch.ones(3, 2), 'bias': torch.zeros(3)})\n[m(torch.ones(1, 2)), repr(m)]",
            "m = nn.Sequential(nn.LazyConv2d(2, 3), nn.Flatten(), nn.LazyLinear(2))\n[m(torch.ones(1, 1, 5, 5)).shape, repr(m)]",
            "m = nn.LazyLinear(3)\no = optim.SGD(m.parameters(), lr=0.5)\ny = m(torch.ones(1, 2))\nbefore = m.weight.detach().clone()\n"
            "y.sum().backward()\no.step()\nbefore - m.weight.detach()",
        ]
    )


def test_dtypes_are_kept():
    layer = torch.nn.LazyLinear(2, dtype=torch.float64)
    assert layer(torch.ones(1, 3, dtype=torch.float64)).dtype == torch.float64
    assert layer.weight.dtype == torch.float64
    later = torch.nn.LazyLinear(2).double()
    assert later(torch.ones(1, 3, dtype=torch.float64)).dtype == torch.float64


def test_running_values_are_loaded():
    trained = torch.nn.LazyBatchNorm1d()
    trained(torch.tensor([[1.0, 2.0, 5.0], [3.0, 2.0, 1.0]]))
    layer = torch.nn.LazyBatchNorm1d()
    layer.load_state_dict(trained.state_dict())
    assert layer(torch.ones(2, 3)).shape == (2, 3)
    assert layer.running_mean.shape == (3,)


def test_uninitialized_parameters_are_not_counted():
    with pytest.raises(ValueError, match="uninitialized parameter"):
        sum(p.numel() for p in torch.nn.LazyLinear(3).parameters())
