"""quern.torch: fold(), unfold(), unpooling, pooling by powers and at random places. PyTorch is the oracle."""

import quern.torch as torch
from arrays import cases
from torch_oracle import _device_name, compare_all

F = torch.nn.functional
HEAD = """
F = torch.nn.functional
def made(*shape, dtype=torch.float64):
    return ((torch.arange(math.prod(shape), dtype=torch.float64, device=device) * 1.7).sin().reshape(shape) * 3).to(dtype)
def laid(y):
    return [(one, one.stride()) for one in (y if isinstance(y, tuple) else (y,))]
def slopes(f, x):
    x = x.requires_grad_()
    first, = torch.autograd.grad((f(x) ** 3).sum(), x, create_graph=True)
    second, = torch.autograd.grad((first * first).sum(), x)
    return first, second
def unpooled(n, x, *args, **named):
    y, places = getattr(F, f"max_pool{n}d")(x, 2, return_indices=True)
    return getattr(F, f"max_unpool{n}d")(y, places, 2, *args, **named)
"""
VALUES = """laid(F.unfold(made(2, 3, 6, 7), 2)) | laid(F.unfold(made(2, 3, 6, 7), (2, 3), dilation=2, padding=1, stride=(1, 2))) | laid(F.unfold(made(3, 6, 7), (1, 7), padding=(2, 0))) | laid(F.unfold(made(0, 3, 6, 7), 2))
laid(F.unfold(made(2, 3, 6, 7)[:, :, ::2].flip(3), 2)) | laid(F.unfold(made(2, 3, 6, 7).to(memory_format=torch.channels_last), 3, stride=3)) | laid(F.unfold(made(2, 3, 6, 7).bool(), 2)) | laid(F.unfold(made(2, 3, 6, 7).to(torch.complex64), 2))
laid(F.unfold(made(2, 3, 6, 7, dtype=torch.bfloat16), 2, padding=1)) | laid(F.fold(made(2, 12, 30), (6, 7), 2)) | laid(F.fold(made(2, 18, 18), (6, 7), (2, 3), dilation=2, padding=1, stride=(1, 2))) | laid(F.fold(made(12, 30), (6, 7), 2))
laid(F.fold(made(0, 12, 30), (6, 7), 2)) | laid(F.fold(made(2, 12, 30).abs() > 1, (6, 7), 2)) | laid(F.fold(made(2, 12, 30).to(torch.complex64), (6, 7), 2)) | laid(F.fold(made(1, 8, 6, dtype=torch.float16), (4, 5), 2, stride=2, padding=1).shape)
laid(unpooled(1, made(2, 3, 8))) | laid(unpooled(1, made(3, 9), output_size=(9,))) | laid(unpooled(2, made(2, 3, 5, 4))) | laid(unpooled(2, made(2, 3, 5, 4), output_size=(2, 3, 5, 4))) | laid(unpooled(3, made(2, 3, 4, 5, 4)))
laid(unpooled(2, made(3, 5, 4, dtype=torch.float16))) | laid(unpooled(2, made(2, 3, 6, 4).to(memory_format=torch.channels_last))) | laid(unpooled(2, made(0, 3, 6, 4))) | laid(F.lp_pool1d(made(2, 3, 9).abs(), 3, 2)) | laid(F.lp_pool1d(made(3, 9), 2.5, 2, 1).isnan())
laid(F.lp_pool2d(made(2, 3, 6, 7), 2, (2, 3), 1, True)) | laid(F.lp_pool2d(made(2, 3, 6, 7), math.inf, 2)) | laid(F.lp_pool2d(made(2, 3, 6, 7), -math.inf, 2)) | laid(F.lp_pool3d(made(2, 3, 6, 7, 4), 4.0, 2)) | laid(F.lp_pool2d(made(2, 3, 6, 6) + 9, -1, 2))
laid(F.lp_pool2d(made(2, 3, 6, 6, dtype=torch.float32), 2, 3)) | laid(F.lp_pool1d(made(0, 3, 9), 2, 2)) | laid(F.fractional_max_pool2d(made(2, 3, 9, 7), 2, (4, 3), return_indices=True, _random_samples=made(2, 3, 2).abs() / 3))
laid(F.fractional_max_pool2d(made(3, 9, 7), (2, 3), output_ratio=(0.5, 0.7), return_indices=True, _random_samples=made(1, 3, 2).abs() / 3)) | laid(F.fractional_max_pool2d(made(2, 3, 9, 7), 2, 1, _random_samples=made(2, 3, 2).abs() / 3))
laid(F.fractional_max_pool3d_with_indices(made(2, 3, 9, 7, 8), 2, (4, 3, 5), _random_samples=made(2, 3, 3).abs() / 3)) | F.fractional_max_pool2d(made(2, 3, 7, 7), 2, 0).shape | F.fractional_max_pool2d(made(2, 3, 7, 7, dtype=torch.float16), 2, 3).shape
laid(F.fractional_max_pool2d_with_indices(made(2, 3, 9, 7, dtype=torch.float32), 3, (4, 3), _random_samples=made(2, 3, 2, dtype=torch.float32).abs() / 3)) | F.fractional_max_pool2d(made(0, 3, 7, 7), 2, 3).shape
laid(F.max_pool1d_with_indices(made(2, 3, 9), 2)) | laid(F.max_pool2d_with_indices(made(2, 3, 9, 8), 2, 1, return_indices=False)) | laid(F.max_pool3d_with_indices(made(2, 3, 4, 5, 6), 2)) | laid(torch.max_pool1d_with_indices(made(2, 3, 9), 2))
laid(F.adaptive_max_pool1d_with_indices(made(2, 3, 9), 2)) | laid(F.adaptive_max_pool2d_with_indices(made(2, 3, 9, 8), 2)) | laid(F.adaptive_max_pool3d_with_indices(made(2, 3, 4, 5, 6), 2)) | laid(torch.adaptive_max_pool1d(made(2, 3, 9), 2))"""
GRADIENTS = """slopes(lambda x: F.unfold(x, (2, 3), padding=1), made(2, 3, 4, 5)) | slopes(lambda x: F.fold(x, (4, 5), 2, padding=1, stride=2), made(2, 8, 6)) | slopes(lambda x: unpooled(2, x), made(2, 3, 4, 5))
slopes(lambda x: F.lp_pool2d(x, 3, 2), made(2, 3, 4, 5) + 4) | slopes(lambda x: F.fractional_max_pool2d(x, 2, 3, _random_samples=made(2, 3, 2).abs() / 3), made(2, 3, 7, 7)) | slopes(lambda x: F.max_pool2d_with_indices(x, 2)[0], made(2, 3, 4, 5))
torch.autograd.grad(F.max_unpool1d(x := made(1, 1, 4).requires_grad_(), torch.zeros(1, 1, 4, dtype=torch.int64, device=device), 2).sum(), x)"""
ERRORS = """F.unfold(x, 9) | F.unfold(x, 0) | F.unfold(x, 2, stride=0) | F.unfold(x, 2, padding=-1) | F.unfold(x, 2, dilation=0) | F.unfold(x, (1, 2, 3)) | F.unfold(x[:, :0], 2) | F.unfold(x.long(), 2) | F.fold(y, (5, 7), 2) | F.fold(y, (6, 7), 5)
F.fold(y, (6, 7), 0) | F.fold(y, (0, 7), 2) | F.fold(y, (6, 7), 2, stride=0) | F.fold(y.long(), (6, 7), 2) | F.fold(y[0, 0], (6, 7), 2) | F.fold(y[:, :, :0], (6, 7), 2) | F.max_unpool2d(x, x, 2)
F.max_unpool2d(x, (x > 9).long()[:1], 2) | F.max_unpool2d(x[0, 0], x[0, 0].long(), 2) | F.max_unpool2d(x, x.long(), 2, output_size=(1, 1, 1)) | F.max_unpool2d(x.long(), x.long(), 2)
F.max_unpool2d(x, x.long() + 1000, 2).sum().item() | F.max_unpool1d(x[0], x[0].long() - 5, 2).sum().item() | F.max_unpool3d(x, x.long(), 2, stride=0) | F.max_unpool2d(x, x.long(), 2, padding=99) | F.lp_pool2d(x, 0, 2) | F.lp_pool2d(x, 2, 9)
F.fractional_max_pool2d(x, 2) | F.fractional_max_pool2d(x, 9, 3) | F.fractional_max_pool2d(x, 2, 7) | F.fractional_max_pool2d(x, 0, 3) | F.fractional_max_pool2d(x, 2, 3, _random_samples=x[0, :, :2, :2]) | F.fractional_max_pool2d(x, 2, output_ratio=(1, 1, 1))
F.fractional_max_pool2d(x, 2, 3, _random_samples=torch.ones(2, 3, 1, device=device)) | F.fractional_max_pool2d(x, 2, 3, _random_samples=torch.ones(2, 3, 2, device=device).double()) | F.fractional_max_pool2d(x, (1, 2, 3), 3)
nn.FractionalMaxPool2d(2) | nn.FractionalMaxPool2d(2, 3, 0.5) | nn.FractionalMaxPool3d(2, output_ratio=1.5) | nn.FractionalMaxPool3d(0, 2) | nn.LPPool2d(0, 2)"""
LAYERS = """nn.Unfold(2, padding=1) | nn.Unfold((2, 3), 2, 1, 2) | nn.LPPool2d(2, 3) | nn.LPPool2d(2.0, (2, 3), stride=1, ceil_mode=True) | nn.FractionalMaxPool2d(2, 3, _random_samples=torch.ones(2, 3, 2, device=device) / 2)
nn.FractionalMaxPool2d((2, 3), output_ratio=0.5, return_indices=True, _random_samples=torch.ones(2, 3, 2, device=device) / 3)"""


