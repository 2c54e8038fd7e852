"""Attention compared with PyTorch: the function, layers of several heads, transformers; values, gradients, masks and errors."""

import math

import numpy as np
import pytest
from quern import torch
from torch_oracle import compare_all

F = torch.nn.functional
HEAD = """
import warnings
def numbers(*shape, seed=1, dtype=torch.float64, grad=True):
    values = np.sin(np.arange(math.prod(shape)) * 1.7 * seed + seed).reshape(shape)
    return torch.tensor(values, device=device).to(dtype).requires_grad_(grad)
def given(module, scale=0.5):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(numbers(*p.shape, seed=i + 1, grad=False).to(p.dtype) * scale)
    return module
def derive(f, *inputs):
    y = f(*inputs)
    outs = [y] if isinstance(y, torch.Tensor) else [one for one in y if one is not None]
    total = sum((one * numbers(*one.shape, seed=3, grad=False).to(one.dtype)).sum() for one in outs)
    return [one.detach() for one in outs], torch.autograd.grad(total, [x for x in inputs if x.requires_grad])
def learn(module, *inputs, **named):
    y = module(*inputs, **named)
    outs = [y] if isinstance(y, torch.Tensor) else [one for one in y if one is not None]
    sum((one * numbers(*one.shape, seed=3, grad=False).to(one.dtype)).sum() for one in outs).backward()
    return [one.detach() for one in outs], [(n, p.grad) for n, p in module.named_parameters()], [x.grad for x in inputs]
a = numbers
f64 = dict(device=device, dtype=torch.float64)
sdpa = F.scaled_dot_product_attention
"""


def check(cases, device, **tolerance):
    compare_all([HEAD + case.strip() for case in cases.strip().splitlines()], device, **tolerance)


def test_the_function(device):
    check(
        """
        derive(sdpa, a(3, 4), a(5, 4, seed=2), a(5, 2, seed=3))
        derive(sdpa, a(2, 3, 4), a(2, 5, 4, seed=2), a(2, 5, 2, seed=3))
        derive(sdpa, a(2, 1, 3, 3, 4), a(2, 1, 3, 5, 4, seed=2), a(2, 1, 3, 5, 2, seed=3))
        derive(sdpa, a(1, 1, 1, 1), a(1, 1, 1, 1, seed=2), a(1, 1, 1, 1, seed=3))
        derive(sdpa, a(2, 3, 0, 4), a(2, 3, 5, 4, seed=2), a(2, 3, 5, 4, seed=3))
        sdpa(a(0, 3, 2, 4), a(0, 3, 5, 4), a(0, 3, 5, 4)).detach()
        sdpa(a(2, 3, 2, 4), a(2, 3, 0, 4), a(2, 3, 0, 4)).detach()
        sdpa(a(2, 2, 4, grad=False), a(2, 3, 4, grad=False), a(2, 3, 0, grad=False))
        derive(lambda q, k, v: sdpa(q, k, v, is_causal=True), a(2, 2, 3, 4), a(2, 2, 5, 4, seed=2), a(2, 2, 5, 4, seed=3))
        derive(lambda q, k, v: sdpa(q, k, v, is_causal=True), a(2, 2, 5, 4), a(2, 2, 3, 4, seed=2), a(2, 2, 3, 4, seed=3))
        derive(lambda q, k, v: sdpa(q, k, v, scale=-0.3), a(2, 2, 3, 4), a(2, 2, 5, 4, seed=2), a(2, 2, 5, 4, seed=3))
        derive(lambda q, k, v, m: sdpa(q, k, v, m), a(2, 2, 3, 4), a(2, 2, 5, 4, seed=2), a(2, 2, 5, 4, seed=3), a(2, 1, 3, 5, seed=4))
        derive(lambda q, k, v, m: sdpa(q, k, v, m), a(2, 2, 3, 4), a(2, 2, 5, 4, seed=2), a(2, 2, 5, 4, seed=3), a(5, seed=4))
        derive(lambda q, k, v: sdpa(q, k, v, a(3, 5, grad=False) > 0), a(2, 2, 3, 4), a(2, 2, 5, 4, seed=2), a(2, 2, 5, 4, seed=3))
        derive(lambda q, k, v: sdpa(q, k, v, torch.zeros(3, 5, dtype=torch.bool, device=device)), a(2, 2, 3, 4), a(2, 2, 5, 4), a(2, 2, 5, 4))
        sdpa(a(2, 3, 4), a(2, 5, 4), a(2, 5, 4), torch.full((3, 5), -math.inf, **f64)).detach()
        sdpa(a(1, 2, 3, 4), a(1, 2, 5, 4), torch.where(a(1, 2, 5, 4) > 0.9, math.nan, 1.0).double()).detach()
        derive(lambda q, k, v: sdpa(q, k, v, enable_gqa=True), a(2, 6, 3, 4), a(2, 2, 5, 4, seed=2), a(2, 3, 5, 4, seed=3))
        derive(lambda q, k, v: sdpa(q, k, v, is_causal=True, enable_gqa=True), a(2, 4, 3, 4), a(2, 2, 3, 4, seed=2), a(2, 2, 3, 4, seed=3))
        sdpa(a(2, 3, 4), a(2, 5, 4), a(2, 5, 4), dropout_p=1.0).detach()
        [sdpa(a(2, 3, 4, dtype=d), a(2, 5, 4, dtype=d), a(2, 5, 4, dtype=d)).dtype for d in (torch.float16, torch.bfloat16, torch.float32)]
        """,
        device,
        rtol=1e-6,
        atol=1e-9,
    )


