"""Docstrings of the array type's properties, and of the methods that NumPy computes on the host."""


def _property(summary, *example):
    """A property's docstring; ``example``: expressions of ``qn``, each with the value that is printed."""
    lines = [f">>> {line}\n{value}" if value else f">>> {line}" for line, value in example]
    return "\n".join([summary, "", "Examples", "--------", ">>> import quern as qn", *lines, ""])


# Of properties that the engine defines.
OF_ENGINE = {
    "shape": _property(
        "The size of each dimension, a tuple of ints; an assigned shape must have as many elements.", ("qn.zeros((2, 3)).shape", "(2, 3)")
    ),
    "ndim": _property("The number of dimensions.", ("qn.zeros((2, 3)).ndim", "2")),
    "size": _property("The number of elements.", ("qn.zeros((2, 3)).size", "6")),
    "itemsize": _property("The bytes of one element.", ("qn.zeros((2, 3)).itemsize", "8")),
    "nbytes": _property("The bytes of all elements.", ("qn.zeros((2, 3)).nbytes", "48")),
    "strides": _property("The bytes between neighbours along each dimension, a tuple of ints.", ("qn.zeros((2, 3)).strides", "(24, 8)")),
}
T = _property("A view with the axes in reversed order.", ("qn.zeros((2, 3)).T.shape", "(3, 2)"))
MT = _property("A view with the last two axes swapped.", ("qn.zeros((4, 2, 3)).mT.shape", "(4, 3, 2)"))
REAL = _property(
    "The real part, which can be assigned: a view of a complex array, the array itself of others.",
    ("qn.asarray([1 + 2j, 3]).real", "array([1., 3.])"),
)
IMAG = _property(
    "The imaginary part: a view of a complex array, which can be assigned; read-only zeros of others.",
    ("qn.asarray([1 + 2j, 3]).imag", "array([2., 0.])"),
)
DTYPE = _property("The dtype of the elements, a `numpy.dtype`.", ("qn.zeros(2).dtype", "dtype('float64')"))
DEVICE = _property("The device of the memory, a `quern.device`.", ('qn.zeros(2).to_device("cpu").device.kind', "'cpu'"))
FLAGS = _property("The memory layout, and whether elements can be assigned: a `quern.Flags`.", ("qn.zeros(2).flags.writeable", "True"))
BASE = _property(
    "The array whose memory a view shows; None for an array with memory of its own.",
    ("qn.zeros(2).base is None", "True"),
    ("qn.zeros(2)[1:].base.shape", "(2,)"),
)
DATA = _property("A memoryview of the memory; on a GPU it raises BufferError.", ('qn.zeros(2).to_device("cpu").data.nbytes', "16"))
CTYPES = _property(
    "NumPy's object with the address of the memory for `ctypes`; for arrays on the CPU.",
    ('qn.zeros((2, 3)).to_device("cpu").ctypes.shape[1]', "3"),
)
FLAT = _property(
    "The elements in C order: an iterator that can be indexed and assigned to.",
    ("a = qn.asarray([[1, 2], [3, 4]])", ""),
    ("a.flat[2]", "array(3)"),
)
_WRITTEN = """{summary}; the function waits for the values.

Parameters
----------
*args : object
    Positional arguments of NumPy's method.
**kwargs : object
    Keyword arguments of NumPy's method.

Returns
-------
{returns}

Notes
-----
See :meth:`numpy.ndarray.{name}`.

Examples
--------
>>> import quern as qn
{example}
"""
OUTWARDS = {
    "tofile": _WRITTEN.format(
        name="tofile",
        summary="Write the elements to a file, as bytes or as text",
        returns="None\n    Nothing.",
        example=">>> import os\n>>> qn.asarray([1, 2]).tofile(os.devnull)",
    ),
    "dump": _WRITTEN.format(
        name="dump",
        summary="Write a pickle of the NumPy array with the values to a file",
        returns="None\n    Nothing.",
        example=">>> import os\n>>> qn.asarray([1, 2]).dump(os.devnull)",
    ),
    "dumps": _WRITTEN.format(
        name="dumps",
        summary="Return a pickle of the NumPy array with the values",
        returns="bytes\n    Pickle.",
        example=">>> import pickle\n>>> pickle.loads(qn.asarray([1, 2]).dumps())\narray([1, 2])",
    ),
}
