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
    """Select rows of a table by number: (*) -> (*, embedding_dim).

    The table is the parameter `weight`, of shape (num_embeddings, embedding_dim).

    Parameters
    ----------
    num_embeddings : int
        Number of rows.
    embedding_dim : int
        Length of a row.
    padding_idx : int, optional
        Number of a row of zeros that is not trained.
    max_norm : float, optional
        Longer rows are scaled to this norm, in the table itself.
    norm_type : float, optional
        Order of the norm.
    scale_grad_by_freq : bool, optional
        Whether to divide the gradient of a row by how often it is picked.
    sparse : bool, optional
        Must be False: sparse gradients are not supported.
    device, dtype : optional
        Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

    Raises
    ------
    IndexError
        For row numbers out of range, when the result is read.
    RuntimeError
        For row numbers that are not integers, at the call; for a negative size.
    AssertionError
        For a `padding_idx` out of range.
    NotImplementedError
        Where `sparse` is True, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
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
        """Return the vectors of indices.

        Parameters
        ----------
        input : Tensor
            Integers of any shape.

        Returns
        -------
        Tensor
            Shape of `input` followed by the size of a vector.
        """
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
        """Return a layer with a table of vectors.

        Parameters
        ----------
        embeddings : Tensor
            Table, of shape (number of vectors, size of a vector).
        freeze : bool, optional
            Whether the table is not trained.
        padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse : object, optional
            As in :class:`Embedding`.

        Returns
        -------
        Embedding
            New layer.

        Examples
        --------
        >>> from quern import torch
        >>> layer = torch.nn.Embedding.from_pretrained(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
        >>> layer(torch.tensor([1]))
        tensor([[3., 4.]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, cols = embeddings.shape
        return cls(rows, cols, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight=embeddings, _freeze=freeze)


class EmbeddingBag(_Table):
    """Reduce rows of a table for each bag of row numbers: (B, n) -> (B, embedding_dim).

    The table is the parameter `weight`, of shape (num_embeddings, embedding_dim).

    Parameters
    ----------
    num_embeddings : int
        Number of rows.
    embedding_dim : int
        Length of a row.
    max_norm : float, optional
        Longer rows are scaled to this norm, in the table itself.
    norm_type : float, optional
        Order of the norm.
    scale_grad_by_freq : bool, optional
        Whether to divide the gradient of a row by how often it is picked.
    mode : {'sum', 'mean', 'max'}, optional
        How the rows of a bag are reduced.
    sparse : bool, optional
        Must be False: sparse gradients are not supported.
    include_last_offset : bool, optional
        Whether offsets end with the number of all row numbers.
    padding_idx : int, optional
        Number of a row that does not count.
    device, dtype : optional
        Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

    Raises
    ------
    ValueError
        For one-dimensional row numbers without offsets, or an unknown `mode`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.EmbeddingBag(5, 3)(torch.tensor([[0, 1], [2, 2]])).shape
    torch.Size([2, 3])
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
        """Return a sum, mean or maximum of the vectors of each bag.

        Parameters
        ----------
        input : Tensor
            Integers of shape (B, n), or of shape (N,) with `offsets`.
        offsets : Tensor, optional
            Index in `input` at which each bag begins, of shape (B,).
        per_sample_weights : Tensor, optional
            Factor of each vector, in the shape of `input`; only for sums.

        Returns
        -------
        Tensor
            Shape (B, size of a vector).
        """
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
        """Return a layer with a table of vectors.

        Parameters
        ----------
        embeddings : Tensor
            Table, of shape (number of vectors, size of a vector).
        freeze : bool, optional
            Whether the table is not trained.
        max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset, padding_idx : object, optional
            As in :class:`EmbeddingBag`.

        Returns
        -------
        EmbeddingBag
            New layer.

        Examples
        --------
        >>> from quern import torch
        >>> layer = torch.nn.EmbeddingBag.from_pretrained(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), mode="sum")
        >>> layer(torch.tensor([[0, 1]]))
        tensor([[4., 6.]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, cols = embeddings.shape
        bag = cls(rows, cols, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings, include_last_offset, padding_idx)
        bag.weight.requires_grad = not freeze
        return bag