@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 2e-3), ("bfloat16", 2e-2), ("float32", 1e-5)])
def test_the_function_in_other_dtypes(device, dtype, tolerance):
    check(
        f"""
        derive(sdpa, *(a(2, 3, 5, 8, seed=i, dtype=torch.{dtype}) for i in (1, 2, 3)))
        derive(lambda *x: sdpa(*x, is_causal=True), *(a(2, 3, 5, 8, seed=i, dtype=torch.{dtype}) for i in (1, 2, 3)))
        derive(lambda *x: sdpa(*x, a(5, 5, grad=False) > 0), *(a(2, 3, 5, 8, seed=i, dtype=torch.{dtype}) for i in (1, 2, 3)))
        sdpa(*(a(2, 3, 5, 8, seed=i, dtype=torch.{dtype}) for i in (1, 2, 3)), a(5, 5, grad=False, dtype=torch.{dtype})).detach()
        """,
        device,
        rtol=tolerance * 4,
        atol=tolerance * 4,
    )


def test_gradients_of_second_order(device):
    names = {"torch": torch, "math": math, "np": np, "F": F, "device": str(torch.zeros(1, device=device).device)}
    exec(HEAD, names)
    a, sdpa, given = names["a"], names["sdpa"], names["given"]
    q, k, v, m = a(1, 2, 2, 3), a(1, 2, 3, 3, seed=2), a(1, 2, 3, 2, seed=3), a(2, 3, seed=4)
    for call in (lambda q, k, v, m: sdpa(q, k, v, m), lambda q, k, v, m: sdpa(q, k, v, is_causal=True) + m.sum()):
        assert torch.autograd.gradcheck(call, (q, k, v, m))
        assert torch.autograd.gradgradcheck(call, (q, k, v, m))
    layer = given(torch.nn.MultiheadAttention(4, 2, device=device, dtype=torch.float64))
    x = a(2, 1, 4)
    assert torch.autograd.gradcheck(lambda x: layer(x, x, x), (x,))
    assert torch.autograd.gradgradcheck(lambda x: layer(x, x, x)[0], (x,))


