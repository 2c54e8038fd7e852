"""Transformers: layers of attention and of a network for each position, stacks of them, and both together."""

import copy

from quern.torch import _namespace as torch
from quern.torch._autocast import is_autocast_enabled
from quern.torch.nn import functional as F
from quern.torch.nn import init
from quern.torch.nn.modules.activation import GELU, ReLU
from quern.torch.nn.modules.container import ModuleList
from quern.torch.nn.modules.dropout import Dropout
from quern.torch.nn.modules.linear import Linear
from quern.torch.nn.modules.module import Module
from quern.torch.nn.modules.multihead import MultiheadAttention
from quern.torch.nn.modules.normalization import LayerNorm
from quern.user_files import warn_user

_LAYER = """
Parameters
----------
d_model : int
    Size E of inputs and results.
nhead : int
    Number of heads; it divides `d_model`.
dim_feedforward : int, optional
    Size of the network for each position.
dropout : float, optional
    Probability of 0 after each part, in training.
activation : {"relu", "gelu"} or callable, optional
    The network's activation.
layer_norm_eps : float, optional
    Number that is added to the variances.
batch_first : bool, optional
    Whether inputs and results are (N, L, E) instead of (L, N, E).
norm_first : bool, optional
    Whether to normalize before each part instead of after it.
bias : bool, optional
    Whether products and normalizations have biases.
device, dtype : optional
    Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

Raises
------
RuntimeError
    For another `activation` by name.
AssertionError
    Where `nhead` does not divide `d_model`; at a call, for inputs and masks whose shapes do not fit.
"""


def _activation(given):
    if not isinstance(given, str):
        return given
    if given not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return getattr(F, given)


def _clones(module, count):
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


class _Layer(Module):
    """What layers of encoders and decoders share: the network for each position, and dropout."""

    __constants__ = ["norm_first"]
    _norms = 0

    def _make_network(self, d_model, dim_feedforward, dropout, activation, layer_norm_eps, norm_first, bias, made):
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **made)
        self.norm_first = norm_first
        for i in range(1, self._norms + 1):
            setattr(self, f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **made))
        for i in range(1, self._norms + 1):
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = _activation(activation)

    def __setstate__(self, state):
        super().__setstate__(state)
        if not hasattr(self, "activation"):
            self.activation = F.relu

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        values = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False, is_causal=is_causal
        )[0]
        return self.dropout1(values)

    def _ff_block(self, x):
        return getattr(self, f"dropout{self._norms}")(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoderLayer(_Layer):
    __doc__ = f"""Attend to the input itself, then apply a network to each position, both added to their inputs and normalized.
{_LAYER}
Examples
--------
>>> from quern import torch
>>> layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
>>> layer(torch.ones(3, 5, 8)).shape
torch.Size([3, 5, 8])
"""
    _norms = 2

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation=F.relu,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        super().__init__()
        made = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **made)
        self._make_network(d_model, dim_feedforward, dropout, activation, layer_norm_eps, norm_first, bias, made)
        one = self.activation
        self.activation_relu_or_gelu = 1 if one is F.relu or isinstance(one, ReLU) else 2 if one is F.gelu or isinstance(one, GELU) else 0

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        """Return the result, in the shape of `src`; masks are those of :class:`MultiheadAttention`.

        Parameters
        ----------
        src : Tensor
            Shape (L, N, E), with `batch_first` (N, L, E), or (L, E).
        src_mask, src_key_padding_mask : Tensor, optional
            Masks of pairs, and of keys.
        is_causal : bool, optional
            Whether `src_mask` is the causal mask.
        """
        if self.norm_first:
            src = src + self._sa_block(self.norm1(src), src_mask, src_key_padding_mask, is_causal)
            return src + self._ff_block(self.norm2(src))
        src = self.norm1(src + self._sa_block(src, src_mask, src_key_padding_mask, is_causal))
        return self.norm2(src + self._ff_block(src))


