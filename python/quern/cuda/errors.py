"""Numba's exceptions and warnings: ``numba.core.errors``. What kernels raise here are these very classes.

NumbaError is quern.kernel.errors.KernelError, TypingError and UnsupportedError are those of the same names. Classes that only Numba
distinguishes are their subclasses, so that ``except`` finds them; they are not raised.
"""

import numbers as numbers_abc

from quern.errors import Error
from quern.kernel.errors import KernelError, LinkError, RequireLiteralValue, TypingError, UnsupportedError  # noqa: F401

NumbaError = KernelError


def _subclasses(base, names):
    """Make classes that differ from a base, a name, by their own names alone."""
    globals().update({name: type(name, (globals()[base],), {"__module__": __name__, "__doc__": f"Numba's {name}."}) for name in names.split()})


_subclasses(
    "NumbaError",
    """CompilerError DeprecationError IRError InternalError LoweringError NumbaAssertionError NumbaNotImplementedError
    NumbaRuntimeError VerificationError InternalTargetMismatchError NonexistentTargetError ForceLiteralArg""",
)
_subclasses(
    "TypingError",
    """ConstantInferenceError LiteralTypingError NumbaAttributeError NumbaIndexError NumbaKeyError NumbaTypeError
    NumbaValueError UntypedAttributeError""",
)
_subclasses(
    "UnsupportedError",
    """ByteCodeSupportError ForbiddenConstruct UnsupportedBytecodeError UnsupportedParforsError UnsupportedRewriteError""",
)
_subclasses("LoweringError", "CudaLoweringError")
_subclasses("IRError", "NotDefinedError RedefinedError")


class NumbaWarning(Warning):
    """Base of Numba's warnings."""


_subclasses(
    "NumbaWarning",
    """NumbaDebugInfoWarning NumbaDeprecationWarning NumbaExperimentalFeatureWarning NumbaInvalidConfigWarning
    NumbaParallelSafetyWarning NumbaPendingDeprecationWarning NumbaPerformanceWarning NumbaSystemWarning
    NumbaTypeSafetyWarning NumbaPedanticWarning NumbaIRAssumptionWarning""",
)


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
