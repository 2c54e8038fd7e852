"""The exceptions that Python has no name for. Front ends give them their peers' names."""

import builtins


class Error(Exception):
    """Base of quern's own exceptions."""


class CompileError(Error):
    """The compiler refused a source; the text is its log, with file, line and column."""

    def __init__(self, msg="", command_line=(), stdout=None, stderr=None):
        super().__init__(msg)
        self.msg = msg
        self.command_line = command_line
        self.stdout = stdout
        self.stderr = msg if stderr is None else stderr


class LogicError(Error):
    """A call that makes no sense now: freed memory, an unknown kernel, a block over the limits."""


class LaunchError(Error):
    """A kernel failed while it ran; the text names it and the line that launched it."""


class OutOfMemoryError(Error, MemoryError, builtins.RuntimeError):
    """There is no room on the device, also after unused memory was given back. In PyTorch's programs it is a RuntimeError."""


class RuntimeError(Error):  # noqa: A001  (PyCUDA's name)
    """The device or its driver failed."""


class InternalError(Error):
    """A fault in quern itself; please report it."""
