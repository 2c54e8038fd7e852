"""Functions of layers that are no faces of the engine's table yet: attention, dropout of channels, embeddings, padding."""

import math

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch import _value_checks
from quern.torch._arguments import wrong
from quern.torch._core import joined
from quern.user_files import warn_user

_dropout = _engine.functions_of("torch", "quern.torch.nn.functional", binds=False, submodule="nn.functional")["dropout"]

# ---- products


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """softmax(query @ key^T * scale + mask) @ value: (*, H, L, E), (*, H, S, E), (*, H, S, Ev) -> (*, H, L, Ev).

    Parameters: ``attn_mask``: can be broadcast to (*, H, L, S); bool says what takes part, else it is added; ``dropout_p``: of the
    attention; ``is_causal``: a place sees those up to itself; ``scale``: by default 1 / sqrt(E); ``enable_gqa``: there may be fewer heads
    of keys and values, each for as many heads of queries. Rows that see nothing give 0.
    """
    if is_causal and attn_mask is not None:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
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
        p = _dropout(p, dropout_p)
    return torch.matmul(p, value)


# ---- dropout


def _check_probability(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _or_in(input, result, inplace):
    return input.copy_(result) if inplace else result


def _feature_noise(input, p):
    """1 with probability 1 - p, else 0, for each channel of (N, C, ...)."""
    if input.dim() < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return input.new_empty(list(input.shape[:2]) + [1] * (input.dim() - 2)).bernoulli_(1 - p)


def _feature_dropout(input, p, training, inplace, batched):
    _check_probability(p)
    if not training or p == 0:
        return input
    x = input if batched else input.unsqueeze(0)
    noise = _feature_noise(x, p)
    result = x * (noise if p == 1 else noise.div_(1 - p))
    return _or_in(input, result if batched else result.squeeze(0), inplace)


def dropout1d(input, p=0.5, training=True, inplace=False):
    """dropout() of whole channels of (N, C, L) or (C, L)."""
    _check_probability(p)
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note that dropout1d exists to provide channel-wise "
            "dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs)."
        )
    return _feature_dropout(input, p, training, inplace, input.dim() == 3)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """dropout() of whole channels of (N, C, H, W). A tensor with three dimensions is taken as (N, C, L), as older programs mean it."""
    _check_probability(p)
    if input.dim() not in (3, 4):
        warn_user(
            f"dropout2d: Received a {input.dim()}-D input to dropout2d, which is deprecated and will result in an error in a future "
            "release. To retain the behavior and silence this warning, please use dropout instead. Note that dropout2d exists to provide "
            "channel-wise dropout on inputs with 2 spatial dimensions, a channel dimension, and an optional batch dimension "
            "(i.e. 3D or 4D inputs).",
        )
    if input.dim() == 3:
        warn_user(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input is "
            "interpreted as shape (N, C, L), where C is the channel dim. Please use dropout1d for it.",
        )
    return _feature_dropout(input, p, training, inplace, True)


def dropout3d(input, p=0.5, training=True, inplace=False):
    """dropout() of whole channels of (N, C, D, H, W) or (C, D, H, W)."""
    _check_probability(p)
    if input.dim() not in (4, 5):
        warn_user(
            f"dropout3d: Received a {input.dim()}-D input to dropout3d, which is deprecated and will result in an error in a future "
            "release. To retain the behavior and silence this warning, please use dropout instead. Note that dropout3d exists to provide "
            "channel-wise dropout on inputs with 3 spatial dimensions, a channel dimension, and an optional batch dimension "
            "(i.e. 4D or 5D inputs).",
        )
    return _feature_dropout(input, p, training, inplace, input.dim() != 4)


_ALPHA = 1.7580993408473766  # selu's limit for small x is minus this


def _alpha_dropout(input, p, inplace, noise):
    """Dropped elements become selu's limit, then all are scaled and moved so that mean 0 and variance 1 are kept."""
    if p == 1:
        return _or_in(input, input * torch.zeros_like(input), inplace)
    scale = ((_ALPHA * _ALPHA * p + 1) * (1 - p)) ** -0.5
    # noise is 1 where x stays: x * scale + scale * alpha * p there, elsewhere -alpha * scale + scale * alpha * p
    shift = (noise - 1) * (scale * _ALPHA) + scale * _ALPHA * p
    return _or_in(input, input * (noise * scale) + shift, inplace)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Dropout that keeps mean 0 and variance 1, for layers with selu()."""
    _check_probability(p)
    if not training or p == 0:
        return input
    return _alpha_dropout(input, p, inplace, torch.empty_like(input).bernoulli_(1 - p))


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """alpha_dropout() of whole channels of (N, C, ...)."""
    _check_probability(p)
    if not training or p == 0:
        return input
    return _alpha_dropout(input, p, inplace, _feature_noise(input, p))


# ---- embeddings


_NO_CLASSES = ["Class values must be non-negative.", "Class values must be smaller than num_classes."]


def one_hot(tensor, num_classes=-1):
    """Class numbers as rows of 0 and one 1: (*) -> (*, num_classes), int64. -1 means one class more than the largest number.

    >>> F.one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    if tensor.dtype != torch.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if num_classes == -1:
        if tensor.numel() == 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        if tensor.min().item() < 0:
            raise RuntimeError("Class values must be non-negative.")
        num_classes = tensor.max().item() + 1
    elif tensor.numel():
        tensor = _value_checks.places(tensor, max(num_classes, 0), _NO_CLASSES)
        num_classes = max(num_classes, 1)
    elif num_classes < 1:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    return torch.zeros([*tensor.shape, num_classes], dtype=torch.int64, device=tensor.device).scatter_(-1, tensor.unsqueeze(-1), 1)


