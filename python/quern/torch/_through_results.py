"""Functions whose derivatives are computed from their results, as in PyTorch: hooks on these see what second derivatives add.

The functions of these names call them where a gradient is recorded; forward() calls those, which record nothing then.
"""

import math

from quern.torch import _namespace as torch
from quern.torch import _special
from quern.torch._core import THROUGH_RESULTS
from quern.torch.autograd import Function


class SpecialNdtri(Function):
    """special.ndtri()."""

    @staticmethod
    def forward(ctx, x):
        result = _special.ndtri(x)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        return grad * math.sqrt(2 * math.pi) * (result.square() / 2).exp()


class SpecialLogNdtr(Function):
    """special.log_ndtr()."""

    @staticmethod
    def forward(ctx, x):
        result = _special.log_ndtr(x)
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, grad):
        x, result = ctx.saved_tensors
        return grad / math.sqrt(2 * math.pi) * (-(result + x.square() / 2)).exp()


class Logcumsumexp(Function):
    """logcumsumexp() of real numbers. The gradient is summed by logarithms, its positive and its negative part apart."""

    @staticmethod
    def forward(ctx, x, dim):
        result = torch.logcumsumexp(x, dim)
        ctx.save_for_backward(x, result)
        ctx.dim = dim
        return result

    @staticmethod
    def backward(ctx, grad):
        x, result = ctx.saved_tensors
        least, size = torch.finfo(grad.dtype).min, grad.abs().log()

        def part(has_sign):
            logarithms = (torch.where(has_sign, size, least) - result).flip(ctx.dim).logcumsumexp(ctx.dim).flip(ctx.dim)
            return (logarithms + x).exp()

        return part(grad > 0) - part(grad < 0), None


THROUGH_RESULTS |= {"ndtri": SpecialNdtri.apply, "log_ndtr": SpecialLogNdtr.apply, "logcumsumexp": Logcumsumexp.apply}
