"""What is wrong with a function that cannot be a kernel: one message with file, line, the line's text and a caret."""

from quern.errors import CompileError

_PARAMETERS = """

Parameters
----------
msg : str
    What is wrong, with file and line.
command_line : list of str, optional
    Command of the compiler that failed.
stdout, stderr : str, optional
    What the compiler printed.
"""


class KernelError(CompileError):
    """Base: a Python function that cannot be compiled for a device."""

    is_final = False  # is the function wrong for Numba as well? Then Python does not run it instead.

    def __init_subclass__(cls):
        cls.__doc__ = (vars(cls).get("__doc__") or "") + _PARAMETERS


KernelError.__doc__ += _PARAMETERS


class TypingError(KernelError, TypeError):
    """An operation that its operands' types do not have."""


class MissingAttribute(TypingError, AttributeError):  # noqa: N818
    """A name that a module does not have, in functions for the host."""

    is_final = True


class RequireLiteralValue(TypingError):  # noqa: N818  (Numba's name)
    """Something that must be known when the kernel is compiled."""


class UnsupportedError(KernelError):
    """Something that Python has and kernels do not."""


class LinkError(KernelError):
    """What is linked to a kernel does not compile, is damaged, or lacks a function that was declared."""


DEBUGGER = "QUERN_PURE_PYTHON=1 runs kernels as plain Python, in which a debugger stops"  # a hint