def _check_embedding(name, indices, weight, sparse):
    if weight.dim() != 2:
        raise RuntimeError("'weight' must be 2-D")
    if indices.dtype not in (torch.int64, torch.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {indices.type()} instead (while checking arguments for {name})"
        )
    if sparse:
        raise NotImplementedError(f"[torch.nn.functional.{name}] sparse gradients are not served; use sparse=False")


def _padding_row(padding_idx, weight):
    if padding_idx is None:
        return None
    n = weight.shape[0]
    if not -n <= padding_idx < n:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx % n


def _shorten(indices, weight, max_norm, norm_type):
    """Scales those rows of ``weight``, in place, that are looked up and longer than ``max_norm``."""
    with torch.no_grad():
        n = weight.shape[0]
        used = torch.zeros(n, dtype=torch.int64, device=weight.device).index_fill_(0, indices.reshape(-1), 1)
        norm = weight.norm(norm_type, 1)
        scale = torch.where((used > 0) & (norm > max_norm), max_norm / (norm + 1e-7), torch.ones_like(norm))
        weight.mul_(scale.unsqueeze(1))


def _rows_at(indices, weight, padding_idx, scale_grad_by_freq):
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


# ---- constant padding


def _constant_pad(x, pad, value):
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


# ---- normalization


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """Rows of a table: (*), (V, D) -> (*, D).

    Parameters: ``input``: row numbers; ``padding_idx``: a row that gets no gradient; ``max_norm``: longer rows are scaled to it, in
    the table, by their ``norm_type``-norm; ``scale_grad_by_freq``: each row's gradient is divided by how often the row is looked up.
    """
    if not isinstance(weight, torch.Tensor):
        wrong("embedding", "weight", 1, "Tensor", weight)
    if not isinstance(input, torch.Tensor):
        wrong("embedding", "indices", 2, "Tensor", input)
    _check_embedding("embedding", input, weight, sparse)
    padding_idx = _padding_row(padding_idx, weight)
    if max_norm is not None:
        _shorten(input, weight, max_norm, norm_type)
    return _rows_at(input, weight, padding_idx, scale_grad_by_freq)


def embedding_bag(
    input,
    weight,
    offsets=None,
    max_norm=None,
    norm_type=2,
    scale_grad_by_freq=False,
    mode="mean",
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """The sum, mean or maximum of rows of a table, for each bag of row numbers: (B, n), (V, D) -> (B, D).

    Parameters: ``input``: (B, n), or (N) with ``offsets`` (B) at which bags begin, with ``include_last_offset`` (B + 1) and their end;
    ``mode``: "sum", "mean" or "max"; ``per_sample_weights``: a factor for each row number, with "sum"; ``padding_idx``: a row that does not
    count. The others are those of embedding().
    """
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, "
            f"then it must have the same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. "
                f"However, found offsets of type {type(offsets)}"
            )
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            f"embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got mode='{mode}')."
        )
    _check_embedding("embedding_bag", input, weight, sparse)
    padding_idx = _padding_row(padding_idx, weight)
    if max_norm is not None:
        _shorten(input, weight, max_norm, norm_type)
    n = weight.shape[0]
    input = _value_checks.places(input, n, f"Index of input takes value {{}} which is not in the valid range [0, {n})")
    rows = _rows_at(input, weight, None, scale_grad_by_freq)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(-1)
    counted = None if padding_idx is None else (input != padding_idx).unsqueeze(-1)
    if counted is not None:
        rows = rows.masked_fill(~counted, 0 if mode != "max" else -torch.inf)
    if input.dim() == 2:
        return _bags_of_one_size(rows, counted, mode)
    bags = offsets.shape[0] - include_last_offset
    made = _bags_at(rows, counted, mode, offsets[:bags], bags)
    if not offsets.shape[0]:
        return made
    n = rows.shape[0]
    made = _value_checks.unless(made, offsets[0] == 0, "offsets[0] has to be 0, i.e., the first sequence has to start from position 0")
    return _value_checks.unless(made, offsets[-1] <= n, f"offsets[-1] can not be greater than input's length {n}")