def test_values_and_layouts(device):
    compare_all([HEAD + one for one in cases(VALUES)], device)


def test_gradients(device):
    compare_all([HEAD + one for one in cases(GRADIENTS)], device)


def test_errors(device):
    head = "F = torch.nn.functional\nx, y = torch.ones(2, 3, 6, 7, device=device), torch.ones(2, 12, 30, device=device)\n"
    compare_all([f"{head}raises(lambda: {one})" for one in cases(ERRORS)], device)


def test_layers(device):
    head = "x = torch.arange(252.0, device=device).sin().reshape(2, 3, 6, 7)\n"
    compare_all([f"{head}f = {one}\nstr(f), f(x)" for one in cases(LAYERS)], device)
    compare_all(
        [
            head + "y, places = nn.MaxPool2d(2, return_indices=True)(x)\nf = nn.MaxUnpool2d(2)\nstr(f), f(y, places), f(y, places, (6, 7))",
            head + "f = nn.Fold((6, 7), 2)\nstr(f), f(nn.Unfold(2)(x))",
            head + "y, places = nn.MaxPool1d(2, return_indices=True)(x[0])\nf = nn.MaxUnpool1d((2,))\nstr(f), f(y, places)",
        ],
        device,
    )


def test_windows_begin_at_random_places(device):
    """All of them lie inside, and the last one ends at the border."""
    torch.manual_seed(5)
    x = torch.arange(2.0 * 9 * 8, device=_device_name(device)).reshape(1, 2, 9, 8)
    seen = set()
    for _ in range(20):
        y, places = F.fractional_max_pool2d(x, 2, output_size=(4, 3), return_indices=True)
        assert torch.equal(y, x.flatten(2).gather(2, places.flatten(2)).reshape(y.shape))
        assert y[0, 0, -1, -1] == 71
        seen.add(tuple(places[0, 0, :, 0].tolist()))
    assert len(seen) > 1