def test_layers_of_several_heads(device):
    check(
        """
        learn(given(nn.MultiheadAttention(6, 2, **f64)), a(4, 3, 6), a(5, 3, 6, seed=2), a(5, 3, 6, seed=3))
        m, x = given(nn.MultiheadAttention(6, 3, **f64)), a(4, 2, 6); derive(lambda x: m(x, x, x), x)
        m, x = given(nn.MultiheadAttention(6, 3, batch_first=True, **f64)), a(4, 2, 6); derive(lambda x, y: m(x, y, y), x, a(4, 3, 6, seed=5))
        learn(given(nn.MultiheadAttention(6, 2, bias=False, batch_first=True, **f64)), a(3, 4, 6), a(3, 5, 6, seed=2), a(3, 5, 6, seed=3), need_weights=False)
        learn(given(nn.MultiheadAttention(6, 2, kdim=3, vdim=5, **f64)), a(4, 3, 6), a(5, 3, 3, seed=2), a(5, 3, 5, seed=3), average_attn_weights=False)
        learn(given(nn.MultiheadAttention(6, 2, kdim=3, vdim=5, bias=False, **f64)), a(4, 3, 6), a(5, 3, 3, seed=2), a(5, 3, 5, seed=3), need_weights=False)
        learn(given(nn.MultiheadAttention(6, 2, add_bias_kv=True, **f64)), a(4, 3, 6), a(5, 3, 6, seed=2), a(5, 3, 6, seed=3), key_padding_mask=a(3, 5, grad=False) > 0.5, attn_mask=a(4, 5, grad=False) > 0.8)
        learn(given(nn.MultiheadAttention(6, 2, add_zero_attn=True, **f64)), a(4, 3, 6), a(5, 3, 6, seed=2), a(5, 3, 6, seed=3), key_padding_mask=a(3, 5, grad=False) > 0.5, need_weights=False)
        learn(given(nn.MultiheadAttention(6, 2, add_bias_kv=True, add_zero_attn=True, **f64)), a(4, 3, 6), a(5, 3, 6, seed=2), a(5, 3, 6, seed=3), attn_mask=a(6, 4, 5, grad=False))
        learn(given(nn.MultiheadAttention(6, 2, **f64)), a(4, 6), a(5, 6, seed=2), a(5, 6, seed=3), key_padding_mask=a(5, grad=False) > 0.5)
        learn(given(nn.MultiheadAttention(6, 2, batch_first=True, **f64)), a(4, 6), a(5, 6, seed=2), a(5, 6, seed=3), need_weights=False, attn_mask=a(2, 4, 5, grad=False) > 0)
        learn(given(nn.MultiheadAttention(6, 2, **f64)), a(4, 6), a(5, 6, seed=2), a(5, 6, seed=3), average_attn_weights=False, attn_mask=a(4, 5, grad=False))
        learn(given(nn.MultiheadAttention(6, 2, **f64)), a(4, 3, 6), a(4, 3, 6, seed=2), a(4, 3, 6, seed=3), need_weights=False, is_causal=True, attn_mask=nn.Transformer.generate_square_subsequent_mask(4, **f64))
        learn(given(nn.MultiheadAttention(6, 2, **f64)), a(4, 3, 6), a(4, 3, 6, seed=2), a(4, 3, 6, seed=3), is_causal=True, attn_mask=nn.Transformer.generate_square_subsequent_mask(4, **f64))
        learn(given(nn.MultiheadAttention(6, 2, **f64)), a(4, 3, 6), a(4, 3, 6, seed=2), a(4, 3, 6, seed=3), need_weights=False, key_padding_mask=a(3, 4, grad=False), attn_mask=a(4, 4, grad=False))
        learn(given(nn.MultiheadAttention(6, 2, **f64)), a(4, 3, 6), a(4, 3, 6, seed=2), a(4, 3, 6, seed=3), need_weights=False, key_padding_mask=a(3, 4, grad=False) > -2)
        m = given(nn.MultiheadAttention(6, 2, **f64)); y, w = m(a(4, 3, 6), a(4, 3, 6), a(4, 3, 6), attn_mask=torch.ones(4, 4, dtype=torch.bool, device=device)); y.detach(), w.detach()
        m = nn.MultiheadAttention(6, 2, 1.0, **f64); y, w = given(m)(a(4, 3, 6), a(4, 3, 6), a(4, 3, 6)); y.detach(), w.detach(), [z.detach() for z in m.eval()(a(4, 3, 6), a(4, 3, 6), a(4, 3, 6))]
        m = given(nn.MultiheadAttention(6, 2, batch_first=True, **f64)).eval(); x = a(2, 3, 6, grad=False); [z.detach() for z in m(x, x, x)], m(a(0, 3, 6), a(0, 3, 6), a(0, 3, 6))[0].shape, m(a(2, 0, 6), x, x)[1].shape
        m = nn.MultiheadAttention(6, 2, bias=False, add_bias_kv=True, device=device); [(k, v.shape) for k, v in m.state_dict().items()], repr(m), m.head_dim, m.bias_k.requires_grad
        m = nn.MultiheadAttention(6, 2, kdim=2, dropout=0.1, device=device); [(k, v.shape) for k, v in m.state_dict().items()], repr(m), m.in_proj_weight, m._qkv_same_embed_dim, m.kdim, m.vdim
        m = nn.MultiheadAttention(64, 2, device=device); w = m.in_proj_weight.detach(); [bool(w.abs().max() < (6 / 256) ** 0.5), bool(w.abs().max() > 0.9 * (6 / 256) ** 0.5), m.in_proj_bias.detach(), m.out_proj.bias.detach()]
        [p.dtype for p in nn.MultiheadAttention(4, 2, dtype=torch.float16, device=device).parameters()]
        F.multi_head_attention_forward(a(2, 1, 4), a(3, 1, 4), a(3, 1, 4), 4, 2, a(12, 4), a(12), None, None, False, 0.0, a(4, 4), a(4), static_k=a(2, 5, 2), static_v=a(2, 5, 2, seed=4))[0].detach()
        F.multi_head_attention_forward(a(2, 1, 4), a(3, 1, 4), a(3, 1, 4), 4, 2, a(12, 4), None, None, None, False, 1.0, a(4, 4), None, False)[1].detach()
        """,
        device,
        rtol=1e-6,
        atol=1e-8,
    )