def _bags_of_one_size(rows, counted, mode):
    if mode == "max":
        if rows.shape[1] == 0:
            return rows.sum(1)
        top = rows.max(1).values
        return top if counted is None else top.masked_fill(~counted.any(1), 0)
    total = rows.sum(1)
    if mode == "sum":
        return total
    return total / (max(rows.shape[1], 1) if counted is None else counted.sum(1).clamp(min=1))


def _bags_at(rows, counted, mode, offsets, bags):
    n = rows.shape[0]
    bag = torch.searchsorted(offsets, torch.arange(n, device=rows.device, dtype=offsets.dtype), right=True) - 1
    empty = rows.new_zeros((bags, rows.shape[1]))
    ones = torch.ones(n, dtype=torch.int64, device=rows.device) if counted is None else counted.squeeze(-1).to(torch.int64)
    if mode == "max":
        place = bag.unsqueeze(1).expand(n, rows.shape[1])
        top = empty.scatter_reduce(0, place, rows, "amax", include_self=False)
        if counted is None:
            return top  # an empty bag has kept its 0
        counts = torch.zeros(bags, dtype=torch.int64, device=rows.device).index_add(0, bag, ones)
        return top.masked_fill((counts == 0).unsqueeze(1), 0)
    total = empty.index_add(0, bag, rows)
    if mode == "sum":
        return total
    counts = torch.zeros(bags, dtype=torch.int64, device=rows.device).index_add(0, bag, ones)
    return total / counts.clamp(min=1).unsqueeze(1)


# ---- normalization


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """x divided by (k + alpha * the mean of squares of ``size`` neighbouring channels) ** beta; x: (N, C, ...)."""
    if input.dim() < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {input.dim()} dimensions)")
    channels = input.shape[1]
    padded = _constant_pad(torch.square(input), [0, 0] * (input.dim() - 2) + [size // 2, (size - 1) // 2], 0.0)
    total = padded.narrow(1, 0, channels)
    for i in range(1, size):
        total = total + padded.narrow(1, i, channels)
    return input / (total * (alpha / size) + k) ** beta


# ---- padding


def pad(input, pad, mode="constant", value=None):
    """x with elements added before and after: ``pad`` is (before, after) of the last dimension, then of that before it, and so on.

    Negative numbers cut. ``mode``: "constant", with ``value``, by default 0; "reflect", "replicate" or "circular", of the last one to three
    dimensions, with one or two more before them.

        >>> F.pad(torch.ones(2), (1, 2))
        tensor([0., 1., 1., 0., 0.])
    """
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) // 2 > input.dim():
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension "
            f"but got padding length {len(pad)} and input of dimension {input.dim()}"
        )
    if mode == "constant":
        for i in range(len(pad) // 2):
            n = input.shape[input.dim() - 1 - i]
            if n + pad[2 * i] + pad[2 * i + 1] < 0:
                raise RuntimeError(
                    f"The input size {n}, plus negative padding {pad[2 * i]} and {pad[2 * i + 1]} resulted in a negative output size, "
                    f"which is invalid. Check dimension {input.dim() - 1 - i} of your input."
                )
        return _constant_pad(input, list(pad), 0.0 if value is None else value)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    spatial = len(pad) // 2
    if spatial > 3 or input.dim() not in (spatial + 1, spatial + 2):
        raise NotImplementedError("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now")
    for i in range(spatial):
        input = _padded_along(input, input.dim() - 1 - i, pad[2 * i], pad[2 * i + 1], mode)
    return input


def _padded_along(x, dim, before, after, mode):
    """More elements of x itself before and after a dimension."""
    n = x.shape[dim]
    if mode == "reflect" and max(before, after) >= n:
        raise RuntimeError(
            f"Argument #4: Padding size should be less than the corresponding input dimension, but got: padding ({before}, {after}) at "
            f"dimension {dim} of input {list(x.shape)}"
        )
    if mode == "circular" and max(before, after) > n:
        raise RuntimeError("Padding value causes wrapping around more than once.")
    if n + before + after <= 0 or n == 0:
        raise RuntimeError(f"[pad] dimension {dim} of {n} elements with the padding ({before}, {after}) has no element")
    first, last = max(-before, 0), n - max(-after, 0)
    parts = [x.narrow(dim, first, last - first)]
    if mode == "circular":  # what is added comes from what a negative number leaves
        x, n = parts[0], last - first
    if before > 0:
        if mode == "reflect":
            parts.insert(0, x.narrow(dim, 1, before).flip(dim))
        elif mode == "circular":
            parts.insert(0, x.narrow(dim, n - before, before))
        else:
            parts.insert(0, x.narrow(dim, 0, 1).expand([before if d == dim else m for d, m in enumerate(x.shape)]))
    if after > 0:
        if mode == "reflect":
            parts.append(x.narrow(dim, n - 1 - after, after).flip(dim))
        elif mode == "circular":
            parts.append(x.narrow(dim, 0, after))
        else:
            parts.append(x.narrow(dim, n - 1, 1).expand([after if d == dim else m for d, m in enumerate(x.shape)]))
    return parts[0].clone() if len(parts) == 1 else torch.cat(parts, dim)
