"""Values that PyTorch refuses: what a device finds in them is raised when a result that depends on them is read.

What is known already is raised at once. See bindings/tensor_refusals.cpp.
"""

from quern.lib import _engine


def unless(result, good, text, kind="RuntimeError"):
    """``result``, for whoever may see it only where ``good``, a bool tensor, is true; ``kind``: the exception's type."""
    return _engine.tensor_refused(result, good, 1, 2, 1, kind, [text])


def places(index, size, text, kind="RuntimeError", low=0):
    """The places, for whoever may see them only where all are from ``low`` up to ``size``; {} in the text stands for one that is not.

    ``text`` may be a list of two: of what is too small, and too large.
    """
    other = low if low < size else -(1 << 63)  # that is taken, too: none
    return _engine.tensor_refused(index, index, low, size, other, kind, text if isinstance(text, list) else [text])
