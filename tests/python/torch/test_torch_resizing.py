"""quern.torch: interpolate() and its layers. PyTorch is the oracle, for values, dtypes, strides, gradients and errors."""

import numpy as np
import pytest
import quern.torch as torch
from arrays import cases
from torch_oracle import _device_name, compare_all

F = torch.nn.functional
HEAD = """
F = torch.nn.functional
def made(*shape, dtype=torch.float64, last=False):
    x = (torch.arange(math.prod(shape), dtype=torch.float64, device=device) * 1.7).sin().reshape(shape) * 3
    x = (x.abs() * 40).to(dtype) if dtype == torch.uint8 else x.to(dtype)
    return x.to(memory_format=torch.channels_last if len(shape) == 4 else torch.channels_last_3d) if last else x
def seen(x, *args, **named):
    y = F.interpolate(x, *args, **named)
    return y, y.stride()
def slopes(x, *args, **named):
    x = x.requires_grad_()
    y = F.interpolate(x, *args, **named)
    first, = torch.autograd.grad((y ** 3).sum(), x, create_graph=True)
    second, = torch.autograd.grad((first * first).sum(), x)
    return first, second
"""
VALUES = """seen(made(2, 3, 5), 8) | seen(made(2, 3, 5), scale_factor=1.7) | seen(made(2, 3, 5), scale_factor=1.7, recompute_scale_factor=True) | seen(made(2, 3, 5), 3, mode="nearest-exact")
seen(made(2, 3, 5), 7, mode="linear") | seen(made(2, 3, 5), 7, mode="linear", align_corners=True) | seen(made(2, 3, 5), 1, mode="linear", align_corners=True) | seen(made(2, 3, 1), 4, mode="linear")
seen(made(2, 3, 5), scale_factor=0.6, mode="linear") | seen(made(2, 3, 5), 2, mode="area") | seen(made(0, 3, 5), 2) | seen(made(1, 2, 4, 6), (3, 9), mode="bilinear")
seen(made(1, 2, 4, 6), (3, 9)) | seen(made(1, 2, 4, 6), (8, 12)) | seen(made(1, 2, 4, 6), scale_factor=(1.7, 0.6), mode="nearest-exact") | seen(made(1, 2, 4, 6), scale_factor=2.3, mode="bicubic")
seen(made(1, 2, 4, 6), (7, 5), mode="bicubic", align_corners=True) | seen(made(1, 2, 4, 6), (3, 9), mode="area") | seen(made(0, 2, 4, 6), (3, 9), mode="bicubic") | seen(made(1, 2, 1, 1), (3, 2), mode="bicubic")
seen(made(1, 2, 9, 8), (3, 5), mode="bilinear", antialias=True) | seen(made(1, 2, 9, 8), (4, 3), mode="bicubic", antialias=True) | seen(made(1, 2, 9, 8), (12, 3), mode="bilinear", antialias=True, align_corners=True)
seen(made(1, 2, 9, 8), scale_factor=0.4, mode="lanczos", antialias=True) | seen(made(1, 2, 9, 40), scale_factor=(1.5, 0.1), mode="bicubic", antialias=True)
seen(made(1, 2, 2, 3, 4), (3, 2, 7)) | seen(made(1, 2, 2, 3, 4), scale_factor=1.7, mode="trilinear") | seen(made(1, 2, 2, 3, 4), (3, 2, 7), mode="trilinear", align_corners=True) | seen(made(1, 2, 4, 3, 4), 2, mode="area")
seen(made(2, 3, 4, 6, last=True), (3, 9)) | seen(made(2, 3, 4, 6, last=True), (3, 9), mode="bilinear") | seen(made(2, 3, 4, 6, last=True), (3, 9), mode="bicubic") | seen(made(2, 3, 9, 6, last=True), (3, 4), mode="bilinear", antialias=True)
seen(made(2, 3, 2, 3, 4, last=True), (3, 2, 7), mode="trilinear") | seen(made(2, 3, 2, 3, 4, last=True), 3) | seen(made(2, 3, 2, 3, 4, last=True), 2, mode="area") | seen(made(2, 3, 4, 6).transpose(2, 3), (3, 9), mode="bilinear")
seen(made(2, 3, 4, 6)[:, :, ::2, 1:], (3, 9), mode="bilinear") | seen(made(2, 3, 4, 6).flip(3), (3, 9), mode="bicubic") | seen(made(1, 20, 3, 4), (5, 5), mode="bilinear") | seen(made(1, 2, 3, 20), (5, 31), mode="bilinear")"""
DTYPES = """seen(made(1, 2, 4, 6, dtype=D), (3, 9)) | seen(made(1, 2, 4, 6, dtype=D), scale_factor=1.7, mode="nearest-exact") | seen(made(1, 2, 4, 6, dtype=D), (7, 5), mode="bilinear")
seen(made(1, 2, 4, 6, dtype=D), (7, 5), mode="bicubic") | seen(made(1, 2, 4, 6, dtype=D, last=True), (3, 4), mode="bilinear") | seen(made(1, 2, 4, 6, dtype=D), scale_factor=1.7, mode="bilinear", align_corners=True)"""
SMOOTHED = """seen(made(1, 2, 9, 8, dtype=D), (4, 5), mode="bilinear", antialias=True) | seen(made(1, 2, 9, 8, dtype=D), (4, 11), mode="bicubic", antialias=True) | seen(made(1, 2, 9, 8, dtype=D), (4, 5), mode="lanczos", antialias=True)"""
GRADIENTS = """slopes(made(2, 3, 5), 8) | slopes(made(2, 3, 5), scale_factor=1.7, mode="linear") | slopes(made(1, 2, 4, 6), (3, 9), mode="bilinear") | slopes(made(1, 2, 4, 6), (3, 9), mode="bicubic")
slopes(made(1, 2, 9, 8), (3, 12), mode="bilinear", antialias=True) | slopes(made(1, 2, 2, 3, 4), (3, 2, 7), mode="trilinear", align_corners=True) | slopes(made(1, 2, 4, 6, last=True), (3, 9), mode="bilinear")"""
ERRORS = """seen(x) | seen(x, 3, scale_factor=2) | seen(x, 3, recompute_scale_factor=True) | seen(x, [3]) | seen(x, scale_factor=[3.0, 2.0, 1.0]) | seen(x, 3, align_corners=True) | seen(x, 3, antialias=True) | seen(x, 3, mode="linear")
seen(x, 3, mode="trilinear") | seen(x, 3, mode="lanczos") | seen(x, 3, mode="lanczos", antialias=True, align_corners=True) | seen(x, 3, mode="no") | seen(x[0], 3, mode="bilinear") | seen(x[0, 0], 3) | seen(x, (0, 3)) | seen(x, (-1, 3), mode="bicubic")
seen(x[:, :, :0], 3) | seen(x[:, :0], 3, mode="bilinear") | seen(x, scale_factor=-1.0) | seen(x, scale_factor=0.1) | seen(x, scale_factor=math.nan) | seen(x.long(), 3) | seen(x.bool(), 3, mode="bilinear") | seen(x.half(), 3, mode="bilinear", antialias=True)
seen(x[0].to(torch.uint8), 3, mode="linear") | seen(x.long(), 3, mode="bicubic")"""
OTHER_TEXTS = """seen(x, size=(2.0, 3)) | seen(x, size=2.5) | seen(x, scale_factor="a")"""
LAYERS = """[nn.Upsample(scale_factor=2), nn.Upsample(size=(3, 5), mode="bilinear", align_corners=True), nn.UpsamplingNearest2d(scale_factor=2), nn.UpsamplingBilinear2d(size=(5, 5))]"""
KEPT = """[f.__dict__[name] for f in (nn.Upsample(scale_factor=2), nn.UpsamplingBilinear2d((3, 4))) for name in ("name", "size", "scale_factor", "mode", "align_corners", "recompute_scale_factor")]"""


