"""Bodies of the functions of torch.nn.functional that cost most, each one function of tensors: checked and normalized arguments come in."""

import math

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch import _types
from quern.torch._core import dim_of, joined

_SQRT_HALF = math.sqrt(0.5)
_SQRT_2_BY_PI = math.sqrt(2 / math.pi)
_SHORT = (torch.float16, torch.bfloat16)  # what is summed is summed in float32


_WHOLE = frozenset(("bool", "uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64"))


def refuse_whole(x, function):
    """Raise NotImplementedError for tensors of integers or bools, whose results would be rounded."""
    if x._dtype_name in _WHOLE:
        raise NotImplementedError(f'"{function}" not implemented for \'{_types.scalar_name(x.dtype)}\'')


# ---- softmax and what is made of it


def softmax(x, dim, dtype=None):
    """exp(x), scaled to the sum 1 along ``dim``; computed as ``dtype`` where that is given."""
    if dtype is not None:
        x = x.to(dtype)
    refuse_whole(x, "softmax_lastdim_kernel_impl")
    if x.dim() == 0:
        return x - x + 1  # NaN and infinity give NaN
    return _engine.tensor_softmax(x, dim_of(dim, x.dim()))


def log_softmax(x, dim, dtype=None):
    """The logarithm of softmax, without its overflow."""
    if dtype is not None:
        x = x.to(dtype)
    refuse_whole(x, "log_softmax_lastdim_kernel_impl")
    if x.dim() == 0:
        return x - x
    return _engine.tensor_log_softmax(x, dim_of(dim, x.dim()))


def softmin(x, dim, dtype=None):
    """softmax(-x)."""
    if dtype is not None:
        return softmax(-x, dim, dtype)
    refuse_whole(x, "softmax_lastdim_kernel_impl")
    return softmax(-x, dim) if x.dim() == 0 else _engine.tensor_softmin(x, dim_of(dim, x.dim()))


# ---- losses


def _check_weight(x, weight, function):
    if not x.is_floating_point():
        raise NotImplementedError(f'"{function}" not implemented for \'{_types.scalar_name(x.dtype)}\'')
    if weight is not None and weight.requires_grad and torch.is_grad_enabled():
        raise RuntimeError(
            "The function 'nll_loss_forward' is not differentiable with respect to argument 'weight'. "
            "This input cannot have requires_grad True."
        )


def nll_loss(log_p, target, weight, ignore_index, reduction):
    """Minus the value of each target class; ``log_p``: (C), (N, C) or (N, C, d1, ...), ``target``: the same without C."""
    _check_weight(log_p, weight, "nll_loss_out_frame")
    axis = 0 if log_p.dim() == 1 else 1
    are_classes = _engine.tensor_are_classes(target, log_p.shape[axis], ignore_index)
    return _engine.tensor_nll_loss(log_p, target, axis, ignore_index, reduction, are_classes, weight)


def cross_entropy(x, target, weight, ignore_index, label_smoothing, reduction):
    """Cross entropy of logits ``x``: (C), (N, C) or (N, C, d1, ...), and classes ``target``: the same without C."""
    _check_weight(x, weight, "log_softmax_lastdim_kernel_impl")
    axis = 0 if x.dim() == 1 else 1
    are_classes = _engine.tensor_are_classes(target, x.shape[axis], ignore_index)
    return _engine.tensor_cross_entropy(x, target, axis, ignore_index, reduction, are_classes, weight, label_smoothing)


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
    p = softmax(scores, -1)
    if empty is not None:
        p = p.masked_fill(empty, 0)
    if dropout_p:
        p = dropout(p, dropout_p)
    return torch.matmul(p, value)


# ---- functions of elements


def _activated(x, y_of, function, a=0.0, b=0.0):
    """``y_of(x)`` as one entry of the tape: the engine knows the function's derivative."""
    if not (torch.is_grad_enabled() and x.requires_grad) or x.is_complex():
        return y_of(x)
    return _engine.tensor_activated(x, y_of(x.detach()), function, a, b, None)


def _activated_with(x, part_of, y_of, function):
    """``y_of(x, part_of(x))`` likewise, where the derivative uses the part; of short types it computes that anew, in float32."""
    if not (torch.is_grad_enabled() and x.requires_grad) or x.is_complex():
        return y_of(x, part_of(x))
    shown = x.detach()
    part = part_of(shown)
    return _engine.tensor_activated(x, y_of(shown, part), function, 0.0, 0.0, None if x.dtype in _SHORT else part)


def _gelu_tangent(x):
    return torch.tanh(_SQRT_2_BY_PI * (x + 0.044715 * x * x * x))


def gelu(x, approximate):
    """x times the normal distribution's probability of being below x; ``approximate``: "none", or "tanh" for the formula with tanh."""
    refuse_whole(x, "GeluKernelImpl")
    if approximate == "tanh":
        return _activated_with(x, _gelu_tangent, lambda x, t: 0.5 * x * (1 + t), "gelu_tanh")
    return _activated_with(x, lambda x: 0.5 * (1 + torch.erf(x * _SQRT_HALF)), lambda x, below: x * below, "gelu")


