"""A softmax over many classes, of which rare ones are in clusters with smaller networks."""

import collections
import itertools

from quern.torch import _namespace as torch
from quern.torch.nn import functional as F
from quern.torch.nn.modules.container import ModuleList, Sequential
from quern.torch.nn.modules.linear import Linear
from quern.torch.nn.modules.module import Module

_ASMoutput = collections.namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Logarithms of softmax over many classes and their loss, with smaller networks for rare classes (Grave et al., 2017).

    Parameters
    ----------
    in_features : int
        Size of the inputs.
    n_classes : int
        Number of classes, ordered from frequent to rare.
    cutoffs : sequence of int
        Where clusters of classes begin, in rising order.
    div_value : float, optional
        Factor by which the hidden size falls from cluster to cluster.
    head_bias : bool, optional
        Whether the head has a bias.
    device : Device or str, optional
        Device of the parameters; None is the current one.
    dtype : dtype, optional
        Dtype of the parameters; None is the default floating-point dtype.

    Raises
    ------
    ValueError
        For cutoffs that do not rise within the classes.
    RuntimeError
        At a call, for shapes that do not fit or targets that are no classes.

    Examples
    --------
    >>> from quern import torch
    >>> softmax = torch.nn.AdaptiveLogSoftmaxWithLoss(8, 100, [10, 50])
    >>> softmax(torch.ones(2, 8), torch.tensor([3, 70])).output.shape
    torch.Size([2])
    """

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None):
        super().__init__()
        how = {"device": device, "dtype": dtype}
        cutoffs = list(cutoffs)
        if len(cutoffs) == 0:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        rises = cutoffs == sorted({*cutoffs}) and all(int(c) == c for c in cutoffs)
        if not rises or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is between"
                " 1 and n_classes-1"
            )
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **how)
        self.tail = ModuleList()
        for i, (first, last) in enumerate(itertools.pairwise(self.cutoffs)):
            hidden = int(in_features // div_value ** (i + 1))
            self.tail.append(Sequential(Linear(in_features, hidden, bias=False, **how), Linear(hidden, last - first, bias=False, **how)))

    def reset_parameters(self):
        """Gives the parameters new random values."""
        for layer in (self.head, *itertools.chain.from_iterable(self.tail)):
            layer.reset_parameters()

    def forward(self, input_, target_):
        """Return the log-probabilities of the targets and minus their mean."""
        self._check(input_, target_)
        is_batched = target_.dim() > 0
        rows, target = (input_, target_) if is_batched else (input_.unsqueeze(0), target_.unsqueeze(0))
        if rows.size(0) and not bool(((target >= 0) & (target < self.n_classes)).all()):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{target.min().item()}, {target.max().item()}]"
                " were found. "
            )
        heads = F.log_softmax(self.head(rows), dim=1)
        places, output = target.clamp(max=self.shortlist_size - 1), torch.zeros(rows.size(0), dtype=heads.dtype, device=heads.device)
        for i, (first, last) in enumerate(itertools.pairwise(self.cutoffs)):
            is_inside = (target >= first) & (target < last)
            chosen = is_inside.nonzero().squeeze(1)
            places = torch.where(is_inside, self.shortlist_size + i, places)
            if chosen.numel():
                own = F.log_softmax(self.tail[i](rows.index_select(0, chosen)), dim=1)
                own = own.gather(1, (target.index_select(0, chosen) - first).unsqueeze(1)).squeeze(1)
                output = output.index_add(0, chosen, own)
        output = output + heads.gather(1, places.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output if is_batched else output.squeeze(0), loss)

    def _check(self, given, target):
        if target.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if target.dim() == 1 and given.size(0) != target.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if given.dim() != target.dim() + 1:
            raise RuntimeError(
                f"{target.dim()}D target tensor expects {target.dim() + 1}D input tensors, but found inputs with size {given.size()}"
            )

    def log_prob(self, input):
        """Return the log-probabilities of all classes, of shape (N, n_classes)."""
        heads = F.log_softmax(self.head(input), dim=1)
        parts = [heads[:, : self.shortlist_size]]
        for i, network in enumerate(self.tail):
            parts.append(F.log_softmax(network(input), dim=1) + heads[:, self.shortlist_size + i].unsqueeze(1))
        return torch.cat(parts, dim=1)

    def predict(self, input):
        """Return the likeliest class of each input, by the head where that is a frequent one."""
        best = torch.argmax(self.head(input), dim=1)
        is_rare = best >= self.shortlist_size
        return torch.where(is_rare, torch.argmax(self.log_prob(input), dim=1), best) if bool(is_rare.any()) else best
