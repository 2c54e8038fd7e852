"""What kernels that are made from text take: the C names of NumPy's types, and the arguments of ElementwiseKernel, ReductionKernel
and related classes.

Start at parse_arguments(). pycuda.tools gives these functions and classes their public names.
"""

from __future__ import annotations

import re

import numpy as np

_names_of_dtypes = {}
_dtypes_of_names = {}


def register_dtype(dtype, c_names, alias_ok=False):
    """Register the C names of a dtype; kernels use the first one.

    Parameters
    ----------
    dtype : dtype
        NumPy dtype, also of structures.
    c_names : str or list of str
        C names.
    alias_ok : bool, optional
        Whether the dtype may have a name already, which it keeps.

    Raises
    ------
    RuntimeError
        For a dtype with a name, without `alias_ok`; for a name of another dtype.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import tools
    >>> pair = numpy.dtype([("n", "i4"), ("x", "f4")])
    >>> tools.register_dtype(pair, "example_pair", alias_ok=True)
    >>> tools.dtype_to_ctype(pair)
    'example_pair'
    """
    names = [c_names] if isinstance(c_names, str) else list(c_names)
    dtype = np.dtype(dtype)
    if not alias_ok and dtype in _names_of_dtypes:
        raise RuntimeError(f"[register_dtype] the type '{dtype}' has the name '{_names_of_dtypes[dtype]}' already")
    get_or_register_dtype(names, dtype)


def get_or_register_dtype(names, dtype=None):
    """Return the dtype of a C name; with `dtype`, register the names first.

    Parameters
    ----------
    names : str or list of str
        C names.
    dtype : dtype, optional
        Dtype that gets the names; None only looks up the first name.

    Returns
    -------
    dtype
        Dtype of the first name.

    Raises
    ------
    ValueError
        For an unknown name, without `dtype`.
    RuntimeError
        For a name of another dtype.

    Examples
    --------
    >>> from quern.pycuda import reduction
    >>> reduction.get_or_register_dtype("unsigned int")
    dtype('uint32')
    """
    names = [names] if isinstance(names, str) else list(names)
    if dtype is None:
        return _dtype_of_name(names[0])
    dtype = np.dtype(dtype)
    for name in names:
        known = _dtypes_of_names.get(name)
        if known is not None and known != dtype:
            raise RuntimeError(f"[get_or_register_dtype] '{name}' is the name of '{known}' already")
    for name in names:
        _dtypes_of_names.setdefault(name, dtype)
    _names_of_dtypes.setdefault(dtype, names[0])
    return _dtypes_of_names[names[0]]


def _dtype_of_name(name):
    found = _dtypes_of_names.get(re.sub(r"\s*([<>:,])\s*", r"\1", " ".join(name.split())))
    if found is None:
        raise ValueError(f"unknown type '{name}'; write a C type such as 'float' or 'unsigned int', or register_dtype() the type first")
    return found


def c_name(dtype):
    """Return the registered C name of a dtype.

    Parameters
    ----------
    dtype : dtype
        NumPy dtype.

    Returns
    -------
    str
        C name; "" for a dtype without a name.

    Examples
    --------
    >>> from quern.pycuda import tools
    >>> tools.c_name("int32")
    'int'
    """
    return _names_of_dtypes.get(np.dtype(dtype), "")


def base_dtype_to_ctype(dtype):
    """Return the C name of a dtype that C has or that was registered.

    Parameters
    ----------
    dtype : dtype
        NumPy dtype.

    Returns
    -------
    str
        C name.

    Raises
    ------
    ValueError
        For None, and for a dtype without a name.

    Examples
    --------
    >>> from quern.pycuda import tools
    >>> tools.base_dtype_to_ctype("float32")
    'float'
    """
    if dtype is None:
        raise ValueError("dtype may not be None")
    dtype = np.dtype(dtype)
    if dtype not in _names_of_dtypes:
        raise ValueError(f"unable to map dtype '{dtype}'")
    return _names_of_dtypes[dtype]


def dtype_to_ctype(dtype, with_fp_tex_hack=False):
    """Return the C++ name of a dtype in PyCUDA's kernels.

    Parameters
    ----------
    dtype : dtype
        NumPy dtype.
    with_fp_tex_hack : bool, optional
        Whether floating-point dtypes get the names of types that textures hold.

    Returns
    -------
    str
        C++ name, or a registered name.

    Raises
    ------
    ValueError
        For None, and for a dtype without a name.

    Examples
    --------
    >>> from quern.pycuda import tools
    >>> tools.dtype_to_ctype("int32"), tools.dtype_to_ctype("complex64")
    ('int', 'pycuda::complex<float>')
    """
    if dtype is None:
        raise ValueError("dtype may not be None")
    dtype = np.dtype(dtype)
    if with_fp_tex_hack and dtype in _TEXTURE_NAMES:
        return _TEXTURE_NAMES[dtype]
    return base_dtype_to_ctype(dtype)


