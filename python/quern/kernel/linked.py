"""What kernels written in Python are linked with: CUDA C++, compiled code of GPUs, functions that ``cuda.declare_device`` names.

A kernel is CUDA C++ itself, so source that is linked stands before it in the same text; `#line` names the file it is from. Compiled code
goes to the driver's linker (engine/device/cuda_link.cpp), and its functions are declared in the text. A declared function gets a wrapper,
which calls it the way it was declared:

    abi "numba"   int name(R* result, arguments...): the result goes through the pointer
    abi "c"       R name(arguments...)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from quern.kernel import types
from quern.kernel.errors import TypingError
from quern.kernel.value import Value, cast


class CPointer(types.Type):
    """Of the address of values of one type. Kernels take it as a number, and have its elements: ``p[i]``; they hand an array without gaps
    over where a declared function takes one."""

    def __init__(self, dtype, addrspace=None):
        self.dtype = dtype
        of_bytes = isinstance(dtype, types.NoneType)
        self.name, self.c = "void*" if of_bytes else f"{dtype}*", "void*" if of_bytes else f"{dtype.memory}*"

    def __reduce__(self):
        return (CPointer, (self.dtype,))


@dataclass(frozen=True)
class LinkedText:
    """CUDA C++ source: its text, the name that messages give it, the folders of its includes.

    ``loaded`` and ``unloaded`` are called with the program that it became part of.
    """

    text: str
    name: str
    folders: tuple = ()
    loaded: object = None
    unloaded: object = None

    def lines(self):
        return f'#line 1 "{self.name}"\n{self.text}\n'


@dataclass(frozen=True)
class LinkedCode:
    """Compiled code: its kind in the engine's words ("PTX", "a cubin"), its bytes, the name that messages give it."""

    kind: str
    data: bytes
    name: str
    loaded: object = None
    unloaded: object = None
    folders = ()

    def lines(self):
        return ""


def prototypes(linked, declared):
    """The text that declares the functions which compiled code has: all that no source which is linked mentions."""
    source = "".join(code.text for code in linked if isinstance(code, LinkedText))
    lines = [_prototype(name, signature, abi) for name, signature, abi in declared if not re.search(rf"\b{re.escape(name)}\b", source)]
    # For tools/check_nvrtc.py: it compiles alone only if functions may be missing.
    return "".join(["// nvrtc: --relocatable-device-code=true\nusing namespace quern::py;\n", *lines]) if lines else ""


def _prototype(name, signature, abi):
    result, taken = signature.return_type, [t.c for t in signature.args]
    if abi == "c":
        returned = result.c
    else:
        returned, taken = "int", ["void*" if isinstance(result, types.NoneType) else f"{result.c}*", *taken]
    return f'extern "C" __device__ {returned} {name}({", ".join(taken)});\n'


# Converts to whatever pointer a function takes: `long*` and `long long*` are different types of C++.
POINTER = """struct any_pointer {
  const void* place;
  template <class T>
  __QUERN_DEVICE operator T*() const { return static_cast<T*>(const_cast<void*>(place)); }
};"""


class DeclaredFunction:
    """What ``cuda.declare_device`` makes: a function of C++ that kernels call."""

    def __init__(self, name, signature, links=(), abi="numba", cooperative=False):
        self.__name__ = self.name = name
        self.sig, self.links, self.abi, self.cooperative = signature, tuple(links), abi, cooperative

    def __call__(self, *args):
        raise RuntimeError(f"[{self.name}] a declared device function can be called in kernels only")

    def __repr__(self):
        return f"<declared device function {self.name}{self.sig}>"

    def compile_call(self, compiler, arguments, named, node):
        """For library/table.py: the Value of a call."""
        wanted = self.sig.args
        if named or len(arguments) != len(wanted):
            raise compiler.error(TypingError, node, f"{self.name} was declared with {len(wanted)} arguments, without names")
        compiler.program.link(self.links)
        compiler.program.is_cooperative |= self.cooperative
        compiler.program.declared.setdefault((self.name, self.sig, self.abi), self._wrapper())
        texts = [_argument(compiler, self.name, a, t, node) for a, t in zip(arguments, wanted, strict=True)]
        return Value(self.sig.return_type, f"linked_{self.name}({', '.join(texts)})")

    def _wrapper(self):
        result = self.sig.return_type
        names = [f"a{i}" for i in range(len(self.sig.args))]
        taken = ", ".join(f"{t.c} {name}" for t, name in zip(self.sig.args, names, strict=True))
        given = [f"any_pointer{{{n}}}" if isinstance(t, CPointer) else n for t, n in zip(self.sig.args, names, strict=True)]
        if self.abi == "c":
            call = f"::{self.name}({', '.join(given)})"
            body = call + ";" if isinstance(result, types.NoneType) else f"return {result.c}({call});"
        elif isinstance(result, types.NoneType):
            body = f"long long out[2] = {{}}; ::{self.name}({', '.join(['any_pointer{out}', *given])});"
        else:
            body = f"{result.c} out{{}}; ::{self.name}({', '.join(['any_pointer{&out}', *given])}); return out;"
        return f"static __device__ {result.c} linked_{self.name}({taken}) {{ {body} }}"


def pointer_to(compiler, value, node):
    """The address of an array's elements. Who has it may write them."""
    if not isinstance(value.type, types.Array):
        raise compiler.error(TypingError, node, f"an array is needed, not {value.type}")
    if value.type.layout not in "CF":
        raise compiler.error(TypingError, node, "an array that may be non-contiguous cannot be passed as a pointer", "pass a copy of it")
    compiler.writes_to_array(value)
    return Value(CPointer(value.type.dtype), f"{value.text}.data")


def _argument(compiler, name, value, wanted, node):
    if isinstance(wanted, CPointer):
        if isinstance(value.type, types.Array):
            value = pointer_to(compiler, value, node)
        if isinstance(value.type, CPointer) and (value.type == wanted or isinstance(wanted.dtype, types.NoneType)):
            return value.text
        raise compiler.error(TypingError, node, f"{name} takes {wanted}, not {value.type}")
    if isinstance(value.type, types.Complex) and not isinstance(wanted, types.Complex):
        raise compiler.error(TypingError, node, f"{name} takes {wanted}, not {value.type}", "take its .real")
    return cast(compiler.number(value, node), wanted).text
