"""Tables of vectors that are looked up by number."""

from quern.torch import _namespace as torch
from quern.torch.nn import functional as F
from quern.torch.nn import init
from quern.torch.nn.modules.module import Module
from quern.torch.nn.parameter import Parameter


class _Table(Module):
    """What both share: the table, its padding row and its representation."""

    def _prepare(self, padding_idx, weight, freeze, device, dtype):
        n = self.num_embeddings
        if padding_idx is not None:
            if not -n <= padding_idx < n:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= n
        self.padding_idx = padding_idx
        if weight is None:
            self.weight = Parameter(torch.empty((n, self.embedding_dim), device=device, dtype=dtype), requires_grad=not freeze)
            self.reset_parameters()
        else:
            if list(weight.shape) != [n, self.embedding_dim]:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = weight if isinstance(weight, Parameter) else Parameter(weight, requires_grad=not freeze)

    def reset_parameters(self):
        """Gives the table new values from a normal distribution, and 0 to the padding row."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self):
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight[self.padding_idx].fill_(0)


class Embedding(_Table):
    """Vectors by number: (*) -> (*, embedding_dim).

    Parameters: ``padding_idx``: the number of a vector that stays 0; ``max_norm``: longer vectors, by their ``norm_type``-norm, are
    scaled to it when they are looked up; ``scale_grad_by_freq``: gradients are divided by how often the number occurs.
    Attribute: ``weight``: (num_embeddings, embedding_dim).

        >>> from quern.torch import nn
        >>> from quern import torch
        >>> nn.Embedding(10, 3)(torch.tensor([1, 5])).shape
        torch.Size([2, 3])
    """

    __constants__ = ["num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse"]

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
        _weight=None,
        _freeze=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = None
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self._prepare(padding_idx, _weight, _freeze, device, dtype)
        self.sparse = sparse

    def forward(self, input):
        """The vectors of the numbers ``input``."""
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)

    def extra_repr(self):
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq is not False:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        return text + ", sparse=True" if self.sparse is not False else text

    @classmethod
    def from_pretrained(
        cls, embeddings, freeze=True, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
    ):
        """A layer with the table ``embeddings``, (V, D), which is not trained unless ``freeze`` is False."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, cols = embeddings.shape
        return cls(rows, cols, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight=embeddings, _freeze=freeze)


class EmbeddingBag(_Table):
    """The sum, mean or maximum of the vectors of each bag of numbers: (B, n) -> (B, embedding_dim).

    Parameters: ``mode``: "sum", "mean" or "max"; ``include_last_offset``: do the offsets end with the number of all? ``padding_idx``: the
    number of a vector that does not count; the others are those of Embedding. Attribute: ``weight``: (num_embeddings, embedding_dim).
    """

    __constants__ = [
        "num_embeddings",
        "embedding_dim",
        "max_norm",
        "norm_type",
        "scale_grad_by_freq",
        "mode",
        "sparse",
        "include_last_offset",
        "padding_idx",
    ]

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        mode="mean",
        sparse=False,
        _weight=None,
        include_last_offset=False,
        padding_idx=None,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self._prepare(padding_idx, _weight, False, device, dtype)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(self, input, offsets=None, per_sample_weights=None):
        """``input``: (B, n), or (N) with ``offsets``, (B), at which bags begin; ``per_sample_weights``: a factor of each, for "sum"."""
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self):
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq is not False:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        text += f", mode={self.mode!r}"
        return text if self.padding_idx is None else text + f", padding_idx={self.padding_idx}"

    @classmethod
    def from_pretrained(
        cls,
        embeddings,
        freeze=True,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        mode="mean",
        sparse=False,
        include_last_offset=False,
        padding_idx=None,
    ):
        """A layer with the table ``embeddings``, (V, D), which is not trained unless ``freeze`` is False."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, cols = embeddings.shape
        bag = cls(rows, cols, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings, include_last_offset, padding_idx)
        bag.weight.requires_grad = not freeze
        return bag