def test_values_and_layouts(device):
    compare_all([HEAD + one for one in cases(VALUES)], device)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "uint8"])
def test_dtypes(device, dtype):
    smoothed = [] if dtype in ("float16", "bfloat16") else cases(SMOOTHED)
    far = {} if smoothed else {"rtol": 1e-2, "atol": 2e-2}  # PyTorch rounds what it computes in between
    compare_all([HEAD + f"D = torch.{dtype}\n{one}" for one in cases(DTYPES) + smoothed], device, **far)


def test_gradients(device):
    compare_all([HEAD + one for one in cases(GRADIENTS)], device)


def test_errors(device):
    head = HEAD + "x = torch.ones(1, 2, 4, 5, device=device)\n"
    compare_all([f"{head}raises(lambda: {one})" for one in cases(ERRORS)], device)
    compare_all([f"{head}raises(lambda: {one})[0]" for one in cases(OTHER_TEXTS)], device)


def test_layers(device):
    head = "x = torch.arange(12.0, device=device).reshape(1, 1, 3, 4)\n"
    compare_all([f"{head}[(str(f), f(x)) for f in {one}]" for one in cases(LAYERS)] + cases(KEPT), device)


def test_older_names_warn(device):
    x = torch.arange(4.0, device=_device_name(device)).reshape(1, 1, 2, 2)
    for name, further in (("upsample", {}), ("upsample_nearest", {}), ("upsample_bilinear", {"mode": "bilinear", "align_corners": True})):
        with pytest.warns(UserWarning, match=rf"`nn.functional.{name}` is deprecated") as seen:
            y = getattr(F, name)(x, scale_factor=2)
        assert seen[0].filename == __file__
        assert torch.equal(y, F.interpolate(x, scale_factor=2, **further))


def test_smoothing_of_one_column(device):
    """PyTorch repeats the first element there."""
    x = torch.arange(14.0, device=_device_name(device)).reshape(1, 1, 7, 2)
    wide = F.interpolate(x, size=(11, 2), mode="bilinear", antialias=True)
    assert torch.equal(F.interpolate(x[..., :1], size=(11, 1), mode="bilinear", antialias=True), wide[..., :1])


def test_infinite_elements_stay_where_they_are(device):
    x = torch.zeros(1, 1, 1, 40, device=_device_name(device))
    x[..., 5] = np.inf
    y = F.interpolate(x, size=(1, 9), mode="bicubic", antialias=True)
    assert torch.isfinite(y).sum() >= 6
    assert not torch.isfinite(y[..., 1])


def test_factors_that_leave_a_size(device):
    """Places follow from the factor, also where the size stays; filters leave such an axis as it is."""
    compare_all(
        [
            f"[F.interpolate(torch.arange(n * 1.0, device=device)[None, None], scale_factor={f}, mode={m!r}) for n in (1, 2, 3, 7)]"
            for f in (1.1, 1.3, 1.49, 0.9, 2.3)
            for m in ("nearest", "nearest-exact", "linear")
        ]
        + [
            "x = torch.arange(12.0, device=device).sin().reshape(1, 1, 3, 4)\n"
            f"[F.interpolate(x, scale_factor=({f}, 2.3), mode={m!r}, antialias=a) for a in (False, True)]"
            for f in (1.1, 1.3, 0.7)
            for m in ("bilinear", "bicubic")
        ],
        device,
        rtol=1e-5,
        atol=1e-5,
    )
