"""Numba's exceptions and warnings: ``numba.core.errors``. What kernels raise here are these very classes.

NumbaError is quern.kernel.errors.KernelError, TypingError and UnsupportedError are those of the same names. Classes that only Numba
distinguishes are their subclasses, so that ``except`` finds them; they are not raised.
"""

import numbers as numbers_abc

from quern.errors import Error
from quern.kernel.errors import KernelError, LinkError, RequireLiteralValue, TypingError, UnsupportedError  # noqa: F401

NumbaError = KernelError


class CompilerError(NumbaError):
    """Numba's CompilerError."""


class DeprecationError(NumbaError):
    """Numba's DeprecationError."""


class IRError(NumbaError):
    """Numba's IRError."""


class InternalError(NumbaError):
    """Numba's InternalError."""


class LoweringError(NumbaError):
    """Numba's LoweringError."""


class NumbaAssertionError(NumbaError):
    """Numba's NumbaAssertionError."""


class NumbaNotImplementedError(NumbaError):
    """Numba's NumbaNotImplementedError."""


class NumbaRuntimeError(NumbaError):
    """Numba's NumbaRuntimeError."""


class VerificationError(NumbaError):
    """Numba's VerificationError."""


class InternalTargetMismatchError(NumbaError):
    """Numba's InternalTargetMismatchError."""


class NonexistentTargetError(NumbaError):
    """Numba's NonexistentTargetError."""


class ForceLiteralArg(NumbaError):
    """Numba's ForceLiteralArg."""


class ConstantInferenceError(TypingError):
    """Numba's ConstantInferenceError."""


class LiteralTypingError(TypingError):
    """Numba's LiteralTypingError."""


class NumbaAttributeError(TypingError):
    """Numba's NumbaAttributeError."""


class NumbaIndexError(TypingError):
    """Numba's NumbaIndexError."""


class NumbaKeyError(TypingError):
    """Numba's NumbaKeyError."""


class NumbaTypeError(TypingError):
    """Numba's NumbaTypeError."""


class NumbaValueError(TypingError):
    """Numba's NumbaValueError."""


class UntypedAttributeError(TypingError):
    """Numba's UntypedAttributeError."""


class ByteCodeSupportError(UnsupportedError):
    """Numba's ByteCodeSupportError."""


class ForbiddenConstruct(UnsupportedError):
    """Numba's ForbiddenConstruct."""


class UnsupportedBytecodeError(UnsupportedError):
    """Numba's UnsupportedBytecodeError."""


class UnsupportedParforsError(UnsupportedError):
    """Numba's UnsupportedParforsError."""


class UnsupportedRewriteError(UnsupportedError):
    """Numba's UnsupportedRewriteError."""


class CudaLoweringError(LoweringError):
    """Numba's CudaLoweringError."""


class NotDefinedError(IRError):
    """Numba's NotDefinedError."""


class RedefinedError(IRError):
    """Numba's RedefinedError."""


class NumbaWarning(Warning):
    """Base of Numba's warnings."""


class NumbaDebugInfoWarning(NumbaWarning):
    """Numba's NumbaDebugInfoWarning."""


class NumbaDeprecationWarning(NumbaWarning):
    """Numba's NumbaDeprecationWarning."""


class NumbaExperimentalFeatureWarning(NumbaWarning):
    """Numba's NumbaExperimentalFeatureWarning."""


class NumbaInvalidConfigWarning(NumbaWarning):
    """Numba's NumbaInvalidConfigWarning."""


class NumbaParallelSafetyWarning(NumbaWarning):
    """Numba's NumbaParallelSafetyWarning."""


class NumbaPendingDeprecationWarning(NumbaWarning):
    """Numba's NumbaPendingDeprecationWarning."""


class NumbaPerformanceWarning(NumbaWarning):
    """Numba's NumbaPerformanceWarning."""


class NumbaSystemWarning(NumbaWarning):
    """Numba's NumbaSystemWarning."""


class NumbaTypeSafetyWarning(NumbaWarning):
    """Numba's NumbaTypeSafetyWarning."""


class NumbaPedanticWarning(NumbaWarning):
    """Numba's NumbaPedanticWarning."""


class NumbaIRAssumptionWarning(NumbaWarning):
    """Numba's NumbaIRAssumptionWarning."""


class KernelRuntimeError(RuntimeError):
    """A kernel failed in a thread.

    Parameters
    ----------
    msg : str
        What is wrong.
    tid, ctaid : tuple of ints, optional
        Indices of the thread in its block and of the block in the grid.
    """

    def __init__(self, msg, tid=None, ctaid=None):
        self.tid, self.ctaid, self.msg = tid, ctaid, msg
        super().__init__(f"tid={tid} ctaid={ctaid}: {msg}")


missing_launch_config_msg = "Kernel launch configuration was not specified: write kernel[blocks, threads](...)"


def normalize_kernel_dimensions(griddim, blockdim):
    """Both as tuples of three numbers. Raises TypeError and ValueError for what is no grid."""
    return _dimensions(griddim, "griddim"), _dimensions(blockdim, "blockdim")


def _dimensions(given, what):
    numbers = list(given) if isinstance(given, (tuple, list)) else [given]
    if len(numbers) > 3:
        raise ValueError(f"{what} must be a sequence of 1, 2 or 3 integers, got {numbers}")
    if not all(isinstance(n, numbers_abc.Integral) for n in numbers):
        raise TypeError(f"{what} must be a sequence of integers, got {numbers}")
    return (*numbers, 1, 1, 1)[:3]


class CudaSupportError(ImportError):
    """Something of CUDA's is not there."""


class NvvmSupportError(ImportError):
    """Code for GPUs cannot be made."""


class NvrtcSupportError(ImportError):
    """NVRTC is not there."""


class CCSupportError(RuntimeError):
    """The GPU's compute capability is too low."""


# Everything that a device, its driver or a launch raises.
CudaDriverError = CudaAPIError = CudaRuntimeError = NvrtcError = NvrtcCompilationError = NvvmError = Error
LinkerError = LinkError


class NvvmWarning(Warning):
    """Of the compiler for GPUs."""


__all__ = [name for name, value in vars().items() if isinstance(value, type) and name not in ("Error", "KernelError", "LinkError")]
