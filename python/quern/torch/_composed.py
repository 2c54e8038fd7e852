"""Bodies of the functions of torch.nn.functional that cost most, each one function of tensors: checked and normalized arguments come in."""

import math

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch import _types
from quern.torch._core import joined

_DROPOUT = _engine.functions_of("torch", "quern.torch.nn.functional", binds=False, submodule="nn.functional")["dropout"]
_WHOLE = frozenset(("bool", "uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64"))


def refuse_whole(x, function):
    """Raise NotImplementedError for tensors of integers or bools, whose results would be rounded."""
    if x._dtype_name in _WHOLE:
        raise NotImplementedError(f'"{function}" not implemented for \'{_types.scalar_name(x.dtype)}\'')


# ---- attention


def scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):
    """softmax(query @ key^T * scale + mask) @ value over the last two dimensions."""
    if enable_gqa:
        groups = query.shape[-3] // key.shape[-3]
        key, value = key.repeat_interleave(groups, -3), value.repeat_interleave(groups, -3)
    scores = torch.matmul(query, key.transpose(-2, -1)) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        attn_mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()
    empty = None  # where a row sees nothing: its result is 0
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            empty = ~attn_mask
            scores = scores.masked_fill(empty, torch.finfo(scores.dtype).min)  # not -inf: a row of them would be NaN
        else:
            scores = scores + attn_mask
            empty = scores.detach().amax(-1, keepdim=True) == -math.inf
            scores = scores.masked_fill(empty, 0)
    p = torch.softmax(scores, -1)
    if empty is not None:
        p = p.masked_fill(empty, 0)
    if dropout_p:
        p = _DROPOUT(p, dropout_p)
    return torch.matmul(p, value)


# ---- embeddings


def embedding(indices, weight, padding_idx, scale_grad_by_freq):
    """Rows of ``weight`` at ``indices``, any shape; that at ``padding_idx`` gets no gradient (None: all get theirs)."""
    if not weight.shape[0] and indices.numel():
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    rows = _engine.tensor_take_at(weight, indices, 0, "rows")
    if not (weight.requires_grad and torch.is_grad_enabled()):
        return rows
    if scale_grad_by_freq:
        flat = indices.reshape(-1)
        counts = torch.bincount(flat, minlength=weight.shape[0])
        scale = (1 / counts.to(weight.dtype))[indices].unsqueeze(-1)
        still = rows.detach()
        rows = still + (rows - still) * scale
    if padding_idx is not None:
        rows = torch.where((indices == padding_idx).unsqueeze(-1), rows.detach(), rows)
    return rows


# ---- normalization


# ---- shapes


def constant_pad(x, pad, value):
    """x with ``pad`` elements of ``value`` before and after, for the last dimension first; negative numbers cut."""
    shape, inner, outer = list(x.shape), [slice(None)] * x.dim(), [slice(None)] * x.dim()
    for i in range(len(pad) // 2):
        d = x.dim() - 1 - i
        before, after = pad[2 * i], pad[2 * i + 1]
        n = shape[d]
        shape[d] = n + before + after
        inner[d] = slice(max(-before, 0), n - max(-after, 0))
        outer[d] = slice(max(before, 0), shape[d] - max(after, 0))
    y = x.new_full(shape, value)
    y[tuple(outer)] = x[tuple(inner)]
    return joined(y, x)
