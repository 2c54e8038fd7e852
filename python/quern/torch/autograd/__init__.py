"""torch.autograd: gradients, and functions with derivatives of one's own."""

from quern.torch._core import Tensor
from quern.torch.autograd import function, functional
from quern.torch.autograd._function import Function, FunctionCtx
from quern.torch.autograd._gradients import backward, grad
from quern.torch.autograd._modes import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    is_grad_enabled,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
)
from quern.torch.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck

Variable = Tensor

__all__ = [
    "Function", "FunctionCtx", "GradcheckError", "Variable", "backward", "detect_anomaly", "enable_grad", "function", "functional", "grad",
    "gradcheck", "gradgradcheck",
    "inference_mode", "is_anomaly_enabled", "is_grad_enabled", "no_grad", "set_detect_anomaly", "set_grad_enabled",
]  # fmt: skip