class TransformerDecoderLayer(_Layer):
    __doc__ = f"""Attend to the input itself, then to the encoder's result, then apply a network to each position.
{_LAYER}
Examples
--------
>>> from quern import torch
>>> layer = torch.nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
>>> layer(torch.ones(3, 5, 8), torch.ones(3, 4, 8)).shape
torch.Size([3, 5, 8])
"""
    _norms = 3

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation=F.relu,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        super().__init__()
        made = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **made)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **made)
        self._make_network(d_model, dim_feedforward, dropout, activation, layer_norm_eps, norm_first, bias, made)

    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        values = self.multihead_attn(
            x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False, is_causal=is_causal
        )[0]
        return self.dropout2(values)

    def forward(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        tgt_is_causal=False,
        memory_is_causal=False,
    ):
        """Return the result, in the shape of `tgt`; masks are those of :class:`MultiheadAttention`.

        Parameters
        ----------
        tgt, memory : Tensor
            The input, (L, N, E), with `batch_first` (N, L, E), or (L, E); the encoder's result, (S, N, E) likewise.
        tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask : Tensor, optional
            Masks of pairs, and of keys, for both attentions.
        tgt_is_causal, memory_is_causal : bool, optional
            Whether `tgt_mask` and `memory_mask` are causal masks.
        """
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory_mask, memory_key_padding_mask, memory_is_causal)
        if self.norm_first:
            tgt = tgt + self._sa_block(self.norm1(tgt), *own)
            tgt = tgt + self._mha_block(self.norm2(tgt), memory, *other)
            return tgt + self._ff_block(self.norm3(tgt))
        tgt = self.norm1(tgt + self._sa_block(tgt, *own))
        tgt = self.norm2(tgt + self._mha_block(tgt, memory, *other))
        return self.norm3(tgt + self._ff_block(tgt))