_TEXTURE_NAMES = {
    np.dtype(np.float32): "fp_tex_float",
    np.dtype(np.float64): "fp_tex_double",
    np.dtype(np.complex64): "fp_tex_cfloat",
    np.dtype(np.complex128): "fp_tex_cdouble",
}
for _dtype, _names in (
    ("bool", ("bool",)),
    ("int8", ("signed char", "char")),
    ("uint8", ("unsigned char", "uint8_t", "uchar")),
    ("int16", ("short", "signed short", "short int", "signed short int", "short signed int", "int16_t")),
    ("uint16", ("unsigned short", "unsigned short int", "short unsigned int", "uint16_t", "ushort")),
    ("int32", ("int", "signed int", "signed", "int32_t")),
    ("uint32", ("unsigned int", "unsigned", "uint32_t", "uint")),
    (
        "int64",
        (
            "long",
            "long int",
            "signed long",
            "signed long int",
            "long signed int",
            "long long",
            "long long int",
            "signed long long",
            "signed long long int",
            "int64_t",
            "ptrdiff_t",
            "ssize_t",
        ),
    ),
    (
        "uint64",
        (
            "unsigned long",
            "unsigned long int",
            "long unsigned int",
            "unsigned long long",
            "unsigned long long int",
            "uint64_t",
            "size_t",
            "ulong",
        ),
    ),
    ("float16", ("half", "__half")),
    ("float32", ("float",)),
    ("float64", ("double",)),
    ("complex64", ("pycuda::complex<float>", "complex<float>", "cuFloatComplex", "cuComplex")),
    ("complex128", ("pycuda::complex<double>", "complex<double>", "cuDoubleComplex")),
):
    get_or_register_dtype(_names, _dtype)
_dtypes_of_names["int8_t"] = np.dtype(np.int8)
del _dtype, _names


class Argument:
    """A parameter of a kernel: its NumPy type and its name."""

    def __init__(self, dtype, name):
        self.dtype = np.dtype(dtype)
        self.name = name

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r}, {self.dtype})"

    def __eq__(self, other):
        return type(self) is type(other) and (self.dtype, self.name) == (other.dtype, other.name)

    def __hash__(self):
        return hash((type(self), self.dtype, self.name))


class VectorArg(Argument):
    """A pointer to values of the type."""

    struct_char = "P"

    def declarator(self):
        """Its text in a parameter list."""
        return f"{dtype_to_ctype(self.dtype)} *{self.name}"


class ScalarArg(Argument):
    """A value of the type."""

    def declarator(self):
        """Its text in a parameter list."""
        return f"{dtype_to_ctype(self.dtype)} {self.name}"

    @property
    def struct_char(self):
        """How the module struct packs it."""
        return f"{self.dtype.itemsize}s" if self.dtype.char == "V" else self.dtype.char


_QUALIFIERS = re.compile(r"\b(?:const|volatile|restrict|__restrict__|__restrict|struct)\b")
_DECLARATION = re.compile(r"(.*?)([\s*&]+)([A-Za-z_]\w*)\s*((?:\[\s*\w*\s*\]\s*)*)$", re.DOTALL)


def parse_c_arg(c_arg):
    """Return the argument that a C parameter declaration describes.

    Parameters
    ----------
    c_arg : str
        Declaration, such as ``"float *x"``.

    Returns
    -------
    VectorArg or ScalarArg
        VectorArg for pointers.

    Raises
    ------
    ValueError
        For a text that is no declaration, or an unknown type.

    Examples
    --------
    >>> from quern.pycuda import tools
    >>> tools.parse_c_arg("const float *x"), tools.parse_c_arg("unsigned int n")
    (VectorArg('x', float32), ScalarArg('n', uint32))
    """
    return parsed_argument(c_arg, ScalarArg, VectorArg, get_or_register_dtype)


def parsed_argument(c_arg, scalar, vector, find_dtype):
    """A parameter as C declares it: what ``vector``, for pointers, or ``scalar`` makes of the type that is found, and of its name."""
    found = _DECLARATION.match(_QUALIFIERS.sub(" ", c_arg).strip())
    if not found or "&" in found[2] or not found[1].strip():
        raise ValueError(f"[parse_c_arg] '{c_arg}' is not a parameter declaration, such as 'float *x' or 'int n'")
    kind, between, name, brackets = found.groups()
    stars = (kind + between).count("*")
    if stars + bool(brackets) > 1:
        raise ValueError(f"[parse_c_arg] '{c_arg}' is a pointer to pointers, which has no NumPy type")
    return (vector if stars or brackets else scalar)(find_dtype(" ".join(kind.replace("*", " ").split())), name)


def get_arg_type(c_arg):
    """Return the format character of a C parameter declaration, as the module `struct` has it.

    Parameters
    ----------
    c_arg : str
        Declaration, such as ``"float *x"``.

    Returns
    -------
    str
        Format character; "P" for pointers.

    Raises
    ------
    ValueError
        For a text that is no declaration, or an unknown type.

    Examples
    --------
    >>> from quern.pycuda import tools
    >>> tools.get_arg_type("float *x"), tools.get_arg_type("int n")
    ('P', 'i')
    """
    return parse_c_arg(c_arg).struct_char


def _split(text):
    # At commas that are not between < and >.
    parts, depth = [""], 0
    for c in text:
        depth += (c == "<") - (c == ">")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def parse_arguments(arguments):
    """Return the arguments that a list of C parameter declarations describes.

    Parameters
    ----------
    arguments : str, or list of str, VectorArg and ScalarArg
        Declarations, in a string separated by commas; None is an empty list.

    Returns
    -------
    list of VectorArg and ScalarArg
        Arguments in their order.

    Raises
    ------
    ValueError
        For a text that is no declaration, or an unknown type.

    Examples
    --------
    >>> from quern.pycuda import elementwise
    >>> elementwise.parse_arguments("float a, float *x")
    [ScalarArg('a', float32), VectorArg('x', float32)]
    """
    if arguments is None:
        return []
    if isinstance(arguments, str):
        arguments = [part for part in _split(arguments) if part.strip()]
    return [parse_c_arg(a) if isinstance(a, str) else a for a in arguments]


def declared(arguments):
    """The arguments as C declarations."""
    return ", ".join(a.declarator() for a in arguments)
