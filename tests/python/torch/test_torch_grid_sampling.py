"""quern.torch: grid_sample(), affine_grid() and the functions below them. PyTorch is the oracle."""

import pytest
import quern.torch as torch
from arrays import cases
from torch_oracle import _device_name, compare_all

F = torch.nn.functional
HEAD = """
F = torch.nn.functional
def made(*shape, dtype=torch.float64):
    return ((torch.arange(math.prod(shape), dtype=torch.float64, device=device) * 1.7).sin().reshape(shape) * 3).to(dtype)
def grid(*shape, dtype=torch.float64, by=0.55):
    return (made(*shape) * by + 0.031).to(dtype)
def laid(y):
    return y, y.stride()
def slopes(x, g, *args):
    x, g = x.requires_grad_(), g.requires_grad_()
    y = F.grid_sample(x, g, *args)
    return torch.autograd.grad((y ** 3).sum(), (x, g))
"""
MODES = """laid(F.grid_sample(made(2, 3, 4, 5), grid(2, 3, 6, 2), MODE, PAD, CORNERS)) | laid(F.grid_sample(made(2, 3, 1, 7, dtype=torch.float32), grid(2, 5, 1, 2, dtype=torch.float32), MODE, PAD, CORNERS))
laid(F.grid_sample(made(1, 2, 3, 4, 5), grid(1, 2, 3, 2, 3), MODE, PAD, CORNERS)) | slopes(made(2, 3, 4, 5), grid(2, 3, 6, 2), MODE, PAD, CORNERS) | laid(F.grid_sample(made(1, 2, 5, 4), grid(1, 4, 4, 2, by=2.9), MODE, PAD, CORNERS))"""
VALUES = """laid(F.grid_sample(made(2, 3, 4, 5).to(memory_format=torch.channels_last), grid(2, 3, 6, 2), align_corners=False)) | laid(F.grid_sample(made(2, 3, 4, 5), grid(2, 3, 6, 2).flip(1), align_corners=True))
laid(F.grid_sample(made(0, 3, 4, 5), grid(0, 3, 6, 2), align_corners=False)) | F.grid_sample(made(2, 0, 4, 5), grid(2, 3, 6, 2), align_corners=False).shape | F.grid_sample(made(2, 3, 4, 5), grid(2, 0, 6, 2), align_corners=False).shape
laid(torch.grid_sampler(made(2, 3, 4, 5), grid(2, 3, 6, 2), 0, 1, True)) | laid(torch.grid_sampler_2d(made(2, 3, 4, 5), grid(2, 3, 6, 2), 2, 2, False)) | laid(torch.grid_sampler_3d(made(1, 2, 3, 4, 5), grid(1, 2, 3, 2, 3), 1, 0, False))
slopes(made(1, 2, 3, 4, 5), grid(1, 2, 3, 2, 3), "bilinear", "zeros", False) | laid(F.affine_grid(made(2, 2, 3), (2, 3, 4, 5), False)) | laid(F.affine_grid(made(2, 2, 3), torch.Size((2, 3, 4, 5)), align_corners=True)) | laid(F.affine_grid(made(2, 3, 4), (2, 3, 2, 4, 5), True))
laid(F.affine_grid(made(2, 2, 3, dtype=torch.float32), (2, 3, 4, 5), False)) | F.affine_grid(made(2, 2, 3), (2, 3, 1, 5), align_corners=False) | laid(torch.affine_grid_generator(made(2, 3, 4), (2, 3, 2, 4, 5), False)) | torch.autograd.grad((F.affine_grid(t := made(2, 2, 3).requires_grad_(), (2, 3, 4, 5), False) ** 2).sum(), t)
laid(torch.native_channel_shuffle(made(2, 6, 2, 3), 3)) | laid(F.native_channel_shuffle(made(2, 6, 2, 3), 2)) | laid(torch.channel_shuffle(made(2, 6, 2, 3).to(memory_format=torch.channels_last), 3))"""
ERRORS = """F.grid_sample(x, g, "no") | F.grid_sample(x, g, padding_mode="no") | F.grid_sample(x, g[:1], align_corners=False) | F.grid_sample(x, g[..., :1], align_corners=False) | F.grid_sample(x, g.double(), align_corners=False)
F.grid_sample(x[0], g[0], align_corners=False) | F.grid_sample(x[:, :, :0], g, align_corners=False) | F.grid_sample(x.long(), g.long(), align_corners=False) | torch.grid_sampler_2d(x[None], g[None], 1, 0, False) | torch.grid_sampler_3d(x, g, 1, 0, False)
F.affine_grid(t, (3, 3, 4, 5), False) | F.affine_grid(t[0], (2, 3, 4, 5), False) | F.affine_grid(t.long(), (2, 3, 4, 5), False) | F.affine_grid(t, (2, 3, 4), False) | F.affine_grid(t, (2, 3, 4, 5, 6), False) | F.affine_grid(t, (2, 3, 0, 5), False)
torch.affine_grid_generator(t, (2, 3, 4), True) | torch.native_channel_shuffle(x, 2) | torch.native_channel_shuffle(x, 0)"""


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_modes(device, mode, padding):
    texts = [one.replace("MODE", repr(mode)).replace("PAD", repr(padding)) for one in cases(MODES)]
    compare_all([HEAD + one.replace("CORNERS", corners) for one in texts for corners in ("False", "True")], device)


def test_values_and_layouts(device):
    compare_all([HEAD + one for one in cases(VALUES)], device)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves(device, dtype):
    text = f"laid(F.grid_sample(made(2, 3, 4, 5, dtype=torch.{dtype}), grid(2, 3, 6, 2, dtype=torch.{dtype}), align_corners=True))"
    compare_all([HEAD + text], device, rtol=2e-2, atol=4e-2)


def test_second_derivatives(device):
    """Compared with differences: PyTorch has none."""
    x = torch.arange(60.0, dtype=torch.float64, device=_device_name(device)).sin().reshape(1, 3, 4, 5).requires_grad_()
    grid = (torch.arange(24.0, dtype=torch.float64, device=_device_name(device)).cos().reshape(1, 3, 4, 2) * 0.77).requires_grad_()
    assert torch.autograd.gradgradcheck(lambda x, grid: F.grid_sample(x, grid, align_corners=False), (x, grid))


def test_errors(device):
    head = "F = torch.nn.functional\nx, g, t = torch.ones(2, 3, 4, 5, device=device), torch.ones(2, 3, 6, 2, device=device), torch.ones(2, 2, 3, device=device)\n"
    compare_all([f"{head}raises(lambda: {one})" for one in cases(ERRORS)], device)


def test_warnings(device):
    x, grid = torch.ones(1, 1, 2, 2, device=_device_name(device)), torch.zeros(1, 1, 1, 2, device=_device_name(device))
    with pytest.warns(UserWarning, match="align_corners=False since 1.3.0"):
        F.grid_sample(x, grid)
    theta = torch.ones(1, 2, 3, device=_device_name(device))
    with pytest.warns(UserWarning, match="align_corners=False since 1.3.0"):
        F.affine_grid(theta, (1, 1, 2, 2))
    with pytest.warns(UserWarning, match="unit-size grids"):
        F.affine_grid(theta, (1, 1, 1, 2), align_corners=True)