def _why_not_nested(layer):
    """Why PyTorch's encoder does not leave out padding where it could; "" if it does."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = (
        (layer.norm_first, "norm_first was True"),
        (not attention.batch_first, "self_attn.batch_first was not True(use batch_first for better inference performance)"),
        (not attention._qkv_same_embed_dim, "self_attn._qkv_same_embed_dim was not True"),
        (attention.in_proj_bias is None, "self_attn was passed bias=False"),
        (not layer.activation_relu_or_gelu, "activation_relu_or_gelu was not True"),
        (layer.norm1.eps != layer.norm2.eps, "norm1.eps was not equal to encoder_layer.norm2.eps"),
        (attention.num_heads % 2 == 1, "self_attn.num_heads is odd"),
    )
    return next((f"encoder_layer.{reason}" for holds, reason in reasons if holds), "")


class TransformerEncoder(Module):
    """Apply copies of an encoder layer one after the other.

    Parameters
    ----------
    encoder_layer : Module
        Layer that is copied, with its parameters.
    num_layers : int
        Number of copies.
    norm : Module, optional
        What is applied to the result.
    enable_nested_tensor : bool, optional
        Whether results at padded positions are 0 in evaluation without gradients, as PyTorch's faster path has them.
    mask_check : bool, optional
        Whether this holds only for padding at the ends of the lines.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    >>> torch.nn.TransformerEncoder(layer, 3)(torch.ones(3, 5, 8)).shape
    torch.Size([3, 5, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers = _clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        if enable_nested_tensor and (reason := _why_not_nested(encoder_layer)):
            warn_user(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}")
            self.use_nested_tensor = False

    def _leaves_out_padding(self, src, mask, padding):
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.dim() != 3 or padding is None or mask is not None:
            return False
        if is_autocast_enabled(src.device.type):
            return False
        return not (torch.is_grad_enabled() and any(one.requires_grad for one in (src, *first.parameters())))

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        """Return the result of the last layer, in the shape of `src`.

        Parameters
        ----------
        src : Tensor
            Shape (L, N, E), with layers of `batch_first` (N, L, E), or (L, E).
        mask, src_key_padding_mask : Tensor, optional
            Masks of pairs, and of keys, for each layer.
        is_causal : bool, optional
            Whether `mask` is the causal mask.
        """
        output, padding, left_out = src, src_key_padding_mask, None
        if self._leaves_out_padding(src, mask, padding):
            left_out = padding.bool()
            places = torch.arange(left_out.shape[1], device=left_out.device)
            is_behind = places >= left_out.logical_not().sum(1, keepdim=True)
            # Where padding is elsewhere than at the ends, PyTorch leaves out nothing, or, unchecked, as many positions at the ends.
            left_out = is_behind & (is_behind == left_out).all() if self.mask_check else is_behind
            padding = padding | left_out if padding.dtype == torch.bool else padding.masked_fill(left_out, float("-inf"))
            padding = padding if self.mask_check else is_behind
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=bool(is_causal), src_key_padding_mask=padding)
        if left_out is not None:
            output = output.masked_fill(left_out.unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)


class TransformerDecoder(Module):
    """Apply copies of a decoder layer one after the other.

    Parameters
    ----------
    decoder_layer : Module
        Layer that is copied, with its parameters.
    num_layers : int
        Number of copies.
    norm : Module, optional
        What is applied to the result.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
    >>> torch.nn.TransformerDecoder(layer, 3)(torch.ones(3, 5, 8), torch.ones(3, 4, 8)).shape
    torch.Size([3, 5, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = _clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        tgt_is_causal=None,
        memory_is_causal=False,
    ):
        """Return the result of the last layer, in the shape of `tgt`; parameters are those of :class:`TransformerDecoderLayer`."""
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=bool(tgt_is_causal),
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """Encode one sequence, and decode another one with it.

    Parameters
    ----------
    d_model : int, optional
        Size E of inputs and results.
    nhead : int, optional
        Number of heads; it divides `d_model`.
    num_encoder_layers, num_decoder_layers : int, optional
        Numbers of layers.
    dim_feedforward : int, optional
        Size of the network for each position.
    dropout : float, optional
        Probability of 0 after each part, in training.
    activation : {"relu", "gelu"} or callable, optional
        The networks' activation.
    custom_encoder, custom_decoder : Module, optional
        Modules in place of the stacks of layers.
    layer_norm_eps : float, optional
        Number that is added to the variances.
    batch_first : bool, optional
        Whether inputs and results are (N, L, E) instead of (L, N, E).
    norm_first : bool, optional
        Whether to normalize before each part instead of after it.
    bias : bool, optional
        Whether products and normalizations have biases.
    device, dtype : optional
        Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

    Raises
    ------
    RuntimeError
        For another `activation` by name; at a call, for numbers of samples or features that differ.

    Examples
    --------
    >>> from quern import torch
    >>> model = torch.nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    >>> model(torch.ones(3, 4, 8), torch.ones(3, 5, 8)).shape
    torch.Size([3, 5, 8])
    """

    def __init__(
        self,
        d_model=512,
        nhead=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        dim_feedforward=2048,
        dropout=0.1,
        activation=F.relu,
        custom_encoder=None,
        custom_decoder=None,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        super().__init__()
        made = {"device": device, "dtype": dtype}
        of_layer = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)

        def stack(custom, stack_class, layer_class, count):
            if custom is not None:
                return custom
            layer = layer_class(*of_layer, **made)
            return stack_class(layer, count, LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **made))

        self.encoder = stack(custom_encoder, TransformerEncoder, TransformerEncoderLayer, num_encoder_layers)
        self.decoder = stack(custom_decoder, TransformerDecoder, TransformerDecoderLayer, num_decoder_layers)
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src,
        tgt,
        src_mask=None,
        tgt_mask=None,
        memory_mask=None,
        src_key_padding_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        src_is_causal=None,
        tgt_is_causal=None,
        memory_is_causal=False,
    ):
        """Return the decoder's result, in the shape of `tgt`; masks are those of :class:`MultiheadAttention`.

        Parameters
        ----------
        src, tgt : Tensor
            Sequences to encode and to decode: (S, N, E) and (T, N, E), with `batch_first` N first; or without N.
        src_mask, tgt_mask, memory_mask : Tensor, optional
            Masks of pairs: of the encoder, of the decoder, and between both.
        src_key_padding_mask, tgt_key_padding_mask, memory_key_padding_mask : Tensor, optional
            Masks of keys.
        src_is_causal, tgt_is_causal, memory_is_causal : bool, optional
            Whether a mask of pairs is the causal mask.
        """
        samples = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(samples) != tgt.size(samples):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        """Return the causal mask of a sequence: -inf above the diagonal, 0 elsewhere.

        Parameters
        ----------
        sz : int
            Length of the sequence.
        device, dtype : optional
            Device and dtype; None is the current device, and the default floating-point dtype.

        Returns
        -------
        Tensor
            Shape (sz, sz).

        Examples
        --------
        >>> from quern import torch
        >>> torch.nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        return torch.triu(torch.full((sz, sz), float("-inf"), dtype=dtype, device=device), diagonal=1)

    def _reset_parameters(self):
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)
