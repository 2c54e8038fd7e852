"""What kernels are linked with: CUSource and related classes, declare_device.

CUDA C++, a ``*.cu`` file or a CUSource, becomes part of the kernel source. Compiled code (PTX, cubins, fatbins, objects, archives) is
linked on a GPU; a kernel that is compiled for the CPU raises NotImplementedError. LTO-IR is not linked.
"""

from __future__ import annotations

import io
import os
from types import NoneType

from quern.cuda import config
from quern.kernel import signatures
from quern.kernel.linked import DeclaredFunction, LinkedCode, LinkedText


class LinkableCode:
    """Code that kernels are linked with; base of :class:`CUSource`, :class:`PTXSource` and others.

    Parameters
    ----------
    data : str, bytes or io object
        The code.
    name : str, optional
        Name of the code in messages.
    setup_callback : callable, optional
        Called with the program when it is loaded.
    teardown_callback : callable, optional
        Called with the program when it is unloaded.
    nrt : bool, optional
        Accepted for compatibility.

    Raises
    ------
    TypeError
        For a callback that is not callable.

    Examples
    --------
    >>> from quern.numba import cuda
    >>> issubclass(cuda.CUSource, cuda.LinkableCode)
    True
    """

    kind, default_name = "code", "<unnamed-code>"

    def __init__(self, data, name=None, setup_callback=None, teardown_callback=None, nrt=False):
        for what, callback in (("setup_callback", setup_callback), ("teardown_callback", teardown_callback)):
            if callback is not None and not callable(callback):
                raise TypeError(f"[link] {what} must be callable, not {type(callback).__name__}")
        self._name, self._data, self.nrt = name, data, nrt
        self.setup_callback, self.teardown_callback = setup_callback, teardown_callback

    @property
    def name(self):
        return self._name or self.default_name

    @property
    def data(self):
        """The bytes."""
        value = self._data.getvalue() if isinstance(self._data, (io.StringIO, io.BytesIO)) else self._data
        return value.encode() if isinstance(value, str) else value


_PARAMETERS = "Parameters\n" + LinkableCode.__doc__.replace("\n    ", "\n").partition("Parameters\n")[2].partition("\n\nExamples")[0]
_EXAMPLE = """

Examples
--------
>>> from quern.numba import cuda
>>> cuda.{name}("the code", name="mine").name
'mine'
"""


def _kind(name, kind):
    doc = f"{kind[0].upper()}{kind[1:]} to be linked.\n\n{_PARAMETERS}{_EXAMPLE.format(name=name)}"
    return type(name, (LinkableCode,), {"__module__": __name__, "__doc__": doc, "kind": kind, "default_name": f"<unnamed-{name.lower()}>"})


CUSource = _kind("CUSource", "CUDA C++ source")
PTXSource = _kind("PTXSource", "PTX")
Cubin = _kind("Cubin", "a cubin")
Fatbin = _kind("Fatbin", "a fatbin")
Archive = _kind("Archive", "an archive")
Object = _kind("Object", "an object file")
LTOIR = _kind("LTOIR", "LTO-IR")
_BY_ENDING = {
    ".cu": CUSource,
    ".cuh": CUSource,
    ".ptx": PTXSource,
    ".cubin": Cubin,
    ".fatbin": Fatbin,
    ".a": Archive,
    ".lib": Archive,
    ".o": Object,
    ".obj": Object,
    ".ltoir": LTOIR,
}


def linked_texts(link):
    """What ``link=`` of a decorator names, a path, a LinkableCode or a list of them, as LinkedTexts and LinkedCodes.

    Raises NotImplementedError for LTO-IR and for files whose ending says nothing, FileNotFoundError for a file that is not there.
    """
    items = link or () if isinstance(link, (list, tuple, set, NoneType)) else [link]
    return tuple(_linked(item) for item in items)


def _linked(item):
    if isinstance(item, (LinkedText, LinkedCode)):
        return item
    if isinstance(item, LinkableCode):
        return _of_kind(type(item), item.data, item.name, (), item.setup_callback, item.teardown_callback)
    if not isinstance(item, (str, os.PathLike)):
        raise TypeError(f"[link] expected a path, CUSource, PTXSource or another linkable object, not {type(item).__name__}")
    path = os.fspath(item)
    ending = os.path.splitext(path)[1].lower()
    kind = _BY_ENDING.get(ending)
    if kind is None:
        known = ", ".join(e for e in _BY_ENDING if e not in (".ltoir", ".lib", ".obj"))
        raise NotImplementedError(f"[link] {path} is a file of kind '{ending}'; kernels are linked with {known}")
    with open(path, "rb") as f:
        return _of_kind(kind, f.read(), path, (os.path.dirname(os.path.abspath(path)),))


def _of_kind(kind, data, name, folders, loaded=None, unloaded=None):
    if issubclass(kind, LTOIR):
        raise NotImplementedError(f"[link] {name} is LTO-IR, which is not linked; link CUDA C++ source, a *.cu file or a CUSource, or PTX")
    if issubclass(kind, CUSource):
        return LinkedText(data.decode(), name, (*folders, *config.include_folders()), loaded, unloaded)
    return LinkedCode(kind.kind, bytes(data), name, loaded, unloaded)


def declare_device(name, sig, link=None, use_cooperative=False, abi="numba"):
    """Declare a function of CUDA C++ that kernels call.

    Parameters
    ----------
    name : str
        Name of the function in C++, which is ``extern "C"``.
    sig : str or signature
        Such as ``"float32(float32, int32)"``. A parameter of type ``CPointer(float32)`` accepts a contiguous array.
    link : path, CUSource or a related class, or a list of them, optional
        Code that defines the function; ``@cuda.jit(link=...)`` of the kernel may have it, too. On the CPU, CUDA C++
        alone.
    use_cooperative : bool, optional
        Whether the function synchronizes all threads of the launch.
    abi : {'numba', 'c'}, optional
        "numba": ``int name(R* result, ...)``, which returns 0; "c": ``R name(...)``.

    Returns
    -------
    DeclaredFunction
        Function for kernels.

    Raises
    ------
    NotImplementedError
        For another `abi`, or LTO-IR in `link`.
    TypeError
        For a `sig` without a return type, or a `name` that is no identifier.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import cuda
    >>> source = cuda.CUSource('extern "C" __device__ int thrice(int* out, int x) { *out = 3 * x; return 0; }')
    >>> thrice = cuda.declare_device("thrice", "int32(int32)", link=source)
    >>> @cuda.jit
    ... def kernel(x):
    ...     x[cuda.threadIdx.x] = thrice(x[cuda.threadIdx.x])
    >>> x = np.arange(3, dtype=np.int32)
    >>> kernel[1, 3](x)
    >>> x
    array([0, 3, 6], dtype=int32)
    """
    if abi not in ("numba", "c"):
        raise NotImplementedError(f"[declare_device] unsupported ABI {abi!r}; it is 'numba' or 'c'")
    if not isinstance(name, str) or not (name.isidentifier() and name.isascii()):
        raise TypeError(f"[declare_device] {name!r} is not the name of a C++ function")
    signature = signatures.parsed(sig)
    if signature.return_type is None:
        raise TypeError(f"[declare_device] Return type must be provided for device declarations; {sig!r} is written as 'int32(float32)'")
    return DeclaredFunction(name, signature, linked_texts(link), abi, use_cooperative)
