"""torch.autograd.function: Function and related classes under their module's name."""

from quern.torch.autograd._function import Function, FunctionCtx, once_differentiable  # noqa: F401
