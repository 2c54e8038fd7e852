"""numba.cuda.args: what is said about an argument of a launch."""

from quern.lib import _engine

ArgHint = _engine.Transfer


class In(ArgHint):
    """``kernel[...](In(array))``: a host array that is copied in and not back."""

    def __init__(self, ary):
        super().__init__(ary, True, False)


class Out(ArgHint):
    """``kernel[...](Out(array))``: a host array that is copied back and not in."""

    def __init__(self, ary):
        super().__init__(ary, False, True)


class InOut(ArgHint):
    """``kernel[...](InOut(array))``: a host array that is copied in, and back."""

    def __init__(self, ary):
        super().__init__(ary, True, True)


def wrap_arg(value, default=InOut):
    """The value, with ``default`` said about it where nothing is said."""
    return value if isinstance(value, ArgHint) else default(value)


__all__ = ["ArgHint", "In", "InOut", "Out", "wrap_arg"]
