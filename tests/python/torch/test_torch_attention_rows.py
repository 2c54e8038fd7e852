"""Attention with some rows of scores at a time in memory, compared with its formula: values, gradients, layouts, dropout, memory."""

import math
import random

import numpy as np
import pytest
import quern as qn
from quern import torch

F = torch.nn.functional


def formula(query, key, value, mask=None, is_causal=False, scale=None, enable_gqa=False):
    """Scores of all pairs in memory: operations with derivatives of their own."""
    if enable_gqa:
        count = query.shape[-3] // key.shape[-3]
        key, value = key.repeat_interleave(count, -3), value.repeat_interleave(count, -3)
    scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril(), -math.inf)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else scores + mask
    weights = torch.softmax(scores, -1)
    return (weights if mask is None else weights.nan_to_num()) @ value


def operand(draw, shape, dtype, device):
    """Random numbers in memory of one of several layouts."""
    way = draw.random()
    if way < 0.25 and len(shape) > 2:  # rows of all heads, as after a linear layer
        x = torch.randn(shape[-2], *shape[:-2], shape[-1], dtype=dtype, device=device).movedim(0, -2)
    elif way < 0.4:
        x = torch.randn(*shape[:-2], shape[-1], shape[-2], dtype=dtype, device=device).transpose(-1, -2)
    elif way < 0.5:
        x = torch.randn(*shape[:-1], 2 * shape[-1], dtype=dtype, device=device)[..., ::2]
    else:
        x = torch.randn(*shape, dtype=dtype, device=device)
    return x.requires_grad_()


def case(draw, device):
    """Query, key, value and the other arguments of a random call."""
    dtype = draw.choice([torch.float32, torch.float64])
    heads = [draw.choice([1, 2, 3]) for _ in range(draw.choice([0, 1, 2, 2]))]
    groups = bool(heads) and draw.random() < 0.3
    many = heads[:-1] + [heads[-1] * draw.choice([1, 2, 3])] if groups else heads
    width, length, keys = draw.choice([1, 3, 8, 32]), draw.choice([1, 2, 17, 70, 130]), draw.choice([1, 3, 16, 33, 300, 600])
    q, k, v = (
        operand(draw, shape, dtype, device)
        for shape in ([*many, length, width], [*heads, keys, width], [*heads, keys, draw.choice([width, 5])])
    )
    named = {"is_causal": draw.random() < 0.4, "scale": draw.choice([None, 0.5, -1.3]), "enable_gqa": groups}
    if not named["is_causal"] and draw.random() < 0.6:
        shape = draw.choice([[length, keys], [1, keys], [length, 1], [*many, length, keys]])
        mask = torch.randn(*shape, dtype=dtype, device=device)
        named["mask"] = mask > -0.3 if draw.random() < 0.5 else mask
    return (q, k, v), named


def pytorch_names(named):
    return {("attn_mask" if name == "mask" else name): value for name, value in named.items()}


def assert_near(got, wanted, tolerance):
    for a, b in zip(got, wanted, strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a.detach().cpu().numpy(), b.detach().cpu().numpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("seed", range(40))
def test_random_calls_agree_with_the_formula(device, seed):
    draw = random.Random(seed)
    torch.manual_seed(seed)
    operands, named = case(draw, device)
    tolerance = 3e-4 if operands[0].dtype == torch.float32 else 1e-9
    results = F.scaled_dot_product_attention(*operands, **pytorch_names(named)), formula(*operands, **named)
    assert_near(results[:1], results[1:], tolerance)
    given = torch.randn_like(results[0])
    plain = torch.autograd.grad(results[0], operands, given, retain_graph=True)
    first = [torch.autograd.grad(result, operands, given, create_graph=True) for result in results]
    assert_near(plain, first[1], tolerance)
    assert_near(first[0], first[1], tolerance)
    others = [torch.randn_like(x) for x in operands]
    second = [torch.autograd.grad(sum((a * b).sum() for a, b in zip(g, others, strict=True)), operands) for g in first]
    assert_near(second[0], second[1], tolerance * 10)


def test_dropout_leaves_the_same_weights_in_both_directions(device):
    torch.manual_seed(3)
    q, k = (torch.randn(2, 3, 40, 8, dtype=torch.float64, device=device, requires_grad=True) for _ in range(2))
    one = torch.eye(40, dtype=torch.float64, device=device).expand(2, 3, 40, 40).requires_grad_()
    used = F.scaled_dot_product_attention(q, k, one, dropout_p=0.25)  # the weights themselves
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(8), -1)
    left = (used / weights).detach()
    np.testing.assert_allclose(left.cpu().numpy(), np.where(left.cpu().numpy() > 0.5, 1 / 0.75, 0), rtol=1e-9, atol=1e-12)
    assert 0.7 < float((left > 0).double().mean()) < 0.8
    given = torch.randn_like(used)
    for create_graph in (False, True):
        gradients = torch.autograd.grad(used, (q, k, one), given, retain_graph=True, create_graph=create_graph)
        assert_near(gradients, torch.autograd.grad(weights * left @ one, (q, k, one), given, retain_graph=True), 1e-9)


def test_layouts_of_results_are_pytorchs(device):
    """The result lies as the query does, gradients as rows of all heads."""
    if torch.zeros(1, device=device).device.type != "cpu":
        pytest.skip("scores are in memory on a GPU")
    for shape, axes, wanted in [
        ((2, 4, 3, 5), (0, 1, 2, 3), (60, 15, 5, 1)),
        ((2, 3, 4, 5), (0, 2, 1, 3), (60, 5, 20, 1)),
        ((3, 2, 4, 5), (1, 0, 2, 3), (20, 40, 5, 1)),
    ]:
        x = torch.randn(*shape, device=device).permute(axes).requires_grad_()
        y = F.scaled_dot_product_attention(x, x, x)
        assert y.stride() == wanted
        (gradient,) = torch.autograd.grad(y, x, torch.ones_like(y))
        samples, heads, rows, width = x.shape
        assert gradient.stride() == (rows * heads * width, width, heads * width, 1)


def test_memory_is_linear_in_the_tokens(device):
    if torch.zeros(1, device=device).device.type != "cpu":
        pytest.skip("scores are in memory on a GPU")
    x = torch.randn(1, 1, 6000, 8, device=device, requires_grad=True)
    qn.synchronize()
    with qn.profile() as p:
        F.scaled_dot_product_attention(x, x, x, is_causal=True).sum().backward()
        float(x.grad.sum())
    assert p.peak < 40 * x.numel() * 4  # the scores alone have 750 times the elements


@pytest.mark.parametrize("size", [1, 3, 40, 3000])
def test_rows_without_keys_and_infinite_scores(device, size):
    q, k, v = (torch.randn(2, 3, 4, dtype=torch.float64, device=device), *torch.randn(2, 2, size, 4, dtype=torch.float64, device=device))
    is_seen = torch.ones(3, size, dtype=torch.bool, device=device)
    is_seen[1] = False
    y = F.scaled_dot_product_attention(q, k, v, is_seen)
    assert (y[:, 1] == 0).all() and (y[:, 0] != 0).any()
    mask = torch.zeros(3, size, dtype=torch.float64, device=device)
    mask[0, -1] = math.inf
    mask[2, 0] = math.nan
    y = F.scaled_dot_product_attention(q, k, v, mask)
    assert y[:, 0].isnan().all() and y[:, 2].isnan().all() and y[:, 1].isfinite().all()