def test_wrong_calls_raise_as_in_pytorch(device):
    check(
        """
        raises(lambda: nn.MultiheadAttention(0, 2)) , raises(lambda: nn.MultiheadAttention(4, 0)), raises(lambda: nn.MultiheadAttention(5, 2))
        m = nn.MultiheadAttention(4, 2, **f64); [raises(lambda: m(*x)) for x in ((a(4), a(4), a(4)), (a(2, 3, 4), a(2, 4), a(2, 4)), (a(2, 4), a(2, 3, 4), a(2, 4)), (a(1, 1, 1, 4), a(1, 4), a(1, 4)))]
        m = nn.MultiheadAttention(4, 2, **f64); x, y = a(2, 3, 4), a(5, 3, 4); [raises(lambda: m(x, y, y, key_padding_mask=torch.ones(s, dtype=torch.bool, device=device))) for s in ((3, 4), (2, 5), (5,), (1, 3, 5))]
        m = nn.MultiheadAttention(4, 2, **f64); x, y = a(2, 3, 4), a(5, 3, 4); [raises(lambda: m(x, y, y, attn_mask=torch.ones(s, dtype=torch.bool, device=device))) for s in ((2, 4), (3, 2, 5), (5,), (1, 3, 5, 5))]
        m = nn.MultiheadAttention(4, 2, **f64); x, y = a(2, 4), a(5, 4); [raises(lambda: m(x, y, y, attn_mask=torch.ones(s, dtype=torch.bool, device=device))) for s in ((2, 4), (3, 2, 5), (5,))]
        m = nn.MultiheadAttention(4, 2, **f64); x = a(2, 3, 4); [raises(lambda: m(x, x, x, attn_mask=torch.ones(2, 2, dtype=torch.int64, device=device))), raises(lambda: m(x, x, x, key_padding_mask=torch.ones(3, 2, dtype=torch.int64, device=device))), raises(lambda: m(x, x, x, is_causal=True))]
        m = nn.MultiheadAttention(4, 2, **f64); x = a(2, 3, 4); [raises(lambda: m(a(2, 3, 6), x, x)), raises(lambda: m(x, x, a(3, 3, 4))), raises(lambda: m(x, a(2, 3, 6), a(2, 3, 6))), raises(lambda: m(x.float(), x.float(), x.float()))]
        m = nn.MultiheadAttention(4, 2, kdim=3, vdim=5, **f64); x = a(2, 3, 4); [raises(lambda: m(x, a(2, 3, 3), a(3, 3, 5))), raises(lambda: m(x, x, x))[0]]
        f = F.multi_head_attention_forward; x, w, o = a(2, 1, 4), a(12, 4), a(4, 4); [raises(lambda: f(x, x, x, 4, 3, w, None, None, None, False, 0.0, o, None)), raises(lambda: f(x, x, x, 4, 2, None, None, None, None, False, 0.0, o, None)), raises(lambda: f(x, x, x, 4, 2, w, None, a(1, 1, 4), None, False, 0.0, o, None)), raises(lambda: f(x, x, x, 4, 2, w, None, None, a(1, 1, 4), False, 0.0, o, None))]
        f = F.multi_head_attention_forward; x, w, o = a(2, 1, 4), a(12, 4), a(4, 4); [raises(lambda: f(x, x, x, 4, 2, w, None, None, None, False, 0.0, o, None, static_k=a(3, 2, 2))), raises(lambda: f(x, x, x, 4, 2, w, None, None, None, False, 0.0, o, None, static_v=a(2, 2, 3))), raises(lambda: f(x, x, x, 4, 2, w, None, None, None, False, 0.0, o, None, use_separate_proj_weight=True)), raises(lambda: f(x, x, x, 4, 2, w, None, None, None, False, 2.0, o, None))]
        raises(lambda: nn.TransformerEncoderLayer(4, 2, activation="tanh")), raises(lambda: nn.TransformerEncoderLayer(5, 2)), raises(lambda: nn.Transformer(4, 2, 1, 1, 8)(torch.ones(2, 3, 4), torch.ones(2, 2, 4))), raises(lambda: nn.Transformer(4, 2, 1, 1, 8)(torch.ones(2, 3, 4), torch.ones(2, 3, 5)))
        raises(lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 0)(torch.ones(2, 3, 4)))[0]
        """,
        device,
    )


