"""Arguments of kernels that are made from text: their C names, and the lists that ElementwiseKernel, ReductionKernel and kin take.

Start at parse_arguments(). pycuda.tools gives these classes their public names.
"""

from __future__ import annotations

import re

import numpy as np

_ctypes = {
    "bool": "bool",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float16": "half",
    "float32": "float",
    "float64": "double",
    "complex64": "pycuda::complex<float>",
    "complex128": "pycuda::complex<double>",
}
_dtypes = {text: np.dtype(name) for name, text in _ctypes.items()}
_dtypes |= {
    text: np.dtype(name)
    for name, texts in {
        "int8": "char|int8_t",
        "uint8": "uint8_t",
        "int16": "short int|signed short|signed short int|int16_t",
        "uint16": "unsigned short int|uint16_t|ushort",
        "int32": "signed|signed int|int32_t",
        "uint32": "unsigned int|uint32_t|uint",
        "int64": "long|long int|long long int|signed long|signed long long|int64_t|ptrdiff_t|ssize_t",
        "uint64": "unsigned long|unsigned long int|unsigned long long int|uint64_t|size_t|ulong",
        "float16": "__half",
        "complex64": "complex<float>|cuFloatComplex|cuComplex",
        "complex128": "complex<double>|cuDoubleComplex",
    }.items()
    for text in texts.split("|")
}
_registered = {}  # dtype -> C name, of structures


def dtype_to_ctype(dtype, with_fp_tex_hack=False):
    """The C name of a NumPy dtype: "float", "unsigned", "float3" for ``vec.float3`` ... Raises ValueError for one that has none."""
    if dtype is None:
        raise ValueError("dtype may not be None")
    dtype = np.dtype(dtype)
    name = _registered.get(dtype) or _ctypes.get(dtype.name)
    if name is None:
        raise ValueError(f"unable to map dtype '{dtype}'")
    return name


def register_type(dtype, names):
    """Makes ``names`` C names of ``dtype``; the first is what dtype_to_ctype() gives."""
    dtype = np.dtype(dtype)
    for name in names:
        _dtypes[name] = dtype
    _registered.setdefault(dtype, names[0])
    return dtype


def type_named(name):
    """The dtype that a C type stands for. Raises ValueError for an unknown one."""
    found = _dtypes.get(re.sub(r"\s*([<>:,])\s*", r"\1", " ".join(name.split())))
    if found is None:
        raise ValueError(f"unknown type '{name}'; write a C type such as 'float' or 'unsigned int', or register the type first")
    return found


class Argument:
    """An argument of a kernel: ``dtype``, of the value or of what it points to, and ``name``."""

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
    """A pointer to elements: ``VectorArg(numpy.float32, "x")`` is ``float *x``."""

    struct_char = "P"

    def declarator(self):
        """How it is declared in C."""
        return f"{dtype_to_ctype(self.dtype)} *{self.name}"


class ScalarArg(Argument):
    """A value: ``ScalarArg(numpy.float32, "a")`` is ``float a``."""

    @property
    def struct_char(self):
        """The letter of its type, as Function.prepare() takes it."""
        return self.dtype.char if self.dtype.kind != "V" else self.dtype

    def declarator(self):
        """How it is declared in C."""
        return f"{dtype_to_ctype(self.dtype)} {self.name}"


_qualifiers = re.compile(r"\b(const|volatile|restrict|__restrict__|__restrict|struct)\b")
_declaration = re.compile(r"^(.*?)([*\s])\s*(\w+)\s*(\[\s*\w*\s*\])?$", re.DOTALL)


def parse_c_arg(c_arg):
    """A VectorArg or ScalarArg of a C declaration such as "float *x". Raises ValueError for what is none."""
    text = _qualifiers.sub(" ", c_arg).strip()
    found = _declaration.match(text)
    if not found:
        raise ValueError(f"'{c_arg}' is no argument of a kernel; write a type and a name, as in 'float *x'")
    kind, star, name, brackets = found.groups()
    stars = (kind + star).count("*") + bool(brackets)
    if stars > 1:
        raise ValueError(f"'{c_arg}': pointers to pointers are not served; pass an array of addresses")
    return (VectorArg if stars else ScalarArg)(type_named(kind.replace("*", " ")), name)


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
    """A list of arguments, given as text ("float a, float *x") or as a list of VectorArg, ScalarArg and texts."""
    if arguments is None:
        return []
    if isinstance(arguments, str):
        arguments = [part for part in _split(arguments) if part.strip()]
    return [parse_c_arg(a) if isinstance(a, str) else a for a in arguments]


def declared(arguments):
    """The arguments as C declarations."""
    return ", ".join(a.declarator() for a in arguments)
