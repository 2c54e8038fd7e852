"""Convolutions and pooling: values compared with sums in NumPy, gradients with differences, layouts, and what is refused."""

import itertools

import numpy as np
import pytest
from quern import torch
from torch_oracle import compare_all

F = torch.nn.functional


def each(value, axes):
    return (value,) * axes if isinstance(value, int) else tuple(value)


def convolved(x, w, b=None, stride=1, padding=0, dilation=1, groups=1):
    """The definition, an element of the kernel at a time."""
    axes = x.ndim - 2
    stride, padding, dilation = each(stride, axes), each(padding, axes), each(dilation, axes)
    x = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    kernel = w.shape[2:]
    out = [(n - d * (k - 1) - 1) // s + 1 for n, d, k, s in zip(x.shape[2:], dilation, kernel, stride, strict=True)]
    y = np.zeros((x.shape[0], w.shape[0], *out), np.result_type(x, w))
    inner, results = w.shape[1], w.shape[0] // groups
    for at in np.ndindex(*kernel):
        part = tuple(slice(a * d, a * d + (n - 1) * s + 1, s) for a, d, n, s in zip(at, dilation, out, stride, strict=True))
        seen = x[(slice(None), slice(None), *part)]
        for g in range(groups):
            mine, theirs = slice(g * results, (g + 1) * results), slice(g * inner, (g + 1) * inner)
            y[:, mine] += np.einsum("nc...,oc->no...", seen[:, theirs], w[(mine, slice(None), *at)])
    return y if b is None else y + b.reshape(-1, *(1,) * axes)


CASES = [
    # x, w, stride, padding, dilation, groups
    ((2, 3, 9), (4, 3, 3), 1, 0, 1, 1),
    ((2, 4, 11), (6, 2, 4), 2, 3, 2, 2),
    ((1, 1, 5), (1, 1, 5), 1, 0, 1, 1),
    ((2, 3, 8, 9), (4, 3, 3, 3), 1, 1, 1, 1),
    ((3, 3, 8, 9), (5, 3, 3, 2), (2, 1), (0, 2), (1, 3), 1),
    ((2, 4, 6, 7), (4, 1, 3, 3), 1, 1, 1, 4),
    ((2, 4, 6, 7), (8, 2, 1, 1), 1, 0, 1, 2),
    ((2, 5, 6, 6), (7, 5, 1, 1), 2, 0, 1, 1),
    ((2, 2, 30, 31), (3, 2, 5, 5), 3, 2, 1, 1),
    ((1, 2, 100, 40), (3, 2, 3, 3), 1, 1, 1, 1),
    ((70, 2, 4, 4), (3, 2, 3, 3), 1, 1, 1, 1),
    ((2, 3, 5, 6, 7), (4, 3, 2, 3, 2), (1, 2, 1), (1, 0, 2), (2, 1, 1), 1),
    ((2, 2, 4, 4, 4), (2, 1, 3, 3, 3), 1, 1, 1, 2),
]


def numbers(shape, seed, dtype="float64"):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_convolutions_are_sums_of_products(device, case, dtype):
    shape, kernel, stride, padding, dilation, groups = CASES[case]
    x, w, b = numbers(shape, 1, dtype), numbers(kernel, 2, dtype), numbers(kernel[:1], 3, dtype)
    conv = getattr(F, f"conv{len(shape) - 2}d")
    y = conv(*(torch.tensor(a, device=device) for a in (x, w, b)), stride, padding, dilation, groups)
    tolerance = 1e-4 if dtype in ("float32", "complex64") else 1e-11
    assert str(y.dtype) == f"torch.{dtype}"
    np.testing.assert_allclose(y.cpu().numpy(), convolved(x, w, b, stride, padding, dilation, groups), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_channels_last_gives_the_same_in_that_order(device, case):
    shape, kernel, stride, padding, dilation, groups = CASES[case]
    if len(shape) != 4:
        pytest.skip("images")
    x, w = numbers(shape, 1, "float32"), numbers(kernel, 2, "float32")
    wanted = convolved(x, w, None, stride, padding, dilation, groups)
    for x_last, w_last in itertools.product((False, True), repeat=2):
        tx, tw = torch.tensor(x, device=device, requires_grad=True), torch.tensor(w, device=device, requires_grad=True)
        ax = tx.contiguous(memory_format=torch.channels_last) if x_last else tx
        aw = tw.contiguous(memory_format=torch.channels_last) if w_last else tw
        y = F.conv2d(ax, aw, None, stride, padding, dilation, groups)
        np.testing.assert_allclose(y.detach().cpu().numpy(), wanted, rtol=1e-4, atol=1e-4)
        if x_last and shape[1] > 1:
            assert y.is_contiguous(memory_format=torch.channels_last)
        seed = torch.tensor(numbers(wanted.shape, 5, "float32"), device=device)
        gx, gw = torch.autograd.grad(y, (tx, tw), seed)
        if not (x_last or w_last):
            first = gx.cpu().numpy(), gw.cpu().numpy()
        np.testing.assert_allclose(gx.cpu().numpy(), first[0], rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(gw.cpu().numpy(), first[1], rtol=1e-4, atol=1e-4)


SMALL = [
    ((2, 2, 5), (2, 2, 3), 2, 1, 1, 1),
    ((2, 2, 4, 5), (4, 1, 2, 3), (1, 2), (1, 0), (2, 1), 2),
    ((2, 3, 3, 3), (2, 3, 1, 1), 1, 0, 1, 1),
    ((1, 2, 3, 3, 3), (2, 2, 2, 2, 2), 1, 1, 1, 1),
]


@pytest.mark.parametrize("case", range(len(SMALL)))
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_gradients_of_first_and_second_order(device, case, dtype):
    shape, kernel, stride, padding, dilation, groups = SMALL[case]
    x, w, b = (torch.tensor(numbers(s, i, dtype), device=device, requires_grad=True) for i, s in enumerate((shape, kernel, kernel[:1])))
    conv = getattr(F, f"conv{len(shape) - 2}d")
    call = lambda x, w, b: conv(x, w, b, stride, padding, dilation, groups)  # noqa: E731
    assert torch.autograd.gradcheck(call, (x, w, b))
    assert torch.autograd.gradgradcheck(call, (x, w, b))


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_transposed_convolutions_are_gradients_of_convolutions(device, axes):
    for stride, padding, more, groups, dilation in [(1, 0, 0, 1, 1), (2, 1, 1, 2, 1), (3, 2, 2, 1, 2)]:
        x, w = numbers((2, 4, *(5,) * axes), 1), numbers((4, 6 // groups, *(3,) * axes), 2)
        transposed, conv = getattr(F, f"conv_transpose{axes}d"), getattr(F, f"conv{axes}d")
        tx, tw = torch.tensor(x, device=device), torch.tensor(w, device=device)
        y = transposed(tx, tw, None, stride, padding, more, groups, dilation)
        size = (5 - 1) * stride - 2 * padding + dilation * 2 + more + 1
        assert y.shape == (2, 6, *(size,) * axes)
        zeros = torch.zeros(y.shape, dtype=torch.float64, device=device, requires_grad=True)
        (wanted,) = torch.autograd.grad(conv(zeros, tw, None, stride, padding, dilation, groups), zeros, tx)
        np.testing.assert_allclose(y.cpu().numpy(), wanted.cpu().numpy(), rtol=1e-11, atol=1e-11)


def test_gradients_of_transposed_convolutions(device):
    x = torch.tensor(numbers((1, 2, 3, 3), 1), device=device, requires_grad=True)
    w = torch.tensor(numbers((2, 2, 2, 2), 2), device=device, requires_grad=True)
    b = torch.tensor(numbers((2,), 3), device=device, requires_grad=True)
    call = lambda x, w, b: F.conv_transpose2d(x, w, b, 2, 1, 1)  # noqa: E731
    assert torch.autograd.gradcheck(call, (x, w, b))
    assert torch.autograd.gradgradcheck(call, (x, w, b))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_summed_in_float32(device, dtype):
    x, w = numbers((2, 16, 12, 12), 1, "float32"), numbers((8, 16, 3, 3), 2, "float32")
    tx, tw = (torch.tensor(a, device=device).to(getattr(torch, dtype)) for a in (x, w))
    y = F.conv2d(tx, tw, padding=1)
    assert y.dtype == tx.dtype
    wanted = convolved(tx.float().cpu().numpy(), tw.float().cpu().numpy(), padding=1)
    scale = 2**-10 if dtype == "float16" else 2**-7
    np.testing.assert_allclose(y.float().cpu().numpy(), wanted, rtol=scale, atol=scale * 30)


def test_padding_by_name_and_without_samples(device):
    x, w = torch.rand(3, 10, 11, device=device), torch.rand(4, 3, 4, 3, device=device)
    same = F.conv2d(x, w, padding="same", dilation=(1, 2))
    assert same.shape == (4, 10, 11)
    around = F.pad(x, (2, 2, 1, 2))
    np.testing.assert_allclose(same.cpu().numpy(), F.conv2d(around, w, dilation=(1, 2)).cpu().numpy(), rtol=1e-5, atol=1e-5)
    assert F.conv2d(x, w, padding="valid").shape == (4, 7, 9)


def test_nothing_among_the_operands(device):
    w = torch.rand(4, 3, 3, 3, device=device, requires_grad=True)
    y = F.conv2d(torch.zeros(0, 3, 8, 8, device=device), w)
    assert y.shape == (0, 4, 6, 6)
    y.sum().backward()
    assert w.grad.abs().sum() == 0
    assert F.conv2d(torch.zeros(2, 0, 8, 8, device=device), torch.zeros(4, 0, 3, 3, device=device)).abs().sum() == 0


WRONG = [
    (lambda x, w: F.conv2d(x[0, 0], w), RuntimeError, r"Expected 3D \(unbatched\) or 4D \(batched\) input to conv2d"),
    (lambda x, w: F.conv2d(x[:, :2], w), RuntimeError, "to have 3 channels, but got 2 channels instead"),
    (lambda x, w: F.conv2d(x, w, groups=3), RuntimeError, "expected weight to be divisible by 3 at dimension 0"),
    (lambda x, w: F.conv2d(x, w, groups=0), RuntimeError, "non-positive groups is not supported"),
    (lambda x, w: F.conv2d(x, w, stride=0), RuntimeError, "non-positive stride is not supported"),
    (lambda x, w: F.conv2d(x, w, stride=(1, 2, 3)), RuntimeError, "expected stride to be a single integer value or a list of 2 values"),
    (lambda x, w: F.conv2d(x, w, padding=-1), RuntimeError, "negative padding is not supported"),
    (lambda x, w: F.conv2d(x, w, padding="full"), RuntimeError, "Invalid padding string: 'full'"),
    (lambda x, w: F.conv2d(x, w, padding="same", stride=2), RuntimeError, "padding='same' is not supported for strided convolutions"),
    (lambda x, w: F.conv2d(x, w, dilation=0), RuntimeError, "non-positive dilation is not supported"),
    (lambda x, w: F.conv2d(x[..., :2], w), RuntimeError, "Kernel size can't be greater than actual input size"),
    (lambda x, w: F.conv2d(x, w, x[0, 0, 0]), RuntimeError, "expected bias to be 1-dimensional with 4 elements"),
    (lambda x, w: F.conv2d(x.double(), w), RuntimeError, "should be the same"),
    (lambda x, w: F.conv2d(x.bool(), w.bool()), NotImplementedError, "not supported"),
    (lambda x, w: F.conv2d(x, w, padding=1.5), TypeError, "padding"),
    (lambda x, w: F.conv2d(x, [1]), TypeError, "conv2d"),
    (lambda x, w: F.conv_transpose2d(x, w), RuntimeError, "to have 4 channels, but got 3 channels instead"),
    (lambda x, w: F.conv_transpose2d(x, w[:3], output_padding=1), RuntimeError, "output padding must be smaller"),
    (lambda x, w: torch.nn.Conv2d(3, 4, 3, groups=2), ValueError, "in_channels must be divisible by groups"),
    (lambda x, w: torch.nn.Conv2d(4, 3, 3, groups=2), ValueError, "out_channels must be divisible by groups"),
    (lambda x, w: torch.nn.Conv2d(3, 4, 3, padding="full"), ValueError, "Invalid padding string 'full'"),
    (lambda x, w: torch.nn.Conv2d(3, 4, 3, padding_mode="wrap"), ValueError, "padding_mode must be one of"),
    (lambda x, w: torch.nn.ConvTranspose2d(3, 4, 3, padding_mode="reflect"), ValueError, 'Only "zeros" padding mode'),
    (lambda x, w: torch.nn.ConvTranspose2d(3, 4, 3, stride=2)(x, (40, 40)), ValueError, "requested an output size"),
    (lambda x, w: F.max_pool2d(x, 9), RuntimeError, "Output size is too small"),
    (lambda x, w: F.max_pool2d(x, 0), RuntimeError, "stride should not be zero"),
    (lambda x, w: F.max_pool2d(x, 2, padding=2), RuntimeError, "pad should be at most half of effective kernel size"),
    (lambda x, w: F.max_pool2d(x, (2, 2, 2)), RuntimeError, "kernel_size must either be a single int, or a tuple of two ints"),
    (lambda x, w: F.avg_pool2d(x, 2, divisor_override=0), RuntimeError, "divisor must be not zero"),
    (lambda x, w: F.adaptive_avg_pool2d(x, -1), RuntimeError, "must be greater than or equal to 0"),
    (lambda x, w: F.adaptive_avg_pool2d(x.long(), 2), NotImplementedError, "not implemented for 'Long'"),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_wrong_arguments_raise_as_in_pytorch(device, case):
    call, error, text = WRONG[case]
    with pytest.raises(error, match=text):
        call(torch.ones(2, 3, 8, 8, device=device), torch.ones(4, 3, 3, 3, device=device))


def test_layers_show_themselves_and_learn(device):
    torch.manual_seed(0)
    layer = torch.nn.Conv2d(3, 4, (3, 5), 2, 1, 2, bias=False)
    assert repr(layer) == "Conv2d(3, 4, kernel_size=(3, 5), stride=(2, 2), padding=(1, 1), dilation=(2, 2), bias=False)"
    assert repr(torch.nn.ConvTranspose1d(2, 4, 3, groups=2)) == "ConvTranspose1d(2, 4, kernel_size=(3,), stride=(1,), groups=2)"
    assert list(torch.nn.Conv1d(2, 4, 3).state_dict()) == ["weight", "bias"]
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, 4, 3, padding=1, padding_mode="circular"),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(4, 8, 3, padding="same"),
        torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.Linear(8, 2),
    ).to(torch.zeros(1, device=device).device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    x = torch.zeros(32, 1, 8, 8, device=device)
    x[:16, :, ::2] = 1  # rows, and columns
    x[16:, :, :, ::2] = 1
    y = torch.arange(32, device=device) // 16
    for _ in range(60):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.05


def test_integers(device):
    """On the CPU as PyTorch: modulo 2**64, or in the dtype; dilated and transposed ones of int64 alone."""
    if device.kind != "cpu":
        with pytest.raises(NotImplementedError):
            F.conv1d(torch.ones(1, 1, 3, dtype=torch.int64, device=device), torch.ones(1, 1, 2, dtype=torch.int64, device=device))
        return
    head = "F = torch.nn.functional\ndef made(dtype, count, *sizes):\n    return ((torch.arange(math.prod(sizes)) * 7 % count - count // 2).reshape(sizes)).to(dtype)\n"
    calls = []
    for dtype in ("int64", "int32", "int16", "int8", "uint8"):
        for n in (1, 2, 3):
            x, w = f"made(torch.{dtype}, 11, 2, 4, {'5, ' * n})", f"made(torch.{dtype}, 50, 6, 4, {'3, ' * n})"
            calls += [f"F.conv{n}d({x}, {w})", f"F.conv{n}d({x}, {w}, torch.arange(6).to(torch.{dtype}), 2, 1)", f"F.conv{n}d({x}, {w}[:, :2], padding='same', groups=2)"]
            calls += [f"F.conv{n}d({x}[0], {w})", f"F.conv{n}d({x}, {w}[:4, :1], None, 3, 2, 1, 4)", f"F.conv{n}d({x}[:0], {w})"]
            other = [f"F.conv{n}d({x}, {w}, None, 1, 2, 2)", f"F.conv_transpose{n}d({x}, {w}.transpose(0, 1), torch.arange(6).to(torch.{dtype}), 2, 1, 1)"]
            other += [f"F.conv_transpose{n}d({x}, {w}[:4, :2], None, 1, 2, 0, 2)", f"F.conv_transpose{n}d({x}, {w}.transpose(0, 1), None, 3, 0, 2, 1, 2)"]
            calls += other if dtype == "int64" else [f"raises(lambda: {one})[0]" for one in other]
    calls += ["F.conv1d(torch.full((1, 1, 3), 2**62), torch.full((1, 1, 2), 3))", "raises(lambda: F.conv1d(torch.ones(1, 1, 3) > 0, torch.ones(1, 1, 2) > 0))[0]"]
    compare_all([head + call for call in calls], device)


# ---- pooling


def pooled(x, f, size, stride, padding, dilation, fill):
    axes = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)], constant_values=fill)
    out = [(n - d * (k - 1) - 1) // s + 1 for n, d, k, s in zip(x.shape[2:], dilation, size, stride, strict=True)]
    y = np.empty((*x.shape[:2], *out), x.dtype)
    for at in np.ndindex(*out):
        part = tuple(slice(a * s, a * s + d * (k - 1) + 1, d) for a, s, d, k in zip(at, stride, dilation, size, strict=True))
        y[(..., *at)] = f(x[(slice(None), slice(None), *part)], axis=tuple(range(2, 2 + axes)))
    return y


@pytest.mark.parametrize("shape", [(2, 3, 9), (2, 3, 8, 9), (2, 2, 5, 6, 7)])
@pytest.mark.parametrize("is_last", [False, True])
def test_pools_are_extremes_and_means_of_windows(device, shape, is_last):
    axes = len(shape) - 2
    if is_last and axes != 2:
        pytest.skip("images")
    x = numbers(shape, 1)
    t = torch.tensor(x, device=device)
    if is_last:
        t = t.contiguous(memory_format=torch.channels_last)
    for size, stride, padding, dilation in [(2, None, 0, 1), (3, 2, 1, 1), (2, 1, 0, 2), (3, 3, 1, 1)]:
        parts = each(size, axes), each(stride or size, axes), each(padding, axes)
        y, places = getattr(F, f"max_pool{axes}d")(t, size, stride, padding, dilation, return_indices=True)
        wanted = pooled(x, np.max, *parts, each(dilation, axes), -np.inf)
        np.testing.assert_array_equal(y.cpu().numpy(), wanted)
        picked = np.take_along_axis(x.reshape(*shape[:2], -1), places.cpu().numpy().reshape(*shape[:2], -1), 2)
        np.testing.assert_array_equal(picked.reshape(wanted.shape), wanted)
        if is_last:
            assert y.is_contiguous(memory_format=torch.channels_last)
        if dilation == 1:
            y = getattr(F, f"avg_pool{axes}d")(t, size, stride, padding)
            np.testing.assert_allclose(y.cpu().numpy(), pooled(x, np.mean, *parts, (1,) * axes, 0), rtol=1e-12)
            y = getattr(F, f"avg_pool{axes}d")(t, size, stride, padding, count_include_pad=False)
            sums = pooled(x, np.sum, *parts, (1,) * axes, 0) / pooled(np.ones(shape), np.sum, *parts, (1,) * axes, 0)
            np.testing.assert_allclose(y.cpu().numpy(), sums, rtol=1e-12)


def test_pools_of_a_wanted_size(device):
    x = numbers((2, 3, 7, 10), 1)
    t = torch.tensor(x, device=device)
    for out in [(3, 4), (7, 1), (10, 13), (None, 2)]:
        sizes = [n if n else m for n, m in zip(out, x.shape[2:], strict=True)]
        means, largest = np.empty((2, 3, *sizes)), np.empty((2, 3, *sizes))
        for i, j in np.ndindex(*sizes):
            rows = slice(i * 7 // sizes[0], -(-(i + 1) * 7 // sizes[0]))
            columns = slice(j * 10 // sizes[1], -(-(j + 1) * 10 // sizes[1]))
            means[..., i, j], largest[..., i, j] = x[:, :, rows, columns].mean((2, 3)), x[:, :, rows, columns].max((2, 3))
        np.testing.assert_allclose(F.adaptive_avg_pool2d(t, out).cpu().numpy(), means, rtol=1e-12)
        np.testing.assert_array_equal(F.adaptive_max_pool2d(t, out).cpu().numpy(), largest)


def test_gradients_of_pools(device):
    x = torch.tensor(np.random.default_rng(0).permutation(2 * 2 * 5 * 6).reshape(2, 2, 5, 6).astype(float), device=device, requires_grad=True)
    calls = [
        lambda x: F.max_pool2d(x, 3, 2, 1),
        lambda x: F.max_pool2d(x, 2, 1, 0, 2),
        lambda x: F.max_pool2d(x, 2, ceil_mode=True),
        lambda x: F.avg_pool2d(x, 3, 2, 1),
        lambda x: F.avg_pool2d(x, 3, 2, 1, True, False),
        lambda x: F.avg_pool2d(x, 2, divisor_override=3),
        lambda x: F.adaptive_avg_pool2d(x, (2, 4)),
        lambda x: F.adaptive_max_pool2d(x, (2, 4)),
    ]
    for call in calls:
        assert torch.autograd.gradcheck(call, (x,))
        assert torch.autograd.gradgradcheck(call, (x,))


def test_equal_elements_and_nan(device):
    x = torch.tensor([[[1.0, 2.0, 2.0, float("nan"), 3.0, float("nan")]]], device=device)
    y, places = F.max_pool1d(x, 3, 3, return_indices=True)
    assert places.tolist() == [[[1, 5]]]
    assert y[0, 0, 0] == 2 and y[0, 0, 1].isnan()
    x = torch.ones(1, 1, 2, 2, device=device, requires_grad=True)
    F.max_pool2d(x, 2).sum().backward()
    assert x.grad.tolist() == [[[[1, 0], [0, 0]]]]


def test_windows_in_the_border_and_beyond_it(device):
    line = torch.ones(1, 1, 2, device=device)
    assert F.max_pool1d(line, 2, 1, 1, 3).tolist() == [[[-float("inf")]]]
    assert F.max_pool1d(torch.arange(6, device=device).reshape(1, 1, 6), 2, return_indices=True)[1].tolist() == [[[1, 3, 5]]]
    with pytest.raises(RuntimeError, match="Output size is too small"):
        F.avg_pool2d(torch.ones(1, 1, 1, 3, device=device), 3, 2, ceil_mode=True)


def test_results_of_signals_are_in_order(device):
    x = torch.rand(4, 20, 6, device=device).permute(0, 2, 1)
    w = torch.rand(8, 6, 3, device=device)
    turned = torch.rand(2, 5, 6, 3, device=device).transpose(1, 3)  # channels innermost, but the sizes swapped
    assert F.conv2d(turned, torch.rand(4, 3, 2, 2, device=device)).is_contiguous()
    assert F.conv1d(x, w).is_contiguous() and F.conv_transpose1d(x, torch.rand(6, 8, 3, device=device)).is_contiguous()
    np.testing.assert_allclose(F.conv1d(x, w).cpu().numpy(), convolved(x.cpu().numpy(), w.cpu().numpy()), rtol=1e-4, atol=1e-4)


# Few channels, depthwise, large planes, many channels on tiny ones; see docs/decisions/0019-direct-convolutions.md.
SIZES = [
    ((2, 1, 17, 13), (3, 1, 3, 3), {"padding": 1}),
    ((1, 3, 40, 41), (5, 3, 7, 7), {"stride": 2, "padding": 3}),
    ((2, 6, 15, 14), (6, 1, 3, 3), {"padding": 1, "groups": 6}),
    ((2, 6, 15, 14), (12, 1, 5, 3), {"padding": (2, 0), "groups": 6, "stride": (1, 2)}),
    ((1, 40, 9, 9), (9, 40, 2, 2), {}),
    ((1, 40, 3, 3), (9, 40, 2, 2), {"padding": 1}),
    ((2, 8, 20, 16), (8, 8, 3, 3), {"dilation": 2, "padding": 2}),
    ((1, 8, 16, 30), (8, 8, 1, 3), {"stride": 3}),
    ((3, 2, 101), (3, 2, 6), {"stride": 4, "padding": 2}),
    ((1, 3, 6, 7, 8), (4, 3, 2, 3, 2), {"stride": (1, 2, 3), "padding": (1, 0, 1)}),
    ((1, 2, 5, 16, 17), (4, 2, 3, 1, 2), {"stride": (2, 1, 1), "padding": (1, 0, 0)}),
]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("shape, weight, options", SIZES, ids=str)
def test_all_ways_to_compute_a_convolution(shape, weight, options, last, dtype, device):
    x, w = numbers(shape, 1).astype(str(dtype)[6:]), numbers(weight, 2).astype(str(dtype)[6:])
    t, v = torch.tensor(x, device=device), torch.tensor(w, device=device)
    if last and len(shape) > 3:
        t = t.contiguous(memory_format=torch.channels_last if len(shape) == 4 else torch.channels_last_3d)
    t.requires_grad_(), v.requires_grad_()
    y = (F.conv1d, F.conv2d, F.conv3d)[len(shape) - 3](t, v, **options)
    want = convolved(x.astype(float), w.astype(float), **options)
    bound = 1e-4 if dtype == torch.float32 else 1e-11
    np.testing.assert_allclose(y.detach().cpu().numpy(), want, rtol=bound, atol=bound * abs(want).max())
    given = numbers(want.shape, 3)
    y.backward(torch.tensor(given, dtype=dtype, device=device))
    # Both gradients are linear: along any direction they give the change of the sum of y * given.
    for operand, gradient in ((x, t.grad), (w, v.grad)):
        for seed in range(3):
            along = numbers(operand.shape, 10 + seed)
            moved = convolved(along, w.astype(float), **options) if operand is x else convolved(x.astype(float), along, **options)
            change = (moved * given).sum()
            found = (gradient.cpu().numpy().astype(float) * along).sum()
            assert abs(found - change) <= bound * (1 + np.abs(moved * given).sum())


def test_infinities_stay_where_they_are(device):
    x = torch.zeros(1, 8, 16, 16, device=device)
    x[0, 0, 0, 0] = float("inf")
    x[0, 1, 15, 15] = float("nan")
    w = torch.zeros(8, 8, 3, 3, device=device, requires_grad=True)
    F.conv2d(x, w).sum().backward()
    bad = (~w.grad[0].isfinite()).nonzero().tolist()
    assert bad == [[0, 0, 0], [1, 2, 2]]


def test_a_channels_last_network_stays_so(device):
    nn = torch.nn
    block = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, 2, 1), nn.MaxPool2d(2))
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AvgPool2d(2), block, nn.Conv2d(8, 16, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    model = model.to(device=device.name, memory_format=torch.channels_last)
    seen = []

    def see(module, inputs, result):
        if result.dim() == 4:
            seen.append(result)
            result.register_hook(seen.append)

    for module in model.modules():
        module.register_forward_hook(see)
    x = torch.rand(2, 3, 30, 30, device=device).contiguous(memory_format=torch.channels_last)
    model(x).square().sum().backward()
    gradients = [p.grad for p in model.parameters() if p.dim() == 4]
    assert len(seen) == 2 * 10 + 2
    assert [list(t.shape) for t in seen + gradients if not t.is_contiguous(memory_format=torch.channels_last)] == []
