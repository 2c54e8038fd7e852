"""torch.autograd: gradients, and functions with derivatives of one's own."""

from quern.torch.autograd import anomaly_mode, function, functional, grad_mode, graph, variable
from quern.torch.autograd._function import Function, FunctionCtx
from quern.torch.autograd._gradients import backward, grad
from quern.torch.autograd.anomaly_mode import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from quern.torch.autograd.grad_mode import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from quern.torch.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from quern.torch.autograd.variable import Variable

__all__ = [
    "Function", "FunctionCtx", "GradcheckError", "Variable", "anomaly_mode", "backward", "detect_anomaly", "enable_grad", "function",
    "functional", "grad",
    "grad_mode", "gradcheck", "graph", "gradgradcheck", "inference_mode", "is_anomaly_enabled", "is_grad_enabled", "no_grad",
    "set_detect_anomaly", "set_grad_enabled", "variable",
]  # fmt: skip
