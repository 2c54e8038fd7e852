"""The exceptions that Python has no name for. Front ends give them their peers' names."""

import builtins


class Error(Exception):
    """Base of quern's own exceptions."""


class CompileError(Error):
    """The compiler rejected a source; the message is its log, with file, line and column.

    Parameters
    ----------
    msg : str, optional
        Log of the compiler.
    command_line : sequence of str, optional
        Command of the compiler.
    stdout : str, optional
        Standard output of the compiler.
    stderr : str, optional
        Error output of the compiler; by default `msg`.
    """

    def __init__(self, msg="", command_line=(), stdout=None, stderr=None):
        super().__init__(msg)
        self.msg = msg
        self.command_line = command_line
        self.stdout = stdout
        self.stderr = msg if stderr is None else stderr


class LogicError(Error):
    """An invalid call: freed memory, an unknown kernel, a block over the limits."""


class LaunchError(Error):
    """A kernel failed while it ran; the text names it and the line that launched it."""


class OutOfMemoryError(Error, MemoryError, builtins.RuntimeError):
    """The device is out of memory, also after unused memory was released. In PyTorch programs it is a RuntimeError."""


class RuntimeError(Error):  # noqa: A001  (PyCUDA's name)
    """The device or its driver failed."""


class InternalError(Error):
    """An internal error of quern; please report it."""