def _elu_family(function, x, y_of, a, b):
    if a > 0 and b > 0 and x.dtype not in _SHORT:  # of what rises the result tells the slope
        function += "_result"
    return _activated(x, y_of, function, a, b)


def elu(x, alpha, scale=1.0):
    """scale * x where x is positive, elsewhere scale * alpha * (exp(x) - 1)."""
    refuse_whole(x, "elu_cpu")
    low = alpha * scale

    def y_of(x):
        y = torch.expm1(x)
        return torch.where(x > 0, x if scale == 1 else x * scale, y if low == 1 else y * low)

    return _elu_family("elu", x, y_of, low, scale)


def celu(x, alpha):
    """x where it is positive, elsewhere alpha * (exp(x / alpha) - 1)."""
    refuse_whole(x, "elu_cpu")

    def y_of(x):
        return torch.where(x > 0, x, torch.expm1(x) if alpha == 1 else torch.expm1(x * (1 / alpha)) * alpha)

    return _elu_family("celu", x, y_of, alpha, 1.0)


def hardswish(x):
    """x times min(max(x + 3, 0), 6) / 6."""
    refuse_whole(x, "hardswish_cpu")
    return _activated(x, lambda x: x * (x + 3).clamp(0, 6) / 6, "hardswish")


def softsign(x):
    """x / (1 + abs(x))."""
    return _activated(x, lambda x: x / (1 + x.abs()), "softsign")


def tanhshrink(x):
    """x - tanh(x)."""
    return _activated_with(x, torch.tanh, lambda x, t: x - t, "tanhshrink")


def silu(x):
    """x * sigmoid(x)."""
    refuse_whole(x, "silu_cpu")
    return _activated_with(x, torch.sigmoid, lambda x, s: x * s, "silu")


def softplus(x, beta, threshold):
    """log(1 + exp(beta x)) / beta, which is x itself where beta x is above ``threshold``."""
    refuse_whole(x, "softplus_cpu")

    def y_of(x):
        y = x if beta == 1 else x * beta
        soft = torch.log1p(torch.exp(y))
        return torch.where(y > threshold, x, soft if beta == 1 else soft / beta)

    return _activated(x, y_of, "softplus", beta, threshold)


def logsigmoid(x):
    """log(sigmoid(x)), exact for large negative x too."""
    refuse_whole(x, "log_sigmoid_cpu")
    return _activated(x, lambda x: torch.minimum(x, x.new_zeros(())) - torch.log1p(torch.exp(-x.abs())), "log_sigmoid")


def mish(x):
    """x * tanh(softplus(x))."""
    refuse_whole(x, "mish_cpu")
    return _activated_with(x, lambda x: torch.tanh(softplus(x, 1, 20)), lambda x, t: x * t, "mish")


def dropout(x, p):
    """x with each element 0 with probability ``p``, all others divided by 1 - p."""
    if p == 1:
        return x * torch.zeros_like(x)
    return x * torch.empty_like(x).bernoulli_(1 - p).div_(1 - p)


# ---- products


def linear(input, weight, bias=None):
    """input @ weight^T + bias over the last dimension; ``weight``: (out, in) or (in), ``bias``: (out), () or None."""
    if weight.dim() == 1:
        y = torch.matmul(input, weight)
        return y if bias is None else y + bias
    y = _engine.tensor_linear(input, weight, bias)
    if y is not None:
        return y
    if bias is not None and input.dim() == 2:
        return torch.addmm(bias, input, weight.t())  # says what does not fit
    y = torch.matmul(input, weight.t())
    return y if bias is None else y + bias


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


def layer_norm(x, normalized_shape, weight, bias, eps):
    """x with mean 0 and variance 1 over the last dimensions ``normalized_shape``, then times ``weight`` plus ``bias`` (None: without)."""
    refuse_whole(x, "LayerNormKernelImpl")
    return _engine.tensor_layer_norm(x, len(normalized_shape), weight, bias, eps)


def rms_norm(x, normalized_shape, weight, eps):
    """x divided by the root of the mean of its squares over the last dimensions ``normalized_shape``, then times ``weight``."""
    return _engine.tensor_rms_norm(x, len(normalized_shape), weight, eps)


def batch_norm(x, running_mean, running_var, weight, bias, training, momentum, eps):
    """x: (N, C, ...) normalized for each channel, with its own mean and variance in training, else with the running ones.

    In training the running ones, unless None, move towards those of x by the part ``momentum``, in place.
    """
    refuse_whole(x, "batch_norm")
    shape = [1, -1] + [1] * (x.dim() - 2)
    if training:
        y, mean, var = _engine.tensor_batch_norm(x, weight, bias, eps)
        with torch.no_grad():
            if running_mean is not None:
                running_mean.mul_(1 - momentum).add_(mean.reshape(-1), alpha=momentum)
            if running_var is not None:
                n = x.numel() // x.shape[1]
                running_var.mul_(1 - momentum).add_(var.reshape(-1), alpha=momentum * (n / (n - 1)))
        return y
    scale = torch.rsqrt(running_var.reshape(shape) + eps)
    if weight is not None:
        scale = scale * weight.reshape(shape)
    y = (x - running_mean.reshape(shape)) * scale
    return y if bias is None else y + bias.reshape(shape)


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