def test_transformers(device):
    check(
        """
        m = given(nn.TransformerEncoderLayer(6, 2, 8, 0.0, **f64)); learn(m, a(4, 3, 6))
        m = given(nn.TransformerEncoderLayer(6, 2, 8, 0.0, "gelu", 1e-3, True, True, False, **f64)); learn(m, a(3, 4, 6), src_key_padding_mask=a(3, 4, grad=False) > 0.5)
        m = given(nn.TransformerEncoderLayer(6, 2, 8, 0.0, torch.tanh, batch_first=True, **f64)); learn(m, a(4, 6), src_mask=a(4, 4, grad=False))
        m = given(nn.TransformerEncoderLayer(6, 3, 8, **f64)).eval(); learn(m, a(4, 2, 6), is_causal=True, src_mask=nn.Transformer.generate_square_subsequent_mask(4, **f64))
        m = given(nn.TransformerDecoderLayer(6, 2, 8, 0.0, **f64)); learn(m, a(4, 3, 6), a(5, 3, 6, seed=2))
        m = given(nn.TransformerDecoderLayer(6, 2, 8, 0.0, nn.GELU(), 1e-3, True, True, False, **f64)); learn(m, a(3, 4, 6), a(3, 5, 6, seed=2), memory_key_padding_mask=a(3, 5, grad=False) > 0.5, tgt_is_causal=True, tgt_mask=nn.Transformer.generate_square_subsequent_mask(4, **f64))
        m = given(nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8, 0.0, **f64), 2, nn.LayerNorm(6, **f64))); learn(m, a(4, 3, 6), mask=nn.Transformer.generate_square_subsequent_mask(4, **f64))
        m = given(nn.TransformerDecoder(nn.TransformerDecoderLayer(6, 2, 8, 0.0, **f64), 2)); learn(m, a(4, 3, 6), a(5, 3, 6, seed=2), tgt_mask=nn.Transformer.generate_square_subsequent_mask(4, **f64), memory_mask=a(4, 5, grad=False) > 0.5)
        m = given(nn.Transformer(6, 2, 1, 2, 8, 0.0, batch_first=True, **f64)); learn(m, a(3, 4, 6), a(3, 5, 6, seed=2), tgt_mask=m.generate_square_subsequent_mask(5, **f64), src_key_padding_mask=a(3, 4, grad=False) > 0.5, memory_key_padding_mask=a(3, 4, grad=False) > 0.5)
        m = given(nn.Transformer(6, 2, 1, 1, 8, 0.0, "gelu", norm_first=True, bias=False, **f64)); learn(m, a(4, 3, 6), a(5, 3, 6, seed=2), tgt_key_padding_mask=a(3, 5, grad=False) > 0.7)
        m = given(nn.Transformer(6, 2, 1, 1, 8, 0.0, **f64)); m(a(4, 6), a(5, 6, seed=2)).detach()
        m = nn.Transformer(6, 2, 1, 1, 8, custom_encoder=nn.Identity(), device=device); m.encoder, [k for k in m.state_dict()]
        m = nn.Transformer(6, 2, 2, 1, 8, device=device); repr(m), [(k, v.shape) for k, v in m.state_dict().items()], m.encoder.num_layers, m.d_model, m.nhead, m.batch_first
        nn.Transformer.generate_square_subsequent_mask(3), nn.Transformer.generate_square_subsequent_mask(2, dtype=torch.float16), nn.TransformerEncoderLayer(4, 2, activation=nn.ReLU()).activation_relu_or_gelu, nn.TransformerEncoderLayer(4, 2, activation=F.gelu).activation_relu_or_gelu, nn.TransformerEncoderLayer(4, 2, activation=F.silu).activation_relu_or_gelu
        m = nn.TransformerEncoderLayer(4, 2, 8); [p.shape for p in m.parameters()], repr(m), repr(nn.TransformerDecoderLayer(4, 2, 8, activation=nn.ReLU()))
        """,
        device,
        rtol=1e-6,
        atol=1e-7,
    )


