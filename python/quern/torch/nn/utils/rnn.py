"""torch.nn.utils.rnn: sequences of different lengths, padded to one length or packed step by step."""

from collections.abc import Iterable
from typing import NamedTuple

from quern.lib import _engine
from quern.torch import _namespace as torch

_faces = _engine.functions_of("torch", __name__, "", binds=False, submodule="nn.utils.rnn")

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpad_sequence",
    "pack_sequence",
    "unpack_sequence",
]


class PackedSequence_(NamedTuple):
    """The parts of a PackedSequence."""

    data: torch.Tensor
    batch_sizes: torch.Tensor
    sorted_indices: torch.Tensor | None
    unsorted_indices: torch.Tensor | None


class PackedSequence(PackedSequence_):
    """Hold the elements of several sequences step by step, as recurrent networks read them; pack_padded_sequence() makes one.

    Parameters
    ----------
    data : Tensor
        Elements of all sequences: those of the first step, those of the second step, and so on.
    batch_sizes : Tensor
        Number of sequences in each step: int64, on the CPU.
    sorted_indices : Tensor, optional
        Order in which the sequences, longest first, were among all.
    unsorted_indices : Tensor, optional
        Inverse of `sorted_indices`; None: it is computed.

    Raises
    ------
    ValueError
        For `batch_sizes` on another device than the CPU.
    AssertionError
        For `data` alone, where it is not a pair of `data` and `batch_sizes`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4, 5])]).data
    tensor([1, 4, 2, 5, 3])
    """

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. They should be "
                "instantiated by functions like pack_sequence and pack_padded_sequences in nn.utils.rnn. "
                "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def _with(self, data, indices):
        moved = (None if one is None else indices(one) for one in (self.sorted_indices, self.unsorted_indices))
        return type(self)(data, self.batch_sizes, *moved)

    def to(self, *args, **kwargs):
        """Return it with its data on another device or of another dtype; itself where nothing changes."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._with(data, lambda one: one.to(data.device))

    def cuda(self, *args, **kwargs):
        """Return it with its data on a GPU."""
        return self._on("cuda", args, kwargs)

    def cpu(self, *args, **kwargs):
        """Return it with its data on the CPU."""
        return self._on("cpu", args, kwargs)

    def _on(self, kind, args, kwargs):
        sample = torch.tensor((), dtype=self.data.dtype, device=self.data.device).to(*args, **kwargs)
        return self.to(*args, **kwargs) if sample.device.type == kind else self.to(*args, **kwargs | {"device": kind})

    def pin_memory(self):
        """Return it with its data in page-locked memory."""
        return self._with(self.data.pin_memory(), lambda one: one.pin_memory())

    def is_pinned(self):
        """Return whether its data is in page-locked memory."""
        return self.data.is_pinned()

    @property
    def is_cuda(self):
        """Whether its data is on a GPU."""
        return self.data.is_cuda

    def double(self):
        """Return it with data of float64."""
        return self.to(dtype=torch.float64)

    def float(self):
        """Return it with data of float32."""
        return self.to(dtype=torch.float32)

    def half(self):
        """Return it with data of float16."""
        return self.to(dtype=torch.float16)

    def long(self):
        """Return it with data of int64."""
        return self.to(dtype=torch.int64)

    def int(self):
        """Return it with data of int32."""
        return self.to(dtype=torch.int32)

    def short(self):
        """Return it with data of int16."""
        return self.to(dtype=torch.int16)

    def char(self):
        """Return it with data of int8."""
        return self.to(dtype=torch.int8)

    def byte(self):
        """Return it with data of uint8."""
        return self.to(dtype=torch.uint8)


def invert_permutation(permutation):
    """Return the inverse of a permutation, or None for None.

    Parameters
    ----------
    permutation : Tensor or None
        Integers, each from 0 to their number once.

    Returns
    -------
    Tensor or None
        Where each of them stands.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.utils.rnn.invert_permutation(torch.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    inverse = torch.empty_like(permutation, memory_format=torch.contiguous_format)
    return inverse.scatter_(0, permutation, torch.arange(permutation.numel(), device=permutation.device))


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Return padded sequences as a PackedSequence, without what is behind their ends.

    Parameters
    ----------
    input : Tensor
        Sequences of shape (steps, N, *) or, with `batch_first`, (N, steps, *).
    lengths : Tensor or list of int
        Length of each sequence; a tensor is on the CPU.
    batch_first : bool, optional
        Whether N is the first dimension.
    enforce_sorted : bool, optional
        Whether the sequences must be in the order of their lengths, the longest first; else they are sorted.

    Returns
    -------
    PackedSequence
        Elements of all sequences step by step.

    Raises
    ------
    RuntimeError
        For lengths that are not positive, longer than the sequences, of another number than these, or in another order.

    Examples
    --------
    >>> from quern import torch
    >>> x = torch.tensor([[1, 2, 0], [3, 0, 0], [4, 5, 6]])
    >>> torch.nn.utils.rnn.pack_padded_sequence(x, [2, 1, 3], batch_first=True, enforce_sorted=False).data
    tensor([4, 1, 3, 5, 2, 6])
    """
    if isinstance(lengths, torch.Tensor):
        lengths = lengths.to(dtype=torch.int64)
    else:
        lengths = torch.as_tensor(lengths, dtype=torch.int64, device="cpu")
    order = None
    if not enforce_sorted:
        lengths, order = torch.sort(lengths, descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
    data, batch_sizes = _faces["_pack_padded_sequence"](input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, order, None)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """Return packed sequences as one tensor, and their lengths.

    Parameters
    ----------
    sequence : PackedSequence
        Packed sequences.
    batch_first : bool, optional
        Whether N is the first dimension of the result.
    padding_value : float, optional
        Value behind the ends of shorter sequences.
    total_length : int, optional
        Number of steps of the result; None is the length of the longest sequence.

    Returns
    -------
    tuple
        Tensor of shape (steps, N, *) or, with `batch_first`, (N, steps, *); tensor of the lengths, int64, on the CPU.

    Raises
    ------
    ValueError
        For a `total_length` below the length of the longest sequence.

    Examples
    --------
    >>> from quern import torch
    >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4, 5])])
    >>> torch.nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    (tensor([[1, 2, 3],
            [4, 5, 0]]), tensor([3, 2]))
    """
    longest = sequence.batch_sizes.size(0)
    if total_length is not None and total_length < longest:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {longest}"
        )
    steps = longest if total_length is None else total_length
    output, lengths = _faces["_pad_packed_sequence"](sequence.data, sequence.batch_sizes, batch_first, padding_value, steps)
    order = sequence.unsorted_indices
    if order is None:
        return output, lengths
    return output.index_select(0 if batch_first else 1, order), lengths[order.cpu()]


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Return sequences side by side in one tensor, shorter ones with padding.

    Parameters
    ----------
    sequences : iterable of Tensor
        Sequences of shape (steps, *), whose other dimensions are equal.
    batch_first : bool, optional
        Whether the number of sequences is the first dimension of the result, or the second.
    padding_value : float, optional
        Value of elements that are added.
    padding_side : {"right", "left"}, optional
        Where they are added.

    Returns
    -------
    Tensor
        Tensor of shape (steps, N, *) or, with `batch_first`, (N, steps, *).

    Raises
    ------
    RuntimeError
        For no sequences, another `padding_side`, or sequences whose other dimensions differ.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.utils.rnn.pad_sequence([torch.tensor([1, 2, 3]), torch.tensor([4, 5])], batch_first=True)
    tensor([[1, 2, 3],
            [4, 5, 0]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}")
    return _faces["_pad_sequence"](tuple(sequences), batch_first, padding_value, padding_side)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """Return padded sequences as a list of tensors of their lengths.

    Parameters
    ----------
    padded_sequences : Tensor
        Sequences of shape (steps, N, *) or, with `batch_first`, (N, steps, *). As in PyTorch, the first two dimensions of a tensor
        without `batch_first` change places.
    lengths : Tensor
        Length of each sequence.
    batch_first : bool, optional
        Whether N is the first dimension.

    Returns
    -------
    list of Tensor
        Sequences without padding.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.utils.rnn.unpad_sequence(torch.tensor([[1, 2, 3], [4, 5, 0]]), torch.tensor([3, 2]), batch_first=True)
    [tensor([1, 2, 3]), tensor([4, 5])]
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    numbers = lengths.tolist()
    if len(numbers) != len(padded_sequences):
        raise ValueError(f"unpad_sequence: got {len(padded_sequences)} sequences and {len(numbers)} lengths")
    return [one[: max(length, 0)].clone() for one, length in zip(padded_sequences, numbers, strict=True)]


def pack_sequence(sequences, enforce_sorted=True):
    """Return sequences as a PackedSequence.

    Parameters
    ----------
    sequences : list of Tensor
        Sequences of shape (steps, *), whose other dimensions are equal.
    enforce_sorted : bool, optional
        Whether the sequences must be in the order of their lengths, the longest first; else they are sorted.

    Returns
    -------
    PackedSequence
        Elements of all sequences step by step.

    Raises
    ------
    RuntimeError
        For no sequences, or sequences in another order.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4, 5])]).batch_sizes
    tensor([2, 2, 1])
    """
    lengths = torch.as_tensor([one.size(0) for one in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """Return packed sequences as a list of tensors of their lengths.

    Parameters
    ----------
    packed_sequences : PackedSequence
        Packed sequences.

    Returns
    -------
    list of Tensor
        Sequences in the order in which they were packed.

    Examples
    --------
    >>> from quern import torch
    >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4, 5])])
    >>> torch.nn.utils.rnn.unpack_sequence(packed)
    [tensor([1, 2, 3]), tensor([4, 5])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
