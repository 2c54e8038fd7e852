"""Attention with several heads as a layer; the function is in torch.nn.functional."""

from quern.torch import _namespace as torch
from quern.torch.nn import functional as F
from quern.torch.nn import init
from quern.torch.nn.modules.linear import NonDynamicallyQuantizableLinear
from quern.torch.nn.modules.module import Module
from quern.torch.nn.parameter import Parameter


class MultiheadAttention(Module):
    """Let queries attend to keys and their values with several heads: softmax of the scores, then sums of the values.

    Parameters
    ----------
    embed_dim : int
        Size E of queries and results; each head has ``embed_dim / num_heads`` of it.
    num_heads : int
        Number of heads; it divides `embed_dim`.
    dropout : float, optional
        Probability that a weight becomes 0, in training.
    bias : bool, optional
        Whether the projections have biases.
    add_bias_kv : bool, optional
        Whether to add one learned key and value.
    add_zero_attn : bool, optional
        Whether to add one key and value of zeros.
    kdim, vdim : int, optional
        Sizes of keys and values; None is `embed_dim`.
    batch_first : bool, optional
        Whether inputs and results are (N, L, E) instead of (L, N, E).
    device, dtype : optional
        Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

    Attributes
    ----------
    in_proj_weight : Parameter or None
        Shape (3 * E, E), for query, key and value; None where `kdim` or `vdim` differs, which has ``q_proj_weight``, ``k_proj_weight`` and
        ``v_proj_weight``.
    in_proj_bias : Parameter or None
        Shape (3 * E), at first 0.
    out_proj : Linear
        The projection of the result.

    Raises
    ------
    ValueError
        For an `embed_dim` or `num_heads` below 1.
    AssertionError
        Where `num_heads` does not divide `embed_dim`; at a call, for inputs and masks whose shapes do not fit.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    >>> x = torch.ones(3, 5, 8)
    >>> values, weights = layer(x, x, x)
    >>> values.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 5, 5]))
    """

    __constants__ = ["batch_first"]

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        device=None,
        dtype=None,
    ):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead")
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        shapes = {"q_proj_weight": (embed_dim, embed_dim), "k_proj_weight": (embed_dim, self.kdim), "v_proj_weight": (embed_dim, self.vdim)}
        shapes["in_proj_weight"] = (3 * embed_dim, embed_dim)
        is_one = self._qkv_same_embed_dim
        for name in reversed(shapes) if is_one else shapes:  # of state_dict() the order in which they are made
            has_it = (name == "in_proj_weight") == is_one
            self.register_parameter(name, Parameter(torch.empty(shapes[name], device=device, dtype=dtype)) if has_it else None)
        self.register_parameter("in_proj_bias", Parameter(torch.empty(3 * embed_dim, device=device, dtype=dtype)) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            self.bias_k = Parameter(torch.empty((1, 1, embed_dim), device=device, dtype=dtype))
            self.bias_v = Parameter(torch.empty((1, 1, embed_dim), device=device, dtype=dtype))
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self):
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for row in (self.bias_k, self.bias_v):
            if row is not None:
                init.xavier_normal_(row)

    def __setstate__(self, state):
        state.setdefault("_qkv_same_embed_dim", True)
        super().__setstate__(state)

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, is_causal=False
    ):
        """Return the attended values, and their weights or None.

        Parameters
        ----------
        query, key, value : Tensor
            Shapes (L, N, E), (S, N, kdim) and (S, N, vdim), with `batch_first` N first; or without N.
        key_padding_mask : Tensor, optional
            Shape (N, S): True for keys that nobody attends to, or numbers that are added to their scores.
        need_weights : bool, optional
            Whether to return the weights.
        attn_mask : Tensor, optional
            Shape (L, S) or (N * num_heads, L, S): True for pairs that do not attend, or numbers that are added to their scores.
        average_attn_weights : bool, optional
            Whether the weights are means over the heads, (N, L, S), instead of (N, num_heads, L, S).
        is_causal : bool, optional
            Whether `attn_mask`, which must be there, is the causal mask.
        """
        is_turned = self.batch_first and query.dim() == 3
        if is_turned:  # what was the same tensor stays the same
            turned = {id(one): one.transpose(1, 0) for one in (query, key, value)}
            query, key, value = (turned[id(one)] for one in (query, key, value))
        separate = {}
        if not self._qkv_same_embed_dim:
            separate = {"use_separate_proj_weight": True}
            separate |= {name: getattr(self, name) for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight")}
        values, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
            **separate,
        )
        return values.transpose(1, 0) if is_turned else values, weights