def test_padding_is_left_out_as_in_pytorch(device):
    """In evaluation without gradients an encoder gives zeros for padding at the ends, by the conditions of PyTorch's faster path."""
    masks = "[[0, 0, 0, 1], [0, 1, 1, 1], [0, 0, 0, 0]]", "[[0, 1, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]]", "[[1, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0]]"
    cases = "\n".join(
        f"m = given(nn.TransformerEncoder(nn.TransformerEncoderLayer({layer}, **f64), 2{more})).eval(); x = a(3, 4, 6, grad=False); "
        f"p = torch.tensor({mask}, device=device).bool(); y = m(x, src_key_padding_mask=p).detach(); "
        "torch.set_grad_enabled(False); [y, m(x, src_key_padding_mask=p), m(x)]"
        for mask in masks[:2]
        for layer, more in (("6, 2, 8, batch_first=True", ""), ("6, 2, 8, batch_first=True", ", nn.LayerNorm(6, **f64)"), ("6, 2, 8, batch_first=True", ", enable_nested_tensor=False"),
                            ("6, 2, 8, batch_first=True, norm_first=True", ""), ("6, 2, 8, batch_first=True", ", mask_check=False"), ("6, 3, 8, batch_first=True", ""))
    )  # fmt: skip
    cases += f"\nm = given(nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8, batch_first=True, **f64), 2)).eval(); torch.set_grad_enabled(False); m(a(3, 4, 6), src_key_padding_mask=torch.tensor({masks[2]}, device=device).bool())"
    check(cases, device, rtol=1e-6, atol=1e-7)


def test_samples_must_agree(device):
    x, y = torch.ones(2, 3, 4, device=device), torch.ones(1, 5, 4, device=device)
    attention = torch.nn.MultiheadAttention(4, 2, batch_first=True, device=device)
    with pytest.raises(RuntimeError, match=r"shape '\[5, 4, 2\]' is invalid for input of size 20"):
        attention(x, y, y)
    layer = torch.nn.TransformerDecoderLayer(4, 2, device=device)
    with pytest.raises(RuntimeError, match=r"shape '\[5, 4, 2\]' is invalid for input of size 60"):
        layer(torch.ones(3, 2, 4, device=device), torch.ones(5, 3, 4, device=device))
