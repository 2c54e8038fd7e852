"""The loss of labels at unknown places of a sequence."""

from quern.torch.nn import functional as F
from quern.torch.nn.modules.loss import _Loss


class CTCLoss(_Loss):
    """Connectionist temporal classification loss: labels at unknown places of a sequence (Graves et al., 2006).

    Parameters
    ----------
    blank : int, optional
        Class of no label.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all samples: the mean over their numbers of labels, the sum, or themselves.
    zero_infinity : bool, optional
        Whether losses are 0 where they are infinite: for more labels than steps.

    Examples
    --------
    >>> from quern import torch
    >>> log_probs = torch.zeros(4, 1, 3).log_softmax(2)
    >>> torch.nn.CTCLoss()(log_probs, torch.tensor([[1, 2]]), [4], [2])
    tensor(0.8432)
    """

    __constants__ = ["blank", "reduction"]

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__(reduction=reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, log_probs, targets, input_lengths, target_lengths):
        """Return the loss: one number, or the losses of all samples with reduction "none"."""
        return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity)
